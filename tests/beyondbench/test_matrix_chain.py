"""Matrix chain: three engines, the paper's formulas, the grader's codes, and how the number is read."""

import math
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.schemas.ids import derive_rng
from perennial.tasks.beyondbench.hard.matrix_chain import (
    PATTERNS,
    SIZES,
    TASK,
    ChainParams,
    left_to_right,
    minimum_by_triangulation,
)

TEXTBOOK = ChainParams((30, 35, 15, 5, 10, 20, 25))  # known minimum: 15,125


def all_costs(dims):
    """Return the cost of each way to put parentheses."""

    @cache
    def costs(first, last):
        if last - first == 1:
            return (0,)
        return tuple(
            left + right + dims[first] * dims[split] * dims[last]
            for split in range(first + 1, last)
            for left in costs(first, split)
            for right in costs(split, last)
        )

    return costs(0, len(dims) - 1)


def solve(params):
    return TASK.solve(params).reference


def test_a_known_chain_and_the_number_of_its_orders():
    assert solve(TEXTBOOK) == 15_125 == min(all_costs(TEXTBOOK.dimensions))
    assert len(all_costs(TEXTBOOK.dimensions)) == math.comb(10, 5) // 6  # Catalan number, eq. 181


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 120), min_size=4, max_size=9))
def test_three_engines_agree_on_short_chains(dims):
    params = ChainParams(tuple(dims))
    assert solve(params) == minimum_by_triangulation(params.dimensions) == min(all_costs(params.dimensions))


params = st.builds(
    lambda pattern, size, seed: TASK.draw(pattern, size, derive_rng(seed, "chain", 0)),
    st.sampled_from(PATTERNS),
    st.sampled_from(SIZES),
    st.integers(0, 9_999),
)


@settings(max_examples=40, deadline=None)
@given(params)
def test_two_engines_agree_on_drawn_chains_and_no_order_is_cheaper(params):
    minimum = solve(params)
    assert minimum == minimum_by_triangulation(params.dimensions) <= left_to_right(params.dimensions)
    assert TASK.verify(params, minimum) == ""
    for answer in (minimum - 1, minimum + 1):
        assert TASK.verify(params, answer) != ""
        assert not TASK.check(params, answer)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(SIZES), st.integers(0, 9_999))
def test_monotone_chains_are_best_from_the_small_end(size, seed):
    up = TASK.draw("increasing", size, derive_rng(seed, "chain", 0))
    down = TASK.draw("decreasing", size, derive_rng(seed, "chain", 0))
    assert up.dimensions == down.dimensions[::-1] == tuple(sorted(set(up.dimensions)))
    assert solve(up) == solve(down) == left_to_right(up.dimensions)


def test_patterns_keep_to_their_ranges():
    drawn = {
        pattern: {
            value
            for seed in range(100)
            for value in TASK.draw(pattern, 20, derive_rng(seed, "ranges", 0)).dimensions
        }
        for pattern in PATTERNS
    }
    assert drawn["random"] == set(range(5, 101))
    assert drawn["sparse"] == set(range(1, 16)) | set(range(80, 121))
    assert drawn["mixed"] == set(range(1, 11)) | set(range(50, 101))


def test_increasing_chains_of_three_are_as_many_as_claimed():
    assert TASK.space("increasing", 3).log10 == pytest.approx(math.log10(120 * 119 * 118 * 117 / 24))
