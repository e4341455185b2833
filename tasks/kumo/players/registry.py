"""The players that need no model, by name."""

import random
from collections.abc import Callable, Collection, Sequence

from perennial.schemas.errors import InvalidOption
from perennial.schemas.game import Move, Program
from perennial.schemas.kumo.reliability import RELIABILITIES
from perennial.schemas.kumo.things import Step
from perennial.tasks.kumo.game import KumoGame, Player
from perennial.tasks.kumo.players.greedy import GreedyPlayer
from perennial.tasks.kumo.players.guesser import GuesserPlayer
from perennial.tasks.kumo.players.reader import ReaderPlayer
from perennial.tasks.kumo.players.reasoner import ReasonerPlayer
from perennial.tasks.kumo.players.seat import Seat, answer, take_seat


class PlannedPlayer:
    """Plays moves that a search found: actions, and the truth to name after them."""

    def __init__(self, seat: Seat, actions: Sequence[int], truth: int | None) -> None:
        self._moves = [seat.actions[action] for action in actions]
        # Observations that contradict each other leave no answer; a move there has to be all the same.
        self._moves.append(seat.truths[truth or 0])

    def reply(self, steps: Sequence[Step]) -> str:
        """Return the planned move of this turn; the answer again where the game continues after it."""
        return answer(self._moves[min(len(steps), len(self._moves) - 1)])


def seat_algorithm_3(seat: Seat) -> PlannedPlayer:
    """Return the player of Algorithm 3's golden trajectory; raise InvalidOption without a finished search."""
    solution = seat.solution
    if solution is None or solution.status == "time_limit":
        raise InvalidOption(
            "player 'algorithm-3' needs the instance's finished search, but there is none: "
            "search the instance first, or let another player play"
        )
    return PlannedPlayer(seat, solution.golden_actions, solution.golden_answer)


def seat_optimum(seat: Seat) -> Player:
    """Return the player of the optimum's golden play, of Algorithm 3's where only bounds of it are known.

    Where outcomes are reported, it is the best play by the exact probabilities. Raises InvalidOption where
    the optimum does not apply to the instance.
    """
    if seat.case is not None:
        return ReasonerPlayer(seat, seat.case)
    optimum = None if seat.solution is None else seat.solution.optimum
    if optimum is None:
        raise InvalidOption(
            "player 'optimum' needs the instance's optimum under the promise, but there is none "
            "(a size beyond its tables): let another player play"
        )
    if optimum.status == "bounds":
        return seat_algorithm_3(seat)
    return PlannedPlayer(seat, optimum.actions, optimum.answer)


class RandomPlayer:
    """Draws each move alike from the untried actions and one more: to stop and name any listed truth.

    It follows no rule, so it is right as often as there are valid truths among the listed ones, and it
    takes half of the actions on average.
    """

    def __init__(self, seat: Seat) -> None:
        self._seat = seat

    def reply(self, steps: Sequence[Step]) -> str:
        """Return a random move, as an answer between tags."""
        seat = self._seat
        tried = {step.move for step in steps}
        untried = [action for action in seat.actions if action not in tried]
        drawn = seat.rng.randrange(len(untried) + 1)
        return answer(untried[drawn] if drawn < len(untried) else seat.rng.choice(seat.truths))


def _program(
    name: str,
    is_random: bool,
    summary: str,
    seat_player: Callable[[Seat], Player],
    versions: Collection[str] = (),
) -> Program[KumoGame]:
    def start(game: KumoGame, rng: random.Random) -> Move:
        player: Player = seat_player(take_seat(game.board, rng))
        return lambda: player.reply(game.steps)

    return Program(name, is_random, summary, start, versions)


ALIASES = {"oracle": "algorithm-3"}
PLAYERS: dict[str, Program[KumoGame]] = {
    program.name: program
    for program in (
        _program("algorithm-3", False, "plays the golden trajectory of the paper's search", seat_algorithm_3),
        _program(
            *("optimum", False, "plays the best policy that uses the promise"), seat_optimum, RELIABILITIES
        ),
        _program("greedy", False, "takes the action that rules out most in expectation", GreedyPlayer),
        _program(
            "random", True, "takes random actions and names a random truth", RandomPlayer, RELIABILITIES
        ),
        _program("reader", False, "plays by what it reads in the book's text alone", ReaderPlayer),
        _program("guesser", False, "names a truth without a test, by the rules", GuesserPlayer),
    )
}
