"""Intervals of single proportions against published values and scipy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from perennial.tasks.statistics.clusters import exact_interval, wilson_interval


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
