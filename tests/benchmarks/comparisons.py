"""How often comparisons of players claim a difference that is none, and how often they miss the truth.

By hand: `python -m tests.benchmarks.comparisons [--draws 400] [--players 20]`. Of made editions in the form
of each benchmark. Players are equal over the population, though their rates differ from cluster to cluster
(drawn) or from domain to domain (fixed), or their skills differ (column `unlike`). Printed:

- p: share of pairs of equal players with p < .05
- any p: share of editions in which some adjusted p of equal players is below .05
- holds: share of the 95% intervals that hold 0
- all hold: share of editions whose simultaneous intervals all hold 0
- ranks: share of editions in which all brackets of equal players hold all ranks
- unlike: share of editions of unlike players whose brackets all hold the true ranks
- outside: number of ranks outside their own bracket, of all editions
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perennial.schemas.statistics import NEW_DOMAINS, THESE_DOMAINS, Population
from perennial.tasks.statistics.cells import Domains, SettingGrid
from perennial.tasks.statistics.multiplicity import Statistic, kind_by_name
from perennial.tasks.statistics.rank_figures import Pair, compare_pairs, pair_figures, rank_figures

Numbers = NDArray[np.float64]
_KIND = kind_by_name(())


@dataclass(frozen=True)
class Form:
    """How an edition is made: standard deviations are of logits, `player_` ones of each player's own."""

    name: str
    population: Population
    domains: int
    clusters: int  # per domain
    size: int  # instances per cluster
    logit: float = 0.0
    cluster: float = 0.0
    player_cluster: float = 0.0
    instance: float = 0.0
    player_instance: float = 0.0
    domain: float = 0.0  # fixed, the same multiset for each player
    runs: int = 1


FORMS = (
    # The variances of the released runs, as logits.
    Form("kumo 6 x 50", NEW_DOMAINS, 6, 1, 50, 0.0, 0.33, 0.3, 0.6, 0.75),
    Form("kumo 6 x 50, rate .85", NEW_DOMAINS, 6, 1, 50, 2.0, 0.45, 0.4, 0.8, 1.0),
    Form("kumo 20 x 15", NEW_DOMAINS, 20, 1, 15, 0.0, 0.33, 0.3, 0.6, 0.75),
    Form("a2rbench 24 rules x 4", NEW_DOMAINS, 6, 4, 4, 0.0, 1.2, 1.0, 0.3, 0.3),
    Form("knowlogic 5 x 20 pairs", THESE_DOMAINS, 5, 20, 2, 0.0, 1.0, 1.2, 0.2, 0.2, 0.5),
    Form("knowlogic 5 x 60 pairs", THESE_DOMAINS, 5, 60, 2, 0.0, 1.0, 1.2, 0.2, 0.2, 0.5),
    Form("beyondbench 44 x 3", THESE_DOMAINS, 44, 3, 1, 0.0, 0.0, 0.0, 0.5, 0.5, 1.5),
    Form("beyondbench 44 x 1", THESE_DOMAINS, 44, 1, 1, 0.0, 0.0, 0.0, 0.5, 0.5, 1.5),
)


def main() -> None:
    """Print a line per form."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.comparisons")
    parser.add_argument("--draws", type=int, default=400, help="editions of each form")
    parser.add_argument("--players", type=int, default=20)
    chosen = parser.parse_args()
    columns = ("p", "any p", "holds", "all hold", "ranks", "unlike", "outside")
    print(f"{'':<26}" + " ".join(f"{column:>8}" for column in columns))
    for form in FORMS:
        name, *shares, outside = judge_form(form, chosen.draws, chosen.players)
        print(f"{name:<26}" + " ".join(f"{share:>8.3f}" for share in shares) + f" {outside:>8}")


def draw_grid(
    form: Form,
    players: int,
    generator: np.random.Generator,
    spread: float = 0.0,
    by_player: Numbers | None = None,
) -> SettingGrid:
    """Draw an edition and its answers; skills are `spread` logits apart, the first player's the highest.

    `by_player` are the fixed domains' logits for each player, by default drawn as well.
    """
    groups = form.domains * form.clusters
    cluster = np.repeat(np.arange(groups), form.size)
    domain = np.repeat(np.arange(form.domains), form.clusters * form.size)
    n = len(cluster)

    def normal(deviation: float, *shape: int) -> Numbers:
        return deviation * generator.standard_normal(shape)

    fixed = np.linspace(-form.domain, form.domain, form.domains)
    if by_player is None:
        by_player = np.stack([generator.permutation(fixed) for _ in range(players)])
    logits = (
        form.logit
        + by_player[:, domain]
        + (normal(form.cluster, groups) + normal(form.player_cluster, players, groups))[:, cluster]
        + normal(form.instance, n)
        + normal(form.player_instance, players, n)
        - spread * np.arange(players)[:, None]
    )
    solved = generator.binomial(form.runs, 1 / (1 + np.exp(-logits)))
    names = tuple(f"m{number:02}" for number in range(players))
    places = Domains(
        tuple(f"d{number:02}" for number in range(form.domains)),
        tuple(range(0, n + 1, form.clusters * form.size)),
    )
    runs = np.full_like(solved, form.runs)
    return SettingGrid("easy", places, names, runs, solved, np.arange(n), cluster, form.population)


def _rank(grid: SettingGrid, pairs: list[Pair]) -> list[Statistic]:
    return [figure for figure in rank_figures(grid, _KIND, pairs) if figure.statistic == "rank"]


def judge_form(form: Form, draws: int, players: int) -> Iterator[str | float]:
    """Yield the form's name and its figures."""
    generator = np.random.default_rng(7)
    false, any_false, held, all_held, certain, unlike = ([] for _ in range(6))
    outside = 0
    for _ in range(draws):
        grid = draw_grid(form, players, generator)
        pairs = compare_pairs(grid, _KIND)
        figures = list(pair_figures(grid.setting, pairs))
        tests = [figure for figure in figures if figure.statistic == "paired_difference"]
        together = [figure for figure in figures if figure.statistic == "paired_difference_simultaneous"]
        false.append(np.mean([test.p_value < 0.05 for test in tests]))
        any_false.append(any(test.p_adjusted < 0.05 for test in tests))
        held.append(np.mean([test.low <= 0 <= test.high for test in tests]))
        all_held.append(all(gap.low <= 0 <= gap.high for gap in together))
        ranks = _rank(grid, pairs)
        outside += sum(not rank.low <= rank.value <= rank.high for rank in ranks)
        certain.append(all((rank.low, rank.high) == (1, players) for rank in ranks))
        grid = draw_grid(form, players, generator, spread=3 / players)
        ranks = _rank(grid, compare_pairs(grid, _KIND))
        outside += sum(not rank.low <= rank.value <= rank.high for rank in ranks)
        unlike.append(all(rank.low <= int(rank.player[1:]) + 1 <= rank.high for rank in ranks))
    yield form.name
    yield from (float(np.mean(shares)) for shares in (false, any_false, held, all_held, certain, unlike))
    yield outside


if __name__ == "__main__":
    main()
