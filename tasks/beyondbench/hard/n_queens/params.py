"""What a board of queens is made of: its size, its rules, the queens that stand on it."""

from dataclasses import dataclass
from typing import Literal

Rules = Literal["plain", "diagonal", "toroidal"]
Queen = tuple[int, int]  # row and column
MIN_SIZE, MAX_SIZE = 4, 16
MOST_PLACED = 6
# How many queens may stand on a board when it is shown. Up to 8 rows all completions of any board are few;
# beyond, so many that a board has about 100 completions at most, and usually fewer.
SMALL = 8


def placed_range(size: int) -> range:
    """Return how many queens a drawn board of this size may hold."""
    if size <= SMALL:
        return range(4)
    most = max(3, size // 2 - 2)
    return range(most - 1, most + 1)


@dataclass(frozen=True, slots=True)
class QueensParams:
    """A board's size, the (row, column) of each queen that stands on it, in the order of rows, its rules.

    - plain: no two queens in a row, a column or a diagonal.
    - diagonal: also, each of the two long diagonals holds a queen, as each row and column does.
    - toroidal: diagonals go on at the opposite side of the board.
    """

    size: int
    placed: tuple[Queen, ...]
    rules: Rules = "plain"

    def __post_init__(self) -> None:
        if not (MIN_SIZE <= self.size <= MAX_SIZE and len(self.placed) <= MOST_PLACED):
            raise ValueError(
                f"{len(self.placed)} queens on a board of size {self.size}: at most {MOST_PLACED}, on "
                f"{MIN_SIZE} to {MAX_SIZE}"
            )
        if any(not 0 <= place < self.size for queen in self.placed for place in queen):
            raise ValueError(f"queens at {self.placed} are not on a board of size {self.size}")
        if list(self.placed) != sorted({row: (row, column) for row, column in self.placed}.values()):
            raise ValueError(f"queens at {self.placed} are not in the order of their rows, one per row")
