"""Paired comparison: by hand, against plain resampling, and McNemar against published tables and scipy."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from tasks.statistics.comparison import (
    McNemar,
    PairedDifference,
    mcnemar_of_counts,
    paired_difference,
    paired_differences,
)
from tests.statistics.plain_bootstrap import plain_bootstrap

_SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.lists(st.floats(-2, 2), max_size=4))


def _play(rng: random.Random, instances: int, skill: float) -> dict[str, list[float]]:
    return {f"i{i}": [float(rng.random() < skill) for _ in range(5)] for i in range(instances)}


def _labels(both: int, only_a: int, only_b: int, neither: int) -> tuple[dict[str, bool], dict[str, bool]]:
    pairs = (
        [(True, True)] * both
        + [(True, False)] * only_a
        + [(False, True)] * only_b
        + [(False, False)] * neither
    )
    return {str(i): a for i, (a, _) in enumerate(pairs)}, {str(i): b for i, (_, b) in enumerate(pairs)}


def test_the_difference_by_hand() -> None:
    a = {"x": [1.0, 1.0, 0.0], "y": [1.0], "only a": [0.0, 0.0]}
    b = {"x": [0.0, 1.0], "y": [0.0, 0.0, 0.0, 0.0], "only b": [1.0]}
    found = paired_difference(a, b, seed=0)
    # Instances weigh alike: 2/3 - 1/2 and 1 - 0.
    assert found.n_instances == 2
    assert found.difference == pytest.approx((1 / 6 + 1) / 2)
    # Each of the two instances fills a resample of two in a quarter of them.
    assert (found.low, found.high) == pytest.approx((1 / 6, 1))


def test_without_shared_runs_there_is_no_difference() -> None:
    nothing = PairedDifference(0, None, None, None)
    assert paired_difference({}, {}, seed=0) == nothing
    assert paired_difference({"x": [1.0]}, {"y": [1.0]}, seed=0) == nothing
    assert paired_difference({"x": []}, {"x": [1.0]}, seed=0) == nothing


def test_the_interval_is_the_bootstrap_of_the_instances_differences() -> None:
    rng = random.Random(8)
    a, b = _play(rng, 120, 0.7), _play(rng, 120, 0.6)
    found = paired_difference(a, b, seed=3)
    differences = [float(np.mean(a[name]) - np.mean(b[name])) for name in a]
    assert found.difference == pytest.approx(np.mean(differences))
    assert (found.low, found.high) == pytest.approx(plain_bootstrap(differences, list(a), seed=3))
    # As wide as the normal interval of paired differences.
    half = 1.96 * np.std(differences) / np.sqrt(len(differences))
    assert found.high - found.low == pytest.approx(2 * half, rel=0.05)


def test_pairing_takes_the_instances_difficulty_out() -> None:
    hard = {f"i{i}": float(i % 2) for i in range(100)}
    a = {name: [value] for name, value in hard.items()}
    b = {name: [value - 0.1] for name, value in hard.items()}
    found = paired_difference(a, b, seed=0)
    assert (found.low, found.high) == pytest.approx((0.1, 0.1))


@settings(max_examples=25)
@given(st.lists(st.tuples(_SCORES, _SCORES), max_size=4))
def test_many_pairs_equal_one_at_a_time(pairs: list[tuple[dict, dict]]) -> None:
    assert paired_differences(pairs, seed=1) == [paired_difference(a, b, seed=1) for a, b in pairs]


@settings(max_examples=25)
@given(_SCORES, _SCORES, st.randoms(use_true_random=False))
def test_the_order_of_instances_does_not_matter(a: dict, b: dict, rng: random.Random) -> None:
    shuffled = dict(rng.sample(list(a.items()), len(a)))
    assert paired_difference(shuffled, b, seed=2) == paired_difference(a, b, seed=2)


@settings(max_examples=25)
@given(_SCORES, _SCORES)
def test_changed_sides_change_the_sign(a: dict, b: dict) -> None:
    one, other = paired_difference(a, b, seed=2), paired_difference(b, a, seed=2)
    assert one.n_instances == other.n_instances
    if one.n_instances:
        assert one.difference == pytest.approx(-other.difference)
        assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-9)


# Fagerland, Lydersen and Laake 2013, tables 1 and 2: exact conditional test.
@pytest.mark.parametrize(
    ("table", "published"), [((1, 1, 7, 12), 0.0703), ((59, 6, 16, 80), 0.0525), ((4, 5, 5, 4), 1.0)]
)
def test_mcnemar_as_published(table: tuple[int, int, int, int], published: float) -> None:
    found = mcnemar_of_counts(sum(table), table[1], table[2])
    assert found.p_value == pytest.approx(published, abs=5e-5)


def test_players_that_never_differ_are_not_told_apart() -> None:
    assert mcnemar_of_counts(5, 0, 0) == McNemar(n=5, only_a=0, only_b=0, p_value=1.0)


@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_agrees_with_scipys_binomial_test(only_a: int, only_b: int) -> None:
    found = mcnemar_of_counts(only_a + only_b + 2, only_a, only_b)
    mirrored = mcnemar_of_counts(only_a + only_b + 2, only_b, only_a)
    independent = binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
    assert found.p_value == pytest.approx(independent, rel=1e-9)
    assert found.p_value == mirrored.p_value <= 1
