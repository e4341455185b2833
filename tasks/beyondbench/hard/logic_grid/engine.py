"""The compiled search as functions on puzzles."""

from functools import lru_cache
from itertools import permutations
from typing import Any

import numpy as np

from tasks.beyondbench.hard.logic_grid import kernel
from tasks.beyondbench.hard.logic_grid.params import Clue, Kind

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
    start: Array | None = None,
) -> tuple[Array | None, int]:
    """Return the first assignment (person by category and value) and how many were found, up to `limit`.

    The clue number `skip` is left out, and the assignment `avoid` does not count. A
    search with more clues than the one before may go on where that one found an assignment: `start`.
    """
    clues = np.array(rows, np.int64).reshape(-1, kernel.WIDTH)
    found = np.empty((n_categories + 1, n), np.int64)
    unwanted = np.full((n_categories + 1, n), -1, np.int64) if avoid is None else avoid
    place = np.zeros(n_categories, np.int64) if start is None else start
    count = int(
        kernel.count_assignments(_orders(n), n_categories, clues, skip, unwanted, limit, found, place)
    )
    return (found if count else None), count


@lru_cache
def _orders(n: int) -> Array:
    return np.array(list(permutations(range(n))), np.int64)
