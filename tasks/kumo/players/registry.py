"""The players that need no model, by name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from schemas.errors import InvalidOption
from schemas.kumo.things import Turn
from tasks.kumo.game import Player
from tasks.kumo.players.greedy import GreedyPlayer
from tasks.kumo.players.reader import ReaderPlayer
from tasks.kumo.players.seat import Seat, answer


class OraclePlayer:
    """Plays the golden trajectory of the exact search (the paper's Algorithm 3)."""

    def __init__(self, seat: Seat) -> None:
        solution = seat.solution
        if solution is None or solution.status == "time_limit":
            raise InvalidOption(
                "player 'oracle' needs the instance's finished search, but there is none: "
                "search the instance first, or let another player play"
            )
        self._moves = [seat.actions[action] for action in solution.golden_actions]
        # Observations that contradict each other leave no answer; a move there has to be all the same.
        self._moves.append(seat.truths[solution.golden_answer or 0])

    def reply(self, turns: Sequence[Turn]) -> str:
        """Return the golden move of this turn; the answer again where the game goes on after it."""
        return answer(self._moves[min(len(turns), len(self._moves) - 1)])


class RandomPlayer:
    """Draws each move alike from the untried actions and one more: to stop and name any listed truth.

    It follows no rule, so it is right as often as there are valid truths among the listed ones, and it
    takes half of the actions on average.
    """

    def __init__(self, seat: Seat) -> None:
        self._seat = seat

    def reply(self, turns: Sequence[Turn]) -> str:
        """Return a random move, as an answer between tags."""
        seat = self._seat
        tried = {turn.move for turn in turns}
        untried = [action for action in seat.actions if action not in tried]
        drawn = seat.rng.randrange(len(untried) + 1)
        return answer(untried[drawn] if drawn < len(untried) else seat.rng.choice(seat.truths))


@dataclass(frozen=True, slots=True)
class PlayerKind:
    """A player by its name: whether its runs differ (they draw), what it does, and how it starts."""

    name: str
    is_random: bool
    summary: str
    start: Callable[[Seat], Player]


PLAYERS: dict[str, PlayerKind] = {
    kind.name: kind
    for kind in (
        PlayerKind("oracle", False, "plays the exact search's golden trajectory", OraclePlayer),
        PlayerKind("greedy", False, "takes the action that rules out most in expectation", GreedyPlayer),
        PlayerKind("random", True, "takes random actions and names a random truth", RandomPlayer),
        PlayerKind("reader", False, "plays by what it reads in the book's text alone", ReaderPlayer),
    )
}


def player_kind(name: str) -> PlayerKind:
    """Return the player of this name; raise InvalidOption, naming the known ones, where there is none."""
    kind = PLAYERS.get(name)
    if kind is None:
        raise InvalidOption(f"player {name!r} is not known: use one of {', '.join(PLAYERS)}")
    return kind
