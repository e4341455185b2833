"""An integer as the answer."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from perennial.schemas.beyondbench.things import Answer

# The largest number of digits that is read: longer ones are no answer of any task.
MAX_DIGITS = 400
_EXACT = re.compile(r"[-+]?[0-9]+")
_GROUPED = re.compile(r"[-+]?[0-9]{1,3}(?:[,\s_][0-9]{3})+(?:\.0+)?")
_POINT = re.compile(r"([-+]?[0-9]+)\.0*")


@dataclass(frozen=True, slots=True)
class IntegerForm:
    """An integer. Careless: one more."""

    container: str = "boxed"
    is_scalar: bool = True

    def write(self, answer: Answer) -> str:
        """Return its digits."""
        return str(answer)

    def read(self, text: str) -> Answer | None:
        """Return the integer that the text is."""
        return int(text) if len(text) <= MAX_DIGITS and _EXACT.fullmatch(text) else None

    def read_loosely(self, text: str) -> Answer | None:
        """Return the integer that the text is, with separators of thousands or zeros after the point."""
        text = text.rpartition("=")[2].strip()
        if len(text) > MAX_DIGITS:
            return None
        if _GROUPED.fullmatch(text):
            text = re.sub(r"[^\d.+-]", "", text)
        if found := _POINT.fullmatch(text):
            text = found[1]
        return self.read(text)

    def find_last(self, text: str) -> Answer | None:
        """Return nothing: the last number is what level 4 reads."""
        return None

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        """Yield other integers near it in value or in digits."""
        digits = str(abs(answer))
        sign = -1 if answer < 0 else 1
        for step in (1, 2, 3, 4, 5, 7, 9, 10, 11, 20, 100, 1_000):
            yield f"off by {step}", answer + step
            yield f"off by -{step}", answer - step
        changed: list[tuple[str, int]] = [
            ("negated", -answer),
            ("doubled", 2 * answer),
            ("halved", answer // 2),
            ("digit appended", sign * int(digits + str(rng.randrange(10)))),
            ("first digit doubled", sign * int(digits[0] + digits)),
            ("reversed digits", sign * int(digits[::-1])),
            ("last digit dropped", sign * int(digits[:-1] or "0")),
        ]
        yield from ((kind, value) for kind, value in changed if value != answer)

    def careless(self, answer: Answer) -> Answer:
        """Return one more."""
        return answer + 1
