"""Cryptarithms of two operands (App. K.6 of the paper): digits first or words first, one solution each."""

import random
import re
from collections.abc import Mapping
from functools import reduce
from typing import Any

from perennial.schemas.beyondbench.things import Answer, Solutions
from perennial.tasks.beyondbench.forms.mappings.letters import LettersForm
from perennial.tasks.beyondbench.hard.cryptarithmetic.draw import (
    VARIATIONS,
    WORD_VARIATIONS,
    draw,
    find_solutions,
)
from perennial.tasks.beyondbench.hard.cryptarithmetic.params import SYMBOLS, CryptarithmParams
from perennial.tasks.beyondbench.hard.cryptarithmetic.space import space
from perennial.tasks.beyondbench.task import RIGHT, Task, Variation

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
    one, other, made = (
        reduce(lambda value, letter: 10 * value + answer[letter], word, 0) for word in params.forwards
    )
    is_product = params.operation in ("multiplication", "division")
    return RIGHT if (one * other if is_product else one + other) == made else "equation_fails"


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
    found = _EQUATION.search(prompt)
    if found is None:
        raise ValueError("the prompt holds no cryptarithm")
    first, symbol, second, result = found.groups()
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
    template="beyondbench/hard/cryptarithmetic.md.j2",
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
