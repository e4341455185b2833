"""Sudoku (App. K.5 of the paper): standard, diagonal, irregular and killer, each with one solution."""

import random
import re
from collections.abc import Mapping
from typing import Any

from perennial.schemas.beyondbench.things import Answer, Solutions
from perennial.tasks.beyondbench.forms.grid import GridForm
from perennial.tasks.beyondbench.hard.sudoku.draw import BANDS, draw, split_name
from perennial.tasks.beyondbench.hard.sudoku.grading import check, verify
from perennial.tasks.beyondbench.hard.sudoku.params import BOXES, Cage, Grid, Kind, SudokuParams
from perennial.tasks.beyondbench.hard.sudoku.space import EXACT, space
from perennial.tasks.beyondbench.task import Task, Variation

_LETTERS = "ABCDEFGHI"
_GRID = re.compile(r"^Grid \(0 = empty cell\):\n((?:\d(?: \d)*\n)+)", re.MULTILINE)
_REGIONS = re.compile(r"^Regions \([^\n]*\):\n((?:[A-I](?: [A-I])*\n)+)", re.MULTILINE)
_CAGE = re.compile(r"^- sum (\d{1,2}): (r\dc\d(?:, r\dc\d)*)$", re.MULTILINE)
_DIAGONALS = "- Each of the two main diagonals holds"
_CAGES = "- The cages listed below"


def _solve(params: SudokuParams) -> Solutions:
    from perennial.tasks.beyondbench.hard.sudoku.engine import find_solutions

    grid, found = find_solutions(params)
    if grid is None:
        raise ValueError("the sudoku has no solution")
    return Solutions(([list(row) for row in grid],), found, found == 1)


def _words(params: SudokuParams) -> Mapping[str, Any]:
    regions = [[_LETTERS[number - 1] for number in row] for row in params.regions]
    return {
        "n": params.n,
        "kind": params.kind,
        "box": BOXES[params.n],
        "givens": params.givens,
        "regions": regions,
        "cages": params.cages,
    }


def _read(prompt: str) -> SudokuParams:
    found = _GRID.search(prompt)
    if found is None:
        raise ValueError("the prompt holds no grid")
    givens = tuple(tuple(map(int, line.split())) for line in found[1].splitlines())
    kind: Kind = "standard"
    regions: Grid = ()
    cages: tuple[Cage, ...] = ()
    if printed := _REGIONS.search(prompt):
        kind = "irregular"
        regions = tuple(
            tuple(_LETTERS.index(letter) + 1 for letter in line.split()) for line in printed[1].splitlines()
        )
    elif _DIAGONALS in prompt:
        kind = "diagonal"
    elif _CAGES in prompt:
        kind = "killer"
        cages = tuple(
            Cage(int(total), tuple((int(cell[1]), int(cell[3])) for cell in cells.split(", ")))
            for total, cells in _CAGE.findall(prompt)
        )
    return SudokuParams(kind, givens, regions, cages)


def _guess(params: SudokuParams, rng: random.Random) -> Answer:
    return [[given or rng.randint(1, params.n) for given in row] for row in params.givens]


def _tokens(variation: str, _size: int) -> tuple[int, int]:
    kind, n = split_name(variation)
    printed = {"irregular": 2 * n * n, "killer": 6 * n * n}.get(kind, 0)
    return 100 + 3 * n * n + printed, 2 * n * n


TASK = Task(
    name="sudoku",
    suite="hard",
    title="the grid that the givens of a Sudoku determine",
    params=SudokuParams,
    variations=tuple(
        Variation(
            name,
            tuple(high for _, high in bands),
            reuse="when_exhausted" if name in EXACT else "never",
        )
        for name, bands in BANDS.items()
    ),
    template="beyondbench/hard/sudoku.md.j2",
    draw=draw,
    solve=_solve,
    verify=verify,
    check=check,
    form=lambda params: GridForm(params.n),
    words=_words,
    read=_read,
    guess=_guess,
    tokens=_tokens,
    space=space,
)
