"""The rules of the game, without perennial: codes, answers to guesses, and how a guess is read."""

import re
from collections import Counter
from dataclasses import dataclass
from itertools import product

COLORS = "ABCDEF"
PEGS = {"short": 4, "long": 5}  # by setting
GUESSES = 10  # allowed in a game


@dataclass(frozen=True, slots=True)
class Answer:
    """How near a guess is: pegs of the right color in the right place, and in another place."""

    in_place: int
    elsewhere: int


def answer(code: str, guess: str) -> Answer:
    """Return the answer to a guess of the same length."""
    in_place = sum(one == other for one, other in zip(code, guess, strict=True))
    return Answer(in_place, (Counter(code) & Counter(guess)).total() - in_place)


def all_codes(pegs: int) -> list[str]:
    """Return all codes of so many pegs, in alphabetical order."""
    return ["".join(code) for code in product(COLORS, repeat=pegs)]


def read_guess(reply: str, pegs: int) -> str | None:
    """Return the guess on the last line `GUESS: ...` of a reply, None where there is none."""
    found = re.findall(rf"^\s*GUESS:\s*([{COLORS}]{{{pegs}}})\s*$", reply, re.MULTILINE)
    return found[-1] if found else None
