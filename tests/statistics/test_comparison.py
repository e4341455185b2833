"""Paired comparison: by hand, against plain resampling, and McNemar against published tables and scipy."""

import random
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from tasks.statistics.figure import Figure
from tasks.statistics.pair_figures import mcnemar_p, pair_figures
from tests.statistics.made_cells import Cell, grid
from tests.statistics.plain_bootstrap import plain_bootstrap

Runs = Mapping[str, tuple[int, int]]
"""Of each instance: how many runs were solved, and how many there were."""
_RUNS = st.dictionaries(
    st.sampled_from("abcdefgh"),
    st.integers(0, 4).flatmap(lambda runs: st.tuples(st.integers(0, runs), st.just(runs))),
)


def _cells(player: str, played: Runs) -> list[Cell]:
    return [Cell("D", "easy", player, name, runs, solved) for name, (solved, runs) in played.items()]


def _difference(a: Runs, b: Runs, seed: int = 0) -> Figure | None:
    figures = pair_figures(grid([*_cells("a", a), *_cells("b", b)]), seed)
    return next((figure for figure in figures if figure.statistic == "paired_difference"), None)


def _play(rng: random.Random, instances: int, skill: float) -> dict[str, tuple[int, int]]:
    return {f"i{i}": (sum(rng.random() < skill for _ in range(5)), 5) for i in range(instances)}


def test_the_difference_by_hand() -> None:
    a = {"x": (2, 3), "y": (1, 1), "only a": (0, 2)}
    b = {"x": (1, 2), "y": (0, 4), "only b": (1, 1)}
    found = _difference(a, b)
    # Instances weigh alike: 2/3 - 1/2 and 1 - 0.
    assert found.n == 2
    assert found.value == pytest.approx((1 / 6 + 1) / 2)
    # Each of the two instances fills a resample of two in a quarter of them.
    assert (found.low, found.high) == pytest.approx((1 / 6, 1))


@pytest.mark.parametrize(
    ("a", "b"), [({}, {}), ({"x": (1, 1)}, {"y": (1, 1)}), ({"x": (0, 0)}, {"x": (1, 1)})]
)
def test_without_shared_runs_there_is_no_difference(a: Runs, b: Runs) -> None:
    assert _difference(a, b) is None


def test_the_interval_is_the_bootstrap_of_the_instances_differences() -> None:
    rng = random.Random(8)
    a, b = _play(rng, 120, 0.7), _play(rng, 120, 0.6)
    found = _difference(a, b, seed=3)
    differences = [(a[name][0] - b[name][0]) / 5 for name in a]
    assert found.value == pytest.approx(np.mean(differences))
    assert (found.low, found.high) == pytest.approx(plain_bootstrap(differences, list(a), seed=3))
    # As wide as the normal interval of paired differences.
    half = 1.96 * np.std(differences) / np.sqrt(len(differences))
    assert found.high - found.low == pytest.approx(2 * half, rel=0.05)


def test_pairing_takes_the_instances_difficulty_out() -> None:
    a = {f"i{i}": (1 + 8 * (i % 2), 10) for i in range(100)}
    b = {name: (solved - 1, runs) for name, (solved, runs) in a.items()}
    found = _difference(a, b)
    assert (found.low, found.high) == pytest.approx((0.1, 0.1))


@settings(max_examples=25)
@given(_RUNS, _RUNS, st.randoms(use_true_random=False))
def test_order_changes_nothing_and_changed_sides_change_the_sign(a: Runs, b: Runs, rng) -> None:
    one, other = _difference(a, b, seed=2), _difference(b, a, seed=2)
    assert _difference(dict(rng.sample(list(a.items()), len(a))), b, seed=2) == one
    assert (one is None) == (other is None)
    if one is not None:
        assert one.n == other.n
        assert one.value == pytest.approx(-other.value)
        assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-9)


# Fagerland, Lydersen and Laake 2013, tables 1 and 2: exact conditional test.
@pytest.mark.parametrize(
    ("only_one", "only_other", "published"), [(1, 7, 0.0703), (6, 16, 0.0525), (5, 5, 1.0), (0, 0, 1.0)]
)
def test_mcnemar_as_published(only_one: int, only_other: int, published: float) -> None:
    assert mcnemar_p(only_one, only_other) == pytest.approx(published, abs=5e-5)


@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_agrees_with_scipys_binomial_test(only_one: int, only_other: int) -> None:
    found = mcnemar_p(only_one, only_other)
    independent = binomtest(only_one, only_one + only_other).pvalue if only_one + only_other else 1.0
    assert found == pytest.approx(independent, rel=1e-9)
    assert found == mcnemar_p(only_other, only_one) <= 1
