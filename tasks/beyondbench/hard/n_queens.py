"""Queens that do not attack each other, on plain, diagonal and toroidal boards."""

import math
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Literal

from perennial.schemas.beyondbench.things import Answer, Solutions, Space
from perennial.tasks.beyondbench.forms.lists import PositionsForm
from perennial.tasks.beyondbench.problem import RIGHT, Task, Variation, least_share

# What a board of queens is made of: its size, its rules, the queens that stand on it.

Rules = Literal["plain", "diagonal", "toroidal"]
Queen = tuple[int, int]  # row and column
MIN_SIZE, MAX_SIZE = 4, 16
MOST_PLACED = 6
# How many queens may stand on a board when it is shown. Up to 8 rows all completions of any board are few;
# beyond, so many that a board has about 100 completions at most, and usually fewer.
SMALL = 8


def placed_range(size: int) -> range:
    """How many queens a drawn board of this size may hold."""
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
        if any(not 0 <= coordinate < self.size for queen in self.placed for coordinate in queen):
            raise ValueError(f"queens at {self.placed} are not on a board of size {self.size}")
        if list(self.placed) != sorted({row: (row, column) for row, column in self.placed}.values()):
            raise ValueError(f"queens at {self.placed} are not in the order of their rows, one per row")


# The compiled search as a function of boards, and how boards are drawn.

# A board with more completions is drawn again: all right answers of a problem are known.
MOST_COMPLETIONS = 2_000
EMPTY = "empty"  # the paper's boards, first: no other variation of an edition then holds them
VARIATIONS: dict[str, tuple[Rules, tuple[int, ...]]] = {
    EMPTY: ("plain", (4, 5, 6, 8)),
    **{f"queens_{size}": ("plain", (size,)) for size in (4, 5, 6, 8)},
    "large": ("plain", (7, *range(9, 17))),
    "diagonal": ("diagonal", tuple(range(7, 17))),  # 4 and 6 have no solution, 5 has those of plain boards
    "toroidal": ("toroidal", (7, 11, 13)),  # the others have no solution, 5 has those of plain boards
}


def draw(variation: str, size: int, rng: random.Random) -> QueensParams | None:
    """A board with placed queens, uniform over all that have 1 to 2,000 completions; else None."""
    if variation == EMPTY:
        return QueensParams(size, ())
    rules, _ = VARIATIONS[variation]
    count = rng.choices(*_weights(size))[0]
    rows, columns = sorted(rng.sample(range(size), count)), rng.sample(range(size), count)
    params = QueensParams(size, tuple(zip(rows, columns, strict=True)), rules)
    return params if find_completions(params).count else None


@cache
def _weights(size: int) -> tuple[range, list[int]]:
    """How many queens may be placed, and in how many ways: one in a row and column."""
    counts = placed_range(size)
    return counts, [math.comb(size, count) * math.perm(size, count) for count in counts]


def find_completions(params: QueensParams) -> Solutions:
    """All completions; none where there are more than `MOST_COMPLETIONS`."""
    import numpy as np

    from perennial.tasks.beyondbench.hard.kernels.searches import find_boards

    placed = np.full(params.size, -1, np.int64)
    for row, column in params.placed:
        placed[row] = column
    boards = np.empty((MOST_COMPLETIONS, params.size), np.int64)
    kind = params.rules == "toroidal", params.rules == "diagonal"
    count = int(find_boards(placed, *kind, MOST_COMPLETIONS + 1, boards))
    if count > MOST_COMPLETIONS:
        return Solutions((), 0, False)
    return Solutions(tuple(boards[:count].tolist()), count, True)


# Boards of queens that may be drawn, counted over all solutions of the empty board.
COUNTED: dict[tuple[str, int], int] = {
    ("queens_4", 4): 29,
    ("queens_5", 5): 226,
    ("queens_6", 6): 165,
    ("queens_8", 8): 5_149,
    ("large", 7): 1_970,
    ("large", 9): 18_624,
    ("large", 10): 43_320,
    ("large", 11): 105_832,
    ("large", 12): 2_425_342,
    ("diagonal", 7): 1_730,
    ("diagonal", 8): 3_369,
    ("diagonal", 9): 15_344,
    ("diagonal", 10): 39_460,
    ("diagonal", 11): 99_176,
    ("diagonal", 12): 2_182_490,
    ("toroidal", 7): 1_618,
    ("toroidal", 11): 19_360,
    ("toroidal", 13): 2_227_082,
}
# Of so many random placements of queens, those that may be drawn.
TRIES = 200_000
DRAWN: dict[tuple[str, int], int] = {
    ("large", 13): 98_903,
    ("large", 14): 61_850,
    ("large", 15): 73_869,
    ("large", 16): 47_934,
    ("diagonal", 13): 97_528,
    ("diagonal", 14): 57_750,
    ("diagonal", 15): 73_281,
    ("diagonal", 16): 46_826,
}


def space(variation: str, size: int) -> Space:
    """The number of boards: counted, or a lower bound by random placements."""
    if variation == EMPTY:
        return Space(0, True, "the empty board")
    if (variation, size) in COUNTED:
        doc = "boards of placed queens that can be completed, counted"
        return Space(math.log10(COUNTED[variation, size]), True, doc)
    placements = sum(math.comb(size, count) * math.perm(size, count) for count in placed_range(size))
    drawn = DRAWN[variation, size]
    doc = f"{drawn:,} of {TRIES:,} placements can be completed; 1 - 1e-6 lower bound"
    return Space(math.log10(placements * least_share(drawn, TRIES)), False, doc)


# N queens: complete a board on which some queens stand already (section K.2 of the paper).
#
# An empty board has one prompt a size; with queens placed, all of whose completions are known, completion is
# the NP-complete variant (K.2.8). The paper names sizes of 6 to 16 (table 28), diagonal and toroidal boards
# (table 16), and does not define the last two.


def _solve(params: QueensParams) -> Solutions:
    solutions = find_completions(params)
    if not solutions.count:
        raise ValueError("the board of queens has no completion, or too many")
    return solutions


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
    for (above, first), (below, second) in combinations(enumerate(answer), 2):
        if first == second:
            return "same_column"
        down, right = below - above, second - first
        if params.rules == "toroidal":
            is_attacked = (right - down) % size == 0 or (right + down) % size == 0
        else:
            is_attacked = abs(right) == down
        if is_attacked:
            return "same_diagonal"
    if params.rules == "diagonal" and not (
        any(row == column for row, column in enumerate(answer))
        and any(row + column == size - 1 for row, column in enumerate(answer))
    ):
        return "long_diagonal_empty"
    return RIGHT


def _check(params: QueensParams, answer: Answer) -> bool:
    """Walk from each queen in all eight directions, and look for another one on the way."""
    size = params.size
    if not isinstance(answer, list) or len(answer) != size:
        return False
    if any(type(column) is not int or column not in range(size) for column in answer):
        return False
    queens = set(enumerate(answer))
    ways = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]
    for row, column in queens:
        for down, right in ways:
            square = row, column
            for _ in range(size - 1):
                square = square[0] + down, square[1] + right
                if params.rules == "toroidal":
                    square = square[0] % size, square[1] % size
                if square in queens and square != (row, column):
                    return False
    if params.rules == "diagonal":
        long = [{(n, n) for n in range(size)}, {(n, size - 1 - n) for n in range(size)}]
        if not all(squares & queens for squares in long):
            return False
    return set(params.placed) <= queens


_SIZE = re.compile(
    r"^Place (\d{1,2}) queens on a board of (\d{1,2}) rows and (\d{1,2}) columns", re.MULTILINE
)
_QUEEN = re.compile(r"^- a queen in row (\d{1,2}), column (\d{1,2})$", re.MULTILINE)
_RULES: dict[Rules, re.Pattern[str]] = {
    "diagonal": re.compile(r"^In addition, each of the two long diagonals must hold a queen", re.MULTILINE),
    "toroidal": re.compile(r"^The board is a torus:", re.MULTILINE),
}


def _read(prompt: str) -> QueensParams:
    size = _SIZE.search(prompt)
    if not size:
        raise ValueError("the prompt holds no board of queens")
    placed = tuple((int(row), int(column)) for row, column in _QUEEN.findall(prompt))
    named = (name for name, pattern in _RULES.items() if pattern.search(prompt))
    rules: Rules = next(named, "plain")
    return QueensParams(int(size[1]), placed, rules)


def _guess(params: QueensParams, rng: random.Random) -> Answer:
    """A random permutation that keeps the placed queens."""
    placed = dict(params.placed)
    free = [column for column in range(params.size) if column not in placed.values()]
    rng.shuffle(free)
    return [placed[row] if row in placed else free.pop() for row in range(params.size)]


def _mutate(params: QueensParams, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
    """Mirror images, which are right where they keep the placed queens, and other solutions."""
    size = params.size
    yield "columns mirrored", [size - 1 - column for column in answer]
    yield "turned half round", [size - 1 - column for column in reversed(answer)]
    yield "rows and columns exchanged", [answer.index(row) for row in range(size)]
    yield "shifted by a row", [*answer[1:], answer[0]]
    yield "shifted by a column", [(column + 1) % size for column in answer]
    fewer = QueensParams(size, params.placed[1:] if size > SMALL else (), params.rules)
    boards = find_completions(fewer).answers
    for board in rng.sample(boards, min(3, len(boards))):
        yield "a solution with fewer queens placed", list(board)
    if params.rules != "plain":
        boards = find_completions(QueensParams(size, params.placed)).answers
        for board in rng.sample(boards, min(3, len(boards))):
            yield "a solution of the plain board", list(board)
    yield "as text", [str(column) for column in answer]


TASK = Task(
    name="n_queens",
    suite="hard",
    title="a board of queens that do not attack each other",
    params=QueensParams,
    variations=tuple(
        Variation(name, sizes, False, "when_exhausted", name.startswith("queens_"), name == EMPTY)
        for name, (_, sizes) in VARIATIONS.items()
    ),
    draw=draw,
    solve=_solve,
    verify=_verify,
    check=_check,
    form=lambda params: PositionsForm(params.size, params.size),
    words=lambda params: {"size": params.size, "placed": params.placed, "rules": params.rules},
    read=_read,
    guess=_guess,
    # The paper has 100 + 5 n, less than our text.
    tokens=lambda variation, size: (
        (140 if VARIATIONS[variation][0] == "plain" else 220) + 5 * size,
        2 * size,
    ),
    space=space,
    mutate=_mutate,
)
