"""The compiled search as functions on sudokus: all its arrays are built here."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from perennial.tasks.beyondbench.hard.kernels import sudoku as kernel
from perennial.tasks.beyondbench.hard.sudoku_params import (
    Grid,
    Kind,
    SudokuParams,
    box_grid,
    cage_cells,
    units,
)

Array = Any
# Nodes of one search: a grid that needs more is drawn again, a given whose removal needs more stays.
FILL_BUDGET = 2_000
REMOVAL_BUDGET = 20_000


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a sudoku as the kernel takes them."""

    n: int
    groups: Array
    units: Array
    sizes: Array
    sums: Array
    table: Array
    counts: Array

    @property
    def arrays(self) -> tuple[Array, ...]:
        """The kernel's arguments between givens and order of digits."""
        return self.groups, self.units, self.sizes, self.sums, self.table, self.counts


def rules_of(params: SudokuParams) -> Rules:
    """The rules of a sudoku."""
    return _rules_without_givens(_without_givens(params))


def _without_givens(params: SudokuParams) -> SudokuParams:
    empty = ((0,) * params.n,) * params.n
    return SudokuParams(params.kind, empty, params.regions, params.cages)


@lru_cache(maxsize=64)
def _rules_without_givens(params: SudokuParams) -> Rules:
    n = params.n
    lists = units(params)
    groups = np.zeros((n * n, kernel.GROUPS), np.int64)
    for unit, cells in enumerate(lists):
        # Rows, columns and regions in the first three places, the diagonals in the next two.
        groups[cells, min(unit // n, 3) + max(0, unit - 3 * n)] = unit + 1
    for number, cage in enumerate(params.cages):
        groups[cage_cells(params, cage), kernel.CAGE] = len(lists) + 1 + number
    sizes = np.array([len(cage.cells) for cage in params.cages], np.int64)
    sums = np.array([cage.total for cage in params.cages], np.int64)
    return Rules(
        n,
        groups,
        units=np.array(lists, np.int64),
        sizes=sizes,
        sums=sums,
        table=_cage_table(n),
        counts=_bit_counts(),
    )


@lru_cache
def _cage_table(n: int) -> Array:
    return kernel.tabulate_cages(n)


@lru_cache
def _bit_counts() -> Array:
    return np.array([mask.bit_count() for mask in range(1 << 9)], np.int64)


@lru_cache
def _ascending(n: int) -> Array:
    return np.tile(np.arange(n), (n * n, 1))


def find_solutions(params: SudokuParams, limit: int = 2) -> tuple[Grid | None, int]:
    """The first solution and how many were found, up to `limit`."""
    rules = rules_of(params)
    values = np.array(params.givens, np.int64).reshape(-1)
    count = _search(rules, values, _ascending(rules.n), limit, 1 << 62)
    return (as_grid(values, rules.n) if count else None), count


def fill_grid(params: SudokuParams, preference: Array) -> Array | None:
    """A full grid as an array of cells, by orders of digits; None where none is found."""
    rules = rules_of(params)
    values = np.zeros(rules.n**2, np.int64)
    return values if _search(rules, values, preference, 1, FILL_BUDGET) == 1 else None


def remove_givens(params: SudokuParams, grid: Array, order: Array, target: int) -> int:
    """Empty up to `target` cells of a full grid, in this order, while it stays the only solution."""
    rules = rules_of(params)
    n_removed = kernel.remove_givens(
        rules.n, grid, order, target, *rules.arrays, _ascending(rules.n), REMOVAL_BUDGET
    )
    return int(n_removed)


def deform_boxes(n: int, swaps: Array) -> Grid:
    """Connected regions of n cells each, made from the boxes by swaps (cell, side, member)."""
    regions = np.array(box_grid(n), np.int64).reshape(-1)
    kernel.deform_regions(n, regions, swaps)
    return as_grid(regions, n)


def as_grid(values: Array, n: int) -> Grid:
    """An array of cells as rows."""
    return tuple(tuple(row) for row in values.reshape(n, n).tolist())


def blank(kind: Kind, n: int, regions: Grid = ()) -> SudokuParams:
    """A sudoku without givens."""
    return SudokuParams(kind, ((0,) * n,) * n, regions)


def _search(rules: Rules, values: Array, preference: Array, limit: int, budget: int) -> int:
    return int(kernel.search(rules.n, values, *rules.arrays, preference, -1, 0, limit, budget))
