"""The compiled search as functions on sudokus: all its arrays are built here."""

from dataclasses import replace
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
_BIT_COUNTS = np.array([mask.bit_count() for mask in range(1 << 9)], np.int64)


def _arrays(params: SudokuParams) -> tuple[Array, ...]:
    """The rules of a sudoku: the kernel's arguments between givens and order of digits."""
    return _arrays_without_givens(replace(params, givens=((0,) * params.n,) * params.n))


@lru_cache(maxsize=64)
def _arrays_without_givens(params: SudokuParams) -> tuple[Array, ...]:
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
    return groups, np.array(lists, np.int64), sizes, sums, _cage_table(n), _BIT_COUNTS


@lru_cache
def _cage_table(n: int) -> Array:
    return kernel.tabulate_cages(n)


@lru_cache
def _ascending(n: int) -> Array:
    return np.tile(np.arange(n), (n * n, 1))


def find_solutions(params: SudokuParams, limit: int = 2) -> tuple[Grid | None, int]:
    """The first solution and how many were found, up to `limit`."""
    values = np.array(params.givens, np.int64).reshape(-1)
    count = _search(params, values, _ascending(params.n), limit, 1 << 62)
    return (as_grid(values, params.n) if count else None), count


def fill_grid(params: SudokuParams, preference: Array) -> Array | None:
    """A full grid as an array of cells, by orders of digits; None where none is found."""
    values = np.zeros(params.n**2, np.int64)
    return values if _search(params, values, preference, 1, FILL_BUDGET) == 1 else None


def remove_givens(params: SudokuParams, grid: Array, order: Array, target: int) -> int:
    """Empty up to `target` cells of a full grid, in this order, while it stays the only solution."""
    n = params.n
    return int(kernel.remove_givens(n, grid, order, target, *_arrays(params), _ascending(n), REMOVAL_BUDGET))


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


def _search(params: SudokuParams, values: Array, preference: Array, limit: int, budget: int) -> int:
    return int(kernel.search(params.n, values, *_arrays(params), preference, -1, 0, limit, budget))
