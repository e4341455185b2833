"""Numbers as answers."""

import math
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from perennial.schemas.beyondbench.things import Answer
from perennial.tasks.beyondbench.forms.form import Form

# A number as the answer, right within a tolerance; fractions are read too.

# Texts of more characters are no number of any task.
MAX_LENGTH = 400
_EXACT_DECIMAL = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?")
_GROUPED_DECIMAL = re.compile(r"[-+]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_LOOSE = re.compile(
    r"([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:(?:[eE]|\s?(?:×|\\times|\*)\s?10\^)\{?([-+]?[0-9]{1,3})\}?)?"
)
_FRACTION_DECIMAL = re.compile(r"([-+]?)(?:([0-9]+)\s+)?([0-9]+)\s?/\s?([0-9]+)")
_LEADING = re.compile(r"^.*(?:=|≈|≃|\\approx)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class DecimalForm(Form):
    """A finite number, as a float. Careless: one more."""

    tolerance: float
    container = "boxed"
    is_scalar = True

    def write(self, answer: Answer) -> str:
        return format(Decimal(repr(answer)), "f")

    def read(self, text: str) -> Answer | None:
        return _finite(text) if len(text) <= MAX_LENGTH and _EXACT_DECIMAL.fullmatch(text) else None

    def read_loosely(self, text: str) -> Answer | None:
        """The number that the text is: separators of thousands, a power of ten, a fraction, "..."."""
        text = text if len(text) <= MAX_LENGTH else ""
        text = _LEADING.sub("", text).removesuffix("…").rstrip(".").strip()
        if _GROUPED_DECIMAL.fullmatch(text):
            text = text.replace(",", "")
        if match := _FRACTION_DECIMAL.fullmatch(text):
            sign, whole, above, below = match.groups()
            if not int(below):
                return None
            value = Fraction(int(above), int(below)) + int(whole or 0)
            return _finite(-value if sign == "-" else value)
        if match := _LOOSE.fullmatch(text):
            return _finite(f"{match[1]}e{match[2] or 0}")
        return None

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
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
        return answer + 1.0


def _finite(value: str | Fraction) -> float | None:
    """The value as a float, None where it is none or infinite."""
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


# An integer as the answer.

# The largest number of digits that is read: longer ones are no answer of any task.
MAX_INTEGER_DIGITS = 400
_EXACT_INTEGER = re.compile(r"[-+]?[0-9]+")
_GROUPED_INTEGER = re.compile(r"[-+]?[0-9]{1,3}(?:[,\s_][0-9]{3})+(?:\.0+)?")
_POINT = re.compile(r"([-+]?[0-9]+)\.0*")


@dataclass(frozen=True, slots=True)
class IntegerForm(Form):
    """An integer. Careless: one more."""

    container: str = "boxed"
    is_scalar = True

    def write(self, answer: Answer) -> str:
        return str(answer)

    def read(self, text: str) -> Answer | None:
        return int(text) if len(text) <= MAX_INTEGER_DIGITS and _EXACT_INTEGER.fullmatch(text) else None

    def read_loosely(self, text: str) -> Answer | None:
        """The integer that the text is, with separators of thousands or zeros after the point."""
        text = text.rpartition("=")[2].strip()
        if len(text) > MAX_INTEGER_DIGITS:
            return None
        if _GROUPED_INTEGER.fullmatch(text):
            text = re.sub(r"[^\d.+-]", "", text)
        if match := _POINT.fullmatch(text):
            text = match[1]
        return self.read(text)

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
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
        return answer + 1


# An integer as the value of a named unknown.


@dataclass(frozen=True, slots=True)
class NamedIntegerForm(IntegerForm):
    """An integer that an unknown stands for; "Therefore, x = 5" is read too. Careless: one more."""

    container: str = "answer"
    name: str = "x"

    def find_last(self, text: str) -> Answer | None:
        """The last integer that is said to be equal to the unknown."""
        matches = re.findall(
            rf"(?<!\w){self.name}\s*=\s*([-+]?\d+(?:,\d{{3}})*)(?![\w(]|[.,]\d|\s*[-+*/%^])", text
        )
        return self.read_loosely(matches[-1]) if matches else None


# A term of a sequence as the answer: an integer, or a decimal of at most two places.
#
# As JSON holds it an integer stays one, and a decimal is a text such as "-3.75", without zeros at its end.

PLACES = 2
MAX_DIGITS = 40
_EXACT = re.compile(rf"[-+]?\d{{1,{MAX_DIGITS}}}(?:\.\d{{1,{PLACES}}})?")
_DECIMAL = re.compile(rf"-?\d{{1,{MAX_DIGITS}}}\.\d{{1,{MAX_DIGITS}}}")
_GROUPED = re.compile(r"([-+]?\d{1,3}(?:(?:,|\{,\}|\s|_)\d{3})+)(\.\d+)?")
_FRACTION = re.compile(r"([-+]?)(?:\\[dt]?frac\{(\d{1,20})\}\{(\d{1,20})\}|(\d{1,20})\s*/\s*(\d{1,20}))")


def value_of(answer: Answer) -> Fraction | None:
    """The value of an answer of this form, None for anything else."""
    if isinstance(answer, int) and not isinstance(answer, bool):
        return Fraction(answer)
    if isinstance(answer, str) and _DECIMAL.fullmatch(answer) and not answer.endswith("0"):
        return Fraction(answer)
    return None


def write_value(value: Fraction) -> Answer:
    """The answer of this value: an integer, or a decimal text, rounded where it does not end."""
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
class TermForm(IntegerForm):
    """An integer or a decimal. Careless: one more."""

    def read(self, text: str) -> Answer | None:
        return write_value(Fraction(text)) if len(text) <= MAX_DIGITS and _EXACT.fullmatch(text) else None

    def read_loosely(self, text: str) -> Answer | None:
        """The number that the text is: with separators of thousands, a fraction, more places."""
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

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        if isinstance(answer, int):
            yield from IntegerForm.mutations(self, answer, rng)
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
        return answer + 1 if isinstance(answer, int) else write_value(Fraction(answer) + 1)


# A relation of two numbers as the answer.

# Texts of more characters are no relation.
MAX_RELATION_LENGTH = 200
RELATIONS = ("less than", "equal to", "greater than")
_OTHER_WORDS = {
    "less than": ("<", r"\lt", "less", "smaller", "smaller than", "lesser than", "lower than"),
    "equal to": ("=", "==", "equal", "equals", "the same as", "the same"),
    "greater than": (">", r"\gt", "greater", "larger", "larger than", "bigger than", "higher than"),
}
_MEANINGS = {word: relation for relation, words in _OTHER_WORDS.items() for word in (relation, *words)}
_ASIDE = re.compile(r"\b(?:number [12]|it|the (?:first|second)(?: number)?|is)(?!\w)|[-+]?[0-9][0-9,]*+")
_SENTENCE = re.compile(r"[.;!?\n]")
_FOUND = re.compile(r"(?<!not )\b(less than|smaller than|equal to|greater than|larger than)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RelationForm(Form):
    """One of "less than", "equal to", "greater than". Careless: the next of them."""

    container = "boxed"

    def write(self, answer: Answer) -> str:
        return str(answer)

    def read(self, text: str) -> Answer | None:
        return text if text in RELATIONS else None

    def read_loosely(self, text: str) -> Answer | None:
        """The relation that the text is: other words, a sign, "Number 1 is .. Number 2"."""
        words = _ASIDE.sub(" ", text.lower()).split() if len(text) <= MAX_RELATION_LENGTH else []
        return _MEANINGS.get(" ".join(words).strip("'\" ."))

    def find_last(self, text: str) -> Answer | None:
        """The relation of the last sentence that names any, None where it names several."""
        for sentence in reversed(_SENTENCE.split(text)):
            if numbers := {self.read_loosely(words) for words in _FOUND.findall(sentence)}:
                return numbers.pop() if len(numbers) == 1 else None
        return None

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        yield from (("another relation", relation) for relation in RELATIONS if relation != answer)
        yield from (("a sign", sign) for sign in ("<", ">", "=", "<=", ">=", "!=", "≤", "≥", ""))
        yield from (("half of the words", word) for word in answer.split())
        for words in ("not {}", "{} or equal to", "{} {}", "{}.", " {}", "{} Number 2"):
            yield "other words", words.format(answer, answer)
        yield "upper case", answer.upper()
        yield "a position", RELATIONS.index(answer)
        yield "a list", [answer]

    def careless(self, answer: Answer) -> Answer:
        return RELATIONS[(RELATIONS.index(answer) + 1) % 3]
