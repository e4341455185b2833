"""Reliability of scores, and correlations without chance: by hand and against Cronbach's alpha."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.statistics import MODELS, NEW_DOMAINS, THESE_DOMAINS
from perennial.tasks.statistics.cells import ALL
from perennial.tasks.statistics.clusters import ClusterDraw
from perennial.tasks.statistics.correlation import (
    FEWEST_PLAYERS,
    Correlation,
    disattenuate,
    estimate_reliability,
    reliability_figures,
)
from perennial.tasks.statistics.multiplicity import Statistic, kind_by_name
from perennial.tasks.statistics.rate_figures import rate_figures
from perennial.tasks.statistics.study_figures import correlation_figures
from tests.statistics.made_cells import Cell, columns_of, grid

KIND = kind_by_name(("oracle",), "")


@given(st.integers(3, 9), st.integers(2, 20), st.integers(0, 1000))
def test_with_instances_drawn_alone_it_is_cronbachs_alpha(players: int, items: int, seed: int) -> None:
    rates = np.random.default_rng(seed).integers(0, 3, (players, items)) / 2
    totals = rates.sum(axis=1)
    found = estimate_reliability(rates, ClusterDraw())
    if totals.var() == 0:
        assert found is None
        return
    alpha = items / (items - 1) * (1 - rates.var(axis=0, ddof=1).sum() / totals.var(ddof=1))
    assert found == pytest.approx(alpha, abs=1e-9)


def test_copies_of_an_instance_make_no_score_more_reliable() -> None:
    rates = np.random.default_rng(1).random((8, 10))
    copied = np.repeat(rates, 5, axis=1)
    clusters = ClusterDraw(np.repeat(np.arange(10), 5))
    assert estimate_reliability(copied, clusters) == pytest.approx(estimate_reliability(rates, ClusterDraw()))
    alone, clustered = (estimate_reliability(copied, draw) or 0 for draw in (ClusterDraw(), clusters))
    assert alone > clustered + 0.3


def test_a_correlation_without_chance_is_bounded_and_needs_reliable_scores() -> None:
    linear = Correlation(10, 0.6, -0.05, 0.89, 0.07)
    assert disattenuate(linear, 0.64, 1.0) == pytest.approx((0.75, -0.0625, 1.0))
    assert disattenuate(linear, 0.64, -0.1) == disattenuate(linear, None, 1.0) == (None, None, None)


def _cells(players: int) -> list[Cell]:
    generator = np.random.default_rng(3)
    return [
        Cell(
            domain,
            setting,
            f"m{n}",
            f"{domain}{i}",
            1,
            int(generator.random() < (n + 1) / 10),
            cluster=domain,
        )
        for setting in ("easy", "hard")
        for n in range(players)
        for domain in ("A", "B", "C")
        for i in range(20)
    ]


def _figures(players: int, population: str = NEW_DOMAINS) -> list[Statistic]:
    cells = _cells(players)
    rates = []
    for setting in ("easy", "hard"):
        answered = grid(cells, setting, population)
        rates += reliability_figures(answered, KIND)
        rates += [
            Statistic("success_rate", setting, ALL, name, 60, float(answered.solved[row].mean()), "made")
            for row, name in enumerate(answered.players)
        ]
    return [*rates, *correlation_figures(rates, {"B": {f"m{n}": n for n in range(9)}}, KIND)]


@pytest.mark.parametrize(("instances", "has_pairs"), [(4, False), (5, True)])
def test_a_rate_in_a_domain_needs_five_instances_to_be_correlated(instances: int, has_pairs: bool) -> None:
    cells = [cell for cell in _cells(8) if int(cell.instance_id[1:]) < instances]
    rates = list(rate_figures(columns_of(cells, "easy")))
    reliable = list(reliability_figures(grid(cells), KIND))
    pairs = [figure for figure in correlation_figures([*rates, *reliable], {}, KIND) if figure.domain != ALL]
    assert bool(pairs) == has_pairs
    assert ({figure.domain for figure in reliable} != {ALL}) == has_pairs


def test_seven_players_have_correlations_and_six_have_none() -> None:
    names = {figure.statistic for figure in _figures(FEWEST_PLAYERS)}
    assert names == {"success_rate", "reliability", "pearson", "spearman", "pearson_disattenuated"}
    assert {figure.statistic for figure in _figures(FEWEST_PLAYERS - 1)} == {"success_rate"}


def test_settings_share_these_domains_and_other_benchmarks_do_not() -> None:
    found = _figures(9)
    reliable = {
        (f.setting, f.convention): f.value
        for f in found
        if f.statistic == "reliability" and (f.domain, f.player) == (ALL, ALL)
    }
    assert reliable.keys() == {(s, p) for s in ("easy", "hard") for p in (NEW_DOMAINS, THESE_DOMAINS)}
    linear, free = (
        {(f.setting, f.other): f.value for f in found if f.statistic == name and f.player == ALL}
        for name in ("pearson", "pearson_disattenuated")
    )
    within = (reliable["easy", THESE_DOMAINS] * reliable["hard", THESE_DOMAINS]) ** 0.5
    beyond = reliable["easy", NEW_DOMAINS] ** 0.5
    populations = {f.other: f.population for f in found if f.statistic == "pearson_disattenuated"}
    assert populations == {"setting hard": THESE_DOMAINS, "benchmark B": NEW_DOMAINS}
    for key, share in ((("easy", "setting hard"), within), (("easy", "benchmark B"), beyond)):
        assert free[key] == pytest.approx(min(1, linear[key] / share))


def test_p_values_are_adjusted_over_a_coefficient_in_a_setting() -> None:
    tests = [f for f in _figures(9) if f.statistic == "pearson" and (f.setting, f.player) == ("easy", MODELS)]
    assert len(tests) == 2
    smaller, larger = sorted(tests, key=lambda f: f.p_value)
    assert smaller.p_adjusted == pytest.approx(2 * smaller.p_value)
    assert larger.p_adjusted == max(larger.p_value, smaller.p_adjusted)
    assert "Holm over" in smaller.method


def test_programs_are_not_among_the_models() -> None:
    cells = [*_cells(8), *(replace(cell, player="oracle") for cell in _cells(1))]
    found = list(reliability_figures(grid(cells), KIND))
    assert {f.player: f.n for f in found} == {ALL: 9, MODELS: 8}
