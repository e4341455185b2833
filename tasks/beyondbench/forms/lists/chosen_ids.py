"""A set of ids, chosen from those from 1 to some number."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from perennial.schemas.beyondbench.things import Answer

# Longer texts are no answer: nothing that is chosen from is so large.
_MAX_LENGTH = 2_000
_EXACT = re.compile(r"\[\s*(?:\d{1,9}\s*(?:,\s*\d{1,9}\s*)*)?\]")
_FOUND = re.compile(r"\[[\d,\s]{1,2000}\]|\\?\{[\d,\s]{1,2000}\\?\}")
_NAMED = re.compile(
    r"\b(?:projects?|items?)\s?#?\d{1,9}(?:(?:\s?,\s?(?:and\s)?|\s(?:and|&)\s)(?:(?:project|item)\s?#?)?\d{1,9})*\b",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r",\s*and\b|\band\b|[,;&\n]", re.IGNORECASE)
_ITEM = re.compile(r"(?:[-*•]\s*)?(?:(?:projects?|items?|ids?|p|#)\s*)?(\d{1,9})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ChosenIdsForm:
    """A list of chosen ids, such as [1, 3], in any order. Careless: the first of them alone."""

    count: int
    container: str = "answer"
    is_scalar: bool = False

    def write(self, answer: Answer) -> str:
        """Return the ids in square brackets."""
        return f"[{', '.join(map(str, answer))}]"

    def read(self, text: str) -> Answer | None:
        """Return the ids that the text lists in square brackets."""
        if len(text) > _MAX_LENGTH or not _EXACT.fullmatch(text):
            return None
        return [int(number) for number in re.findall(r"\d+", text)]

    def read_loosely(self, text: str) -> Answer | None:
        """Return the ids that the text lists: `{1, 3}`, "Project 1 and Project 3", `{"projects": ["1"]}`."""
        if len(text) > _MAX_LENGTH:
            return None
        listed = re.split(r"[:=]", text)[-1].strip("[](){}\\ \n")
        items = [
            _ITEM.fullmatch(item.strip(" \t\"'"))
            for item in _SEPARATOR.split(listed)
            if item.strip() or not listed
        ]
        return [int(item[1]) for item in items if item] if items and all(items) else None

    def find_last(self, text: str) -> Answer | None:
        """Return the last list of ids in brackets or braces, else the last of "Project 1, Project 2"."""
        if found := _FOUND.findall(text):
            return self.read_loosely(found[-1])
        *_, last = (None, *_NAMED.finditer(text))
        return None if last is None else [int(number) for number in re.findall(r"\d+", last[0])]

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        """Yield lists with an id less, more, exchanged, unknown or repeated, other lists, and other types."""
        ids = list(answer)
        others = [number for number in range(1, self.count + 1) if number not in ids]
        for place, number in enumerate(ids):
            rest = ids[:place] + ids[place + 1 :]
            yield "one less", rest
            yield "repeated", [*ids, number]
            yield from (("exchanged", [*rest, other]) for other in others)
        yield from (("one more", [*ids, other]) for other in others)
        yield "the others", others
        yield "all", ids + others
        yield "none", []
        yield from (("unknown", [*ids, number]) for number in (0, -1, self.count + 1, 10**9))
        yield "counted from 0", [number - 1 for number in ids]
        yield "as text", [str(number) for number in ids]
        yield "as floats", [float(number) for number in ids]
        yield "as flags", [number in ids for number in range(1, self.count + 1)]
        yield "permuted", rng.sample(ids, len(ids))

    def careless(self, answer: Answer) -> Answer:
        """Return the first id alone."""
        return [min(answer)]
