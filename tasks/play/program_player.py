"""Programs as players: they answer at once, from the benchmark's own view of the game."""

import random

from perennial.schemas.game import Episode, GameT, Program, Turn


def play_program(program: Program[GameT], game: GameT, run: int, rng: random.Random) -> Episode[GameT]:
    """Return the program's run of a fresh game."""
    move = program.start(game, rng)
    turns: list[Turn] = []
    while (result := game.result()) is None:
        reply = move()
        turns.append(Turn(len(turns) + 1, reply, game.take(reply)))
    return Episode(program.name, run, tuple(turns), result, game)
