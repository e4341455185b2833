"""The Rasch model against known effects, against a plain fit of the same likelihood, and at its edges."""

from dataclasses import replace
from math import exp, log, pi

import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray
from scipy.optimize import minimize

from perennial.tasks.statistics.cells import SettingGrid
from perennial.tasks.statistics.rank_figures import adjust_rates
from perennial.tasks.statistics.rasch import Patterns, Rasch, fit_rasch, group_patterns
from tests.statistics.simulated_answers import draw_answers

ABILITIES = [-1.0, 0.0, 0.5, 1.5]


def _domain(grid: SettingGrid) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(grid.domains.names)), np.diff(grid.domains.starts))


def _patterns(grid: SettingGrid) -> Patterns:
    return group_patterns(grid.runs, grid.solved, _domain(grid))


def _fit(grid: SettingGrid) -> Rasch:
    fitted = fit_rasch(_patterns(grid))
    assert fitted is not None
    return fitted


def test_known_effects_come_back_within_their_standard_errors() -> None:
    drawn = draw_answers(3, ABILITIES, [-0.8, 0.0, 0.8], 1_000, runs=2, spread=1.2)
    fitted = _fit(drawn.grid)
    # Only differences are on the scale: abilities against that of the first player.
    contrast = np.eye(7)[1:4] - np.eye(7)[0]
    found = contrast @ np.concatenate((fitted.abilities, fitted.difficulties))
    errors = np.sqrt(np.diag(contrast @ fitted.covariance @ contrast.T))
    assert np.abs((found - np.diff(ABILITIES).cumsum()) / errors).max() < 3
    assert errors.max() < 0.08
    assert np.diff(fitted.difficulties) == pytest.approx([0.8, 0.8], abs=0.15)
    assert fitted.spread == pytest.approx(1.2, abs=0.1)


def _plain_value(grid: SettingGrid, at: list[float]) -> float:
    """The penalised log-likelihood, answer by answer, integrated by Gauss and Legendre's rule."""
    n_players = len(grid.players)
    abilities, means, spread = np.array(at[:n_players]), np.array(at[n_players:-1]), exp(at[-1])
    nodes, weights = leggauss(121)
    nodes, weights = 8 * nodes, 8 * weights
    difficulty = means[_domain(grid)][:, None] + spread * nodes
    value = -(at[-1] ** 2) / 2
    for effect in at[:-1]:
        value += (log(1 / (1 + exp(-effect))) + log(1 / (1 + exp(effect)))) / 2
    chance = 1 / (1 + np.exp(difficulty - abilities[:, None, None]))
    failed = grid.runs - grid.solved
    each = chance ** grid.solved[:, :, None] * (1 - chance) ** failed[:, :, None]
    integrals = each.prod(axis=0) @ (weights * np.exp(-nodes * nodes / 2)) / (2 * pi) ** 0.5
    return value + float(np.log(integrals).sum())


def test_an_independent_maximum_of_the_whole_likelihood_is_the_same() -> None:
    grid = draw_answers(5, [-0.5, 0.7, 1.0], [0.3, -0.3], 6, runs=3, only={2: 1}).grid
    fitted = _fit(grid)
    plain = minimize(lambda at: -_plain_value(grid, list(at)), np.zeros(6), method="BFGS", tol=1e-7)
    ours = [*fitted.abilities, *fitted.difficulties, log(fitted.spread)]
    assert ours == pytest.approx(list(plain.x), abs=2e-4)
    assert _plain_value(grid, ours) >= -plain.fun - 1e-9


def test_a_player_with_all_instances_keeps_its_own_rate_and_its_plain_standard_error() -> None:
    grid = draw_answers(1, ABILITIES, [-1.0, 1.0], 60, runs=3).grid
    fitted = _fit(grid)
    rates = grid.solved / grid.runs
    assert fitted.rates == pytest.approx(rates.mean(axis=1), abs=1e-12)
    assert np.sqrt(np.diag(fitted.rate_covariance)) == pytest.approx(rates.std(axis=1) / 120**0.5, rel=1e-9)
    by_domain = np.abs(rates[:, :60].mean(axis=1) - rates[:, 60:].mean(axis=1)) / 2
    assert fitted.rate_cluster_covariance is not None
    assert np.sqrt(np.diag(fitted.rate_cluster_covariance)) == pytest.approx(by_domain, rel=1e-9)


def test_a_player_of_easy_instances_alone_is_adjusted_to_all() -> None:
    """Its own rate is far above what it would be on all instances; its place is the third."""
    z_values, found = [], []
    for seed in range(25):
        drawn = draw_answers(seed, [0.0, 1.0, -1.0, 0.6], [-2.0, 0.0, 1.5, 2.0], 60, only={0: 0})
        adjusted = adjust_rates(drawn.grid)
        truth = drawn.chances[0].mean()
        assert drawn.grid.solved[0].sum() / 60 > truth + 0.25
        z_values.append((adjusted.rates[0] - truth) / adjusted.errors[0])
        found.append(adjusted.rates)
    second, third, last, first = np.mean(found, axis=0)[[3, 0, 2, 1]]
    assert first > second > third > last
    assert abs(float(np.mean(z_values))) < 0.6
    assert 0.5 < float(np.std(z_values)) < 1.5


@pytest.mark.slow
def test_a_rate_s_standard_error_is_that_of_drawing_instances_again() -> None:
    drawn = [draw_answers(seed, ABILITIES, [0.0, 1.0], 60, only={3: 1}).grid for seed in range(80)]
    found = [adjust_rates(grid) for grid in drawn]
    scatter = np.std([one.rates for one in found], axis=0)
    assert np.mean([one.errors for one in found], axis=0) == pytest.approx(scatter, rel=0.25)


def test_the_numbering_of_instances_changes_nothing() -> None:
    grid = draw_answers(2, ABILITIES, [0.0, 1.0], 30, runs=2, only={1: 0}).grid
    generator = np.random.default_rng(0)
    order = np.concatenate((generator.permutation(30), 30 + generator.permutation(30)))
    other = replace(grid, runs=grid.runs[:, order], solved=grid.solved[:, order])
    assert adjust_rates(other).rates == pytest.approx(adjust_rates(grid).rates, abs=1e-9)
    assert adjust_rates(other).errors == pytest.approx(adjust_rates(grid).errors, abs=1e-9)


def test_weights_count_instances_of_one_kind() -> None:
    kinds = np.array([[0, 1, 0, 1], [0, 0, 1, 1]])
    weight = np.array([4, 1, 3, 7])
    weighted = fit_rasch(group_patterns(np.ones_like(kinds), kinds, np.zeros(4, int), weight))
    repeated = np.repeat(kinds, weight, axis=1)
    plain = fit_rasch(group_patterns(np.ones_like(repeated), repeated, np.zeros(15, int)))
    assert weighted is not None
    assert plain is not None
    assert weighted.abilities == pytest.approx(plain.abilities, abs=1e-8)
    assert weighted.rate_covariance == pytest.approx(plain.rate_covariance, abs=1e-12)


@pytest.mark.parametrize("value", [0, 1])
def test_a_player_that_solves_all_or_nothing_has_a_finite_ability(value: int) -> None:
    grid = draw_answers(4, ABILITIES, [0.0, 0.5], 40, only={0: 0}).grid
    grid.solved[0] = value * grid.runs[0]
    fitted = _fit(grid)
    assert 2 < abs(fitted.abilities[0] - fitted.abilities[1:].mean()) < 12
    # Of 80 instances 40 were seen; on the others it is neither sure to succeed nor to fail.
    assert 0 < abs(fitted.rates[0] - value) < 0.05


def test_patterns_do_not_grow_with_instances() -> None:
    patterns = _patterns(draw_answers(0, ABILITIES, [0.0] * 5, 4_000, runs=5).grid)
    assert len(patterns.instances) <= 5 * 21
    assert patterns.instances.sum() == 20_000
