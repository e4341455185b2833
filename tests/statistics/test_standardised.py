"""Standardised differences: by hand, and the test's level and power over simulated editions."""

from collections import Counter
from collections.abc import Mapping
from math import sqrt

import numpy as np
import pytest

from perennial.tasks.statistics.standardised import Domains, compare_standardised, estimate_domain_sd

SIX = np.array([0.15, 0.3, 0.5, 0.6, 0.8, 0.9])


def _alone(rates: Mapping[str, Mapping[float, int]]) -> Domains:
    """Instances that share no cluster."""
    return {
        domain: {(rate, None): number for rate, number in counts.items()} for domain, counts in rates.items()
    }


def _draw(generator: np.random.Generator, chances: np.ndarray, instances: int, runs: int) -> Domains:
    """Rates of a player by domain: each instance has its own chance around the domain's."""
    spread = np.clip(chances[:, None] + generator.uniform(-0.1, 0.1, (len(chances), instances)), 0, 1)
    rates = generator.binomial(runs, spread) / runs
    return _alone({f"d{number}": Counter(row.tolist()) for number, row in enumerate(rates)})


def _share_below_5_percent(shift: float, instances: int, times: int) -> float:
    generator = np.random.default_rng(7)
    found = []
    for _ in range(times):
        one = _draw(generator, np.clip(SIX - shift, 0, 1), instances, 3)
        other = _draw(generator, SIX, instances, 3)
        difference = compare_standardised(one, other)
        assert difference is not None
        found.append(difference.p_value < 0.05)
    return float(np.mean(found))


def test_equal_editions_differ_in_about_5_of_100_cases() -> None:
    """Within 2.6 standard errors of 0.05 over 100 pairs of editions."""
    assert 0 < _share_below_5_percent(0.0, 20, 100) <= 0.107


def test_a_difference_of_a_tenth_is_found() -> None:
    """Six domains of 50 instances: flips of six signs have no p below 2 / 64."""
    assert _share_below_5_percent(0.1, 50, 25) > 0.9


def _draw_pairs(generator: np.random.Generator, pairs: int) -> Domains:
    """Two instances of each cluster, with equal outcomes."""
    solved = generator.random((len(SIX), pairs)) < SIX[:, None]
    return {
        f"d{domain}": {(float(is_solved), pair): 2 for pair, is_solved in enumerate(row)}
        for domain, row in enumerate(solved)
    }


def test_texts_of_a_pair_are_one_draw() -> None:
    """As independent ones, equal editions would differ in 17 of 100 cases (2,000 draws: .171; here .052)."""
    generator = np.random.default_rng(11)
    found = [compare_standardised(_draw_pairs(generator, 20), _draw_pairs(generator, 20)) for _ in range(200)]
    assert 0.01 <= np.mean([difference.p_value < 0.05 for difference in found if difference]) <= 0.09
    # By hand: two texts that agree say as much as one.
    twice, once = (
        {"a": {(1.0, pair): number for pair in range(30)} | {(0.0, pair): number for pair in range(30, 50)}}
        for number in (2, 1)
    )
    wide, whole = (compare_standardised(side, side) for side in (twice, once))
    assert wide is not None
    assert whole is not None
    assert (wide.low, wide.high) == pytest.approx((whole.low, whole.high), rel=0.03)


def test_a_domain_that_is_one_cluster_stays_and_its_instances_vary() -> None:
    counts = {1.0: 30, 0.0: 20}
    rule = {"a": {(rate, 7): number for rate, number in counts.items()}}
    assert compare_standardised(rule, rule) == compare_standardised(*(_alone({"a": counts}),) * 2)


def test_domains_weigh_the_same_on_both_sides_and_unshared_ones_nothing() -> None:
    one = {"a": {1.0: 90, 0.0: 10}, "b": {0.5: 4}, "only here": {1.0: 50}, "single": {0.0: 9}}
    other = {"a": {1.0: 1, 0.0: 1}, "b": {0.5: 100, 0.0: 100}, "only there": {0.0: 50}, "single": {1.0: 1}}
    found = compare_standardised(_alone(one), _alone(other))
    assert found is not None
    assert found.domains == 2
    assert found.rate == pytest.approx((0.9 + 0.5) / 2)
    assert found.other == pytest.approx((0.5 + 0.25) / 2)
    assert found.value == pytest.approx(0.325)
    assert found.low < 0.325 < found.high
    assert compare_standardised(_alone(one), _alone({"c": {1.0: 9}})) is None


def test_the_interval_is_as_wide_as_the_variance_of_the_strata_says() -> None:
    one, other = (
        {"a": {1.0: 120, 0.0: 80}, "b": {1.0: 50, 0.0: 50}},
        {"a": {1.0: 30, 0.0: 70}, "b": {1.0: 9, 0.0: 91}},
    )
    parts = [0.6 * 0.4 / 199, 0.5 * 0.5 / 99, 0.3 * 0.7 / 99, 0.09 * 0.91 / 99]
    found = compare_standardised(_alone(one), _alone(other))
    assert found is not None
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * sqrt(sum(parts)) / 2, rel=0.05)


def test_equal_certain_rates_do_not_differ_and_opposite_ones_do() -> None:
    always, never = _alone({"a": {1.0: 30}}), _alone({"a": {0.0: 30}})
    same, apart = compare_standardised(always, always), compare_standardised(always, never)
    assert same is not None
    assert apart is not None
    assert same.p_value == 1
    # 30 of 30 twice may differ by what Newcombe's formula says of two intervals of Wilson's.
    assert -0.2 < same.low < -0.1 < 0.1 < same.high < 0.2
    assert same.low == pytest.approx(-same.high)
    assert apart.p_value < 1e-9
    assert 0.8 < apart.low < apart.high == 1


def test_the_scatter_of_editions_is_that_of_drawing_domains_again() -> None:
    """Editions of six domains drawn from many: their means scatter as one edition says on average."""
    generator = np.random.default_rng(1)
    means, expected = [], []
    for _ in range(400):
        edition = _draw(generator, generator.uniform(0.2, 0.8, 6), 40, 2)
        rates = [sum(r * n for (r, _), n in rates.items()) / 40 for rates in edition.values()]
        means.append(np.mean(rates))
        expected.append((estimate_domain_sd(edition) or 0.0) ** 2)
    assert sqrt(np.mean(expected)) == pytest.approx(float(np.std(means)), rel=0.1)
    assert estimate_domain_sd(_alone({"a": {1.0: 9}})) is None
