"""Matrix chain: the fewest scalar multiplications of a product of matrices."""

import math
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from perennial.schemas.beyondbench.things import Answer, Space, only_solution
from perennial.tasks.beyondbench.forms.numbers import IntegerForm
from perennial.tasks.beyondbench.problem import RIGHT, Task, Variation

# Matrix chain: the fewest scalar multiplications of a product of matrices (section K.7 of the paper).
#
# The paper's increasing pattern with one common step has a few hundred sequences below 120; ours is any
# increasing sequence. Its best order is always from left to right, that of a decreasing one from right to
# left.

MAX_DIMENSION = 120
SIZES = (3, 5, 8, 11, 14, 17, 20)
# The values that a dimension is drawn from: each of the ranges is as likely as the other.
RANGES = {
    "random": (range(5, 101),),
    "sparse": (range(1, 16), range(80, 121)),
    "mixed": (range(1, 11), range(50, 101)),
}
PATTERNS = ("random", "increasing", "decreasing", "sparse", "mixed")


@dataclass(frozen=True, slots=True)
class ChainParams:
    """The dimensions d0, d1, ..., dn of n matrices; matrix i has d(i-1) rows and di columns."""

    dimensions: tuple[int, ...]

    def __post_init__(self) -> None:
        if not min(SIZES) < len(self.dimensions) <= max(SIZES) + 1:
            raise ValueError(f"a chain of {len(self.dimensions) - 1} matrices: not 3 to 20")
        if not all(1 <= dimension <= MAX_DIMENSION for dimension in self.dimensions):
            raise ValueError(f"dimensions {self.dimensions} are not from 1 to {MAX_DIMENSION}")


def _draw(variation: str, size: int, rng: random.Random) -> ChainParams:
    if variation in RANGES:
        ranges = RANGES[variation]
        return ChainParams(tuple(rng.choice(rng.choice(ranges)) for _ in range(size + 1)))
    dimensions = sorted(rng.sample(range(1, MAX_DIMENSION + 1), size + 1))
    return ChainParams(tuple(dimensions if variation == "increasing" else dimensions[::-1]))


@lru_cache(maxsize=64)
def _fewest_multiplications(dimensions: tuple[int, ...]) -> int:
    """The minimum, by length of the partial chains (Algorithm 23)."""
    count = len(dimensions) - 1
    cost = {(matrix, matrix): 0 for matrix in range(count)}
    for length in range(1, count):
        for first in range(count - length):
            last = first + length
            outer = dimensions[first] * dimensions[last + 1]
            cost[first, last] = min(
                cost[first, split] + cost[split + 1, last] + outer * dimensions[split + 1]
                for split in range(first, last)
            )
    return cost[0, count - 1]


def minimum_by_triangulation(dimensions: tuple[int, ...]) -> int:
    """The minimum by memoised recursion on the polygon whose corners are the dimensions.

    A product in some order is a triangulation of the polygon, a multiplication is a triangle, and its cost is
    the product of the triangle's corners.
    """

    @cache
    def cut(first: int, last: int) -> int:
        if last - first < 2:
            return 0
        side = dimensions[first] * dimensions[last]
        return min(
            side * dimensions[corner] + cut(first, corner) + cut(corner, last)
            for corner in range(first + 1, last)
        )

    return cut(0, len(dimensions) - 1)


# The gate compares some thirty answers of one problem.
_minimum_by_triangulation_once = lru_cache(maxsize=64)(minimum_by_triangulation)


def _verify(params: ChainParams, answer: Answer) -> str:
    if type(answer) is not int:
        return "malformed"
    minimum = _fewest_multiplications(params.dimensions)
    if answer == minimum:
        return RIGHT
    return "below_minimum" if answer < minimum else "suboptimal"


_MATRIX = re.compile(r"^A(\d{1,2}): (\d{1,3}) x (\d{1,3})$", re.MULTILINE)


def _read(prompt: str) -> ChainParams:
    shapes = [tuple(map(int, match)) for match in _MATRIX.findall(prompt)]
    numbers = [number for number, _, _ in shapes]
    if not shapes or numbers != list(range(1, len(shapes) + 1)):
        raise ValueError("the prompt holds no chain of matrices")
    return ChainParams((shapes[0][1], *(columns for _, _, columns in shapes)))


def _cost(dims: tuple[int, ...], choose: Callable[[list[int]], int]) -> int:
    """The cost of the order that chooses in turn which of the inner dimensions goes next."""
    rest, cost = list(dims), 0
    while len(rest) > 2:
        index = 1 + choose(rest[1:-1])
        cost += rest[index - 1] * rest[index] * rest[index + 1]
        del rest[index]
    return cost


def _cost_of_random_order(dims: tuple[int, ...], rng: random.Random) -> int:
    return _cost(dims, lambda inner: rng.randrange(len(inner)))


def left_to_right(dims: tuple[int, ...]) -> int:
    """The cost of multiplying from left to right (the numerator of eq. 188)."""
    return dims[0] * sum(a * b for a, b in pairwise(dims[1:]))


def _mutate(params: ChainParams, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
    """Costs of other orders, which may be as good, and slips of the sum."""
    dims = params.dimensions
    yield "from left to right", left_to_right(dims)
    yield "from right to left", left_to_right(dims[::-1])
    yield "largest dimension first", _cost(dims, lambda inner: inner.index(max(inner)))
    yield "smallest dimension first", _cost(dims, lambda inner: inner.index(min(inner)))
    for _ in range(3):
        yield "a random order", _cost_of_random_order(dims, rng)
    yield "a multiplication too many", answer + dims[0] * dims[-1]
    yield "without the last multiplication", answer - dims[0] * dims[1] * dims[-1]
    yield "without the last matrix", _fewest_multiplications(dims[:-1]) if len(dims) > 4 else 0
    yield "as text", str(answer)


def _space(variation: str, size: int) -> Space:
    if variation in RANGES:
        values = sum(map(len, RANGES[variation]))
        return Space((size + 1) * math.log10(values), True, f"{values} values for each of n + 1 dimensions")
    doc = f"sets of n + 1 of {MAX_DIMENSION} dimensions, in one order"
    return Space(math.log10(math.comb(MAX_DIMENSION, size + 1)), True, doc)


TASK = Task(
    name="matrix_chain",
    suite="hard",
    title="the fewest scalar multiplications of a chain of matrices",
    params=ChainParams,
    variations=tuple(Variation(pattern, SIZES) for pattern in PATTERNS),
    draw=_draw,
    solve=lambda params: only_solution(_fewest_multiplications(params.dimensions)),
    verify=_verify,
    check=lambda params, answer: (
        type(answer) is int and answer == _minimum_by_triangulation_once(params.dimensions)
    ),
    form=lambda _params: IntegerForm("answer"),
    words=lambda params: {"count": len(params.dimensions) - 1, "shapes": list(pairwise(params.dimensions))},
    read=_read,
    guess=lambda params, rng: _cost_of_random_order(params.dimensions, rng),
    # The paper has 30 + 7 n, less than our text.
    tokens=lambda _variation, size: (130 + 9 * size, 8),
    space=_space,
    mutate=_mutate,
)
