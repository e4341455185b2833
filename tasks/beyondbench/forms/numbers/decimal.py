"""A number as the answer, right within a tolerance; fractions are read too."""

import math
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from perennial.schemas.beyondbench.things import Answer

# Texts of more characters are no number of any task.
MAX_LENGTH = 400
_EXACT = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?")
_GROUPED = re.compile(r"[-+]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_LOOSE = re.compile(
    r"([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:(?:[eE]|\s?(?:×|\\times|\*)\s?10\^)\{?([-+]?[0-9]{1,3})\}?)?"
)
_FRACTION = re.compile(r"([-+]?)(?:([0-9]+)\s+)?([0-9]+)\s?/\s?([0-9]+)")
_LEADING = re.compile(r"^.*(?:=|≈|≃|\\approx)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class DecimalForm:
    """A finite number, as a float. Careless: one more."""

    tolerance: float
    container: str = "boxed"
    is_scalar: bool = True

    def write(self, answer: Answer) -> str:
        """Return its shortest decimal notation, without an exponent."""
        return format(Decimal(repr(answer)), "f")

    def read(self, text: str) -> Answer | None:
        """Return the number that the text is: digits, at most one point, no separators."""
        return _finite(text) if len(text) <= MAX_LENGTH and _EXACT.fullmatch(text) else None

    def read_loosely(self, text: str) -> Answer | None:
        """Return the number that the text is: separators of thousands, a power of ten, a fraction, "..."."""
        text = text if len(text) <= MAX_LENGTH else ""
        text = _LEADING.sub("", text).removesuffix("…").rstrip(".").strip()
        if _GROUPED.fullmatch(text):
            text = text.replace(",", "")
        if found := _FRACTION.fullmatch(text):
            sign, whole, above, below = found.groups()
            if not int(below):
                return None
            value = Fraction(int(above), int(below)) + int(whole or 0)
            return _finite(-value if sign == "-" else value)
        if found := _LOOSE.fullmatch(text):
            return _finite(f"{found[1]}e{found[2] or 0}")
        return None

    def find_last(self, text: str) -> Answer | None:
        """Return nothing: the last number is what level 4 reads."""
        return None

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        """Yield numbers near it in value or in digits, one of them within the tolerance."""
        yield "within the tolerance", answer + self.tolerance / 2
        for step in (2 * self.tolerance, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 10.0, 100.0):
            yield f"off by {step}", answer + step
            yield f"off by -{step}", answer - step
        yield "negated", -answer
        yield "doubled", 2 * answer
        yield "halved", answer / 2
        yield "point moved to the right", 10 * answer
        yield "point moved to the left", answer / 10
        yield "off at random", answer + rng.uniform(3 * self.tolerance, 1.0)

    def careless(self, answer: Answer) -> Answer:
        """Return one more."""
        return answer + 1.0


def _finite(value: str | Fraction) -> float | None:
    """Return the value as a float, None where it is none or infinite."""
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
