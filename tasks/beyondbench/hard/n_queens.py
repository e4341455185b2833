"""N queens: complete a board on which up to three queens stand already (section K.2 of the paper).

An empty board has one prompt a size; with queens placed, all of whose completions are known, completion is
the NP-complete variant (K.2.8). A draw is uniform over all boards of up to three queens with a completion.
"""

import math
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

from schemas.beyondbench.things import Answer, Solutions, Space
from tasks.beyondbench.forms.lists.positions import PositionsForm
from tasks.beyondbench.task import RIGHT, Task, Variation

SIZES = (4, 5, 6, 8)
MAX_PLACED = 3

Board = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class QueensParams:
    """A board's size, and the (row, column) of each queen that stands on it, in the order of rows."""

    size: int
    placed: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        if not (min(SIZES) <= self.size <= max(SIZES) and len(self.placed) <= MAX_PLACED):
            raise ValueError(
                f"{len(self.placed)} queens on a board of size {self.size}: at most 3, on 4 to 8"
            )
        if any(not 0 <= place < self.size for queen in self.placed for place in queen):
            raise ValueError(f"queens at {self.placed} are not on a board of size {self.size}")
        if list(self.placed) != sorted({row: (row, column) for row, column in self.placed}.values()):
            raise ValueError(f"queens at {self.placed} are not in the order of their rows, one a row")


@cache
def all_boards(size: int) -> tuple[Board, ...]:
    """Return all solutions of the empty board, by backtracking on bit masks of attacked columns."""
    found: list[Board] = []
    full = (1 << size) - 1

    def place(columns: int, left: int, right: int, board: Board) -> None:
        if columns == full:
            found.append(board)
            return
        free = full & ~(columns | left | right)
        while free:
            bit = free & -free
            free ^= bit
            attacked = ((left | bit) << 1, (right | bit) >> 1)
            place(columns | bit, *attacked, (*board, bit.bit_length() - 1))

    place(0, 0, 0, ())
    return tuple(found)


@cache
def all_starts(size: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return all boards of up to three queens that some solution completes, in a fixed order."""
    return tuple(
        sorted(
            {
                placed
                for board in all_boards(size)
                for count in range(MAX_PLACED + 1)
                for placed in combinations(enumerate(board), count)
            }
        )
    )


def _draw(_variation: str, size: int, rng: random.Random) -> QueensParams:
    return QueensParams(size, rng.choice(all_starts(size)))


def _solve(params: QueensParams) -> Solutions:
    """Return all completions."""
    boards = [
        list(board)
        for board in all_boards(params.size)
        if all(board[row] == column for row, column in params.placed)
    ]
    return Solutions(tuple(boards), len(boards), True)


def _verify(params: QueensParams, answer: Answer) -> str:
    """Compare each pair of queens (Algorithm 12), and the placed ones with the answer."""
    size = params.size
    if not isinstance(answer, list):
        return "malformed"
    if len(answer) != size:
        return "wrong_length"
    if any(type(column) is not int for column in answer):
        return "malformed"
    if any(not 0 <= column < size for column in answer):
        return "out_of_range"
    if any(answer[row] != column for row, column in params.placed):
        return "queen_moved"
    for above in range(size):
        for below in range(above + 1, size):
            if answer[above] == answer[below]:
                return "same_column"
            if abs(answer[above] - answer[below]) == below - above:
                return "same_diagonal"
    return RIGHT


def _check(params: QueensParams, answer: Answer) -> bool:
    """Look the answer up among all solutions."""
    if not isinstance(answer, list) or any(type(column) is not int for column in answer):
        return False
    return tuple(answer) in all_boards(params.size) and set(params.placed) <= set(enumerate(answer))


_SIZE = re.compile(r"^Place (\d) queens on a board of (\d) rows and (\d) columns", re.MULTILINE)
_QUEEN = re.compile(r"^- a queen in row (\d), column (\d)$", re.MULTILINE)


def _read(prompt: str) -> QueensParams:
    size = _SIZE.search(prompt)
    if not size:
        raise ValueError("the prompt holds no board of queens")
    placed = tuple((int(row), int(column)) for row, column in _QUEEN.findall(prompt))
    return QueensParams(int(size[1]), placed)


def _words(params: QueensParams) -> Mapping[str, Any]:
    return {"size": params.size, "placed": params.placed}


def _guess(params: QueensParams, rng: random.Random) -> Answer:
    """Return a random permutation that keeps the placed queens."""
    placed = dict(params.placed)
    free = [column for column in range(params.size) if column not in placed.values()]
    rng.shuffle(free)
    return [placed[row] if row in placed else free.pop() for row in range(params.size)]


def _mutate(params: QueensParams, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
    """Yield mirror images, which are right where they keep the placed queens, and other solutions."""
    size = params.size
    yield "columns mirrored", [size - 1 - column for column in answer]
    yield "turned half round", [size - 1 - column for column in reversed(answer)]
    yield "rows and columns exchanged", [answer.index(row) for row in range(size)]
    for board in rng.sample(all_boards(size), min(3, len(all_boards(size)))):
        yield "another solution of the empty board", list(board)
    yield "as text", [str(column) for column in answer]


def _space(_variation: str, size: int) -> Space:
    doc = "boards of up to three queens that can be completed, counted"
    return Space(math.log10(len(all_starts(size))), True, doc)


TASK = Task(
    "n_queens",
    "hard",
    "a board of queens that do not attack each other",
    QueensParams,
    tuple(Variation(f"queens_{size}", (size,), is_unique=False, reuse="when_exhausted") for size in SIZES),
    "beyondbench/hard/n_queens.md.j2",
    draw=_draw,
    solve=_solve,
    verify=_verify,
    check=_check,
    form=lambda params: PositionsForm(params.size, params.size),
    words=_words,
    read=_read,
    guess=_guess,
    # The paper has 100 + 5 n, less than our text.
    tokens=lambda _variation, size: (140 + 5 * size, 2 * size),
    space=_space,
    mutate=_mutate,
)
