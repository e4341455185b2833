"""Draws of the Easy tasks keep to their ranges, and their spaces are what enumeration counts."""

import itertools
import math
from collections import Counter

import pytest

from tasks.beyondbench.easy.arithmetic import division, multiplication
from tasks.beyondbench.easy.counting import count_unique
from tasks.beyondbench.easy.extremes import sum_of_max_indices
from tasks.beyondbench.easy.lists import CHOICES, HIGH, LOW
from tasks.beyondbench.easy.order import mode
from tasks.beyondbench.easy.pair_task import LARGEST
from tasks.beyondbench.easy.planted import plant
from tasks.beyondbench.problem import draw_problem
from tasks.beyondbench.registry import MODULES, TASKS

EASY = [name for name in MODULES if MODULES[name].startswith("easy.")]
PAIRS = {"subtraction", "division", "absolute_difference", "comparison"}


@pytest.mark.parametrize("name", EASY)
def test_drawn_problems_keep_to_their_ranges(name):
    variation = TASKS[name].variations[0]
    for size, index in itertools.product(variation.sizes, range(12)):
        problem, rejected = draw_problem(TASKS[name], "standard", size, 5, index)
        if name in PAIRS:
            assert max(abs(problem.params.first), abs(problem.params.second)) <= LARGEST
            continue
        values = problem.params.values
        assert len(values) == size
        assert rejected < 5
        if name == "multiplication":
            assert 0 < abs(math.prod(values)) < 10**15
            assert max(map(abs, values)) <= multiplication.largest_factor(size)
        else:
            assert LOW <= min(values) <= max(values) <= HIGH
        if name == "mode":
            assert len(set(values)) < size
        if name == "count_negative":
            assert min(values) < 0 < max(values)
        if name == "count_palindromic":
            assert min(values) >= 0
        if name in ("count_palindromic", "count_perfect_squares"):
            assert 1 <= problem.solutions.reference <= size // 2
        if name == "count_unique":
            assert problem.solutions.reference in {size // 4, size // 2, 3 * size // 4, size}
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


def test_modes_come_in_one_two_and_three_and_each_up_to_four_times():
    found = [draw_problem(TASKS["mode"], "standard", 16, 3, index)[0] for index in range(150)]
    assert {len(problem.solutions.reference) for problem in found} == {1, 2, 3}
    assert {max(Counter(problem.params.values).values()) for problem in found} == {2, 3, 4}


@pytest.mark.parametrize("size", range(2, 9))
def test_the_largest_factor_is_the_last_whose_power_is_below_1e15(size):
    largest = multiplication.largest_factor(size)
    assert largest**size < 10**15 <= (largest + 1) ** size


def test_a_list_of_eight_factors_has_them_up_to_74():
    assert multiplication.largest_factor(8) == 74


# The formulas of spaces against enumeration over a small range.
def test_spaces_are_what_enumeration_counts():
    lists = list(itertools.product(range(5), repeat=4))
    for distinct in (1, 2, 3, 4):
        assert count_unique.count_lists(4, distinct, 5) == sum(len(set(found)) == distinct for found in lists)
    for times in (1, 2, 3):
        assert sum_of_max_indices.count_lists(4, times, 5) == sum(
            found.count(max(found)) == times and len(set(found)) == 5 - times for found in lists
        )
    _, space = plant([0, 1], [2, 3, 4])
    assert round(10 ** space("", 4).log10) == sum(1 <= sum(x < 2 for x in found) <= 2 for found in lists)
    assert division.count_pairs(20) == sum(
        b != 0 and 10 * abs(a) >= abs(b) for a in range(-20, 21) for b in range(-20, 21)
    )


def test_the_space_of_modes_is_what_enumeration_counts():
    def pattern(found):
        often = sorted(Counter(found).values(), reverse=True)
        times = often[0]
        rest = [count for count in often if count < times and count != 1]
        return (times, often.count(times), len(rest)) if set(rest) <= {times - 1} else None

    patterns = mode.patterns(6)
    lists = (found for found in itertools.product(range(5), repeat=6) if pattern(found) in patterns)
    counted = dict(zip(patterns, mode.count_lists(6, 5), strict=True))
    assert Counter(map(pattern, lists)) == {key: number for key, number in counted.items() if number}


@pytest.mark.parametrize("name", EASY)
def test_every_space_is_exact_and_beyond_1e15(name):
    for size in TASKS[name].variations[0].sizes:
        space = TASKS[name].space("standard", size)
        assert space.is_exact
        assert space.log10 > 15


def test_the_space_of_plain_lists_is_arrangements():
    assert TASKS["addition"].space("standard", 8).log10 == pytest.approx(math.log10(math.perm(CHOICES, 8)))
