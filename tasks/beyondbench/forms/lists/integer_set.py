"""A set of integers as the answer: in any order, each once."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from perennial.schemas.beyondbench.things import Answer
from perennial.tasks.beyondbench.forms.lists.integer_list import find_integers, read_integers

_EXACT = re.compile(r"[-+]?[0-9]{1,40}(?:\s?,\s?[-+]?[0-9]{1,40})*+")
_LAST = re.compile(r"(?<![\w.,])[-+]?[0-9]{1,40}+(?:\s(?:and|&)\s[-+]?[0-9]{1,40}+)?(?![\w]|[.,][0-9])")


@dataclass(frozen=True, slots=True)
class IntegerSetForm:
    """Integers separated by commas. Careless: with one more of them."""

    container: str = "boxed"
    is_scalar: bool = False

    def write(self, answer: Answer) -> str:
        """Return the integers with commas between."""
        return ", ".join(map(str, answer))

    def read(self, text: str) -> Answer | None:
        """Return the integers that the text is, with commas between."""
        return read_integers(text) if _EXACT.fullmatch(text) else None

    def read_loosely(self, text: str) -> Answer | None:
        """Return the integers that the text is, in brackets or with other separators."""
        return read_integers(text)

    def find_last(self, text: str) -> Answer | None:
        """Return the last integers within the text: a list, "a and b", or one."""
        if found := find_integers(text):
            return found
        *_, last = (None, *_LAST.finditer(text))
        return None if last is None else [int(item) for item in re.findall(r"[-+]?[0-9]+", last[0])]

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        """Yield the set in another order, and others: elements changed, added, dropped, given twice."""
        items = list(answer)
        yield "reversed", items[::-1]
        yield "empty", []
        yield "repeated", items + items[:1]
        for place, item in enumerate(items):
            yield "dropped", items[:place] + items[place + 1 :]
            for step in (1, -1, 10, -10, 100):
                yield f"off by {step}", [*items[:place], item + step, *items[place + 1 :]]
        for step in (1, 2, 5, 10, 50, -1, -2, -5, -10, -50):
            yield "one more", [*items, items[-1] + step] if items[-1] + step not in items else [*items, 9_999]
        for _ in range(6):
            yield "another", [rng.randint(-1_000, 1_000)]
        yield "negated", [-item for item in items]

    def careless(self, answer: Answer) -> Answer:
        """Return the set with one more element than its largest."""
        return [*answer, max(answer) + 1]
