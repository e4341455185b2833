"""A list of integers as the answer."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from perennial.schemas.beyondbench.things import Answer

_NUMBER = r"[-+]?[0-9]{1,40}"
_ITEMS = rf"{_NUMBER}(?:\s?,\s?{_NUMBER})*+"
_EXACT = re.compile(rf"\[\s?{_ITEMS}\s?\]")
_JOINED = re.compile(rf"{_NUMBER}(?:(?:\s*+(?:,|;|<|≤|&|\\leq?\b|\band\b)\s*+|\s++){_NUMBER})*+,?")
_ONE = re.compile(_NUMBER)
# Without brackets a list begins after no comma: each start is tried once, in linear time.
_LISTS = re.compile(
    rf"[\[({{]\s?{_ITEMS}\s?[\])}}]|(?<![\w.,])(?<!,\s){_NUMBER}(?:,\s?{_NUMBER})++(?!\w|\.[0-9]|\s?/)"
)
_OPEN, _CLOSE = "[({", "])}"


def read_integers(text: str) -> list[int] | None:
    """Return the integers that the whole text lists, in any brackets or none, None where it is no list."""
    text = text.rpartition("=")[2].strip()
    if text and text[0] in _OPEN and text[-1] == _CLOSE[_OPEN.index(text[0])]:
        text = text[1:-1].strip()
    return [int(item) for item in _ONE.findall(text)] if _JOINED.fullmatch(text) else None


def find_integers(text: str) -> list[int] | None:
    """Return the last list within a text: bracketed, or at least two integers with commas between."""
    *_, last = (None, *_LISTS.finditer(text))
    return None if last is None else [int(item) for item in _ONE.findall(last[0])]


@dataclass(frozen=True, slots=True)
class IntegerListForm:
    """A list of integers in square brackets. Careless: the first and the last swapped."""

    container: str = "boxed"
    is_scalar: bool = False

    def write(self, answer: Answer) -> str:
        """Return the list in square brackets with commas."""
        return str(list(answer))

    def read(self, text: str) -> Answer | None:
        """Return the list that the text is in square brackets."""
        return read_integers(text) if _EXACT.fullmatch(text) else None

    def read_loosely(self, text: str) -> Answer | None:
        """Return the list that the text is in other brackets or none, or with other separators."""
        found = read_integers(text)
        return found if found and (len(found) > 1 or text.rstrip().endswith("]")) else None

    def find_last(self, text: str) -> Answer | None:
        """Return the last list within the text."""
        return find_integers(text)

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        """Yield lists with elements swapped, changed, dropped or repeated."""
        items, size = list(answer), len(answer)
        places = rng.sample(range(size), min(size, 8))
        for place in places:
            before, item, after = items[:place], items[place], items[place + 1 :]
            yield "dropped", before + after
            yield "repeated", [*before, item, item, *after]
            yield "off by 1", [*before, item + 1, *after]
            yield "negated", [*before, -item, *after] if item else [*before, *after, 1]
            if after:
                yield "swapped with the next", [*before, after[0], item, *after[1:]]
        yield "reversed", items[::-1]
        yield "rotated", items[1:] + items[:1]
        yield "truncated", items[: size // 2]
        yield "one more", [*items, max(items, default=0) + 1]
        yield "empty", []

    def careless(self, answer: Answer) -> Answer:
        """Return the list with its first and last element swapped, one more where it has a single one."""
        first, *middle, last = answer if len(answer) > 1 else (*answer, 0)
        return [last, *middle, first]
