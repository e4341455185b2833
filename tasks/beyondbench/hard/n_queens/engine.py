"""The compiled search as a function of boards, and how boards are drawn."""

import math
import random
from functools import cache

from perennial.schemas.beyondbench.things import Solutions
from perennial.tasks.beyondbench.hard.n_queens.params import QueensParams, Rules, placed_range

# A board with more completions is drawn again: all right answers of a problem are known.
MOST_COMPLETIONS = 2_000
VARIATIONS: dict[str, tuple[Rules, tuple[int, ...]]] = {
    **{f"queens_{size}": ("plain", (size,)) for size in (4, 5, 6, 8)},
    "large": ("plain", (7, *range(9, 17))),
    "diagonal": ("diagonal", tuple(range(7, 17))),  # 4 and 6 have no solution, 5 has those of plain boards
    "toroidal": ("toroidal", (7, 11, 13)),  # the others have no solution, 5 has those of plain boards
}


def draw(variation: str, size: int, rng: random.Random) -> QueensParams | None:
    """Return a board with placed queens, uniform over all that have 1 to 2,000 completions; else None."""
    rules, _ = VARIATIONS[variation]
    count = rng.choices(*_weights(size))[0]
    rows, columns = sorted(rng.sample(range(size), count)), rng.sample(range(size), count)
    params = QueensParams(size, tuple(zip(rows, columns, strict=True)), rules)
    return params if find_completions(params).count else None


@cache
def _weights(size: int) -> tuple[range, list[int]]:
    """Return how many queens may be placed, and in how many ways: one in a row and column."""
    counts = placed_range(size)
    return counts, [math.comb(size, count) * math.perm(size, count) for count in counts]


def find_completions(params: QueensParams) -> Solutions:
    """Return all completions; none where there are more than `MOST_COMPLETIONS`."""
    import numpy as np

    from perennial.tasks.beyondbench.hard.n_queens.kernel import find_boards

    placed = np.full(params.size, -1, np.int64)
    for row, column in params.placed:
        placed[row] = column
    found = np.empty((MOST_COMPLETIONS, params.size), np.int64)
    kind = params.rules == "toroidal", params.rules == "diagonal"
    count = int(find_boards(placed, *kind, MOST_COMPLETIONS + 1, found))
    if count > MOST_COMPLETIONS:
        return Solutions((), 0, False)
    return Solutions(tuple(found[:count].tolist()), count, True)
