"""Steps at one half: the curve of success over expected steps, its interval, and sizes that are left out."""

from itertools import product

import numpy as np
import pytest
from scipy.special import expit

from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.schemas.errors import InvalidOption
from perennial.schemas.kumo.things import LADDER, Setting
from perennial.tasks.kumo.encoding import encode_config
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.steps import (
    ALL_OR_NONE,
    FEW_CLUSTERS,
    NO_SLOPE,
    SteppedAnswers,
    fit_curve,
    step_figures,
)
from perennial.tasks.kumo.worlds import draw_world
from perennial.tasks.statistics.multiplicity import Statistic
from perennial.warehouse.kumo.bundled_domains import bundled_domains
from tests.schemas.kumo_settings import kumo_settings

# Truths of a size, and the mean and spread of the steps of its instances, about as the sampler draws them.
SIZES = ((4, 1.9, 0.5), (5, 2.5, 0.6), (8, 3.3, 0.6), (12, 4.2, 0.7))


def draw_answers(
    rng: np.random.Generator, domains: int, per_domain: int, at_half: float, domain_sd: float = 0.0
) -> tuple[SteppedAnswers, np.ndarray]:
    """Answer instances of all sizes as a player of these steps at one half; return the sizes' numbers too."""
    truths, mean, spread = np.array(
        [size for _, size, _ in product(range(domains), SIZES, range(per_domain))]
    ).T
    cluster = np.repeat(np.arange(domains), len(SIZES) * per_domain)
    steps = np.maximum(1.0, rng.normal(mean, spread))
    effect = rng.normal(0, domain_sd, domains)[cluster]
    rate = 1 / truths + (1 - 1 / truths) * expit(effect - 1.2 * (steps - at_half))
    answers = SteppedAnswers(
        (rng.random(len(rate)) < rate) * 1.0, steps, 1 / truths, np.ones(len(rate)), cluster
    )
    return answers, np.searchsorted([4, 5, 8, 12], truths)


def as_columns(answers: SteppedAnswers, setting: np.ndarray) -> dict[str, np.ndarray]:
    """Return the answers as `warehouse/kumo/steps.sql` selects them."""
    names = {"player": np.full(len(setting), "m"), "setting": setting.astype(str)}
    return {**names, **answers._asdict(), "instances": answers.weight}


def figures(columns: dict[str, np.ndarray]) -> dict[tuple[str, str, str], Statistic]:
    return {(f.statistic, f.convention, f.setting): f for f in step_figures(columns)}


@pytest.mark.parametrize(("at_half", "floor"), [(2.0, 0.25), (3.5, 1 / 12), (6.0, 0.0)])
def test_a_curve_without_noise_is_recovered_and_predicts_what_it_was_not_fitted_to(
    at_half: float, floor: float
) -> None:
    steps = np.tile(np.linspace(1, 5, 9), 8)
    rate = floor + (1 - floor) * expit(-0.8 * (steps - at_half))
    answers = SteppedAnswers(rate, steps, np.full(72, floor), np.ones(72), np.repeat(np.arange(8), 9))
    curve = fit_curve(answers, 8)
    assert curve is not None
    assert (curve.center + curve.level / curve.slope, curve.slope) == pytest.approx((at_half, 0.8))
    drawn = figures(as_columns(answers, np.repeat([0, 1, 2], 24)))
    assert drawn["steps_at_half", "any", "all"].value == pytest.approx(at_half)
    for setting in "012":
        predicted, observed = (
            drawn["rate_left_out", name, setting].value for name in ("predicted", "observed")
        )
        assert predicted == pytest.approx(observed)


def test_the_floor_is_taken_away_first() -> None:
    # With the floor, half of what is above it is less than half of all.
    answers, sizes = draw_answers(np.random.default_rng(1), 10, 20, 2.5)
    with_floor, without = (
        figures(as_columns(some, sizes))["steps_at_half", "any", "all"].value
        for some in (answers, answers._replace(floor=answers.floor * 0))
    )
    assert with_floor is not None
    assert without is not None
    assert with_floor < without


def test_a_row_of_several_instances_counts_as_often() -> None:
    answers, _ = draw_answers(np.random.default_rng(2), 8, 5, 3.0)
    twice = SteppedAnswers(
        *(np.concatenate([column, column]) for column in (answers.rate, answers.steps, answers.floor)),
        np.ones(2 * len(answers.rate)),
        np.concatenate([answers.cluster, answers.cluster]),
    )
    first, other = fit_curve(answers._replace(weight=answers.weight * 2), 8), fit_curve(twice, 8)
    assert first is not None
    assert other is not None
    assert first.bound_steps() == pytest.approx(other.bound_steps())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda answers: answers._replace(rate=answers.rate * 0 + 1), ALL_OR_NONE),
        (lambda answers: answers._replace(rate=answers.rate * 0), ALL_OR_NONE),
        (lambda answers: answers._replace(steps=-answers.steps), NO_SLOPE),
        (lambda answers: answers._replace(steps=answers.steps * 0 + 2), ALL_OR_NONE),
        (lambda answers: answers._replace(cluster=answers.cluster % 5), FEW_CLUSTERS),
    ],
    ids=["all", "none", "rising", "one step", "five domains"],
)
def test_what_has_no_number_or_no_interval_says_why(change: "object", reason: str) -> None:
    assert callable(change)
    answers, setting = draw_answers(np.random.default_rng(3), 10, 10, 3.0)
    at_half = figures(as_columns(change(answers), setting))["steps_at_half", "any", "all"]
    assert at_half.no_interval == reason
    assert at_half.low is at_half.high is at_half.population is None
    assert (at_half.value is None) == (reason != FEW_CLUSTERS)


def test_a_size_is_left_out_where_two_others_remain() -> None:
    answers, setting = draw_answers(np.random.default_rng(4), 6, 4, 3.0)
    counts = {}
    for sizes in (2, 3, 4):
        kept = setting < sizes
        drawn = figures(as_columns(answers.choose(kept), setting[kept]))
        counts[sizes] = sum(name == "rate_left_out" for name, _, _ in drawn)
    assert counts == {2: 0, 3: 9, 4: 12}


def test_a_size_that_is_hard_for_another_reason_is_seen() -> None:
    answers, setting = draw_answers(np.random.default_rng(5), 20, 20, 3.0)
    failed = answers._replace(
        rate=np.where(setting == 2, answers.rate * (np.arange(len(setting)) % 2), answers.rate)
    )
    difference = figures(as_columns(failed, setting))["rate_left_out", "difference", "2"]
    assert difference.high is not None
    assert difference.high < 0
    # One domain of six that is all solved would have the interval go on below -1.
    answers, setting = draw_answers(np.random.default_rng(5), 6, 20, 6.0)
    failed = answers._replace(rate=np.where(setting == 2, answers.cluster == 0, answers.rate))
    assert figures(as_columns(failed, setting))["rate_left_out", "difference", "2"].low == -1


def test_the_ladder_is_four_sizes() -> None:
    assert kumo_settings({"settings": "ladder"}).settings == ["easy", "5x8", "8x10", "hard"]
    assert kumo_settings({"settings": "hard,Ladder,3x4"}).settings == ["hard", "easy", "5x8", "8x10", "3x4"]
    with pytest.raises(InvalidOption, match="ladders"):
        kumo_settings({"settings": "ladders"})


@pytest.mark.slow
@pytest.mark.parametrize("size", LADDER)
def test_each_bundled_domain_and_world_has_instances_of_the_ladder(size: str) -> None:
    worlds = [draw_world(7, index, "mixed").config for index in range(20)]
    for config in [*map(load_bundled, bundled_domains()), *worlds]:
        request = SamplingRequest(Setting.parse(size), 5, 0, require_test=True, sampler="balanced")
        sample = sample_instances(encode_config(config), request)
        assert (config.name, len(sample.instances), sample.shortfall) == (config.name, 5, None)


@pytest.mark.slow
@pytest.mark.parametrize(("domains", "per_domain", "domain_sd"), [(6, 20, 1.0), (40, 5, 0.0)])
def test_intervals_of_steps_and_of_left_out_sizes_hold_their_level(
    domains: int, per_domain: int, domain_sd: float
) -> None:
    # Seeded, so the counts are fixed: 600 intervals of each kind, whose standard error is .009.
    rng = np.random.default_rng(43)
    steps, sizes = [], []
    for index in range(600):
        at_half = (2.2, 3.0, 4.2)[index % 3]
        answers, setting = draw_answers(rng, domains, per_domain, at_half, domain_sd)
        # Of one edition in four each size is left out once, which takes four fits more.
        drawn = figures(as_columns(answers, setting * (index % 4 == 0)))
        bounds = drawn.pop(("steps_at_half", "any", "all"))
        if bounds.low is not None and bounds.high is not None:
            steps.append(bounds.low <= at_half <= bounds.high)
        for (_, convention, _), left_out in drawn.items():
            if convention == "difference":
                assert left_out.low is not None
                assert left_out.high is not None
                sizes.append(left_out.low <= 0 <= left_out.high)
    assert len(sizes) == 600
    assert len(steps) >= 596
    assert 0.93 <= sum(steps) / len(steps) <= 0.97
    assert 0.93 <= sum(sizes) / len(sizes) <= 0.97
