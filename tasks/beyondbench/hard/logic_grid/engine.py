"""The compiled search as functions on puzzles."""

from typing import Any

import numpy as np

from perennial.tasks.beyondbench.hard.logic_grid import kernel
from perennial.tasks.beyondbench.hard.logic_grid.params import Clue, Kind

Array = Any
_CODES: dict[Kind, int] = {
    "direct": kernel.SAME,
    "conditional": kernel.SAME,
    "negative": kernel.DIFFERENT,
    "comparison": kernel.RISING,
    "chain": kernel.CHAIN,
}
NO_CLUE = -1


def encode(clue: Clue) -> list[int]:
    """Return a clue as the kernel takes it."""
    row = [_CODES[clue.kind], *(number for item in clue.items for number in item)]
    return row + [0] * (kernel.WIDTH - len(row))


def find_assignments(
    n: int,
    n_categories: int,
    rows: list[list[int]],
    skip: int = NO_CLUE,
    avoid: Array | None = None,
    limit: int = 1,
) -> tuple[Array | None, int]:
    """Return the first assignment (person by category and value) and how many were found, up to `limit`.

    The clue number `skip` is left out, and the assignment `avoid` does not count.
    """
    clues = np.array(rows, np.int64).reshape(-1, kernel.WIDTH)
    found = np.empty((n_categories + 1, n), np.int64)
    unwanted = np.full((n_categories + 1, n), -1, np.int64) if avoid is None else avoid
    count = int(kernel.count_assignments(n, n_categories, clues, skip, unwanted, limit, found))
    return (found if count else None), count
