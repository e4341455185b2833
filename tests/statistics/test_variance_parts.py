"""Variance parts and smallest changes: by plain covariances, where they are not, and as often as promised."""

from dataclasses import replace
from itertools import permutations
from statistics import fmean

import numpy as np
import pytest

from perennial.schemas.statistics import MODELS, NEW_DOMAINS, THESE_DOMAINS
from perennial.tasks.statistics.clusters import ALL_ALIKE, TOO_FEW
from perennial.tasks.statistics.variance_parts import (
    BEYOND_CHANCE,
    DETECTABLE,
    PART,
    UNREPEATED,
    variance_figures,
)
from tests.benchmarks.comparisons import Form, draw_grid
from tests.benchmarks.variance_parts import judge_form

DRAWN = Form("drawn", NEW_DOMAINS, 8, 1, 6, 0.0, 0.8, 0.6, 0.6, 0.6, runs=3)
FIXED = Form("fixed", THESE_DOMAINS, 5, 6, 2, 0.0, 0.8, 0.8, 0.2, 0.2, 0.5, runs=3)


def figures_of(grid, kind=lambda _: MODELS):
    figures = list(variance_figures(grid, kind))
    parts = {figure.other: figure for figure in figures if figure.statistic == PART}
    return parts, [figure for figure in figures if figure.statistic != PART]


def plain_parts(means, domains, run, shrink):
    """Return the parts by covariances of pairs of models; `means` has a row per model, in equal domains."""
    by_domain = means.reshape(len(means), domains, -1)
    size = by_domain.shape[2]
    within = np.mean([np.cov(by_domain[:, number]) for number in range(domains)], axis=0)
    between = np.cov(by_domain.mean(axis=2)) - within / size

    def pairs(matrix):
        return fmean(matrix[row, column] for row, column in permutations(range(len(means)), 2))

    single, mixed = float(np.diag(within).mean()), float(np.diag(between).mean())
    return {
        "domain": pairs(between),
        "model x domain": mixed - pairs(between),
        "instance": pairs(within),
        "model x instance": single - pairs(within) - run * shrink,
        "run": run,
    }


@pytest.mark.parametrize(("form", "count"), [(DRAWN, 8), (FIXED, 30)])
def test_parts_are_those_of_covariances_between_models(form, count):
    grid = draw_grid(form, 4, np.random.default_rng(5), spread=0.3)
    rates = grid.solved / grid.runs
    run = float((rates * (1 - rates) * 3 / 2).mean())
    # What is drawn in fixed domains is the cluster.
    means = rates if form is DRAWN else rates.reshape(4, -1, form.size).mean(axis=2)
    expected = plain_parts(means, form.domains, run, 1 / (3 * (1 if form is DRAWN else form.size)))
    parts, changes = figures_of(grid)
    assert {name: part.value for name, part in parts.items()} == pytest.approx(
        {name: max(0.0, value) for name, value in expected.items()}
    )
    for part in parts.values():
        assert (part.n, part.population) == (count, form.population)
        assert 0 <= part.low <= part.value <= part.high <= 0.25
    assert {change.player for change in changes} == set(grid.players)
    beyond, detectable = (
        {change.player: change.value for change in changes if change.statistic == name}
        for name in (BEYOND_CHANCE, DETECTABLE)
    )
    assert all(0 < beyond[player] < detectable[player] < 1 for player in grid.players)


def test_runs_that_are_not_repeated_are_no_part_of_their_own():
    parts, _ = figures_of(draw_grid(replace(DRAWN, runs=1), 3, np.random.default_rng(2)))
    assert list(parts) == ["domain", "model x domain", "instance", UNREPEATED]


def test_programs_have_none_and_one_model_has_changes_alone():
    grid = draw_grid(DRAWN, 3, np.random.default_rng(2))
    assert figures_of(grid, lambda _: "programs") == ({}, [])
    parts, changes = figures_of(grid, lambda player: MODELS if player == "m01" else "programs")
    assert not parts
    assert [change.player for change in changes] == ["m01", "m01"]


def test_what_nothing_shows_has_no_interval_and_says_why():
    generator = np.random.default_rng(2)
    parts, _ = figures_of(draw_grid(replace(DRAWN, domains=5), 3, generator))
    assert {part.no_interval for part in parts.values()} == {TOO_FEW}
    parts, changes = figures_of(draw_grid(replace(DRAWN, size=1), 3, generator))
    assert parts["domain"].value is None
    assert "one instance in each" in parts["domain"].no_interval
    assert changes
    solved = draw_grid(DRAWN, 3, generator)
    parts, changes = figures_of(replace(solved, solved=solved.runs))
    assert not changes
    assert {(part.value, part.no_interval) for part in parts.values()} == {(0.0, ALL_ALIKE)}


@pytest.mark.slow
@pytest.mark.parametrize(
    "form",
    [
        Form("kumo 20 x 15", NEW_DOMAINS, 20, 1, 15, 0.0, 0.33, 0.3, 0.6, 0.75, runs=3),
        Form("a2rbench 24 rules x 4", NEW_DOMAINS, 6, 4, 4, 0.0, 1.2, 1.0, 0.3, 0.3),
        Form("knowlogic 5 x 20 pairs", THESE_DOMAINS, 5, 20, 2, 0.0, 1.0, 1.2, 0.2, 0.2, 0.5),
    ],
    ids=lambda form: form.name,
)
def test_intervals_hold_and_changes_keep_their_word(form):
    shares = judge_form(form, 200, 4)
    # Three standard errors of 200 editions; four models of an edition are not independent.
    assert 0.01 <= shares.pop("false alarm") <= 0.08
    assert 0.73 <= shares.pop("power") <= 0.87
    assert len(shares) == 3 + form.runs // 3 + 1
    assert all(share >= 0.9 for share in shares.values()), shares
