"""Draw a sudoku: a random full grid, then givens removed in random order while one solution is left."""

import random
from dataclasses import replace
from typing import Any

from perennial.tasks.beyondbench.hard.sudoku.params import MAX_CAGE, Cage, Grid, Kind, SudokuParams

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
    """Return kind and number of digits of a variation."""
    kind, _, n = variation.partition("_")
    return kind, int(n)  # type: ignore[return-value]


def band_of(variation: str, size: int) -> tuple[int, int]:
    """Return the smallest and largest number of empty cells of a size."""
    return next(band for band in BANDS[variation] if band[1] == size)


def draw(variation: str, size: int, rng: random.Random) -> SudokuParams | None:
    """Return a sudoku with exactly one solution; None where the grid or the band is not reached."""
    from perennial.tasks.beyondbench.hard.sudoku import engine

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
    """Return disjoint cages of 2 to 4 neighbouring cells with different digits; some cells stay free."""
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
    """Return random orders of 0 to length - 1, one per row: by sorting random keys."""
    import numpy as np

    keys = np.frombuffer(rng.randbytes(4 * rows * length), "<u4").reshape(rows, length)
    return keys.argsort(axis=1, kind="stable")


def _draw_swaps(n: int, rng: random.Random) -> Any:
    import numpy as np

    words = np.frombuffer(rng.randbytes(12 * _SWAPS), "<u4").reshape(_SWAPS, 3)
    return (words % np.array([n * n, 4, n], "<u4")).astype(np.int64)
