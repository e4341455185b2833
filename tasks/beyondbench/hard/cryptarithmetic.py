"""Cryptarithms with proved unique solutions."""

import math
import random
import re
import string
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, reduce
from typing import Any, Literal, get_args

from perennial.schemas.beyondbench.things import Answer, Solutions, Space
from perennial.tasks.beyondbench.forms.mappings import LettersForm
from perennial.tasks.beyondbench.problem import RIGHT, Task, Variation, least_share, load_data

# What a cryptarithm is made of: three words and an operation.

Operation = Literal["addition", "subtraction", "multiplication", "division"]
SYMBOLS: dict[Operation, str] = {"addition": "+", "subtraction": "-", "multiplication": "*", "division": "/"}
# Words of at most 8 letters: a product of two fits 64 bits.
MAX_WORD_LENGTH = 8


@dataclass(frozen=True, slots=True)
class CryptarithmParams:
    """A cryptarithm: `first` (operation) `second` = `result`, each letter a digit of its own."""

    operation: Operation
    first: str
    second: str
    result: str

    def __post_init__(self) -> None:
        for word in self.words:
            if not 1 <= len(word) <= MAX_WORD_LENGTH or set(word) - set(string.ascii_uppercase):
                raise ValueError(f"word {word[:20]!r} is not made of 1 to {MAX_WORD_LENGTH} capital letters")
        if len(self.letters) > 10:
            raise ValueError(f"a cryptarithm has {len(self.letters)} letters: expected at most 10")

    @property
    def words(self) -> tuple[str, str, str]:
        """The three words."""
        return self.first, self.second, self.result

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters, in the order of the alphabet."""
        return tuple(sorted(set(self.first + self.second + self.result)))

    @property
    def leading(self) -> frozenset[str]:
        """The letters that cannot be 0."""
        return frozenset(word[0] for word in self.words)

    @property
    def is_product(self) -> bool:
        """Whether the equation forwards is that of a product, else of a sum."""
        return self.operation in ("multiplication", "division")

    @property
    def forwards(self) -> tuple[str, str, str]:
        """The words of the same equation as a sum or a product: two operands, then what they make."""
        if self.operation in ("addition", "multiplication"):
            return self.words
        return self.second, self.result, self.first


# Common English words that word cryptarithms are made of, by length.
MIN_LENGTH, MAX_LENGTH = 3, 6


@cache
def load_words() -> dict[int, tuple[str, ...]]:
    """The words of `words.toml` of 3 to 6 letters by their length, in capitals, sorted."""
    text = load_data("hard/words.toml")["words"]
    return {
        length: tuple(sorted({word.upper() for word in text.split() if len(word) == length}))
        for length in range(MIN_LENGTH, MAX_LENGTH + 1)
    }


# Draw a cryptarithm with one solution: digits first, or words first.
#
# Digits first, an equation of numbers has its digits renamed. Words first, as in Algorithm 22 of the paper,
# English words are drawn until an equation of them has one solution: most have none.

# For sums and differences the size is the number of digits of both operands (of a difference: of minuend and
# subtrahend); for products and quotients that of both factors together.
SUM_SIZES = {"medium": (4, 5), "hard": (5, 6), "extreme": (6, 7)}
FACTORS = {"medium": (3, 2), "hard": (4, 2), "extreme": (3, 3)}
MIN_OVERLAP = 0.3  # of an extreme sum or difference: the share of letters that all three words have (eq. 171)
MIN_LETTERS = 4
# Words first: letters of both summands, or of the first factor, the second of which has three.
SUM_WORDS, FACTOR_WORDS = (4, 5, 6), (3, 4)
SECOND_FACTOR = 3
_TRIES = 200  # equations of words in a draw
_SUMS = ("addition", "subtraction")
VARIATIONS = {
    f"{operation}_{level}": SUM_SIZES[level] if operation in _SUMS else (sum(FACTORS[level]),)
    for operation in get_args(Operation)
    for level in SUM_SIZES
}
WORD_VARIATIONS = {
    f"{operation}_words": SUM_WORDS if operation in _SUMS else FACTOR_WORDS
    for operation in get_args(Operation)
}


def draw(variation: str, size: int, rng: random.Random) -> CryptarithmParams | None:
    """A cryptarithm with exactly one solution, None where the drawn equation has more."""
    operation, _, level = variation.partition("_")
    if variation in WORD_VARIATIONS:
        tried = (draw_words(operation, size, rng) for _ in range(_TRIES))
        return next((params for params in tried if params is not None), None)
    equation = _draw_equation(operation, level, size, rng)
    if not all(equation):
        return None
    numbers = [str(number) for number in equation]
    if operation in _SUMS and level == "extreme" and overlap(*numbers) < MIN_OVERLAP:
        return None
    digits = sorted(set("".join(numbers)))
    if len(digits) < MIN_LETTERS:
        return None
    letters = rng.sample(string.ascii_uppercase, len(digits))
    renaming = str.maketrans(dict(zip(digits, letters, strict=True)))
    first, second, result = (number.translate(renaming) for number in numbers)
    params = CryptarithmParams(operation, first, second, result)  # type: ignore[arg-type]
    return params if find_solutions(params).count == 1 else None


def draw_words(operation: str, size: int, rng: random.Random) -> CryptarithmParams | None:
    """The cryptarithm of three random words where it has exactly one solution, else None."""
    operands, results = word_choices(operation, size)
    first, other, made = (rng.choice(words) for words in (*operands, results))
    if len({first, other, made}) < 3 or len(set(first + other + made)) > 10:
        return None
    words = (first, other, made) if operation in ("addition", "multiplication") else (made, first, other)
    params = CryptarithmParams(operation, *words)  # type: ignore[arg-type]
    return params if find_solutions(params).count == 1 else None


def word_choices(
    operation: str, size: int
) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], tuple[str, ...]]:
    """The words of both operands, and of what they make by addition or multiplication."""
    is_sum = operation in _SUMS
    shortest = size if is_sum else size + SECOND_FACTOR - 1
    lengths = range(shortest, min(shortest + 1, MAX_LENGTH) + 1)
    words = load_words()
    results = tuple(word for length in lengths for word in words[length])
    return (words[size], words[size if is_sum else SECOND_FACTOR]), results


def _draw_equation(operation: str, level: str, size: int, rng: random.Random) -> tuple[int, int, int]:
    if operation in _SUMS:
        first, other = _draw_number(size, rng), _draw_number(size, rng)
        if operation == "addition":
            return first, other, first + other
        return max(first, other), min(first, other), abs(first - other)
    first, other = (_draw_number(length, rng) for length in FACTORS[level])
    if operation == "multiplication":
        return first, other, first * other
    return first * other, other, first


def _draw_number(length: int, rng: random.Random) -> int:
    return rng.randrange(10 ** (length - 1), 10**length)


def overlap(*words: str) -> float:
    """The share of all letters that every word has (eq. 171 of the paper)."""
    sets = [set(word) for word in words]
    return len(set.intersection(*sets)) / len(set.union(*sets))


def find_solutions(params: CryptarithmParams, limit: int = 2) -> Solutions:
    """The first solution and how many were found, up to `limit`."""
    import numpy as np

    from perennial.tasks.beyondbench.hard.kernels.searches import count_solutions

    letters = params.letters
    places = {letter: number for number, letter in enumerate(letters)}
    words = [np.array([places[letter] for letter in reversed(word)], np.int64) for word in params.forwards]
    leading = np.array([letter in params.leading for letter in letters], np.bool_)
    solution = np.empty(len(letters), np.int64)
    count = int(count_solutions(*words, params.is_product, leading, limit, solution))
    if not count:
        return Solutions((), 0, True)
    return Solutions((dict(zip(letters, solution.tolist(), strict=True)),), count, count < limit)


# How many cryptarithms there are.

# Pairs of factors whose cryptarithm has one solution and at least four letters, by the factors' digits:
# {letters: pairs}, counted over all pairs. A product and the quotient of its numbers are sound together.
PRODUCTS: dict[tuple[int, int], dict[int, int]] = {
    (3, 2): {4: 1_804, 5: 7_349, 6: 6_909, 7: 1_181, 8: 19},
    (4, 2): {4: 4_348, 5: 40_474, 6: 132_941, 7: 141_661, 8: 49_369, 9: 6_868, 10: 540},
    (3, 3): {4: 4_628, 5: 44_239, 6: 137_657, 7: 143_032, 8: 49_915, 9: 6_602, 10: 500},
}
# A sound sum and a sound difference for each level and number of digits.
WITNESSES = {
    ("addition_medium", 4): (8416, 1677, 10093),
    ("addition_medium", 5): (76438, 89084, 165522),
    ("addition_hard", 5): (65289, 42042, 107331),
    ("addition_hard", 6): (767134, 980462, 1747596),
    ("addition_extreme", 6): (754102, 408952, 1163054),
    ("addition_extreme", 7): (4983286, 1834109, 6817395),
    ("subtraction_medium", 4): (6461, 1212, 5249),
    ("subtraction_medium", 5): (76278, 12459, 63819),
    ("subtraction_hard", 5): (99015, 53488, 45527),
    ("subtraction_hard", 6): (470681, 321726, 148955),
    ("subtraction_extreme", 6): (279301, 131738, 147563),
    ("subtraction_extreme", 7): (4204338, 2780352, 1423986),
}


# Random triples of words that make a sound sum or product, and how many were tried, by letters of the first
# word. A difference or quotient of the same words is sound too.
SOUND_TRIPLES: dict[tuple[str, int], tuple[int, int]] = {
    ("addition", 4): (438, 500_000),
    ("addition", 5): (4_518, 500_000),
    ("addition", 6): (8_301, 500_000),
    ("multiplication", 3): (86_507, 500_000),
    ("multiplication", 4): (8_597, 50_000),
}


def space(variation: str, size: int) -> Space:
    """The number of cryptarithms: sound equations, times choices of letters for their digits."""
    if variation in WORD_VARIATIONS:
        return _word_space(variation.partition("_")[0], size)
    if (variation, size) in WITNESSES:
        n_letters = len(set("".join(map(str, WITNESSES[variation, size]))))
        return Space(
            math.log10(math.perm(26, n_letters)), False, f"choices of {n_letters} letters for one equation"
        )
    counted = PRODUCTS[FACTORS[variation.partition("_")[2]]]
    total = sum(pairs * math.perm(26, letters) for letters, pairs in counted.items())
    return Space(math.log10(total), True, f"{sum(counted.values()):,} sound equations, letters chosen")


def _word_space(operation: str, size: int) -> Space:
    operands, results = word_choices(operation, size)
    triples = math.prod(map(len, (*operands, results)))
    forwards = "addition" if operation in ("addition", "subtraction") else "multiplication"
    sound, tries = SOUND_TRIPLES[forwards, size]
    doc = f"{sound:,} of {tries:,} triples of words are sound; 1 - 1e-6 lower bound"
    return Space(math.log10(triples * least_share(sound, tries)), False, doc)


# Cryptarithms of two operands (App. K.6 of the paper): digits first or words first, one solution each.

_EQUATION = re.compile(r"^Solve this cryptarithm:\n\n([A-Z]+) ([-+*/]) ([A-Z]+) = ([A-Z]+)$", re.MULTILINE)
_OPERATIONS = {symbol: operation for operation, symbol in SYMBOLS.items()}


def _solve(params: CryptarithmParams) -> Solutions:
    solutions = find_solutions(params)
    if not solutions.count:
        raise ValueError("the cryptarithm has no solution")
    return solutions


def _verify(params: CryptarithmParams, answer: Answer) -> str:
    if not isinstance(answer, dict):
        return "not_a_mapping"
    if any(letter not in answer for letter in params.letters):
        return "letter_missing"
    if len(answer) > len(params.letters):
        return "letter_unknown"
    if any(type(digit) is not int or not 0 <= digit <= 9 for digit in answer.values()):
        return "not_a_digit"
    if len(set(answer.values())) < len(answer):
        return "digit_repeated"
    if any(answer[letter] == 0 for letter in params.leading):
        return "leading_zero"
    first, other, made = (
        reduce(lambda value, letter: 10 * value + answer[letter], word, 0) for word in params.forwards
    )
    return RIGHT if (first * other if params.is_product else first + other) == made else "equation_fails"


def _check(params: CryptarithmParams, answer: Answer) -> bool:
    """Write the digits into the equation as it is printed, and compute it as it is printed."""
    if not isinstance(answer, dict) or set(map(str, answer)) != set(params.letters):
        return False
    texts = {letter: str(digit) for letter, digit in answer.items()}
    if len(set(texts.values())) < len(texts) or any(not re.fullmatch("[0-9]", t) for t in texts.values()):
        return False
    if any(type(digit) is not int for digit in answer.values()):
        return False
    numbers = ["".join(texts[letter] for letter in word) for word in params.words]
    if any(number.startswith("0") for number in numbers):
        return False
    first, second, result = map(int, numbers)
    match params.operation:
        case "addition":
            return first + second == result
        case "subtraction":
            return first - second == result
        case "multiplication":
            return first * second == result
        case "division":
            return divmod(first, second) == (result, 0)


def _words(params: CryptarithmParams) -> Mapping[str, Any]:
    return {
        "first": params.first,
        "second": params.second,
        "result": params.result,
        "symbol": SYMBOLS[params.operation],
        "letters": params.letters,
    }


def _read(prompt: str) -> CryptarithmParams:
    equation = _EQUATION.search(prompt)
    if equation is None:
        raise ValueError("the prompt holds no cryptarithm")
    first, symbol, second, result = equation.groups()
    return CryptarithmParams(_OPERATIONS[symbol], first, second, result)


def _guess(params: CryptarithmParams, rng: random.Random) -> Answer:
    digits = rng.sample(range(10), len(params.letters))
    return dict(zip(params.letters, digits, strict=True))


def _tokens(variation: str, size: int) -> tuple[int, int]:
    is_product = variation.startswith(("multiplication", "division"))
    return 50 + 5 * (2 * size if is_product else 3 * size + 1), 40


TASK = Task(
    name="cryptarithmetic",
    suite="hard",
    title="the digits that letters stand for in an equation",
    params=CryptarithmParams,
    variations=(
        *(Variation(name, sizes) for name, sizes in VARIATIONS.items()),
        *(Variation(name, sizes, is_counted=False) for name, sizes in WORD_VARIATIONS.items()),
    ),
    draw=draw,
    solve=_solve,
    verify=_verify,
    check=_check,
    form=lambda params: LettersForm(params.letters),
    words=_words,
    read=_read,
    guess=_guess,
    tokens=_tokens,
    space=space,
)
