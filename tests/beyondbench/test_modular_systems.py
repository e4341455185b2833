"""Modular systems: two engines, what the prompt states, and what is read of replies."""

import math
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.tasks.beyondbench.hard.modular_systems import (
    SMALLEST,
    TASK,
    SystemParams,
    has_no_divisor,
    is_prime,
    merge_congruences,
)
from perennial.tasks.beyondbench.problem import draw_problem

NAMES = [variation.name for variation in TASK.variations]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 30)), min_size=1, max_size=3))
@settings(max_examples=100, deadline=None)
def test_merged_congruences_say_what_the_congruences_say(congruences):
    residues, moduli = zip(*congruences, strict=True)
    period = math.lcm(*moduli)
    found = [x for x in range(period) if all((x - a) % m == 0 for a, m in congruences)]
    merged = merge_congruences(residues, moduli)
    assert ([] if merged is None else [merged[0]]) == found
    assert merged is None or merged[1] == period


@given(st.integers(-10, 10**13))
@settings(max_examples=100, deadline=None)
def test_both_tests_for_primes_agree(number):
    assert is_prime(number) == has_no_divisor(number)


@pytest.mark.parametrize("number", [2_047, 25_326_001, 3_215_031_751, 4_759_123_141, 3_474_749_660_383])
def test_numbers_that_look_prime_to_a_few_bases_are_composite(number):
    assert not is_prime(number)
    assert not has_no_divisor(number)


def test_small_primes_are_counted():
    assert sum(is_prime(number) for number in range(10_000)) == 1_229
    assert is_prime(9_999_999_999_971)


@st.composite
def small_systems(draw):
    moduli = draw(st.lists(st.integers(2, 15), min_size=1, max_size=3))
    residues = [draw(st.integers(0, modulus - 1)) for modulus in moduli]
    low = draw(st.integers(0, 500))
    high = low + draw(st.integers(0, 3_000))
    return SystemParams(
        tuple(residues), tuple(moduli), low, high, draw(st.booleans()), draw(st.sampled_from((1, 2, 7)))
    )


@pytest.mark.slow
@given(small_systems())
@settings(max_examples=60, deadline=None)
def test_solutions_are_those_that_both_engines_accept_of_the_whole_window(params):
    window = range(params.low - 3, params.high + 4)
    accepted = [x for x in window if TASK.verify(params, x) == ""]
    assert accepted == [x for x in window if TASK.check(params, x)]
    solutions = TASK.solve(params)
    assert (list(solutions.answers), solutions.count, solutions.is_complete) == (
        accepted,
        len(accepted),
        True,
    )


@given(st.sampled_from(NAMES), st.sampled_from((3, 4, 5)), st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_a_drawn_system_has_one_answer_that_its_further_condition_decides(variation, size, seed):
    problem, _ = draw_problem(TASK, variation, size, seed, 0)
    params, (answer,) = problem.params, problem.solutions.answers
    assert answer >= SMALLEST
    assert problem.verify(answer) == ""
    assert TASK.check(params, answer)
    assert TASK.read(problem.prompt) == params
    period = math.prod(params.moduli)
    assert math.lcm(*params.moduli) == period
    candidates = (params.high - answer) // period + (answer - params.low) // period + 1
    assert (candidates > 1) == (params.is_prime or params.divisor > 1)
    assert math.gcd(params.divisor, period) == 1
    if params.is_prime:
        assert math.gcd(answer, period) == 1
    assert (params.low > 0) == (variation in ("range", "mixed"))


def test_primes_and_multiples_are_asked_for():
    assert TASK.verify(SystemParams((2,), (7,), 0, 100, is_prime=True), 9) == "not_prime"
    assert TASK.verify(SystemParams((2,), (7,), 0, 100, divisor=3), 16) == "not_divisible"


def test_a_window_too_wide_to_look_at_is_refused():
    with pytest.raises(ValueError, match="integers of the window"):
        TASK.solve(SystemParams((1,), (2,), 0, 10**13))


def test_the_space_of_basic_systems_is_counted_exactly():
    counted = sum(
        a * b * c - SMALLEST
        for a, b, c in combinations(range(5, 100), 3)
        if math.gcd(a, b) == math.gcd(b, c) == math.gcd(a, c) == 1
    )
    space = TASK.space("basic", 3)
    assert space.is_exact
    assert 10**space.log10 == pytest.approx(counted, rel=1e-9)


@pytest.mark.parametrize("variation", NAMES)
def test_every_space_is_above_ten_to_the_ninth_and_grows(variation):
    sizes = [TASK.space(variation, size).log10 for size in (3, 4, 5)]
    assert sizes == sorted(sizes)
    assert sizes[0] > 9
