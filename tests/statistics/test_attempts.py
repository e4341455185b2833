"""pass@k and pass^k: by hand, by counting all draws of k runs, and against their limits."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.tasks.statistics.cells import pass_at_k, pass_hat_k


@st.composite
def _counts(draw: st.DrawFn, largest: int = 200) -> tuple[int, int, int]:
    n = draw(st.integers(1, largest))
    return n, draw(st.integers(0, n)), draw(st.integers(1, n))


def test_by_hand() -> None:
    # Of the 10 pairs out of 5 runs with 3 successes, 1 has no success and 3 have two.
    assert pass_at_k(5, 3, 2) == pytest.approx(0.9)
    assert pass_hat_k(5, 3, 2) == pytest.approx(0.3)
    assert pass_at_k(5, 0, 2) == pass_hat_k(5, 1, 2) == 0
    assert pass_at_k(5, 4, 2) == pass_hat_k(5, 5, 5) == 1


@given(_counts(largest=8))
def test_both_are_the_shares_of_all_draws_of_k_runs(counts: tuple[int, int, int]) -> None:
    n, c, k = counts
    draws = list(combinations([True] * c + [False] * (n - c), k))
    assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, draws)) / len(draws), abs=1e-12)
    assert pass_hat_k(n, c, k) == pytest.approx(sum(map(all, draws)) / len(draws), abs=1e-12)


@given(_counts())
def test_one_run_is_the_success_rate_and_more_runs_part_the_two(counts: tuple[int, int, int]) -> None:
    n, c, k = counts
    assert pass_at_k(n, c, 1) == pytest.approx(c / n)
    assert pass_hat_k(n, c, 1) == pytest.approx(c / n)
    at, hat = pass_at_k(n, c, k), pass_hat_k(n, c, k)
    assert -1e-12 <= hat <= c / n + 1e-12
    assert c / n - 1e-12 <= at <= 1
    # All of k fail as often as k failures are drawn.
    assert at == pytest.approx(1 - pass_hat_k(n, n - c, k), abs=1e-12)


def test_hundreds_of_runs_stay_finite() -> None:
    assert pass_at_k(2_000, 1_000, 1_000) == 1
    assert pass_hat_k(2_000, 1_999, 1_000) == pytest.approx(0.5)
