"""Estimates by cluster: against matrices written out, by hand, and the populations that figures name."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import t as student

from perennial.schemas.statistics import NEW_DOMAINS, THESE_DOMAINS
from perennial.tasks.statistics.clusters import (
    FEWEST_CLUSTERS,
    ClusterDraw,
    Estimate,
    estimate_ratio,
    gap_interval,
    mean_interval,
    share_interval,
    student_quantile,
    why_no_interval,
)
from perennial.tasks.statistics.multiplicity import Statistic
from perennial.tasks.statistics.rate_figures import rate_figures
from tests.statistics.made_cells import Cell, columns_of

# Value, cluster and stratum of an instance; stratum s holds the clusters 10 s to 10 s + 3.
_INSTANCES = st.lists(
    st.tuples(st.sampled_from((0.0, 0.2, 0.5, 1.0)), st.integers(0, 3), st.integers(0, 3)),
    min_size=2,
    max_size=30,
)


def _plain(values: Sequence[float], clusters: Sequence[int], strata: Sequence[int]) -> tuple[float, float]:
    """Return variance and degrees of freedom of the mean by CR2, with the matrices of Bell and McCaffrey.

    The mean is a weighted one of stratum means; instances are independent in the working model.
    """
    y, rows = np.array(values), range(len(values))
    counts = {s: len({c for c, t in zip(clusters, strata, strict=True) if t == s}) for s in strata}
    single = [s for s, count in counts.items() if count == 1]
    joined = {s: -1 if s in single else s for s in counts}
    if len(single) == 1 and len(counts) > 1:
        ordered = sorted(counts)
        joined[single[0]] = ordered[abs(ordered.index(single[0]) - 1)]
    labels = [joined[s] for s in strata]
    design = np.array([[float(label == s) for s in sorted(set(labels))] for label in labels])
    bread = np.linalg.inv(design.T @ design)
    residual = np.eye(len(y)) - design @ bread @ design.T
    weights = design.sum(axis=0) / len(y)  # of stratum means in the mean
    halves = []
    for cluster in sorted(set(clusters)):
        mine = [row for row in rows if clusters[row] == cluster]
        values_, vectors = np.linalg.eigh(residual[np.ix_(mine, mine)])
        root = vectors @ np.diag([v**-0.5 if v > 1e-9 else 0.0 for v in values_]) @ vectors.T
        halves.append(residual[mine].T @ root @ design[mine] @ bread @ weights)
    matrix = np.array(halves)
    covariance = matrix @ matrix.T
    variance = float(((matrix @ y) ** 2).sum())
    return variance, float(np.trace(covariance) ** 2 / (covariance**2).sum())


@given(_INSTANCES, st.booleans())
def test_variance_and_degrees_are_those_of_the_matrices(
    instances: list[tuple[float, int, int]], is_stratified: bool
) -> None:
    values = [value for value, _, _ in instances]
    strata = [stratum if is_stratified else 0 for *_, stratum in instances]
    clusters = [cluster + 10 * stratum for (_, cluster, _), stratum in zip(instances, strata, strict=True)]
    draw = ClusterDraw(np.array(clusters), np.array(strata) if is_stratified else None)
    found = estimate_ratio(np.array(values), np.ones(len(values)), draw)
    assert found.ratio == pytest.approx(np.mean(values))
    assert found.clusters == len(set(clusters))
    if found.clusters < 2:
        assert found.degrees == 0
        return
    variance, degrees = _plain(values, clusters, strata)
    alone, _ = _plain(values, list(range(len(values))), strata)
    assert found.variance == pytest.approx(max(variance, alone), abs=1e-12)
    assert found.degrees == pytest.approx(degrees)


def test_clusters_of_one_size_have_students_interval() -> None:
    """Five domain means; R is their mean, its variance s^2 / 5, with 4 degrees of freedom."""
    means = np.array([1.0, 0.9, 0.5, 0.2, 0.1])
    values = (np.tile(np.arange(50), 5) < 50 * np.repeat(means, 50)).astype(float)
    found = estimate_ratio(values, np.ones(250), ClusterDraw(np.repeat(np.arange(5), 50)))
    assert found.variance == pytest.approx(means.var(ddof=1) / 5)
    assert found.degrees == pytest.approx(4)
    assert student_quantile(4) == pytest.approx(2.776445)


def _share(share: float, variance: float, degrees: float, n: int, clusters: int) -> Estimate:
    return Estimate(share, variance, degrees, 0.0, n, clusters, is_stratified=False)


@given(st.floats(0.05, 0.95), st.floats(1.5, 60), st.floats(0.05, 0.9))
def test_a_share_s_interval_holds_what_its_score_test_accepts(share: float, df: float, part: float) -> None:
    """Wilson's ends solve |share - p| = t sqrt(p (1 - p) / trials)."""
    variance = part * share * (1 - share) / 5
    low, high = share_interval(_share(share, variance, df, 1000, int(df) + 2), 1000)
    trials, quantile = share * (1 - share) / variance, float(student.ppf(0.975, df))
    for end, (a, b) in ((low, (1e-12, share)), (high, (share, 1 - 1e-12))):
        plain = brentq(lambda p: (share - p) ** 2 - quantile**2 * p * (1 - p) / trials, a, b)
        assert end == pytest.approx(plain, abs=1e-6)


def test_shares_near_an_end_keep_their_width() -> None:
    everything = share_interval(_share(1.0, 0.0, 299.0, 300, 300), 1500)
    assert everything[1] == 1
    assert 0.98 < everything[0] < 0.99
    # Six domains of 50 could hide more than 300 instances drawn alone.
    by_domain = share_interval(_share(1.0, 0.0, 5.0, 300, 6), 1500)
    assert by_domain[0] < 0.94
    assert share_interval(_share(1.0, 0.0, 0.0, 1, 1), 5) == pytest.approx((0.025, 1.0))


def test_a_mean_of_few_or_equal_clusters_has_no_interval_and_says_why() -> None:
    values = np.array([0.0, 0.0, 1.0, 0.0, 3.0, 0.0])
    few = estimate_ratio(values[:5], np.ones(5), ClusterDraw())
    assert mean_interval(few) is None
    assert why_no_interval(few) == "fewer than 6 clusters of unbounded values: no method holds its level"
    alike = estimate_ratio(np.full(40, 0.3), np.ones(40), ClusterDraw())
    assert mean_interval(alike) is None
    assert why_no_interval(alike) == "all clusters are alike: their variance is unknown"
    enough = estimate_ratio(values, np.ones(FEWEST_CLUSTERS), ClusterDraw())
    low, high = mean_interval(enough) or (0, 0)
    # A skewed mean may lie far above, and hardly below.
    assert enough.ratio - low < 0.6 * (high - enough.ratio)


@given(st.lists(st.floats(-5, 5), min_size=6, max_size=30))
def test_ends_of_a_mean_solve_halls_equation(values: list[float]) -> None:
    found = estimate_ratio(np.array(values), np.ones(len(values)), ClusterDraw())
    interval = mean_interval(found)
    if interval is None:
        return
    t, g, error = student_quantile(found.degrees), found.skewness, found.variance**0.5
    assert interval[0] <= interval[1]
    for end, wanted in zip(interval, (t, -t), strict=True):
        at = (found.ratio - end) / error
        assert at + g * at**2 / 3 + g**2 * at**3 / 27 + g / 6 == pytest.approx(wanted, abs=1e-6)


@given(st.integers(2, 40), st.integers(0, 40), st.integers(0, 40))
def test_a_gap_has_width_and_is_mirrored(n: int, gains: int, losses: int) -> None:
    gaps = np.zeros(n)
    gaps[: min(gains, n)] = 1
    gaps[max(0, n - losses) :] -= 1
    square = float((gaps**2).mean())
    one, other = (
        gap_interval(estimate_ratio(side, np.ones(n), ClusterDraw()), square) or (0, 0)
        for side in (gaps, -gaps)
    )
    assert one == pytest.approx((-other[1], -other[0]), abs=1e-9)
    assert -1 <= one[0] < one[1] <= 1


@given(st.lists(st.sampled_from((-1.0, -0.5, 0.0, 0.5, 1.0)), min_size=40, max_size=80), st.integers(2, 9))
def test_a_gap_is_a_weighted_mean_with_gains_and_losses_added(gaps: list[float], number: int) -> None:
    values, cluster = np.array(gaps), np.arange(len(gaps)) % number
    square = float((values**2).mean())
    found = estimate_ratio(values, np.ones(len(values)), ClusterDraw(cluster))
    if not 10 <= square * len(values) <= len(values) - 10 or found.variance < 1e-9:
        return
    pairs = (square - values.mean() ** 2) / found.variance
    added = float(student.ppf(0.975, found.degrees)) ** 2 / 4
    sample = np.array([*gaps, 1.0, -1.0])
    weights = np.array([*[pairs / len(gaps)] * len(gaps), added, added])
    middle = np.average(sample, weights=weights)
    spread = np.average((sample - middle) ** 2, weights=weights)
    half = 2 * added**0.5 * (spread / weights.sum()) ** 0.5
    expected = max(-1, middle - half), min(1, middle + half)
    assert gap_interval(found, square) == pytest.approx(expected, abs=1e-6)


def _rates(cells: list[Cell], population: str) -> dict[tuple[str, str], Statistic]:
    found = rate_figures(columns_of(cells, "easy", population))
    return {(f.statistic, f.domain): f for f in found}


def test_a_benchmark_that_draws_domains_speaks_of_new_ones_and_of_these_beside() -> None:
    cells = [
        Cell(domain, "easy", "p", str(n), 1, int(n < 10 * place), cluster=domain)
        for place, domain in enumerate("ABCDE")
        for n in range(40)
    ]
    drawn, fixed = _rates(cells, NEW_DOMAINS), _rates(cells, THESE_DOMAINS)
    headline, beside = drawn["success_rate", "all"], drawn["success_rate_these_domains", "all"]
    assert (headline.population, beside.population) == (NEW_DOMAINS, THESE_DOMAINS)
    assert headline.value == beside.value == 0.5
    assert headline.low < 0.15
    assert beside.low > 0.4
    # In one domain instances are all that varies.
    assert drawn["success_rate", "C"].population == THESE_DOMAINS
    assert fixed["success_rate", "all"].population == THESE_DOMAINS
    assert ("success_rate_these_domains", "all") not in fixed


def test_texts_of_one_pair_count_once() -> None:
    def cells(paired: bool) -> list[Cell]:
        return [
            Cell("D", "easy", "p", f"{n}{language}", 1, n % 2, cluster=f"{n}" if paired else f"{n}{language}")
            for n in range(50)
            for language in ("en", "zh")
        ]

    pairs, texts = (_rates(cells(paired), THESE_DOMAINS)["success_rate", "all"] for paired in (True, False))
    assert (pairs.value, pairs.n) == (texts.value, texts.n)
    assert pairs.high - pairs.low == pytest.approx(2**0.5 * (texts.high - texts.low), rel=0.04)


def _of(
    ratio: float, *, clusters: int, n: int = 40, variance: float = 0.001, strata: bool = False
) -> Estimate:
    return Estimate(ratio, variance, max(1.0, clusters - 1.0), 0.0, n, clusters, strata)


def test_two_clusters_have_an_interval_of_a_share_and_too_few_for_a_mean() -> None:
    two, one = _of(0.5, clusters=2), _of(0.5, clusters=1, variance=0.0)
    low, high = share_interval(two, 40)
    assert 0 < low < 0.5 < high < 1
    widest = share_interval(one, 40)
    assert widest[0] < 0.001
    assert widest[1] > 0.999
    assert why_no_interval(two) != why_no_interval(one)
    assert gap_interval(one, 0.5) is None


@pytest.mark.parametrize(("share", "end"), [(0.0, 0), (1.0, 1)])
def test_an_interval_of_none_or_all_begins_or_ends_there(share: float, end: int) -> None:
    interval = share_interval(_of(share, clusters=8, variance=0.0), 40)
    assert interval[end] == share
    assert 0 < interval[1 - end] < 1
    # What rounding leaves above 1 is 1.
    assert share_interval(_of(1 + 1e-12, clusters=8, variance=0.0), 40)[1] == 1.0


def test_beside_strata_at_most_all_clusters_count_near_an_end() -> None:
    """Strata in which all have one outcome would give more trials than there are instances."""
    plain = _of(0.02, clusters=10, n=100, variance=1e-7)
    strata = _of(0.02, clusters=10, n=100, variance=1e-7, strata=True)
    assert share_interval(strata, 100)[1] > share_interval(plain, 100)[1]
    fewer, more = (gap_interval(one, 0.02) for one in (strata, plain))
    assert fewer is not None
    assert more is not None
    assert fewer[1] - fewer[0] > more[1] - more[0]


def test_strata_are_such_only_where_there_are_several() -> None:
    values, cluster = np.array([0.0, 1.0, 0.5, 0.5]), np.array([0, 1, 2, 3])
    for strata, is_stratified in ((None, False), (np.zeros(4, int), False), (np.array([0, 0, 1, 1]), True)):
        assert estimate_ratio(values, np.ones(4), ClusterDraw(cluster, strata)).is_stratified == is_stratified


def test_instances_of_unequal_size_weigh_by_their_size() -> None:
    """Two instances of a cluster: the cluster's ratio is the sum of sums over the sum of sizes."""
    sums, sizes = np.array([1.0, 3.0, 2.0, 1.0]), np.array([1.0, 4.0, 5.0, 2.0])
    one = estimate_ratio(sums, sizes, ClusterDraw(np.array([0, 0, 1, 2])))
    joined = estimate_ratio(np.array([4.0, 2.0, 1.0]), np.array([5.0, 5.0, 2.0]), ClusterDraw())
    assert (one.ratio, one.degrees) == pytest.approx((joined.ratio, joined.degrees))
    assert one.variance >= joined.variance - 1e-12


@pytest.mark.parametrize("ratio", [1.0, 1_000.0])
def test_clusters_that_differ_by_rounding_alone_are_alike(ratio: float) -> None:
    alike, unlike = (_of(ratio, clusters=8, variance=(step * ratio) ** 2) for step in (0.9e-12, 1e-11))
    assert why_no_interval(alike) is not None
    assert why_no_interval(unlike) is None


def test_without_variance_instances_of_a_cluster_count_as_correlated() -> None:
    """40 instances in 8 clusters of 5: an effect of 1 + 4 * 0.05, so that 33.3 trials are behind a share."""
    t, trials = student_quantile(7), 40 / 1.2
    low, _ = share_interval(_of(1.0, clusters=8, variance=0.0), 40)
    assert low == pytest.approx(1 / (1 + t * t / trials))
