"""Tasks about order: the largest, the smallest and differences, sorted lists, the middle."""

import math
import random
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import groupby, pairwise, permutations

from perennial.schemas.beyondbench.things import Space
from perennial.tasks.beyondbench.easy.lists import (
    INTEGER_LIST,
    INTEGER_SET,
    LARGE,
    LARGEST,
    PAIRS,
    RELATION,
    STANDARD,
    ListParams,
    PairParams,
    Values,
    count_space,
    decimal,
    draw_distinct,
    draw_pair,
    easy_task,
    guess_count,
    list_tokens,
    numbers_of,
    shuffle_values,
)
from perennial.tasks.beyondbench.forms.numbers import RELATIONS

# The largest element (F.5 of the paper).
FIND_MAXIMUM = easy_task(
    "extremes/find_maximum", "the largest element", max, lambda values: sorted(values)[-1]
)


# The smallest element (F.5 of the paper).
FIND_MINIMUM = easy_task(
    "extremes/find_minimum", "the smallest element", min, lambda values: sorted(values)[0]
)


# The index, from 0, of the first largest element (F.5.5 of the paper).


INDEX_OF_MAXIMUM = easy_task(
    "extremes/index_of_maximum",
    "the index of the largest element",
    lambda values: values.index(max(values)),
    lambda values: max(range(len(values)), key=values.__getitem__),
    guess=guess_count,
)


# The largest absolute difference of neighbours (F.6.1 of the paper).
MAX_ADJACENT_DIFFERENCE = easy_task(
    "extremes/max_adjacent_difference",
    "the largest absolute difference of neighbours",
    lambda values: max(abs(after - before) for before, after in pairwise(values)),
    lambda values: max(max(two) - min(two) for two in zip(values[1:], values[:-1], strict=True)),
)


# Range: the largest element minus the smallest (F.5 of the paper).
RANGE = easy_task(
    "extremes/range",
    "the largest element minus the smallest",
    lambda values: max(values) - min(values),
    lambda values: max(first - second for first, second in permutations(values, 2)),
)


# The largest element below the maximum (F.5 of the paper).


SECOND_MAXIMUM = easy_task(
    "extremes/second_maximum",
    "the second largest element",
    lambda values: max(value for value in values if value < max(values)),
    lambda values: sorted(set(values))[-2],
)


# The sum of the indices, from 0, where the largest element stands, one to three times (F.5.6 of the paper).
#
# The paper's equation 32 counts from 1 and its prompt from 0; the prompt is what a player sees.
TIMES = (1, 2, 3)


def _draw_sum_of_max_indices(variation: str, size: int, rng: random.Random) -> ListParams:
    times = rng.choice(TIMES)
    values = draw_distinct(variation, size - times + 1, rng)
    return shuffle_values(values + [max(values)] * (times - 1), rng)


def count_lists_of_maxima(size: int, times: int, choices: int) -> int:
    """The number of lists with the largest element so many times and all others once.

    The distinct elements, the places of the largest, the order of the others.
    """
    return math.comb(choices, size - times + 1) * math.comb(size, times) * math.factorial(size - times)


def _space_of_max_indices(variation: str, size: int) -> Space:
    choices = len(numbers_of(variation))
    numbers = (count_lists_of_maxima(size, times, choices) for times in TIMES)
    return count_space(sum(numbers), "lists with the largest element one to three times, all others once")


SUM_OF_MAX_INDICES = easy_task(
    "extremes/sum_of_max_indices",
    "the sum of the indices of the largest element",
    lambda values: sum(index for index, value in enumerate(values) if value == max(values)),
    lambda values: sum(i for i, value in enumerate(values) if all(value >= other for other in values)),
    draw=_draw_sum_of_max_indices,
    space=_space_of_max_indices,
    guess=lambda params, rng: rng.randint(0, 3 * len(params.values)),
)


# Comparison of a pair: less, equal or greater, a third of the problems each (F.3 of the paper).


def _draw_comparison(variation: str, size: int, rng: random.Random) -> PairParams:
    pair = draw_pair(variation, size, rng)
    lower, upper = sorted((pair.first, pair.second))
    return rng.choice((PairParams(lower, upper), PairParams(lower, lower), PairParams(upper, lower)))


def _compare_difference(first: int, second: int) -> str:
    if first == second:
        return "equal to"
    return "less than" if str(first - second).startswith("-") else "greater than"


COMPARISON = easy_task(
    "order/comparison",
    "whether a number is less than, equal to or greater than another",
    lambda first, second: RELATIONS[(first > second) - (first < second) + 1],
    _compare_difference,
    PAIRS,
    draw=_draw_comparison,
    guess=lambda _params, rng: rng.choice(RELATIONS),
    kind=RELATION,
)


# Orders with a longest increasing subsequence of a given length, from pairs of tableaux.
#
# An order of n things is a pair of standard tableaux of one shape, whose first row is as long as the longest
# increasing subsequence (C. Schensted, Longest increasing and decreasing subsequences, 1961).


def draw_order(size: int, longest: int, rng: random.Random) -> list[int]:
    """0 to size - 1 in an order whose longest increasing subsequence is so long; any may come."""
    shape = _draw_shape(size, longest, rng)
    tableau: list[list[int]] = [[] for _ in shape]
    for value, row in enumerate(_draw_rows(shape, rng)):
        tableau[row].append(value)
    order = []
    for row in reversed(_draw_rows(shape, rng)):
        value = tableau[row].pop()
        for above in reversed(tableau[:row]):
            # The largest that is smaller makes room, and goes up.
            pile = bisect_left(above, value) - 1
            above[pile], value = value, above[pile]
        order.append(value)
    return order[::-1]


def _draw_shape(size: int, longest: int, rng: random.Random) -> list[int]:
    """Lengths of rows, none longer than the one before it, the first as given."""
    shape = [longest]
    for _ in range(size - longest):
        open_rows = [row for row in range(1, len(shape)) if shape[row] < shape[row - 1]]
        row = rng.choice([*open_rows, len(shape)])
        shape[row:] = [shape[row] + 1, *shape[row + 1 :]] if row < len(shape) else [1]
    return shape


def _draw_rows(shape: list[int], rng: random.Random) -> list[int]:
    """The row to which each cell is added as a tableau of the shape grows."""
    left = [*shape, 0]
    rows = []
    for _ in range(sum(shape)):
        row = rng.choice([row for row in range(len(shape)) if left[row] > left[row + 1]])
        left[row] -= 1
        rows.append(row)
    return rows[::-1]


# Length of the longest strictly increasing subsequence, each length as often (F.6.4 of the paper).


def _lay_piles(values: Values) -> int:
    """The number of piles of patience sorting, in n log n."""
    tops: list[int] = []
    for value in values:
        pile = bisect_left(tops, value)
        tops[pile : pile + 1] = [value]
    return len(tops)


def _extend_each(values: Values) -> int:
    """The longest by the longest that ends at each element, in n squared."""
    longest: list[int] = []
    for index, value in enumerate(values):
        ends = (longest[before] for before in range(index) if values[before] < value)
        longest.append(1 + max(ends, default=0))
    return max(longest)


def _draw_lis_length(variation: str, size: int, rng: random.Random) -> ListParams:
    order = draw_order(size, rng.randint(1, size), rng)
    values = sorted(draw_distinct(variation, size, rng))
    return ListParams(tuple(values[index] for index in order))


LIS_LENGTH = easy_task(
    "order/lis_length",
    "the length of the longest increasing subsequence",
    _lay_piles,
    _extend_each,
    draw=_draw_lis_length,
    guess=lambda params, rng: rng.randint(1, len(params.values)),
)


# Mean of a list, within 1e-6; sizes divide a power of ten, so that it ends (F.7.1 of the paper).


def _update(values: Values) -> Fraction:
    """The mean by running updates."""
    mean = Fraction(0)
    for count, value in enumerate(values, 1):
        mean += (value - mean) / count
    return mean


MEAN = easy_task(
    "order/mean",
    "the mean of a list",
    lambda values: Fraction(sum(values), len(values)),
    _update,
    guess=lambda params, rng: round(rng.uniform(min(params.values), max(params.values)), 2),
    kind=decimal(Fraction(1, 10**6)),
)


# Median of a list, within 1e-6: the middle element or the mean of the two (F.7.2 of the paper).


def _halve(values: Values) -> Fraction:
    ordered, half = sorted(values), len(values) // 2
    return Fraction(ordered[half] + ordered[-half - 1], 2)


def _count_smaller(values: Values) -> Fraction:
    """The mean of the elements with at most half of the list below them and above them."""
    middle = {
        value
        for value in values
        if 2 * sum(other < value for other in values) <= len(values)
        and 2 * sum(other > value for other in values) <= len(values)
    }
    return Fraction(min(middle) + max(middle), 2)


MEDIAN = easy_task(
    "order/median",
    "the median of a list",
    _halve,
    _count_smaller,
    variations=(replace(STANDARD, sizes=(8, 17, 32, 65)), replace(LARGE, sizes=(16, 33, 64, 99))),
    guess=lambda params, rng: rng.randint(2 * min(params.values), 2 * max(params.values)) / 2,
    kind=decimal(Fraction(1, 10**6)),
)


# Modes of a list: all elements that appear most often, at least twice (F.7.3 of the paper).

MOST_OFTEN, MOST_MODES = 4, 3


@cache
def patterns(size: int) -> list[tuple[int, int, int]]:
    """What may be drawn: how often the modes appear, how many they are, how many appear once less.

    All other elements appear once.
    """
    return [
        (times, modes, runners_up)
        for times in range(2, min(MOST_OFTEN, size // 2) + 1)
        for modes in range(1, MOST_MODES + 1)
        for runners_up in range(3 if times > 2 else 1)
        if times * modes + (times - 1) * runners_up <= size
    ]


def _draw(variation: str, size: int, rng: random.Random) -> ListParams:
    times, modes, runners_up = rng.choice(patterns(size))
    single = size - times * modes - (times - 1) * runners_up
    values = draw_distinct(variation, modes + runners_up + single, rng)
    repeated = values[:modes] * (times - 1) + values[modes : modes + runners_up] * (times - 2)
    return shuffle_values(values + repeated, rng)


def count_lists(size: int, choices: int) -> Iterator[int]:
    """The number of lists of each pattern: orders of a multiset, times choices of its elements."""
    for times, modes, runners_up in patterns(size):
        single = size - times * modes - (times - 1) * runners_up
        repeats = math.factorial(times) ** modes * math.factorial(times - 1) ** runners_up
        alike = math.factorial(modes) * math.factorial(runners_up) * math.factorial(single)
        yield math.factorial(size) // repeats * math.perm(choices, modes + runners_up + single) // alike


def _find_modes(values: Values) -> list[int]:
    counts = Counter(values)
    most = max(counts.values())
    return sorted(value for value, count in counts.items() if count == most)


def _measure_runs(values: Values) -> list[int]:
    lengths = {value: len(list(run)) for value, run in groupby(sorted(values))}
    return [value for value, length in lengths.items() if length == max(lengths.values())]


MODE = easy_task(
    "order/mode",
    "all modes of a list",
    _find_modes,
    _measure_runs,
    draw=_draw,
    space=lambda variation, size: count_space(
        sum(count_lists(size, len(numbers_of(variation)))), "lists of each pattern of repeats"
    ),
    guess=lambda params, rng: [rng.choice(params.values)],
    kind=INTEGER_SET,
)


# Sorting a list in ascending order (F.5 of the paper).


def _insert(values: Values) -> list[int]:
    ordered: list[int] = []
    for value in values:
        index = sum(other <= value for other in ordered)
        ordered.insert(index, value)
    return ordered


def _tokens(variation: str, size: int) -> tuple[int, int]:
    """The estimates with a solution of a n log10 M + b n + g, a = 1, b = 3, g = 10."""
    digits = math.log10(2 * LARGEST[variation])
    return list_tokens(variation, size)[0], round(size * digits + 3 * size + 10)


SORTING = easy_task(
    "order/sorting",
    "a list in ascending order",
    sorted,
    _insert,
    tokens=_tokens,
    guess=lambda params, rng: rng.sample(params.values, len(params.values)),
    kind=INTEGER_LIST,
)
