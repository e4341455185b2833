"""What a player is given before the first turn."""

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perennial.schemas.kumo.things import SeedConfig
from perennial.tasks.kumo.board import Board
from perennial.tasks.kumo.reliability.case import Case

if TYPE_CHECKING:
    from perennial.tasks.kumo.search import Solution


@dataclass(frozen=True, slots=True)
class Seat:
    """A player's place at one instance: no observation, no state and no valid truth is in it.

    `truths` and `actions` are in the order in which they are shown. `masks[j][s]` is the mask of the
    truths that state s of action j rules out, for players that need no book. `solution` is for those
    that play what a search found, `rng` for players that draw. `n_valid` is how many truths are promised
    to survive. `case` is what is known where outcomes are reported, for a player that weighs reports.
    """

    config: SeedConfig
    truths: tuple[str, ...]
    actions: tuple[str, ...]
    masks: tuple[tuple[int, ...], ...]
    book: str
    solution: "Solution | None"
    rng: random.Random
    n_valid: int = 1
    case: Case | None = None


def take_seat(board: Board, rng: random.Random) -> Seat:
    """Return a player's seat at the instance."""
    instance = board.instance
    return Seat(
        board.config,
        instance.truths,
        instance.actions,
        board.encoded.masks,
        board.book,
        board.solution,
        rng,
        len(instance.valid_truths),
        board.reports.case if board.reports else None,
    )


def answer(name: str) -> str:
    """Return the reply that names an action or a truth."""
    return f"<ANSWER> {name} </ANSWER>"
