"""Players of BeyondBench that need no model."""

import json
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from perennial.schemas.beyondbench.things import Answer
from perennial.schemas.game import Move, Program
from perennial.schemas.ids import canonical_json
from perennial.tasks.beyondbench.forms.form import Form, GridForm
from perennial.tasks.beyondbench.forms.lists import (
    ChosenIdsForm,
    IntegerListForm,
    IntegerSetForm,
    MovesForm,
    PositionsForm,
)
from perennial.tasks.beyondbench.forms.mappings import (
    AssignmentForm,
    AssignmentTableForm,
    ColoringForm,
    LettersForm,
)
from perennial.tasks.beyondbench.forms.numbers import RELATIONS, RelationForm
from perennial.tasks.beyondbench.gate import TaskGame
from perennial.tasks.beyondbench.hard.tower_of_hanoi import find_shortest
from perennial.tasks.beyondbench.problem import load_data, write_answer

# Answers without the names of a problem: what a guesser learns of one problem and writes for another.
#
# A shape is a text: colours by the first vertex that has them, digits in the order of the letters, pegs,
# people and values by their places. Each form has a fixed answer too, for cells in which nothing was learned.


class Shape(NamedTuple):
    """How answers of a form are made shapes, made of them again, and which one is given without learning."""

    describe: Callable[[Any, Answer], str]
    write: Callable[[Any, str], Answer]
    fixed: Callable[[Any, int], Answer]


def shape_of(form: Form) -> Shape:
    """How answers of the form are made shapes, and again answers with the names of a form."""
    return _SHAPES.get(type(form), _NUMBER)


def _describe_moves(form: MovesForm, answer: Answer) -> str:
    return " ".join(f"{disk}{form.pegs.index(a)}{form.pegs.index(b)}" for disk, a, b in answer)


def _write_moves(form: MovesForm, shape: str) -> Answer:
    pegs = form.pegs
    return [[int(move[:-2]), pegs[int(move[-2])], pegs[int(move[-1])]] for move in shape.split()]


def _move_tower(form: MovesForm, _size: int) -> Answer:
    """The moves of a tower from the first peg to the last."""
    moves, *_ = find_shortest(form.pegs[0] * form.disks, form.pegs[-1] * form.disks, form.pegs)
    return [list(move) for move in moves]


def _describe_coloring(_form: ColoringForm, answer: Answer) -> str:
    numbers: dict[str, int] = {}
    for vertex in sorted(answer, key=int):
        numbers.setdefault(answer[vertex], len(numbers))
    return " ".join(str(numbers[answer[vertex]]) for vertex in sorted(answer, key=int))


def _write_coloring(_form: ColoringForm, shape: str) -> Answer:
    return {str(vertex): f"C{color}" for vertex, color in enumerate(shape.split())}


def _describe_table(form: AssignmentTableForm, answer: Answer) -> str:
    rows = (
        [values.index(answer[person][name]) for name, values in form.categories] for person in form.people
    )
    return " ".join("".join(map(str, row)) for row in rows)


def _write_table(form: AssignmentTableForm, shape: str) -> Answer:
    return {
        person: {name: values[int(digit)] for (name, values), digit in zip(form.categories, row, strict=True)}
        for person, row in zip(form.people, shape.split(), strict=True)
    }


def _fixed_table(form: AssignmentTableForm, _size: int) -> Answer:
    rows = (str(index) * len(form.categories) for index in range(len(form.people)))
    return _write_table(form, " ".join(rows))


_NUMBER = Shape(
    lambda _form, answer: canonical_json(answer),
    lambda _form, shape: json.loads(shape),
    lambda _form, _size: 0,
)
_SHAPES: dict[type, Shape] = {
    RelationForm: _NUMBER._replace(fixed=lambda _form, _size: RELATIONS[0]),
    IntegerListForm: _NUMBER._replace(fixed=lambda _form, size: list(range(size))),
    IntegerSetForm: _NUMBER._replace(fixed=lambda _form, _size: [0]),
    ChosenIdsForm: _NUMBER._replace(fixed=lambda _form, _size: [1, 2]),
    PositionsForm: _NUMBER._replace(fixed=lambda form, _size: list(range(form.length))),
    GridForm: Shape(
        lambda _form, answer: " ".join("".join(map(str, row)) for row in answer),
        lambda _form, shape: [list(map(int, row)) for row in shape.split()],
        lambda form, _size: [
            [(row + column) % form.n + 1 for column in range(form.n)] for row in range(form.n)
        ],
    ),
    MovesForm: Shape(_describe_moves, _write_moves, _move_tower),
    AssignmentForm: Shape(
        lambda form, answer: "".join("FT"[answer[str(1 + index)]] for index in range(form.variables)),
        lambda _form, shape: {str(index): value == "T" for index, value in enumerate(shape, 1)},
        lambda form, _size: {str(1 + index): index % 2 == 0 for index in range(form.variables)},
    ),
    ColoringForm: Shape(
        _describe_coloring,
        _write_coloring,
        lambda form, _size: {str(vertex): f"C{vertex}" for vertex in range(form.vertices)},
    ),
    LettersForm: Shape(
        lambda form, answer: "".join(str(answer[letter]) for letter in form.letters),
        lambda form, shape: {letter: int(digit) for letter, digit in zip(form.letters, shape, strict=True)},
        lambda form, _size: {letter: (1 + index) % 10 for index, letter in enumerate(form.letters)},
    ),
    AssignmentTableForm: Shape(_describe_table, _write_table, _fixed_table),
}


# The guesser: an answer by the cell, the size and the form of a problem alone. Its rate is the floor.


def usual_answers() -> dict[str, str]:
    """The shapes that were right most often, by `TASK VARIATION SIZE`."""
    return load_data("usual_answers.toml")


def guess(task: str, variation: str, size: int, form: Form) -> Answer:
    """The answer that was right most often in problems of this variation and size.

    Where none was right twice among those that it was learned from, it is a fixed answer of the form.
    """
    usual = usual_answers().get(f"{task} {variation} {size}")
    shape = shape_of(form)
    if usual is not None:
        with suppress(ValueError):  # words of another length than those that were usual
            return shape.write(form, usual)
    return shape.fixed(form, size)


# The players of BeyondBench that need no model, by name.


def _exact(game: TaskGame, _rng: random.Random) -> Move:
    """Solve what the text of our prompt says, whatever models are asked, and nothing else of the game."""
    task = game.problem.task
    params = task.read(game.problem.prompt)
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


def _heuristic(game: TaskGame, rng: random.Random) -> Move:
    """Answer by the task's heuristic from the prompt's text; as the guesser where the task has none."""
    task = game.problem.task
    if task.heuristic is None:
        return _guesser(game, rng)
    answer = task.heuristic(task.read(game.problem.prompt))
    return lambda: game.problem.write_answer(answer)


PLAYERS: dict[str, Program[TaskGame]] = {
    program.name: program
    for program in (
        Program("exact", False, "solves the problem that the prompt's text alone states", _exact),
        Program("careless", False, "gives a wrong answer of the right form, by the form's rule", _careless),
        Program("random", True, "draws an answer of the right form", _random),
        Program("heuristic", False, "colors greedily, adds the last two terms and the like", _heuristic),
        Program("guesser", False, "gives what was right most often in such problems, unread", _guesser),
    )
}
