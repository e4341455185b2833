"""Intervals of single proportions against published values and scipy; the error of a ratio by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from perennial.tasks.statistics.clusters import exact_interval, ratio_and_error, wilson_interval


# Newcombe 1998, Two-sided confidence intervals for the single proportion, table I, method 3.
@pytest.mark.parametrize(
    ("successes", "n", "published"),
    [
        (81, 263, (0.2553, 0.3662)),
        (15, 148, (0.0624, 0.1605)),
        (0, 20, (0.0, 0.1611)),
        (1, 29, (0.0061, 0.1718)),
    ],
)
def test_wilson_as_published(successes: int, n: int, published: tuple[float, float]) -> None:
    assert wilson_interval(successes, n) == pytest.approx(published, abs=5e-5)


@given(st.integers(0, 5_000), st.floats(0, 1))
def test_wilson_holds_its_proportion_and_agrees_with_scipy(n: int, share: float) -> None:
    successes = round(share * n)
    interval = wilson_interval(successes, n)
    if n == 0:
        assert interval is None
        return
    assert interval is not None
    assert 0 <= interval[0] <= successes / n <= interval[1] <= 1
    independent = binomtest(successes, n).proportion_ci(0.95, method="wilson")
    assert interval == pytest.approx((independent.low, independent.high), abs=1e-12)


@given(st.integers(1, 500), st.data())
def test_wilson_is_the_same_for_failures_mirrored(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, n))
    solved, failed = wilson_interval(successes, n), wilson_interval(n - successes, n)
    assert solved is not None
    assert failed is not None
    assert solved == pytest.approx((1 - failed[1], 1 - failed[0]))


def test_all_of_300_solved_read_as_clopper_and_pearson_have_it() -> None:
    assert exact_interval(300, 300) == pytest.approx((0.025 ** (1 / 300), 1.0))
    assert [round(end, 3) for end in exact_interval(300, 300)] == [0.988, 1.0]
    assert exact_interval(0, 300) == pytest.approx((0.0, 1 - 0.025 ** (1 / 300)))


@given(st.integers(1, 400), st.floats(0, 1))
def test_the_exact_interval_agrees_with_scipy(n: int, share: float) -> None:
    successes = round(share * n)
    independent = binomtest(successes, n).proportion_ci(0.95, method="exact")
    assert exact_interval(successes, n) == pytest.approx((independent.low, independent.high), abs=1e-9)


def test_the_error_of_a_ratio_by_hand() -> None:
    """Two clusters of 1 and 3 values, sums 1 and 2: R = 3/4, and each differs from it by a quarter."""
    ratio, error = ratio_and_error(np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    assert ratio == 0.75
    assert error == pytest.approx((2 * 0.25**2 * 2 / 1) ** 0.5 / 4)
    assert ratio_and_error(np.array([3.0]), np.array([4.0])) == (0.75, 0.0)


def test_the_error_of_a_ratio_of_equal_clusters_is_that_of_a_mean() -> None:
    values = np.array([0.1, 0.4, 0.4, 0.9, 0.2])
    ratio, error = ratio_and_error(values, np.ones(5))
    assert ratio == pytest.approx(values.mean())
    assert error == pytest.approx(values.std(ddof=1) / 5**0.5)
