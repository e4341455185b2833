"""Draws of the Easy tasks keep to their ranges, and their spaces are what enumeration counts."""

import itertools
import math
from collections import Counter

import pytest

from perennial.schemas.ids import derive_rng
from perennial.tasks.beyondbench.easy.arithmetic import count_pairs, largest_factor
from perennial.tasks.beyondbench.easy.counting import find_palindromes
from perennial.tasks.beyondbench.easy.lists import LARGEST, LARGEST_OF_PAIR, arrange, plant
from perennial.tasks.beyondbench.easy.order import count_lists, count_lists_of_maxima, draw_order, patterns
from perennial.tasks.beyondbench.problem import draw_problem
from perennial.tasks.beyondbench.registry import TASKS

EASY = [name for name, task in TASKS.items() if task.suite == "easy"]
PAIRS = {"subtraction", "division", "absolute_difference", "comparison"}


CELLS = [(name, variation.name) for name in EASY for variation in TASKS[name].variations]


@pytest.mark.parametrize(("name", "variation"), CELLS)
def test_drawn_problems_keep_to_their_ranges(name, variation):
    largest = LARGEST[variation]
    for size, index in itertools.product(TASKS[name].variation(variation).sizes, range(12)):
        problem, rejected = draw_problem(TASKS[name], variation, size, 5, index)
        if name in PAIRS:
            assert max(abs(problem.params.first), abs(problem.params.second)) <= LARGEST_OF_PAIR
            continue
        values = problem.params.values
        assert len(values) == size
        assert rejected < 5
        if name == "multiplication":
            assert 0 < abs(math.prod(values)) < 10**15
            assert max(map(abs, values)) <= largest_factor(size)
        else:
            assert -largest <= min(values) <= max(values) <= largest
            assert variation == "standard" or max(map(abs, values)) > 100_000
        if name == "mode":
            assert len(set(values)) < size
        if name == "count_negative":
            assert min(values) < 0 < max(values)
        if name == "count_palindromic":
            assert min(values) >= 0
        if name == "sum_of_max_indices":
            assert values.count(max(values)) in (1, 2, 3)
            assert len(set(values)) == size - values.count(max(values)) + 1


def test_comparison_gives_each_relation_a_third_and_division_no_small_quotient():
    relations = Counter(
        draw_problem(TASKS["comparison"], "standard", 2, 3, index)[0].solutions.reference
        for index in range(600)
    )
    assert sorted(relations) == ["equal to", "greater than", "less than"]
    assert all(150 < count < 250 for count in relations.values())
    for index in range(200):
        params = draw_problem(TASKS["division"], "standard", 2, 3, index)[0].params
        assert abs(params.first / params.second) >= 0.1


# The answers that a list of eight may have; each is to come as often as the others.
EVENLY = {
    "odd_count": range(9),
    "even_count": range(9),
    "count_negative": range(1, 8),
    "count_multiples": range(9),
    "count_greater_than_previous": range(8),
    "local_maxima_count": range(4),
    "count_unique": range(1, 9),
    "count_perfect_squares": range(9),
    "count_palindromic": range(9),
    "lis_length": range(1, 9),
}


@pytest.mark.parametrize("name", EVENLY)
def test_no_count_comes_more_often_than_another(name):
    drawn = Counter(
        draw_problem(TASKS[name], "standard", 8, 3, index)[0].solutions.reference for index in range(540)
    )
    even = 540 / len(EVENLY[name])
    assert sorted(drawn) == list(EVENLY[name])
    assert all(abs(count - even) < 4 * even**0.5 for count in drawn.values())


def test_lists_are_arranged_by_any_steps_and_each_order_may_come():
    for is_up in itertools.product((False, True), repeat=3):
        found = set()
        for seed in range(150):
            values = arrange("standard", is_up, derive_rng(seed, "arrange", 0)).values
            assert [after > before for before, after in itertools.pairwise(values)] == list(is_up)
            found.add(tuple(sorted(range(4), key=values.__getitem__)))
        assert len(found) == sum(
            all((order.index(k + 1) > order.index(k)) == is_up[k] for k in range(3))
            for order in itertools.permutations(range(4))
        )


def test_orders_of_each_longest_increasing_subsequence_all_come():
    def longest(order):
        return max(
            len(chosen)
            for length in range(1, len(order) + 1)
            for chosen in itertools.combinations(order, length)
            if list(chosen) == sorted(chosen)
        )

    for length in range(1, 5):
        drawn = {tuple(draw_order(4, length, derive_rng(seed, "order", 0))) for seed in range(200)}
        assert drawn == {order for order in itertools.permutations(range(4)) if longest(order) == length}


def test_modes_come_in_one_two_and_three_and_each_up_to_four_times():
    found = [draw_problem(TASKS["mode"], "standard", 16, 3, index)[0] for index in range(150)]
    assert {len(problem.solutions.reference) for problem in found} == {1, 2, 3}
    assert {max(Counter(problem.params.values).values()) for problem in found} == {2, 3, 4}


@pytest.mark.parametrize("size", range(2, 9))
def test_the_largest_factor_is_the_last_whose_power_is_below_1e15(size):
    largest = largest_factor(size)
    assert largest**size < 10**15 <= (largest + 1) ** size


# The formulas of spaces against enumeration over a small range.
def test_spaces_are_what_enumeration_counts():
    lists = list(itertools.product(range(5), repeat=4))
    for times in (1, 2, 3):
        assert count_lists_of_maxima(4, times, 5) == sum(
            found.count(max(found)) == times and len(set(found)) == 5 - times for found in lists
        )
    _, space = plant(lambda _variation: [0, 1], lambda _variation: range(5))
    assert round(10 ** space("", 4).log10) == len(lists)
    assert count_pairs(20) == sum(
        b != 0 and 10 * abs(a) >= abs(b) for a in range(-20, 21) for b in range(-20, 21)
    )


def test_the_space_of_modes_is_what_enumeration_counts():
    def pattern(found):
        often = sorted(Counter(found).values(), reverse=True)
        times = often[0]
        rest = [count for count in often if count < times and count != 1]
        return (times, often.count(times), len(rest)) if set(rest) <= {times - 1} else None

    counted = dict(zip(patterns(6), count_lists(6, 5), strict=True))
    lists = (found for found in itertools.product(range(5), repeat=6) if pattern(found) in counted)
    assert Counter(map(pattern, lists)) == {key: number for key, number in counted.items() if number}


@pytest.mark.parametrize(("name", "variation"), CELLS)
def test_every_space_is_exact_and_beyond_1e15(name, variation):
    for size in TASKS[name].variation(variation).sizes:
        space = TASKS[name].space(variation, size)
        assert space.is_exact
        assert space.log10 > 15


def test_the_space_of_plain_lists_is_arrangements():
    for variation, size, choices in (("standard", 8, 2_001), ("large", 100, 2_000_001)):
        found = TASKS["addition"].space(variation, size).log10
        assert found == pytest.approx(math.log10(math.perm(choices, size)))


def test_the_palindromes_are_those_that_read_the_same_backwards():
    assert find_palindromes(20_000) == [value for value in range(20_001) if str(value) == str(value)[::-1]]
    assert len(find_palindromes(10**6)) == 1_999
