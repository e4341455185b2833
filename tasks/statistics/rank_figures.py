"""Pairs and fair ranks: players compared on instances that both have, or by rates adjusted for the others.

A player that met only some instances may have met the easy ones, so that its own rate says nothing beside
another's. Three rates per player: on its own instances (`success_rate`), on those common to the players of
its kind in the setting, and adjusted (`rasch`): what it would have scored on all instances of the
setting. Models are compared with models: what programs have played changes no figure of theirs.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perennial.schemas.rows import Row
from perennial.schemas.statistics import (
    NEW_DOMAINS,
    PROGRAMS,
    THESE_DOMAINS,
    Floor,
    group_player,
    order_board,
)
from perennial.tasks.statistics import rasch
from perennial.tasks.statistics.cells import ALL, Mask, Numbers, SettingGrid
from perennial.tasks.statistics.clusters import (
    GAP_METHOD,
    LEVEL,
    SHARE_METHOD,
    DrawnGap,
    PopulationInterval,
    bound_share,
    estimate_gap,
)
from perennial.tasks.statistics.multiplicity import Kind, Statistic
from perennial.tasks.statistics.rasch import fit_rasch, group_patterns
from perennial.tasks.statistics.rate_figures import rates_in_units

# Each pair of players on the instances that both played: one estimate for difference, intervals, p and ranks.
#
# An instance is as hard for one player as for the other, so pairing takes its difficulty out of the
# difference; instances of one player alone are left out. All pairs are computed in whole numbers where that
# is possible: a rate is solved runs times the least common multiple of all numbers of runs, over the runs.
#
# A family is what a reader asks at once: the pairs of one setting and of two kinds of player. Simultaneous
# intervals of a family all hold in 95% (Bonferroni), and p_adjusted is below 0.05 where one leaves out 0.

_PAIR = f"mean difference over shared instances; {GAP_METHOD}"
_MCNEMAR = (
    "share that only the player solves of those that one alone does; majority labels on shared instances; "
    "McNemar exact, two-sided, of these instances and labels alone; n counts discordant instances"
)


class Pair(NamedTuple):
    """Two players on `n` shared instances; `tests` counts the pairs of their family that have a p-value."""

    player: str
    other: str
    n: int
    difference: float
    gap: DrawnGap
    p_value: float | None
    only_player: int
    only_other: int
    family: str
    tests: int = 1

    @property
    def p_adjusted(self) -> float | None:
        """The p-value after Bonferroni's correction."""
        return None if self.p_value is None else min(1.0, self.tests * self.p_value)


def compare_pairs(grid: SettingGrid, kind: Kind) -> list[Pair]:
    """Compare each two players of the setting that share instances."""
    rates, unit = rates_in_units(grid.solved, np.maximum(grid.runs, 1))
    seen, labels, domain = grid.runs > 0, 2 * grid.solved > grid.runs, grid.domain
    pairs = []
    for left, right in combinations(range(len(grid.players)), 2):
        shared = seen[left] & seen[right]
        if not shared.any():
            continue
        gaps = (rates[left] - rates[right])[shared]
        player, other = grid.players[left], grid.players[right]
        gap = estimate_gap(gaps / unit, grid.cluster[shared], domain[shared], grid.population)
        pairs.append(
            Pair(
                *(player, other, len(gaps), float(gaps.sum()) / (unit * len(gaps)), gap, gap.test()),
                only_player=int((labels[left] & ~labels[right] & shared).sum()),
                only_other=int((labels[right] & ~labels[left] & shared).sum()),
                family=" and ".join(sorted({kind(player), kind(other)})),
            )
        )
    tests = Counter(pair.family for pair in pairs if pair.p_value is not None)
    return [pair._replace(tests=max(1, tests[pair.family])) for pair in pairs]


def comparison_figures(grid: SettingGrid, kind: Kind) -> Iterator[Statistic]:
    """Yield ranks of a setting's players and what they rest on, all of one comparison of each pair."""
    pairs = compare_pairs(grid, kind)
    yield from rank_figures(grid, kind, pairs)
    yield from domain_rank_figures(grid, kind)
    yield from pair_figures(grid.setting, pairs)


def pair_figures(setting: str, pairs: Iterable[Pair]) -> Iterator[Statistic]:
    """Yield `paired_difference` (player minus other), its simultaneous interval and `mcnemar`."""
    for pair in pairs:
        labels = (setting, ALL, pair.player, pair.n, pair.difference)
        many = f"Bonferroni over the {pair.tests} pairs of {pair.family} of the setting"
        yield Statistic(
            *("paired_difference", *labels, f"{_PAIR}, p where an end is 0; {many}; n counts instances"),
            other=pair.other,
            p_value=pair.p_value,
            p_adjusted=pair.p_adjusted,
            family=pair.family,
            **pair.gap.bound()._asdict(),
        )
        yield Statistic(
            *("paired_difference_simultaneous", *labels, f"{_PAIR}; {many}; n counts instances"),
            other=pair.other,
            family=pair.family,
            **pair.gap.bound(1 - (1 - LEVEL) / pair.tests)._asdict(),
        )
        discordant = pair.only_player + pair.only_other
        share = pair.only_player / discordant if discordant else None
        yield Statistic(
            *("mcnemar", setting, ALL, pair.player, discordant, share, _MCNEMAR),
            other=pair.other,
            p_value=mcnemar_p(pair.only_player, pair.only_other),
        )


def mcnemar_p(only_one: int, only_other: int) -> float:
    """Return the p-value of McNemar's exact test of whether two players solve equally many instances.

    Of m instances that one player alone solved, each is equally likely to be either's if they are equal:
    p = min(1, 2 P(X <= the smaller number)) with X binomial(m, 1/2), which is 1.0 for m = 0. Sources:
    McNemar 1947; Fagerland, Lydersen and Laake 2013 (the exact conditional test).
    """
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(only_one, only_other), only_one + only_other, 0.5)))


# Ranks and their 95% intervals: which places players have, each two compared on what both were asked.
#
# A player's rank is 1 + the number of players with a higher rate on the instances that both have, so that one
# with few instances is ranked on these and changes no rank of the others. Two that share too few are compared
# by their adjusted rates.
#
# The interval holds the places that a player may have, given how surely others are better or worse: at least
# 1 + the number of the surely better, at most the number of players - that of the surely worse. Sure is a
# difference whose simultaneous interval leaves out 0: so in 95% the intervals of all players of a kind hold
# their places in the population (M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm, Inference for Ranks,
# Review of Economic Studies 91 (2024) 476-518, with one-step critical values).

METHOD = "interval by the simultaneous intervals of paired_difference, 95% for all players together"
_FEWEST_SHARED = 5
"""Instances that rank two players, unless half of what some player has is fewer."""
_TIE = 1e-9


class Rank(NamedTuple):
    """A player's place with its interval; `is_adjusted`: some comparison went by adjusted rates."""

    value: float
    low: float
    high: float
    is_adjusted: bool


def rank_players(
    grid: SettingGrid, adjusted: Numbers, linked: Mask, pairs: Iterable[Pair]
) -> list[Rank | None]:
    """Rank the players of the grid among each other; None for one with too few instances.

    `adjusted` are their adjusted rates (nan: undefined). Those that are not `linked` to the others, by chains
    of shared domains, have no rank.
    """
    sizes = (grid.runs > 0).sum(axis=1)
    fewest = min(_FEWEST_SHARED, float(sizes.max()) / 2)
    players = np.flatnonzero(linked & (sizes > 0) & (sizes >= fewest)).tolist()
    behind, better, worse = (np.zeros(len(sizes), int) for _ in range(3))
    is_adjusted = np.zeros(len(sizes), bool)
    shared = {(pair.player, pair.other): pair for pair in pairs if pair.n >= fewest}
    for first, two in combinations(players, 2):
        pair = shared.get((grid.players[first], grid.players[two]))
        gap = float(adjusted[first] - adjusted[two]) if pair is None else pair.difference
        is_adjusted[[first, two]] |= pair is None
        leading, trailing = (first, two) if gap > 0 else (two, first)
        behind[trailing] += abs(gap) > _TIE
        if pair is not None and pair.p_adjusted is not None and pair.p_adjusted < 1 - LEVEL:
            better[trailing] += 1
            worse[leading] += 1
    ranks: list[Rank | None] = [None] * len(sizes)
    for player in players:
        low, high = 1.0 + better[player], float(len(players) - worse[player])
        ranks[player] = Rank(1.0 + behind[player], float(low), high, bool(is_adjusted[player]))
    return ranks


FEWEST = 100
"""Enough instances to decide what is common, unless half of what some player has is fewer."""
COMMON_METHOD = (
    f"mean over the instances that all players with enough of them have; {SHARE_METHOD}; "
    "n counts these instances"
)
_ERROR = f"standard error of adjusted_rate, clustered by {{}}; {rasch.METHOD}"
_RANK = (
    "place among {} by the rates of each two on the instances that both have, or by adjusted_rate where "
    "these are too few; {}; n counts the player's instances"
)
_PLACE = "order on leaderboards: models first, then by rank, without a rank by success rate; n counts players"


@dataclass(frozen=True, slots=True)
class Common:
    """Which players have enough instances, which instances all of these have, and how many are enough."""

    players: Mask
    instances: Mask
    enough: float


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Each player's adjusted rate, and its standard error by instance and by domain; nan: undefined."""

    rates: Numbers
    errors: Numbers
    domain_errors: Numbers


def rank_figures(grid: SettingGrid, kind: Kind, pairs: Sequence[Pair]) -> Iterator[Statistic]:
    """Yield `common_rate`, `adjusted_rate`, its standard errors and `rank` of each player of a setting.

    Enough instances are 100, or half of what some player of the kind has where that is fewer. The common
    instances are those of all players of the kind that have enough. Equal players share a rank. Programs are
    lines of reference, and have none.
    """
    adjusted, linked = adjust_rates(grid), find_linked(grid)
    n_all = int((grid.runs > 0).any(axis=0).sum())
    for number, player in enumerate(grid.players):
        labels = (grid.setting, ALL, player)
        yield Statistic("adjusted_rate", *labels, n_all, _round_defined(adjusted.rates[number]), rasch.METHOD)
        for clusters, errors in (("instances", adjusted.errors), ("domains", adjusted.domain_errors)):
            error, method = _round_defined(errors[number]), _ERROR.format(clusters)
            yield Statistic(
                *("adjusted_rate_se", *labels, n_all, error, method),
                convention=clusters,
                population=NEW_DOMAINS if clusters == "domains" else THESE_DOMAINS,
            )
    for name, rows in rows_by_kind(grid, kind).items():
        players = tuple(grid.players[row] for row in rows)
        alike = replace(grid, players=players, runs=grid.runs[rows], solved=grid.solved[rows])
        common = find_common(alike.runs > 0)
        rates, bounds = _common_rates(alike, common.players, common.instances)
        ranks = [] if name == PROGRAMS else rank_players(alike, adjusted.rates[rows], linked[rows], pairs)
        for number, player in enumerate(players):
            labels = (grid.setting, ALL, player)
            n = int(common.instances.sum()) if common.players[number] else 0
            rate = _round_defined(rates[number])
            yield Statistic("common_rate", *labels, n, rate, COMMON_METHOD, **bounds[number]._asdict())
        for number, rank in enumerate(ranks):
            instances, method = int((alike.runs[number] > 0).sum()), _RANK.format(name, METHOD)
            labels = (grid.setting, ALL, players[number])
            if rank is None:
                yield Statistic("rank", *labels, instances, None, method)
            else:
                by = "adjusted" if rank.is_adjusted else "shared"
                yield Statistic(
                    "rank", *labels, instances, rank.value, method, by, low=rank.low, high=rank.high
                )


def rows_by_kind(grid: SettingGrid, kind: Kind) -> dict[str, NDArray[np.intp]]:
    """Return the rows of the grid that hold the players of each kind."""
    kinds = [kind(player) for player in grid.players]
    return {
        name: np.flatnonzero([player_kind == name for player_kind in kinds]) for name in sorted(set(kinds))
    }


def place_figures(figures: Iterable[Statistic], kind: Kind, floor: Floor | None) -> list[Statistic]:
    """Return each player's `place` on the leaderboard of its setting, by its figures; the convention says
    its group.
    """
    boards: dict[str, dict[str, Row]] = {}
    for figure in figures:
        if figure.statistic in ("rank", "success_rate") and figure.domain == ALL and not figure.other:
            row = boards.setdefault(figure.setting, {}).setdefault(figure.player, {"player": figure.player})
            row[figure.statistic] = figure.value
            row["player_group"] = group_player(figure.player, kind(figure.player), floor)
    return [
        Statistic(
            "place", setting, ALL, row["player"], len(rows), rank, _PLACE, convention=row["player_group"]
        )
        for setting, rows in boards.items()
        for rank, row in enumerate(order_board(rows.values()), 1)
    ]


def find_common(seen: Mask) -> Common:
    """Return what is common of `seen`: whether the player of a row has the instance of a column.

    Enough instances are 100, or half of what some player has where that is fewer. A player that has none is
    never among the players.
    """
    played = seen.sum(axis=1)
    enough = min(FEWEST, int(played.max()) / 2)
    is_ranked = (played >= enough) & (played > 0)
    return Common(is_ranked, seen[is_ranked].all(axis=0), enough)


def _common_rates(
    grid: SettingGrid, is_ranked: Mask, is_common: Mask
) -> tuple[Numbers, list[PopulationInterval]]:
    """Return each player's rate on the common instances, nan for those not ranked, and its bounds."""
    rates = np.full(len(is_ranked), np.nan)
    bounds = [PopulationInterval()] * len(is_ranked)
    n = int(is_common.sum())
    if not n:
        return rates, bounds
    runs, solved = (column[is_ranked][:, is_common] for column in (grid.runs, grid.solved))
    sums, unit = rates_in_units(solved, runs)
    rates[is_ranked] = sums.sum(axis=1) / unit / n
    origins = grid.cluster[is_common], grid.domain[is_common]
    for row, number in enumerate(np.flatnonzero(is_ranked)):
        played = float(runs[row].sum())
        bounds[number] = bound_share(sums[row] / unit, played, *origins, grid.population)
    return rates, bounds


def adjust_rates(grid: SettingGrid) -> Adjusted:
    """Return what each player would score on all instances of the setting that some player has.

    A player that has them all keeps its own rate exactly. Players that no chain of shared domains links to
    most others cannot be compared with them: their adjusted rate is undefined.
    """
    domain = grid.domain
    linked = find_linked(grid)
    kept = (grid.runs[linked] > 0).any(axis=0)
    _, stratum = np.unique(domain[kept], return_inverse=True)
    fitted = fit_rasch(group_patterns(grid.runs[linked][:, kept], grid.solved[linked][:, kept], stratum))
    adjusted = Adjusted(*(np.full(len(linked), np.nan) for _ in range(3)))
    if fitted is not None:
        adjusted.rates[linked] = fitted.rates
        adjusted.errors[linked] = np.sqrt(np.diag(fitted.rate_covariance))
        if fitted.rate_cluster_covariance is not None:
            adjusted.domain_errors[linked] = np.sqrt(np.diag(fitted.rate_cluster_covariance))
    return adjusted


def find_linked(grid: SettingGrid) -> Mask:
    """Return which players the largest set holds whose members are linked by chains of shared domains.

    Instances of one domain are draws from one distribution, so two players need not share any of them. Of
    two sets of one size, the one with the first player counts.
    """
    from scipy.sparse.csgraph import connected_components

    seen, starts = grid.runs > 0, grid.domains.starts
    plays = np.stack([seen[:, a:b].any(axis=1) for a, b in pairwise(starts)], axis=1)
    _, parts = connected_components(plays @ plays.T, directed=False)
    is_largest: Mask = parts == np.argmax(np.bincount(parts))
    return is_largest


def _round_defined(value: float) -> float | None:
    # Digits beyond the twelfth differ with the order of adding.
    return None if value != value else round(float(value), 12)


# A player's profile: its rate and its place in each domain, on the instances that are common there.
#
# The whole setting has its `common_rate` from `ranks.rank_figures`; here each domain has one by the same
# rule, and the whole and each domain have places among players of one kind.

_RANK_DOMAIN_RANKS = "place by common_rate among the {} that have one; n counts the common instances"


def domain_rank_figures(grid: SettingGrid, kind: Kind) -> Iterator[Statistic]:
    """Yield `common_rate` of each player in each domain, and `rank_in_kind` there and in the whole setting.

    The convention of a `rank_in_kind` is the kind of player that it ranks: models are ranked among models.
    Players without a common rate have no figure.
    """
    scaled, unit = rates_in_units(grid.solved, np.maximum(grid.runs, 1))
    for of_kind, rows in rows_by_kind(grid, kind).items():
        method = _RANK_DOMAIN_RANKS.format(of_kind)
        for domain, columns in grid.places():
            common = find_common(grid.runs[rows][:, columns] > 0)
            kept = np.zeros(grid.runs.shape[1], bool)
            kept[columns] = common.instances
            n = int(kept.sum())
            played = rows[common.players] if n else rows[:0]
            rates = {row: scaled[row, kept] / unit for row in played}
            means = {row: float(values.sum()) / n for row, values in rates.items()}
            for row, mean in means.items():
                labels = (grid.setting, domain, grid.players[row], n)
                if domain != ALL:
                    runs, origins = float(grid.runs[row, kept].sum()), (grid.cluster[kept], grid.domain[kept])
                    bounds = bound_share(rates[row], runs, *origins, grid.population)
                    # Digits beyond the twelfth differ with the order of adding.
                    rate = round(mean, 12)
                    yield Statistic("common_rate", *labels, rate, COMMON_METHOD, **bounds._asdict())
                rank = 1.0 + sum(other > mean + _TIE for other in means.values())
                yield Statistic("rank_in_kind", *labels, rank, method, convention=of_kind)
