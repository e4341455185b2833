"""Many intervals at once against one at a time, and Wilson's against published values and scipy."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from tasks.statistics.intervals import intervals_of_sums, normal_interval
from tasks.statistics.shares import exact_interval, two_level_interval, wilson_interval
from tests.statistics.plain_bootstrap import Group, bootstrap, bootstraps, plain_bootstrap

_GROUPS = st.lists(
    st.lists(st.tuples(st.floats(-5, 5), st.sampled_from("abcdefgh")), max_size=25).map(
        lambda drawn: ([value for value, _ in drawn], [cluster for _, cluster in drawn])
    ),
    max_size=6,
)


def _group(rng: random.Random, instances: int, runs: int, lost: float = 0.0) -> Group:
    names = [f"inst_{i:04}" for i in range(instances) for _ in range(runs) if rng.random() >= lost]
    rng.shuffle(names)
    return [rng.choice((0.0, 1.0, rng.uniform(-0.6, 1.7))) for _ in names], names


@pytest.mark.parametrize(("instances", "runs", "lost"), [(50, 5, 0), (50, 5, 0.4), (300, 3, 0.1), (1, 4, 0)])
def test_many_at_once_give_the_very_figures_of_one_at_a_time(instances: int, runs: int, lost: float) -> None:
    rng = random.Random(instances + runs)
    groups = [_group(rng, instances, runs, lost) for _ in range(5)]
    assert bootstraps(groups, seed=7) == [plain_bootstrap(*group, seed=7) for group in groups]


def test_a_thousand_clusters_give_the_very_figures_too() -> None:
    group = _group(random.Random(3), 1_000, 2)
    assert bootstraps([group], seed=1) == [plain_bootstrap(*group, seed=1)]


def test_published_figures_come_back() -> None:
    values = [((i * 7) % 11) / 3 - 1 for i in range(90)]
    found = bootstrap(values, [f"i{i % 18}" for i in range(90)], seed=2025)
    assert found == pytest.approx((0.4888888888888889, 0.8185185185185185), abs=1e-14)


@settings(max_examples=25)
@given(_GROUPS, st.integers(0, 3))
def test_any_groups_equal_the_plain_bootstrap(groups: list[Group], seed: int) -> None:
    expected = [plain_bootstrap(*group, seed) if group[0] else None for group in groups]
    assert bootstraps(groups, seed) == expected


@settings(max_examples=25)
@given(_GROUPS, st.randoms(use_true_random=False))
def test_the_order_and_the_company_of_groups_change_nothing(groups: list[Group], rng: random.Random) -> None:
    found = bootstraps(groups, seed=4)
    order = rng.sample(range(len(groups)), len(groups))
    assert bootstraps([groups[i] for i in order], seed=4) == [found[i] for i in order]


def test_groups_beyond_one_batch_keep_their_figures() -> None:
    groups = [([float(i % 7), 1.0, 0.0], ["a", "b", "b"]) for i in range(1_003)]
    found = bootstraps(groups, seed=0)
    assert found[:7] == found[994:1_001]
    assert found[0] == plain_bootstrap(*groups[0], seed=0)
    assert found[6] == plain_bootstrap(*groups[6], seed=0)


def test_a_cluster_weighs_by_its_episodes() -> None:
    # Nine solved runs of one instance, one failed run of another. A resample of two clusters has mean 1 or 0
    # in a quarter of the cases each, and in half of them both instances: 9 of 10 solved, not 1 of 2.
    assert bootstrap([1.0] * 9 + [0.0], ["a"] * 9 + ["b"], seed=0) == (0.0, 1.0)


def test_sums_of_clusters_are_as_good_as_their_values() -> None:
    values, clusters = [1.0, 0.5, 0.25, 2.0, 0.0], ["b", "a", "b", "c", "c"]
    (expected,) = bootstraps([(values, clusters)], seed=6)
    assert intervals_of_sums([([0.5, 1.25, 2.0], [1, 2, 2])], seed=6) == [expected]
    # An instance of which nothing is known is none of the group's.
    assert intervals_of_sums([([0.5, 0.0, 1.25, 2.0], [1, 0, 2, 2])], seed=6) == [expected]
    assert intervals_of_sums([([], []), ([0.0], [0])], seed=6) == [None, None]


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


def test_one_cluster_or_equal_values_give_no_width() -> None:
    assert bootstrap([0.0, 1.0], ["a", "a"], seed=0) == (0.5, 0.5)
    assert bootstrap([1.0] * 40, [str(i % 7) for i in range(40)], seed=0) == (1.0, 1.0)


def test_runs_on_one_instance_do_not_narrow_the_interval() -> None:
    solved = [float(i % 3 == 0) for i in range(60)]
    names = [str(i) for i in range(60)]
    once = bootstrap(solved, names, seed=1)
    fivefold = bootstrap(solved * 5, names * 5, seed=1)
    assert once is not None
    assert once == pytest.approx(fivefold)


def test_the_interval_agrees_with_the_normal_one_on_many_instances() -> None:
    values = [float(i % 4 == 0) for i in range(400)]
    interval = bootstrap(values, [str(i) for i in range(400)], seed=5)
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
    interval = bootstrap(values, clusters, seed)
    assert interval == bootstrap(values, clusters, seed)
    assert interval is not None
    assert min(values) - 1e-9 <= interval[0] <= interval[1] <= max(values) + 1e-9


def test_all_of_300_solved_read_as_clopper_and_pearson_have_it() -> None:
    assert exact_interval(300, 300) == pytest.approx((0.025 ** (1 / 300), 1.0))
    assert [round(end, 3) for end in exact_interval(300, 300)] == [0.988, 1.0]
    assert exact_interval(0, 300) == pytest.approx((0.0, 1 - 0.025 ** (1 / 300)))


@given(st.integers(1, 400), st.floats(0, 1))
def test_the_exact_interval_agrees_with_scipy(n: int, share: float) -> None:
    successes = round(share * n)
    independent = binomtest(successes, n).proportion_ci(0.95, method="exact")
    assert exact_interval(successes, n) == pytest.approx((independent.low, independent.high), abs=1e-9)


def test_beyond_5000_clusters_the_interval_is_normal() -> None:
    rng = np.random.default_rng(2)
    sums, sizes = rng.integers(0, 4, 6_000).astype(float), np.full(6_000, 3.0)
    (found,) = intervals_of_sums([(sums, sizes)], seed=0)
    error = np.std(sums / 3, ddof=1) / np.sqrt(6_000)
    middle = (sums / 3).mean()
    assert found == pytest.approx((middle - 1.959964 * error, middle + 1.959964 * error), abs=1e-8)
    (drawn,) = intervals_of_sums([(sums[:5_000], sizes[:5_000])], seed=0)
    assert drawn == pytest.approx(normal_interval(sums[:5_000], sizes[:5_000]), abs=4e-4)


def test_domains_that_differ_widen_the_two_level_interval() -> None:
    starts = [0, 50, 100, 150, 200]
    rates = np.repeat([1.0, 0.9, 0.5, 0.2, 0.1], 50)
    solved = (np.tile(np.arange(50), 5) < 50 * rates).astype(float)
    low, high = two_level_interval(solved, np.ones(250), starts, is_share=False)
    # Five domain means: Student's t interval with 4 degrees of freedom.
    means = [solved[s : s + 50].mean() for s in starts]
    half = 2.776445 * np.std(means, ddof=1) / np.sqrt(5)
    assert (low, high) == pytest.approx((np.mean(means) - half, np.mean(means) + half), abs=1e-6)
    share = two_level_interval(solved, np.ones(250), starts, is_share=True)
    assert 0 <= share[0] < exact_interval(solved.sum(), 250)[0]
    assert exact_interval(solved.sum(), 250)[1] < share[1] <= 1


def test_two_levels_are_never_narrower_than_one() -> None:
    # Domains that agree by chance say nothing about instances.
    solved = np.tile([1.0, 0.0], 100)
    low, high = two_level_interval(solved, np.ones(200), [0, 50, 100, 150], is_share=False)
    assert high - low > 2 * 1.96 * solved.std() / np.sqrt(200)
    assert two_level_interval(np.ones(200), np.ones(200), [0, 100], is_share=True) == exact_interval(200, 200)
    assert two_level_interval(solved, np.ones(200), [0], is_share=True) is None
