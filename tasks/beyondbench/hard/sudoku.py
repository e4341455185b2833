"""Sudoku with proved unique solutions."""

import math
import random
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any

from perennial.schemas.beyondbench.things import Answer, Solutions, Space
from perennial.tasks.beyondbench.forms.form import GridForm
from perennial.tasks.beyondbench.hard.sudoku_params import (
    BOXES,
    MAX_CAGE,
    Cage,
    Grid,
    Kind,
    SudokuParams,
    cage_cells,
    region_grid,
    units,
)
from perennial.tasks.beyondbench.problem import RIGHT, Task, Variation

# Draw a sudoku: a random full grid, then givens removed in random order while one solution is left.

# Bands of empty cells: easy, medium, hard. The size of a problem is the upper end of its band.
BANDS: dict[str, tuple[tuple[int, int], ...]] = {
    "standard_4": ((4, 6), (7, 9), (10, 11)),
    "standard_6": ((10, 14), (15, 20), (21, 26)),
    "standard_9": ((35, 40), (41, 50), (51, 58)),
    "diagonal_4": ((4, 6), (7, 9), (10, 11)),
    "diagonal_6": ((10, 14), (15, 20), (21, 26)),
    "diagonal_9": ((35, 40), (41, 50), (51, 63)),
    "irregular_9": ((35, 40), (41, 50), (51, 64)),
    "killer_9": ((35, 40), (41, 50), (51, 64)),
}
_SWAPS = 600
_CAGED = 0.85  # the share of cells at which a killer's cages are begun


def split_name(variation: str) -> tuple[Kind, int]:
    """Kind and number of digits of a variation."""
    kind, _, n = variation.partition("_")
    return kind, int(n)  # type: ignore[return-value]


def band_of(variation: str, size: int) -> tuple[int, int]:
    """The smallest and largest number of empty cells of a size."""
    return next(band for band in BANDS[variation] if band[1] == size)


def draw(variation: str, size: int, rng: random.Random) -> SudokuParams | None:
    """A sudoku with exactly one solution; None where the grid or the band is not reached."""
    from perennial.tasks.beyondbench.hard import sudoku_engine as engine

    kind, n = split_name(variation)
    low, high = band_of(variation, size)
    regions = engine.deform_boxes(n, _draw_swaps(n, rng)) if kind == "irregular" else ()
    params = engine.blank(kind, n, regions)
    grid = engine.fill_grid(params, _draw_orders(n * n, n, rng))
    if grid is None:
        return None
    if kind == "killer":
        params = replace(params, cages=draw_cages(engine.as_grid(grid, n), rng))
    if engine.remove_givens(params, grid, _draw_orders(1, n * n, rng)[0], rng.randint(low, high)) < low:
        return None
    return replace(params, givens=engine.as_grid(grid, n))


def draw_cages(grid: Grid, rng: random.Random) -> tuple[Cage, ...]:
    """Disjoint cages of 2 to 4 neighbouring cells with different digits; some cells stay free."""
    n = len(grid)
    free = {(row, column) for row in range(n) for column in range(n)}
    cages = []
    for start in rng.sample(sorted(free), round(_CAGED * n * n)):
        if start not in free:
            continue
        cells, size = [start], rng.randint(2, MAX_CAGE)
        while len(cells) < size:
            digits = {grid[row][column] for row, column in cells}
            nearby = {
                (row + down, column + right)
                for row, column in cells
                for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0))
            }
            fitting = sorted(
                cell for cell in nearby & free - set(cells) if grid[cell[0]][cell[1]] not in digits
            )
            if not fitting:
                break
            cells.append(rng.choice(fitting))
        if len(cells) > 1:
            free -= set(cells)
            total = sum(grid[row][column] for row, column in cells)
            cages.append(Cage(total, tuple(sorted((row + 1, column + 1) for row, column in cells))))
    return tuple(sorted(cages, key=lambda cage: cage.cells))


def _draw_orders(rows: int, length: int, rng: random.Random) -> Any:
    """Random orders of 0 to length - 1, one per row: by sorting random keys."""
    import numpy as np

    keys = np.frombuffer(rng.randbytes(4 * rows * length), "<u4").reshape(rows, length)
    return keys.argsort(axis=1, kind="stable")


def _draw_swaps(n: int, rng: random.Random) -> Any:
    import numpy as np

    words = np.frombuffer(rng.randbytes(12 * _SWAPS), "<u4").reshape(_SWAPS, 3)
    return (words % np.array([n * n, 4, n], "<u4")).astype(np.int64)


# Grade a sudoku's answer by its rules; check it again by a SAT solver, which proves that it is unique.


def verify(params: SudokuParams, answer: Answer) -> str:
    """The first rule that a grid breaks; "" if it is right."""
    n = params.n
    if not _is_row(answer, n) or not all(_is_row(row, n) for row in answer):
        return "wrong_shape"
    if any(type(number) is not int or not 1 <= number <= n for row in answer for number in row):
        return "not_a_digit"
    every = set(range(1, n + 1))
    for row, givens in zip(answer, params.givens, strict=True):
        if any(digit not in (0, number) for number, digit in zip(row, givens, strict=True)):
            return "given_changed"
    if any(set(row) != every for row in answer):
        return "row_repeats"
    if any(set(column) != every for column in zip(*answer, strict=True)):
        return "column_repeats"
    regions: list[set[int]] = [set() for _ in range(n)]
    for numbers, row in zip(answer, region_grid(params), strict=True):
        for number, region in zip(numbers, row, strict=True):
            regions[region - 1].add(number)
    if any(region != every for region in regions):
        return "region_repeats"
    if params.kind == "diagonal":
        falling, rising = ({answer[k][k] for k in range(n)}, {answer[k][~k] for k in range(n)})
        if falling != every or rising != every:
            return "diagonal_repeats"
    for cage in params.cages:
        caged = [answer[row - 1][column - 1] for row, column in cage.cells]
        if len(set(caged)) < len(caged):
            return "cage_repeats"
        if sum(caged) != cage.total:
            return "cage_sum"
    return RIGHT


def _is_row(value: Answer, n: int) -> bool:
    return isinstance(value, list) and len(value) == n


def check(params: SudokuParams, answer: Answer) -> bool:
    """Whether the answer is the grid that the SAT solver finds, and proves to be the only one."""
    grid, is_unique = solve_by_sat(params)
    if not is_unique or grid is None or answer != [list(row) for row in grid]:
        return False
    # True equals 1, and so does 1.0.
    return all(type(number) is int for row in answer for number in row)


@lru_cache(maxsize=64)
def solve_by_sat(params: SudokuParams) -> tuple[Grid | None, bool]:
    """The first grid that python-sat finds, None for none, and whether it is the only one.

    The solver is a new one for each sudoku, so that nothing which it learned elsewhere can matter.
    """
    from pysat.solvers import Solver

    n = params.n
    with Solver("cadical153", bootstrap_with=_clauses(params)) as solver:
        for cell, digit in enumerate(sum(params.givens, ())):
            if digit:
                solver.add_clause([n * cell + digit])
        if not solver.solve():
            return None, False
        true = [literal for literal in solver.get_model() if literal > 0]
        solver.add_clause([-literal for literal in true])
        digits = [(literal - 1) % n + 1 for literal in true]
        return tuple(tuple(digits[n * row : n * row + n]) for row in range(n)), not solver.solve()


def _clauses(params: SudokuParams) -> list[list[int]]:
    """The rules as clauses; literal n * cell + digit says that the cell holds the digit."""
    n = params.n
    clauses = list(_clauses_of_units(n, tuple(tuple(sorted(cells)) for cells in units(params))))
    for cage in params.cages:
        cells = cage_cells(params, cage)
        for first, other in combinations(cells, 2):
            clauses += [[-n * first - digit, -n * other - digit] for digit in range(1, n + 1)]
        for chosen in permutations(range(1, n + 1), len(cells)):
            if sum(chosen) != cage.total:
                clauses.append([-n * cell - digit for cell, digit in zip(cells, chosen, strict=True)])
    return clauses


@lru_cache(maxsize=8)
def _clauses_of_units(n: int, lists: tuple[tuple[int, ...], ...]) -> tuple[list[int], ...]:
    digits = range(1, n + 1)
    clauses = []
    for cell in range(n * n):
        clauses.append([n * cell + digit for digit in digits])
        clauses += [[-n * cell - first, -n * cell - other] for first, other in combinations(digits, 2)]
    pairs = {pair for cells in lists for pair in combinations(cells, 2)}
    clauses += [[-n * cell - digit, -n * other - digit] for cell, other in sorted(pairs) for digit in digits]
    return tuple(clauses)


# How many sudokus there are in a band of empty cells.

# By number of empty cells: removals from all 288 and all 48 grids that leave one solution, counted.
EXACT = {
    "standard_4": (
        *(288, 4_608, 34_560, 161_280, 522_624, 1_239_552, 2_204_928, 2_958_336),
        *(2_961_024, 2_141_184, 1_041_408, 284_160, 25_728),
    ),
    "diagonal_4": (
        *(48, 768, 5_760, 26_880, 87_360, 209_664, 384_384, 549_120),
        *(617_472, 546_816, 376_320, 193_536, 66_432, 7_680),
    ),
}
# A sudoku with many empty cells for each rule: whatever is filled in, the solution stays the only one.
WITNESSES = {
    ("standard", 6): "000005004002000000056000000040020300",
    ("diagonal", 6): "000000000000005000000020030040100000",
    ("standard", 9): "000030051000000000074090006500000007800000000007800300000001060008000200043600700",
    ("diagonal", 9): "001000020000000000030807000000000002000300010300600000000000004000000090008020005",
}


def space(variation: str, size: int) -> Space:
    """The number of sudokus in a size's band of empty cells."""
    low, high = band_of(variation, size)
    if variation in EXACT:
        return Space(math.log10(sum(EXACT[variation][low : high + 1])), True, "all removals from all grids")
    kind, n = split_name(variation)
    # With boxes for regions, and with cages around its digits, the standard witness keeps one solution, too.
    empty = WITNESSES["diagonal" if kind == "diagonal" else "standard", n].count("0")
    removals = sum(math.comb(empty, removed) for removed in range(low, high + 1))
    log10 = math.log10(math.factorial(n)) + math.log10(removals)
    return Space(log10, False, f"removals from one grid with {empty} removable cells, digits renamed")


# Sudoku (App. K.5 of the paper): standard, diagonal, irregular and killer, each with one solution.

_LETTERS = "ABCDEFGHI"
_GRID = re.compile(r"^Grid \(0 = empty cell\):\n((?:\d(?: \d)*\n)+)", re.MULTILINE)
_REGIONS = re.compile(r"^Regions \([^\n]*\):\n((?:[A-I](?: [A-I])*\n)+)", re.MULTILINE)
_CAGE = re.compile(r"^- sum (\d{1,2}): (r\dc\d(?:, r\dc\d)*)$", re.MULTILINE)
_DIAGONALS = "- Each of the two main diagonals holds"
_CAGES = "- The cages listed below"


def _solve(params: SudokuParams) -> Solutions:
    from perennial.tasks.beyondbench.hard.sudoku_engine import find_solutions

    grid, count = find_solutions(params)
    if grid is None:
        raise ValueError("the sudoku has no solution")
    return Solutions(([list(row) for row in grid],), count, count == 1)


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
    grid = _GRID.search(prompt)
    if grid is None:
        raise ValueError("the prompt holds no grid")
    givens = tuple(tuple(map(int, line.split())) for line in grid[1].splitlines())
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
            name, tuple(high for _, high in bands), reuse="when_exhausted" if name in EXACT else "never"
        )
        for name, bands in BANDS.items()
    ),
    draw=draw,
    solve=_solve,
    verify=verify,
    check=check,
    form=lambda params: GridForm(params.n),
    words=_words,
    read=_read,
    guess=lambda params, rng: [[digit or rng.randint(1, params.n) for digit in row] for row in params.givens],
    tokens=_tokens,
    space=space,
)
