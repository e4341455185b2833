"""A list of small integers, one for each place, as the answer: where things stand."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from perennial.schemas.beyondbench.things import Answer

_NUMBERS = r"\d{1,6}(?:\s*,\s*\d{1,6})*"
_EXACT = re.compile(rf"\[\s*({_NUMBERS})\s*\]")
_GROUP = re.compile(r"[\[({]([\d,;\s]{1,5000})[\])}]")
_LABEL = re.compile(r"[A-Za-z ]{1,40}[:=]\s*")
# Row 0: column 3; (0, 3).
_PLACE = re.compile(
    r"(?:row ?(\d{1,6}) ?(?::|,|=|->|→|–|-)? ?(?:in )?(?:column|col)|\((\d{1,6}) ?,) ?(\d{1,6})\)?",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[\s,;.\[\]{}*•\-]*")
_LOOSE = re.compile(r"\d{1,6}(?:[\s,;]+\d{1,6})+")


@dataclass(frozen=True, slots=True)
class PositionsForm:
    """So many integers from 0 to below a limit. Careless: all like the first."""

    length: int
    limit: int
    container: str = "answer"
    is_scalar: bool = False

    def write(self, answer: Answer) -> str:
        """Return the integers in brackets."""
        return f"[{', '.join(map(str, answer))}]"

    def read(self, text: str) -> Answer | None:
        """Return the integers of a text that is a list in brackets."""
        found = _EXACT.fullmatch(text)
        return [int(number) for number in found[1].split(",")] if found else None

    def read_loosely(self, text: str) -> Answer | None:
        """Return the integers of a text that is a list: with or without brackets, commas, a label before."""
        text = text.strip()
        if (columns := self._read_places(text)) is not None:
            return columns
        if label := _LABEL.match(text):
            text = text[label.end() :].strip()
        if text[:1] in ("[", "(", "{") and text[-1:] in ("]", ")", "}"):
            text = text[1:-1].strip()
        if len(text) > 5_000 or not _LOOSE.fullmatch(text):
            return None
        return [int(number) for number in re.findall(r"\d+", text)]

    def _read_places(self, text: str) -> list[int] | None:
        """Return the columns of a text that gives the rows in their order, each with its column."""
        places = _PLACE.findall(text) if len(text) <= 5_000 else []
        rows = [int(row or pair) for row, pair, _ in places]
        if not places or rows != list(range(self.length)) or not _BETWEEN.fullmatch(_PLACE.sub("", text)):
            return None
        return [int(column) for *_, column in places]

    def find_last(self, text: str) -> Answer | None:
        """Return the integers of the last brackets that hold nothing else, or the last rows' columns."""
        places = list(_PLACE.finditer(text))[-self.length :]
        columns = self._read_places(text[places[0].start() : places[-1].end()]) if places else None
        after = text if columns is None else text[places[-1].end() :]
        for group in reversed(_GROUP.findall(after)):
            if (answer := self.read_loosely(group)) is not None:
                return answer
        return columns

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        """Yield lists with an element changed, swapped, dropped or added."""
        yield "nothing", []
        yield "last dropped", answer[:-1]
        yield "first dropped", answer[1:]
        yield "one more", [*answer, rng.randrange(self.limit)]
        yield "reversed", answer[::-1]
        yield "sorted", sorted(answer)
        yield "counted from 1", [value + 1 for value in answer]
        yield "shifted by 1", [*answer[1:], answer[0]]
        yield "all the same", [answer[0]] * len(answer)
        for place in range(len(answer)):
            value = answer[place]
            for other in ((value + 1) % self.limit, (value - 1) % self.limit, rng.randrange(self.limit), -1):
                if other != value:
                    yield f"place {place} is {other}", [*answer[:place], other, *answer[place + 1 :]]
            if place:
                pair = [value, answer[place - 1]]
                yield (
                    f"places {place - 1} and {place} swapped",
                    answer[: place - 1] + pair + answer[place + 1 :],
                )

    def careless(self, answer: Answer) -> Answer:
        """Return a list of the same length, all of whose elements are the first."""
        return [answer[0]] * len(answer)
