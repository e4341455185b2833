"""Pearson and Spearman: by hand, against published and plain computations, and where they are undefined."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from perennial.tasks.statistics.correlation import Correlation, pearson, spearman

UNDEFINED = (None, None, None, None)
values = st.integers(-20, 20).map(float) | st.floats(-1e6, 1e6)
pairs = st.lists(st.tuples(values | st.none(), values | st.none()), max_size=25)
both = pytest.mark.parametrize("correlation", [pearson, spearman])


def _figures(found: Correlation) -> tuple[float | None, ...]:
    return found.r, found.low, found.high, found.p_value


def test_pearson_by_hand() -> None:
    # Deviations (-2, -1, 0, 1, 2) and (-1, -2, 0, 2, 1): r = 8 / 10.
    found = pearson([1, 2, 3, 4, 5], [2, 1, 3, 5, 4])
    half = 1.959963984540054 / math.sqrt(2)
    assert found.n == 5
    assert found.r == pytest.approx(0.8)
    assert found.low == pytest.approx(math.tanh(math.atanh(0.8) - half))
    assert found.high == pytest.approx(math.tanh(math.atanh(0.8) + half))
    assert found.p_value == pytest.approx(2 * stats.t.sf(0.8 * math.sqrt(3 / 0.36), 3))


def test_pearson_is_that_of_scipy() -> None:
    generator = np.random.default_rng(4)
    for n in (4, 9, 14, 200):
        x = generator.normal(size=n)
        y = x + generator.normal(size=n)
        expected = stats.pearsonr(x, y)
        interval = expected.confidence_interval(0.95)
        found = pearson(list(x), list(y))
        assert _figures(found) == pytest.approx((expected.statistic, *interval, expected.pvalue), abs=1e-9)


def test_spearman_gives_a_published_interval() -> None:
    # The worked example of R's statpsych::ci.spear, which follows Bonett and Wright.
    y = [21, 4, 9, 12, 35, 18, 10, 22, 24, 1, 6, 8, 13, 16, 19]
    x = [67, 28, 30, 28, 52, 40, 25, 37, 44, 10, 14, 20, 28, 40, 51]
    found = spearman(y, x)
    assert found.n == 15
    assert (found.r, found.low, found.high) == pytest.approx((0.8699639, 0.5840951, 0.9638297), abs=1e-7)
    assert found.p_value == pytest.approx(stats.spearmanr(y, x).pvalue)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([1, 2, 3], [1, 2, 3]),
        ([1, 2, 3, 4], [2, 1, 4, 3]),
        ([1, 1, 2, 3, 3], [5, 4, 4, 1, 2]),
        ([1, 2, 3, 4, 5, 6], [3, 1, 2, 6, 4, 5]),
    ],
)
@pytest.mark.slow
def test_p_of_a_short_ranking_is_the_share_of_all_orders(x, y) -> None:
    observed = abs(stats.spearmanr(x, y).statistic)
    orders = list(permutations(y))
    reached = sum(abs(stats.spearmanr(x, order).statistic) >= observed - 1e-9 for order in orders)
    assert spearman(x, y).p_value == pytest.approx(reached / len(orders))


def test_p_of_eight_ranks_is_exact_and_of_more_that_of_scipy() -> None:
    x, y = list(range(8)), [2, 0, 3, 1, 5, 7, 4, 6]
    # Both are rankings already, so that Pearson's r of them is Spearman's.
    every_order = stats.pearsonr(x, y, method=stats.PermutationMethod(n_resamples=np.inf))
    assert spearman(x, y).p_value == pytest.approx(every_order.pvalue)
    assert spearman(x, x).p_value == pytest.approx(2 / math.factorial(8))
    assert spearman([*x, 8], [*y, 8]).p_value == pytest.approx(stats.spearmanr([*x, 8], [*y, 8]).pvalue)


@both
@pytest.mark.parametrize(
    ("x", "y", "n"),
    [
        ([], [], 0),
        ([1, 2], [3, 4], 2),
        ([1, 2, None, 4], [3, 4, 5, None], 2),
        ([1, 1, 1, 1], [1, 2, 3, 4], 4),
        ([1, 2, 3, 4], [0, 0, 0, 0], 4),
        ([0.1 + 0.2, 0.3, 0.3], [1, 2, 3], 3),
        ([1, 2, None, 3], [7, 7, 9, 7], 3),
    ],
)
def test_too_few_pairs_or_a_constant_side_define_nothing(correlation, x, y, n) -> None:
    assert correlation(x, y) == Correlation(n, *UNDEFINED)


@both
def test_three_pairs_and_perfect_agreement_have_no_interval(correlation) -> None:
    three = correlation([1, 2, 3], [1, 3, 2])
    assert (three.n, three.r, three.low, three.high) == (3, pytest.approx(0.5), None, None)
    perfect = correlation([1, 2, 3, 4, 5], [-3, -5, -7, -9, -11])
    assert (perfect.r, perfect.low, perfect.high) == (pytest.approx(-1), None, None)


@both
def test_pairs_with_a_gap_are_left_out(correlation) -> None:
    x = [1.0, 2.0, None, 3.0, 4.0, math.nan, 5.0, 6.0]
    y = [2.0, 1.0, 9.0, 4.0, 4.0, 1.0, None, math.inf]
    assert correlation(x, y) == correlation([1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 4.0, 4.0])
    assert correlation(x, y).n == 4


@both
def test_lengths_that_differ_are_refused(correlation) -> None:
    with pytest.raises(ValueError, match="zip"):
        correlation([1.0, 2.0], [1.0])


def test_the_largest_and_smallest_numbers_do_not_overflow() -> None:
    small = pearson([1, 2, 3, 4], [1, 3, 2, 4])
    assert _figures(pearson([4e307, 8e307, 1.2e308, 1.6e308], [1e-300, 3e-300, 2e-300, 4e-300])) == (
        pytest.approx(_figures(small))
    )
    assert pearson([-1.7e308, 0, 1.7e308], [1, 2, 3]).r == pytest.approx(1)


def test_equal_scores_summed_in_another_order_are_ties() -> None:
    exact = spearman([0.3, 0.3, 0.5, 0.7, 0.9], [1, 2, 3, 4, 5])
    assert spearman([0.1 + 0.2, 0.3, 0.5, 0.7, 0.9], [1, 2, 3, 4, 5]) == exact


@both
@given(pairs, st.randoms(use_true_random=False))
@pytest.mark.slow
def test_sides_and_order_change_nothing(correlation, sample, shuffler) -> None:
    shuffled = list(sample)
    shuffler.shuffle(shuffled)
    found = correlation([x for x, _ in sample], [y for _, y in sample])
    turned = correlation([y for _, y in shuffled], [x for x, _ in shuffled])
    assert found.n == turned.n
    assert (found.r is None) == (turned.r is None) == (found.p_value is None)
    if found.r is not None:
        assert found.r == pytest.approx(turned.r, abs=1e-6)
        assert found.p_value == pytest.approx(turned.p_value, abs=1e-4)
        assert -1 <= found.r <= 1
        assert 0 <= found.p_value <= 1
    if found.low is not None:
        assert -1 <= found.low <= found.r <= found.high <= 1


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=3, max_size=20))
def test_pearson_keeps_under_scaling_and_spearman_under_any_rising_function(sample) -> None:
    x, y = [float(a) for a, _ in sample], [float(b) for _, b in sample]
    scaled = pearson([3 * a - 7 for a in x], [-0.5 * b for b in y])
    if scaled.r is not None:
        assert -scaled.r == pytest.approx(pearson(x, y).r)
    assert spearman([math.exp(a) for a in x], [b**3 for b in y]) == spearman(x, y)


@given(st.lists(st.tuples(values, values), min_size=3, max_size=20))
def test_spearman_is_that_of_scipy(sample) -> None:
    x, y = [a for a, _ in sample], [b for _, b in sample]
    found = spearman(x, y)
    if found.r is None:
        return
    rounded = [float(f"{a:.12g}") for a in x], [float(f"{b:.12g}") for b in y]
    assert found.r == pytest.approx(stats.spearmanr(*rounded).statistic)
