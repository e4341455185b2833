"""The cost frontier: in which share of redrawn editions no other model is both as good and as cheap."""

import numpy as np
import pytest

from perennial.schemas.statistics import NEW_DOMAINS, Population
from perennial.tasks.statistics.cells import Domains, SettingGrid
from perennial.tasks.statistics.clusters import ClusterDraw
from perennial.tasks.statistics.study_figures import frontier_figures, share_undominated


def make_grid(
    solved: np.ndarray, costs: dict[str, np.ndarray], domains: int = 5, population: Population = NEW_DOMAINS
) -> SettingGrid:
    """Return a grid in which each player has one run of each instance."""
    players, n = solved.shape
    names = Domains(tuple(f"d{i}" for i in range(domains)), tuple(range(0, n + 1, n // domains)))
    runs, cluster = np.ones((players, n), np.int64), np.repeat(np.arange(domains), n // domains)
    letters = tuple("abcdef"[:players])
    return SettingGrid("s", names, letters, runs, solved, np.arange(n), cluster, population, costs)


def shares(grid: SettingGrid, programs: str = "") -> dict[tuple[str, str], float | None]:
    figures = frontier_figures(grid, lambda player: "programs" if player in programs else "models", 7)
    return {(figure.player, figure.convention): figure.value for figure in figures}


def test_models_that_are_surely_worse_and_dearer_are_never_on_the_frontier() -> None:
    solved = np.repeat([[1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 0, 0]], 5, axis=0).reshape(3, 20)
    solved = np.array([[1, 1, 1, 0] * 5, [1, 0, 0, 0] * 5, [1, 1, 0, 0] * 5])
    costs = np.array([[3.0] * 20, [4.0] * 20, [1.0] * 20])
    assert shares(make_grid(solved, {"tokens": costs})) == {
        ("a", "tokens"): 1.0,  # the best
        ("b", "tokens"): 0.0,
        ("c", "tokens"): 1.0,  # the cheapest
    }


@pytest.mark.parametrize("cost", [1.0, 0.0])
def test_equals_dominate_nobody(cost: float) -> None:
    solved, costs = np.array([[1, 0] * 10] * 2), np.full((2, 20), cost)
    assert set(shares(make_grid(solved, {"US dollars": costs})).values()) == {1.0}


def test_only_models_of_known_cost_are_compared_where_all_of_them_are_known() -> None:
    rng = np.random.default_rng(1)
    solved, costs = rng.integers(0, 2, (4, 40)), rng.uniform(1, 2, (4, 40))
    costs[1, :4] = np.nan
    costs[2] = np.nan
    grid = make_grid(solved, {"tokens": costs})
    figures = list(frontier_figures(grid, lambda player: "programs" if player == "d" else "models", 7))
    assert {figure.player: figure.n for figure in figures} == {"a": 36, "b": 36}
    assert shares(grid, programs="bd") == {}
    assert shares(grid, programs="d") == shares(grid, programs="d")


def test_clusters_are_redrawn_and_not_instances() -> None:
    # a wins in three domains and loses in two, each by all of its instances.
    solved = np.array([[1] * 12 + [0] * 8, [0] * 12 + [1] * 8])
    costs = np.ones((2, 20))
    values = shares(make_grid(solved, {"tokens": costs}))
    # Four of five domains are redrawn; a is ahead with three or four of its own: 5 of 16 and .6^4.
    ahead = 4 * 0.6**3 * 0.4 + 0.6**4
    tied = 6 * 0.6**2 * 0.4**2
    assert values["a", "tokens"] == pytest.approx(ahead + tied, abs=0.03)
    assert values["b", "tokens"] == pytest.approx(1 - ahead, abs=0.03)


def test_strata_stay_and_single_ones_are_taken_together() -> None:
    rates = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    costs = np.array([[1.0] * 4, [2.0] * 4])
    within = ClusterDraw(np.arange(4), np.array([0, 0, 1, 1]))
    assert share_undominated(rates, costs, within, np.random.default_rng(0)).tolist() == [1.0, 0.0]
    alone = ClusterDraw(np.arange(4), np.arange(4))
    assert 0 < share_undominated(rates, costs, alone, np.random.default_rng(0))[1] < 0.6


@pytest.mark.slow
def test_shares_are_how_often_models_are_on_the_frontier_of_new_domains() -> None:
    # Seeded: 600 editions of four models; truths are drawn, so shares can be held against them.
    rng = np.random.default_rng(43)
    domains, per_domain, models = 20, 5, 4
    said, is_true = [], []
    for _ in range(600):
        truth, price = rng.uniform(0.3, 0.8, models), np.exp(rng.uniform(-0.5, 0.5, models))
        common, own = rng.uniform(-0.1, 0.1, domains), rng.uniform(-0.1, 0.1, (models, domains))
        rate = np.repeat(truth[:, None] + common + own, per_domain, axis=1)
        solved = (rng.random(rate.shape) < rate).astype(np.int64)
        costs = price[:, None] * rng.lognormal(-0.125, 0.5, rate.shape)
        said += shares(make_grid(solved, {"tokens": costs}, domains)).values()
        behind = (
            (truth[None] >= truth[:, None]) & (price[None] <= price[:, None]) & ~np.eye(models, dtype=bool)
        )
        is_true += (~behind.any(axis=1)).tolist()
    share, on_frontier = np.array(said), np.array(is_true)
    assert on_frontier[share >= 0.95].mean() >= 0.96
    assert on_frontier[share <= 0.05].mean() <= 0.04
    for low in (0.05, 0.25, 0.5, 0.75):
        chosen = (share > low) & (share < low + 0.25)
        assert on_frontier[chosen].mean() == pytest.approx(share[chosen].mean(), abs=0.06), low
