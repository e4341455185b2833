"""Answers without the names of a problem: what a guesser learns of one problem and writes for another.

A shape is a text: colours by the first vertex that has them, digits in the order of the letters, pegs, people
and values by their places. Each form has a fixed answer too, for cells in which nothing was learned.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from perennial.schemas.beyondbench.things import Answer
from perennial.schemas.ids import canonical_json
from perennial.tasks.beyondbench.forms.form import Form
from perennial.tasks.beyondbench.forms.grid import GridForm
from perennial.tasks.beyondbench.forms.lists.chosen_ids import ChosenIdsForm
from perennial.tasks.beyondbench.forms.lists.integer_list import IntegerListForm
from perennial.tasks.beyondbench.forms.lists.integer_set import IntegerSetForm
from perennial.tasks.beyondbench.forms.lists.moves import MovesForm
from perennial.tasks.beyondbench.forms.lists.positions import PositionsForm
from perennial.tasks.beyondbench.forms.mappings.assignment import AssignmentForm
from perennial.tasks.beyondbench.forms.mappings.assignment_table import AssignmentTableForm
from perennial.tasks.beyondbench.forms.mappings.coloring import ColoringForm
from perennial.tasks.beyondbench.forms.mappings.letters import LettersForm
from perennial.tasks.beyondbench.forms.relation import RELATIONS, RelationForm


class _Shape(NamedTuple):
    """How answers of a form are made shapes, made of them again, and which one is given without learning."""

    describe: Callable[[Any, Answer], str]
    write: Callable[[Any, str], Answer]
    fixed: Callable[[Any, int], Answer]


def describe_shape(form: Form, answer: Answer) -> str:
    """Return the shape of an answer."""
    return _shape_of(form).describe(form, answer)


def write_shape(form: Form, shape: str) -> Answer:
    """Return the answer of this shape, with the names of the form."""
    return _shape_of(form).write(form, shape)


def fixed_answer(form: Form, size: int) -> Answer:
    """Return the answer of the form that is given where nothing was learned."""
    return _shape_of(form).fixed(form, size)


def _shape_of(form: Form) -> _Shape:
    return _SHAPES.get(type(form), _NUMBER)


def _describe_moves(form: MovesForm, answer: Answer) -> str:
    return " ".join(f"{disk}{form.pegs.index(a)}{form.pegs.index(b)}" for disk, a, b in answer)


def _write_moves(form: MovesForm, shape: str) -> Answer:
    pegs = form.pegs
    return [[int(move[:-2]), pegs[int(move[-2])], pegs[int(move[-1])]] for move in shape.split()]


def _move_tower(form: MovesForm, _size: int) -> Answer:
    """Return the moves of a tower from the first peg to the last."""

    def move(disks: int, source: str, target: str, spare: str) -> list[Answer]:
        if not disks:
            return []
        above = move(disks - 1, source, spare, target), move(disks - 1, spare, target, source)
        return [*above[0], [disks, source, target], *above[1]]

    return move(form.disks, form.pegs[0], form.pegs[2], form.pegs[1])


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
        person: {name: values[int(place)] for (name, values), place in zip(form.categories, row, strict=True)}
        for person, row in zip(form.people, shape.split(), strict=True)
    }


def _fixed_table(form: AssignmentTableForm, _size: int) -> Answer:
    rows = (str(place) * len(form.categories) for place in range(len(form.people)))
    return _write_table(form, " ".join(rows))


_NUMBER = _Shape(
    lambda _form, answer: canonical_json(answer),
    lambda _form, shape: json.loads(shape),
    lambda _form, _size: 0,
)
_SHAPES: dict[type, _Shape] = {
    RelationForm: _NUMBER._replace(fixed=lambda _form, _size: RELATIONS[0]),
    IntegerListForm: _NUMBER._replace(fixed=lambda _form, size: list(range(size))),
    IntegerSetForm: _NUMBER._replace(fixed=lambda _form, _size: [0]),
    ChosenIdsForm: _NUMBER._replace(fixed=lambda _form, _size: [1, 2]),
    PositionsForm: _NUMBER._replace(fixed=lambda form, _size: list(range(form.length))),
    GridForm: _Shape(
        lambda _form, answer: " ".join("".join(map(str, row)) for row in answer),
        lambda _form, shape: [list(map(int, row)) for row in shape.split()],
        lambda form, _size: [
            [(row + column) % form.n + 1 for column in range(form.n)] for row in range(form.n)
        ],
    ),
    MovesForm: _Shape(_describe_moves, _write_moves, _move_tower),
    AssignmentForm: _Shape(
        lambda form, answer: "".join("FT"[answer[str(1 + place)]] for place in range(form.variables)),
        lambda _form, shape: {str(place): value == "T" for place, value in enumerate(shape, 1)},
        lambda form, _size: {str(1 + place): place % 2 == 0 for place in range(form.variables)},
    ),
    ColoringForm: _Shape(
        _describe_coloring,
        _write_coloring,
        lambda form, _size: {str(vertex): f"C{vertex}" for vertex in range(form.vertices)},
    ),
    LettersForm: _Shape(
        lambda form, answer: "".join(str(answer[letter]) for letter in form.letters),
        lambda form, shape: {letter: int(digit) for letter, digit in zip(form.letters, shape, strict=True)},
        lambda form, _size: {letter: (1 + place) % 10 for place, letter in enumerate(form.letters)},
    ),
    AssignmentTableForm: _Shape(_describe_table, _write_table, _fixed_table),
}
