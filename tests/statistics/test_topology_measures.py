"""The trend within domains and the pooled V: by hand, at their level, and where they are undefined."""

import numpy as np
import pytest
from scipy import stats

from perennial.tasks.statistics.association import PooledAssociation, Trend, compute_pooled_v, compute_trend
from tests.benchmarks.topology import Scenario, draw_worlds, reject


def test_a_trend_is_the_slope_within_strata() -> None:
    generator = np.random.default_rng(1)
    strata = np.repeat(np.arange(12), 10)
    # Strata with more edges are harder, and within a stratum each edge costs half a point.
    x = generator.integers(0, 9, 120) + 5.0 * strata
    y = 0.9 - 0.005 * x - 0.03 * strata
    found = compute_trend(x, y, strata, seed=3, resamples=999)
    assert (found.slope, found.low, found.high) == pytest.approx((-0.005, -0.005, -0.005))
    assert found.p_value == 1 / 1000
    assert compute_trend(x, y, strata, seed=3, resamples=999) == found
    few = compute_trend(x[:60], y[:60], strata[:60], seed=3, resamples=99)
    assert (few.low, few.no_interval) == (None, "fewer than 10 domains")


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        (np.arange(49.0), np.arange(49.0), "fewer than 50 instances"),
        (np.ones(60), np.arange(60.0), "same number of edges"),
        (np.arange(60.0), np.ones(60), "success does not differ"),
    ],
)
def test_a_trend_says_why_it_is_undefined(x: np.ndarray, y: np.ndarray, words: str) -> None:
    found = compute_trend(x, y, np.zeros(len(x), np.int64), seed=0, resamples=9)
    assert found == Trend(len(x), undefined=found.undefined)
    assert words in str(found.undefined)


def test_the_pooled_v_is_bergsmas_of_pooled_classes() -> None:
    categories = ["a"] * 10 + ["b"] * 8 + ["c"] * 4 + ["d"] * 3
    labels = [True] * 8 + [False] * 2 + [True] * 2 + [False] * 6 + [True, False] * 3 + [True]
    found = compute_pooled_v(categories, labels, ["d"] * 25, seed=1, resamples=999)
    pooled = [name if name in "ab" else "other" for name in categories]
    table = stats.contingency.crosstab(pooled, labels).count
    chi2, n = stats.chi2_contingency(table, correction=False).statistic, 25
    smaller = min(1 - 1 / (n - 1), 2 - 4 / (n - 1))
    assert (found.n, found.classes, found.pooled_share) == (25, 3, 7 / 25)
    assert found.v == pytest.approx(np.sqrt((chi2 / n - 2 / (n - 1)) / smaller))
    assert 0 < (found.permuted_v or 0) < (found.v or 0)
    assert (found.p_value or 1) < 0.1


@pytest.mark.parametrize(
    ("categories", "labels", "words"),
    [
        ([str(number) for number in range(40)], [True, False] * 20, "more than half"),
        (["a"] * 40, [True, False] * 20, "fewer than two classes"),
        (["a"] * 5 + ["b"] * 5 + ["c"], [True] * 5 + [False] * 6, "per class"),
        (["a"] * 20 + ["b"] * 20, [True] * 40, "same outcome"),
        ([], [], "fewer than two classes"),
    ],
)
def test_a_pooled_v_says_why_it_is_undefined(categories: list[str], labels: list[bool], words: str) -> None:
    found = compute_pooled_v(categories, labels, ["d"] * len(labels), seed=0, resamples=9)
    assert found == PooledAssociation(found.n, found.classes, found.pooled_share, found.undefined)
    assert words in str(found.undefined)


def test_permutation_within_strata_holds_its_level_where_only_strata_differ() -> None:
    generator, rejected = np.random.default_rng(5), 0
    for seed in range(100):
        strata = np.repeat(np.arange(4), 25)
        categories = 2 * strata + generator.integers(0, 2, 100)
        labels = generator.random(100) < 0.15 + 0.2 * strata
        found = compute_pooled_v(categories, labels, strata, seed, resamples=99)
        rejected += found.p_value is not None and found.p_value <= 0.05
    assert rejected <= 12  # of 100 at .05: 13 or more have chance .001


@pytest.mark.slow
def test_only_tests_within_domains_hold_their_level_and_they_see_effects() -> None:
    draws, resamples, worlds = 60, 99, draw_worlds(12, 40)
    paper_v, _, free, within, _, trend, defined = reject(worlds, Scenario(12, 40, 1.5), draws, resamples)
    assert paper_v > 0.4  # without any effect
    assert defined == 1
    # Of 60 draws at a level of .05, more than 7 reject with a chance of .01.
    assert max(within, trend) <= 0.13 < free
    *_, trend, _ = reject(worlds, Scenario(12, 40, 1.5, per_edge_deviation=0.6), draws, resamples)
    assert trend > 0.9
    _, _, _, within, _, trend, _ = reject(worlds, Scenario(12, 40, 1.5, per_signature=1.0), draws, resamples)
    assert trend <= 0.13 < within
