"""N queens: complete a board on which some queens stand already (section K.2 of the paper).

An empty board has one prompt a size; with queens placed, all of whose completions are known, completion is
the NP-complete variant (K.2.8). The paper names sizes of 6 to 16 (table 28), diagonal and toroidal boards
(table 16), and does not define the last two.
"""

import random
import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from perennial.schemas.beyondbench.things import Answer, Solutions
from perennial.tasks.beyondbench.forms.lists.positions import PositionsForm
from perennial.tasks.beyondbench.hard.n_queens.engine import VARIATIONS, draw, find_completions
from perennial.tasks.beyondbench.hard.n_queens.params import SMALL, QueensParams, Rules
from perennial.tasks.beyondbench.hard.n_queens.space import space
from perennial.tasks.beyondbench.task import RIGHT, Task, Variation


def _solve(params: QueensParams) -> Solutions:
    """Return all completions."""
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
            place = row, column
            for _ in range(size - 1):
                place = place[0] + down, place[1] + right
                if params.rules == "toroidal":
                    place = place[0] % size, place[1] % size
                if place in queens and place != (row, column):
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


def _words(params: QueensParams) -> Mapping[str, Any]:
    return {"size": params.size, "placed": params.placed, "rules": params.rules}


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
        Variation(name, sizes, False, "when_exhausted", is_counted=name.startswith("queens_"))
        for name, (_, sizes) in VARIATIONS.items()
    ),
    template="beyondbench/hard/n_queens.md.j2",
    draw=draw,
    solve=_solve,
    verify=_verify,
    check=_check,
    form=lambda params: PositionsForm(params.size, params.size),
    words=_words,
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
