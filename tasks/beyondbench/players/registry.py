"""The players of BeyondBench that need no model, by name."""

import random

from perennial.schemas.game import Move, Program
from perennial.tasks.beyondbench.game import TaskGame
from perennial.tasks.beyondbench.players.guesser import guess
from perennial.tasks.beyondbench.problem import write_answer


def _exact(game: TaskGame, _rng: random.Random) -> Move:
    """Solve what the prompt's text says, and nothing else of the game."""
    task = game.problem.task
    params = task.read(game.prompt)
    return lambda: write_answer(task, params, task.solve(params).reference)


def _careless(game: TaskGame, _rng: random.Random) -> Move:
    problem = game.problem
    wrong = problem.task.form(problem.params).careless(problem.solutions.reference)
    return lambda: problem.write_answer(wrong)


def _random(game: TaskGame, rng: random.Random) -> Move:
    problem = game.problem
    return lambda: problem.write_answer(problem.task.guess(problem.params, rng))


def _guesser(game: TaskGame, _rng: random.Random) -> Move:
    """Answer by the cell, the size and the form of answers; nothing that the prompt states is read."""
    problem = game.problem
    form = problem.task.form(problem.params)
    return lambda: problem.write_answer(guess(problem.task.name, problem.variation, problem.size, form))


PLAYERS: dict[str, Program[TaskGame]] = {
    program.name: program
    for program in (
        Program("exact", False, "solves the problem that the prompt's text alone states", _exact),
        Program("careless", False, "gives a wrong answer of the right form, by the form's rule", _careless),
        Program("random", True, "draws an answer of the right form", _random),
        Program("guesser", False, "gives what was right most often in such problems, unread", _guesser),
    )
}
