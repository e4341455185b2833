"""Programs as players: they answer at once, from the benchmark's own view of the game."""

import random
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from schemas.game import Episode, Turn

Move = Callable[[], str]


@dataclass(frozen=True, slots=True)
class Program:
    """A player that needs no model: whether its runs differ (it draws), what it does, and how it starts.

    `start` gets the benchmark's game and a random generator, and returns what gives its next reply.
    `versions` are other versions of questions that it plays beside the usual one.
    """

    name: str
    is_random: bool
    summary: str
    start: Callable[[Any, random.Random], Move]
    versions: Collection[str] = ()


def play_program(program: Program, game: Any, run: int, rng: random.Random) -> Episode:
    """Return the program's run of a fresh game."""
    move = program.start(game, rng)
    turns: list[Turn] = []
    while (result := game.result()) is None:
        reply = move()
        turns.append(Turn(len(turns) + 1, reply, game.take(reply)))
    return Episode(program.name, run, tuple(turns), result, game)
