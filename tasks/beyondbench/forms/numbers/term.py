"""A term of a sequence as the answer: an integer, or a decimal of at most two places.

As JSON holds it an integer stays one, and a decimal is a text such as "-3.75", without zeros at its end.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from perennial.schemas.beyondbench.things import Answer
from perennial.tasks.beyondbench.forms.numbers.integer import IntegerForm

PLACES = 2
MAX_DIGITS = 40
_EXACT = re.compile(rf"[-+]?\d{{1,{MAX_DIGITS}}}(?:\.\d{{1,{PLACES}}})?")
_DECIMAL = re.compile(rf"-?\d{{1,{MAX_DIGITS}}}\.\d{{1,{MAX_DIGITS}}}")
_GROUPED = re.compile(r"([-+]?\d{1,3}(?:(?:,|\{,\}|\s|_)\d{3})+)(\.\d+)?")
_FRACTION = re.compile(r"([-+]?)(?:\\[dt]?frac\{(\d{1,20})\}\{(\d{1,20})\}|(\d{1,20})\s*/\s*(\d{1,20}))")
_INTEGER = IntegerForm()


def value_of(answer: Answer) -> Fraction | None:
    """Return the value of an answer of this form, None for anything else."""
    if isinstance(answer, int) and not isinstance(answer, bool):
        return Fraction(answer)
    if isinstance(answer, str) and _DECIMAL.fullmatch(answer) and not answer.endswith("0"):
        return Fraction(answer)
    return None


def write_value(value: Fraction) -> Answer:
    """Return the answer of this value: an integer, or a decimal text, rounded where it does not end."""
    scale = 10**PLACES
    while scale % value.denominator and scale < 10**12:
        scale *= 10
    digits = round(abs(value) * scale)
    sign = -1 if value < 0 else 1
    whole, rest = divmod(digits, scale)
    if not rest:
        return sign * whole
    text = f"{whole}.{str(rest).zfill(len(str(scale)) - 1)}".rstrip("0")
    return text if sign > 0 else f"-{text}"


@dataclass(frozen=True, slots=True)
class TermForm:
    """An integer or a decimal. Careless: one more."""

    container: str = "boxed"
    is_scalar: bool = True

    def write(self, answer: Answer) -> str:
        """Return its digits."""
        return str(answer)

    def read(self, text: str) -> Answer | None:
        """Return the number that the text is: digits, and at most two places after the point."""
        return write_value(Fraction(text)) if len(text) <= MAX_DIGITS and _EXACT.fullmatch(text) else None

    def read_loosely(self, text: str) -> Answer | None:
        """Return the number that the text is: with separators of thousands, a fraction, more places."""
        text = text.rpartition("=")[2].replace("−", "-").strip() if len(text) < 1_000 else ""
        if text.startswith("{") and text.endswith("}"):
            text = text[1:-1]
        if grouped := _GROUPED.fullmatch(text):
            text = re.sub(r"[^\d+-]", "", grouped[1]) + (grouped[2] or "")
        if fraction := _FRACTION.fullmatch(text):
            over, under = int(fraction[2] or fraction[4]), int(fraction[3] or fraction[5])
            return write_value(Fraction(-over if fraction[1] == "-" else over, under)) if under else None
        text = text.removeprefix("+")
        if _DECIMAL.fullmatch(text) and len(text) <= MAX_DIGITS:
            return write_value(Fraction(text))
        return self.read(text)

    def find_last(self, text: str) -> Answer | None:
        """Return nothing: the last number is what level 4 reads."""
        return None

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        """Yield other numbers near it in value or in digits."""
        if isinstance(answer, int):
            yield from _INTEGER.mutations(answer, rng)
            for hundredths in (1, -1, 50, -50):
                yield f"off by {hundredths} hundredths", write_value(answer + Fraction(hundredths, 100))
            return
        value = Fraction(answer)
        for hundredths in (1, 2, 3, 5, 10, 25, 50, 75, 100, 200, 1_000, 10_000):
            for step in (hundredths, -hundredths):
                yield f"off by {step} hundredths", write_value(value + Fraction(step, 100))
        yield "negated", write_value(-value)
        yield "doubled", write_value(2 * value)
        yield "without its places", int(value)
        yield "point moved", write_value(10 * value)

    def careless(self, answer: Answer) -> Answer:
        """Return one more."""
        return answer + 1 if isinstance(answer, int) else write_value(Fraction(answer) + 1)
