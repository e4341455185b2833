"""What a sudoku is made of: kind, givens, printed regions and cages; its rules as lists of cells."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Kind = Literal["standard", "diagonal", "irregular", "killer"]
BOXES = {4: (2, 2), 6: (2, 3), 9: (3, 3)}  # rows and columns of a box: 6 is no square
MAX_CAGE = 4
Grid = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Cage:
    """Cells (row, column), counted from 1, whose digits differ and have this sum."""

    total: int
    cells: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class SudokuParams:
    """A sudoku: the givens by row, 0 for empty cells; regions by row and cages where they are printed."""

    kind: Kind
    givens: Grid
    regions: Grid = ()
    cages: tuple[Cage, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.givens)
        if n not in BOXES:
            raise ValueError(f"a sudoku has {n} rows: expected one of {', '.join(map(str, BOXES))}")
        for name, grid, low in (("givens", self.givens, 0), ("regions", self.regions, 1)):
            if grid and (len(grid) != n or any(len(row) != n for row in grid)):
                raise ValueError(f"{name} of a sudoku are not {n} rows of {n} numbers")
            if any(not low <= number <= n for row in grid for number in row):
                raise ValueError(f"{name} of a sudoku are not all in {low} to {n}")
        if bool(self.regions) != (self.kind == "irregular"):
            raise ValueError(f"a sudoku of kind {self.kind} has {len(self.regions)} rows of regions")
        if self.regions and sorted(sum(self.regions, ())) != sorted(list(range(1, n + 1)) * n):
            raise ValueError(f"regions of a sudoku do not have {n} cells each")
        if self.cages and self.kind != "killer":
            raise ValueError(f"a sudoku of kind {self.kind} has {len(self.cages)} cages")
        caged = [cell for cage in self.cages for cell in cage.cells]
        if len(set(caged)) < len(caged) or any(not (1 <= r <= n and 1 <= c <= n) for r, c in caged):
            raise ValueError("cages of a sudoku share cells or leave the grid")
        for cage in self.cages:
            if not (1 <= len(cage.cells) <= MAX_CAGE and 1 <= cage.total <= n * (n + 1) // 2):
                raise ValueError(f"a cage of {len(cage.cells)} cells with sum {cage.total} cannot be")

    @property
    def n(self) -> int:
        """The number of rows, columns and digits."""
        return len(self.givens)


def region_grid(params: SudokuParams) -> Grid:
    """The number of each cell's region, from 1."""
    return params.regions or box_grid(params.n)


@lru_cache
def box_grid(n: int) -> Grid:
    """The number of each cell's box, from 1."""
    height, width = BOXES[n]
    return tuple(
        tuple(row // height * (n // width) + column // width + 1 for column in range(n)) for row in range(n)
    )


def units(params: SudokuParams) -> list[list[int]]:
    """The cells (n * row + column) of each row, column, region and diagonal."""
    n = params.n
    cells_of_units = [[n * row + column for column in range(n)] for row in range(n)]
    cells_of_units += [[n * row + column for row in range(n)] for column in range(n)]
    regions: list[list[int]] = [[] for _ in range(n)]
    for cell, region in enumerate(sum(region_grid(params), ())):
        regions[region - 1].append(cell)
    cells_of_units += regions
    if params.kind == "diagonal":
        cells_of_units += [[n * k + k for k in range(n)], [n * k + n - 1 - k for k in range(n)]]
    return cells_of_units


def cage_cells(params: SudokuParams, cage: Cage) -> list[int]:
    """The cells (n * row + column) of a cage."""
    return [params.n * (row - 1) + column - 1 for row, column in cage.cells]
