"""Rates by hand, and intervals that respect clusters."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.statistics.intervals import cluster_bootstrap
from tests.statistics.single_episodes import (
    ScoredEpisode,
    relative_action_count,
    relative_count,
    success_rate,
)


def _episode(success: bool, tests: int, optimal: int = 2, actions: int = 6) -> ScoredEpisode:
    return ScoredEpisode("i", success, tests, optimal, actions)


def test_rates_by_hand() -> None:
    episodes = [_episode(True, 2), _episode(True, 5), _episode(False, 1)]
    assert success_rate(episodes) == pytest.approx(2 / 3)
    # tests + 1 on both sides: (3 - 3) / 3, (6 - 3) / 3, and a failure as 6 + 1 actions: (7 - 3) / 3.
    assert relative_action_count(episodes, "perennial") == pytest.approx((0 + 1 + 4 / 3) / 3)
    # tests + 2 on both sides, a failure as 6 + 1: 0, 3 / 4 and 3 / 4.
    assert relative_action_count(episodes, "kumo-2025") == pytest.approx((0 + 3 / 4 + 3 / 4) / 3)


def test_without_episodes_nothing_is_defined() -> None:
    assert success_rate([]) is None
    assert relative_action_count([], "perennial") is None
    assert cluster_bootstrap([], [], seed=0) is None


def test_optimal_play_without_a_test_is_defined() -> None:
    assert relative_count(_episode(True, 0, optimal=0), "perennial") == 0


def test_one_cluster_or_equal_values_give_no_width() -> None:
    assert cluster_bootstrap([0.0, 1.0], ["a", "a"], seed=0) == (0.5, 0.5)
    assert cluster_bootstrap([1.0] * 40, [str(i % 7) for i in range(40)], seed=0) == (1.0, 1.0)


def test_runs_on_one_instance_do_not_narrow_the_interval() -> None:
    solved = [float(i % 3 == 0) for i in range(60)]
    names = [str(i) for i in range(60)]
    once = cluster_bootstrap(solved, names, seed=1)
    fivefold = cluster_bootstrap(solved * 5, names * 5, seed=1)
    assert once is not None
    assert once == pytest.approx(fivefold)


def test_the_interval_agrees_with_the_normal_one_on_many_instances() -> None:
    values = [float(i % 4 == 0) for i in range(400)]
    interval = cluster_bootstrap(values, [str(i) for i in range(400)], seed=5)
    half = 1.96 * math.sqrt(0.25 * 0.75 / 400)
    assert interval == pytest.approx((0.25 - half, 0.25 + half), abs=0.006)


@given(
    st.lists(st.tuples(st.floats(-5, 5), st.sampled_from("abcdef")), min_size=1, max_size=30),
    st.integers(0, 9),
)
def test_the_interval_is_reproducible_and_within_the_values(
    observed: list[tuple[float, str]], seed: int
) -> None:
    values, clusters = [value for value, _ in observed], [cluster for _, cluster in observed]
    interval = cluster_bootstrap(values, clusters, seed)
    assert interval == cluster_bootstrap(values, clusters, seed)
    assert interval is not None
    assert min(values) - 1e-9 <= interval[0] <= interval[1] <= max(values) + 1e-9
