"""The size of an evaluation: the table of variances, and the smallest design that reaches a goal."""

from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np
import pytest

from perennial.schemas.statistics import Parts
from perennial.tasks.statistics.scale.design import (
    Design,
    best_design,
    combine_parts,
    find_design,
    measure_design,
)
from perennial.tasks.statistics.variance_parts import PART_NAMES, UNREPEATED
from tests.statistics.scale.made_answers import RELEASE

TABLE = (
    ((6, 50, 5), 0.047, 0.047),
    ((6, 50, 1), 0.050, 0.053),
    ((30, 10, 1), 0.031, 0.038),
    ((100, 3, 1), 0.027, 0.034),
    ((30, 50, 1), 0.023, 0.024),
    ((150, 2, 5), 0.019, 0.021),
)


@pytest.mark.parametrize(("size", "rate", "difference"), TABLE)
def test_standard_errors_are_those_of_the_release(
    size: tuple[int, int, int], rate: float, difference: float
) -> None:
    assert RELEASE.rate_variance(*size) ** 0.5 == pytest.approx(rate, abs=0.0006)
    assert RELEASE.difference_variance(*size) ** 0.5 == pytest.approx(difference, abs=0.0006)


def test_the_chosen_design_reaches_its_goal_and_no_smaller_neighbour_does() -> None:
    found = find_design(RELEASE, "rate", 0.06, 40)
    assert found is not None
    assert measure_design(RELEASE, found).rate <= 0.06
    for smaller in (
        Design(found.domains - 1, found.instances, found.runs),
        Design(found.domains, max(1, found.instances - 1), found.runs),
    ):
        assert smaller == found or measure_design(RELEASE, smaller).rate > 0.06
    assert find_design(RELEASE, "rate", 0.01, 40) is None


def test_a_budget_is_spent_on_domains_first() -> None:
    found = best_design(RELEASE, 400, 40)
    assert found == Design(40, 10, 1)
    assert best_design(RELEASE, 1, 40) is None


def test_a_detectable_difference_is_found_with_its_power() -> None:
    design = Design(30, 5, 1)
    told = measure_design(RELEASE, design)
    generator = np.random.default_rng(3)
    noise = generator.normal(
        told.detectable, RELEASE.difference_variance(30, 5, 1) ** 0.5 * 30**0.5, (4000, 30)
    )
    t = noise.mean(axis=1) / (noise.std(axis=1, ddof=1) / 30**0.5)
    assert np.mean(np.abs(t) > 2.045) == pytest.approx(0.8, abs=0.03)


@pytest.mark.slow
@pytest.mark.parametrize(("lowest", "highest", "fixed"), [(0.35, 0.55, 0.71), (0.8, 0.88, 0.95)])
def test_power_at_the_expected_rate_is_that_of_released_runs(
    release: Path, lowest: float, highest: float, fixed: float
) -> None:
    """Pairs of similar models on 40 released domains with 5 instances; `fixed`: power without the rate."""
    runs = read_release(release)
    rates = np.nanmean(runs, axis=(1, 2, 3))
    pairs = [
        (one, two)
        for one, two in combinations(np.flatnonzero(np.isnan(runs).mean(axis=(1, 2, 3)) < 0.02), 2)
        if lowest <= rates[[one, two]].mean() < highest and abs(rates[one] - rates[two]) < 0.15
    ]
    expected = float(np.mean([rates[list(pair)].mean() for pair in pairs]))
    generator, size = np.random.default_rng(1), Design(40, 5, 1)
    tested = [measure_design(parts, size).detectable for parts in (RELEASE.at_rate(expected), RELEASE)]
    hits = np.zeros(2)
    for _ in range(1_000):
        one, two = pairs[generator.integers(len(pairs))]
        domains = generator.choice(runs.shape[1], 40).repeat(5)
        seeds = np.concatenate([generator.choice(runs.shape[2], 5, replace=False) for _ in range(40)])
        first, second = (runs[model, domains, seeds, generator.integers(5, size=200)] for model in (one, two))
        gaps = (np.nan_to_num(first - second) - rates[one] + rates[two]).reshape(40, 5).mean(axis=1)
        error = gaps.std(ddof=1) / 40**0.5
        hits += [(gaps.mean() + shift) / error > 2.0227 for shift in tested]
    # Released pairs differ a little less between instances than the parts say.
    assert 0.75 <= hits[0] / 1_000 <= 0.91
    # A thousand draws leave a standard error of .014.
    assert hits[1] / 1_000 == pytest.approx(fixed, abs=0.04)


def read_release(release: Path) -> np.ndarray:
    """Return success by model, domain, instance and run of the Easy runs; nan where there is none."""
    rows = duckdb.execute(
        "SELECT dense_rank() OVER (ORDER BY model) - 1, dense_rank() OVER (ORDER BY domain) - 1, "
        "dense_rank() OVER (ORDER BY seed) - 1, "
        "row_number() OVER (PARTITION BY model, domain, seed ORDER BY run, success) - 1, "
        "success::INT FROM read_parquet(?) WHERE agent = 'VanillaAgent' AND n_truths = 4",
        [str(release / "trajectories.parquet")],
    ).fetchnumpy()
    *places, success = (np.asarray(column) for column in rows.values())
    runs = np.full([int(column.max()) + 1 for column in places], np.nan)
    runs[tuple(places)] = success
    return runs[..., :5]


def test_parts_come_from_published_editions_where_there_are_enough() -> None:
    repeated = dict(zip(PART_NAMES, ((part, 20) for part in (0.01, 0.02, 0.03, 0.04, 0.1)), strict=True))
    assert combine_parts(repeated, RELEASE) == Parts(0.01, 0.02, 0.03, 0.04, 0.1)
    single = {name: repeated[name] for name in PART_NAMES[:3]} | {UNREPEATED: (0.14, 20)}
    parts = combine_parts(single, RELEASE)
    assert parts is not None
    assert parts.player_instance / parts.run == pytest.approx(RELEASE.player_instance / RELEASE.run)
    assert parts.player_instance + parts.run == pytest.approx(0.14)
    assert combine_parts({"domain": (0.01, 19)}, RELEASE) is None
    assert combine_parts(dict.fromkeys(PART_NAMES, (0.0, 99)), RELEASE) is None
    assert combine_parts({}, RELEASE) is None
