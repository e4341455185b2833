"""Logic grids (App. K.10 of the paper): who has what, by clues that leave one solution."""

import math
import random

from perennial.schemas.beyondbench.things import Answer, Solutions, Space
from perennial.tasks.beyondbench.forms.mappings.assignment_table import AssignmentTableForm
from perennial.tasks.beyondbench.hard.logic_grid.draw import VARIATIONS, draw
from perennial.tasks.beyondbench.hard.logic_grid.grading import Table, check, verify
from perennial.tasks.beyondbench.hard.logic_grid.names import CATEGORIES, NUMBERS, PEOPLE
from perennial.tasks.beyondbench.hard.logic_grid.params import LogicGridParams
from perennial.tasks.beyondbench.hard.logic_grid.reading import read, show
from perennial.tasks.beyondbench.task import Task, Variation


def _solve(params: LogicGridParams) -> Solutions:
    from perennial.tasks.beyondbench.hard.logic_grid.engine import encode, find_assignments

    n_categories = len(params.categories)
    rows = [encode(clue) for clue in params.clues]
    found, count = find_assignments(params.n, n_categories, rows, limit=2)
    if found is None:
        raise ValueError("the logic grid has no solution")
    table: Table = {
        name: {
            category.name: category.values[found[number, : params.n].tolist().index(person)]
            for number, category in enumerate(params.categories, 1)
        }
        for person, name in enumerate(params.people)
    }
    return Solutions((table,), count, count == 1)


def _form(params: LogicGridParams) -> AssignmentTableForm:
    return AssignmentTableForm(params.people, tuple((each.name, each.values) for each in params.categories))


def _guess(params: LogicGridParams, rng: random.Random) -> Answer:
    columns = {each.name: rng.sample(each.values, params.n) for each in params.categories}
    return {
        person: {name: values[place] for name, values in columns.items()}
        for place, person in enumerate(params.people)
    }


def _space(_variation: str, size: int) -> Space:
    n_values = min(map(len, CATEGORIES.values()))
    names = math.perm(len(PEOPLE), size) * math.perm(len(CATEGORIES), size - 1)
    values = math.perm(n_values, size) ** (size - 1)
    numbers = sum(math.comb(len(numbers), size) for numbers in NUMBERS.values())
    return Space(
        math.log10(names * values * numbers), False, "choices of names and values for one set of clues"
    )


def _tokens(_variation: str, size: int) -> tuple[int, int]:
    # 30 for each of about size^1.7 clues beside the paper's figure for names.
    return 100 + 10 * size**2 + round(30 * size**1.7), 3 * size**2 + 4 * size**2


TASK = Task(
    name="logic_grid",
    suite="hard",
    title="who has which value of each category, by clues",
    params=LogicGridParams,
    # The paper counts eight variations, of sizes 3 and 4 by its results, and names sizes 3 to 5.
    variations=tuple(Variation(name, (size,), is_counted=size < 5) for name, size in VARIATIONS.items()),
    template="beyondbench/hard/logic_grid.md.j2",
    draw=draw,
    solve=_solve,
    verify=verify,
    check=check,
    form=_form,
    words=show,
    read=read,
    guess=_guess,
    tokens=_tokens,
    space=_space,
)
