"""Practice questions for `perennial sample --benchmark mastermind`: fresh codes of a length, to train on."""

from collections.abc import Callable

from perennial.flows.benchmark import Draw, Practice
from perennial.flows.practice.parameters import Parameters
from perennial.schemas.errors import UnreadableInput
from perennial.schemas.ids import derive_rng
from perennial.schemas.practice import PracticeQuestion
from perennial.schemas.settings.form import setting
from perennial_mastermind.codes import COLORS
from perennial_mastermind.game import CodeGame
from perennial_mastermind.grow import hash_code
from perennial_mastermind.seats import CodeSeat


class MastermindParameters(Parameters):
    """How long codes are."""

    pegs: int = setting(4, "Pegs of a code.", ge=1, le=8)


def start(parameters: MastermindParameters, seed: int) -> Callable[[int, int], Draw[CodeSeat]]:
    """Return what draws a code by index and attempt."""

    def draw(index: int, attempt: int) -> Draw[CodeSeat]:
        rng = derive_rng(seed, f"mastermind/practice/{index}", attempt)
        code = "".join(rng.choices(COLORS, k=parameters.pegs))
        return Draw(_seat(code), "codes", code, {"code": code}, {"pegs": parameters.pegs})

    return draw


def _seat(code: str) -> CodeSeat:
    return CodeSeat(f"mastermind_{hash_code(code)}", code)  # the id that an edition gives it


def seat_of(question: PracticeQuestion) -> CodeSeat:
    """Return the seat of a code that was drawn."""
    code = question.game.get("code")
    if not isinstance(code, str) or not code or set(code) - set(COLORS):
        raise UnreadableInput(f"practice question: expected a code of {COLORS}")
    return _seat(code)


def measure(game: CodeGame) -> dict[str, float]:
    """Return the number of guesses."""
    return {"guesses": float(len(game.guesses))}


PRACTICE = Practice(
    parameters=lambda: MastermindParameters,
    start=start,
    seat_of=seat_of,
    levels=tuple({"pegs": pegs} for pegs in (3, 4, 5)),
    measures=measure,
)
