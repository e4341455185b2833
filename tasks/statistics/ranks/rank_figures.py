"""Fair ranks: players compared on the instances that all of them have, or by rates adjusted for the others.

A player that met only some instances may have met the easy ones, so that its own rate says nothing beside
another's. Three rates per player: on its own instances (`success_rate`), on those common to the players of
its kind in the setting, and adjusted (`ranks.rasch`): what it would have scored on all instances of the
setting. Models are compared with models: what programs have played changes no figure of theirs.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from perennial.schemas.rows import Row
from perennial.schemas.statistics.board import PROGRAMS, group_player, order_board
from perennial.schemas.statistics.measure import Floor
from perennial.schemas.statistics.populations import NEW_DOMAINS, THESE_DOMAINS
from perennial.tasks.statistics.cells import ALL, Grid
from perennial.tasks.statistics.cluster_intervals import SHARE_METHOD
from perennial.tasks.statistics.figure import Figure
from perennial.tasks.statistics.figures.rate_figures import rates_in_units
from perennial.tasks.statistics.multiplicity import Kind
from perennial.tasks.statistics.populations import Bounds, bound_share
from perennial.tasks.statistics.ranks import rasch
from perennial.tasks.statistics.ranks.patterns import group_patterns
from perennial.tasks.statistics.ranks.rank_intervals import METHOD as PLACE_METHOD
from perennial.tasks.statistics.ranks.rank_intervals import rank_players
from perennial.tasks.statistics.ranks.rasch import fit_rasch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from perennial.tasks.statistics.cells import Numbers

FEWEST = 100
"""Enough instances to decide what is common, unless half of what some player has is fewer."""
_TIE = 1e-9
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

    players: "NDArray[np.bool_]"
    instances: "NDArray[np.bool_]"
    enough: float


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Each player's adjusted rate, and its standard error by instance and by domain; nan: undefined."""

    rates: "Numbers"
    errors: "Numbers"
    domain_errors: "Numbers"


def rank_figures(grid: Grid, kind: Kind) -> Iterator[Figure]:
    """Yield `common_rate`, `adjusted_rate`, its standard errors and `rank` of each player of a setting.

    Enough instances are 100, or half of what some player of the kind has where that is fewer. The common
    instances are those of all players of the kind that have enough. Equal players share a rank. Programs are
    lines of reference, and have none.
    """
    adjusted, linked = adjust_rates(grid), find_linked(grid)
    n_all = int((grid.runs > 0).any(axis=0).sum())
    for number, player in enumerate(grid.players):
        of = (grid.setting, ALL, player)
        yield Figure("adjusted_rate", *of, n_all, _round_defined(adjusted.rates[number]), rasch.METHOD)
        for clusters, errors in (("instances", adjusted.errors), ("domains", adjusted.domain_errors)):
            error, method = _round_defined(errors[number]), _ERROR.format(clusters)
            yield Figure(
                *("adjusted_rate_se", *of, n_all, error, method),
                convention=clusters,
                population=NEW_DOMAINS if clusters == "domains" else THESE_DOMAINS,
            )
    for name, rows in rows_by_kind(grid, kind).items():
        players = tuple(grid.players[row] for row in rows)
        alike = replace(grid, players=players, runs=grid.runs[rows], solved=grid.solved[rows])
        common = find_common(alike.runs > 0)
        rates, bounds = _common_rates(alike, common.players, common.instances)
        ranks = [] if name == PROGRAMS else rank_players(alike, adjusted.rates[rows], linked[rows])
        for number, player in enumerate(players):
            of = (grid.setting, ALL, player)
            n = int(common.instances.sum()) if common.players[number] else 0
            rate = _round_defined(rates[number])
            yield Figure("common_rate", *of, n, rate, COMMON_METHOD, **bounds[number]._asdict())
        for number, rank in enumerate(ranks):
            own, method = int((alike.runs[number] > 0).sum()), _RANK.format(name, PLACE_METHOD)
            of = (grid.setting, ALL, players[number])
            if rank is None:
                yield Figure("rank", *of, own, None, method)
            else:
                by = "adjusted" if rank.is_adjusted else "shared"
                yield Figure("rank", *of, own, rank.value, method, by, low=rank.low, high=rank.high)


def rows_by_kind(grid: Grid, kind: Kind) -> "dict[str, NDArray[np.intp]]":
    """Return the rows of the grid that hold the players of each kind."""
    import numpy as np

    kinds = [kind(player) for player in grid.players]
    return {
        name: np.flatnonzero([player_kind == name for player_kind in kinds]) for name in sorted(set(kinds))
    }


def place_figures(figures: Iterable[Figure], kind: Kind, floor: Floor | None) -> list[Figure]:
    """Return each player's `place` on the leaderboard of its setting, by its figures; the convention says
    its group.
    """
    boards: dict[str, dict[str, Row]] = {}
    for one in figures:
        if one.statistic in ("rank", "success_rate") and one.domain == ALL and not one.other:
            row = boards.setdefault(one.setting, {}).setdefault(one.player, {"player": one.player})
            row[one.statistic] = one.value
            row["player_group"] = group_player(one.player, kind(one.player), floor)
    return [
        Figure("place", setting, ALL, row["player"], len(rows), place, _PLACE, convention=row["player_group"])
        for setting, rows in boards.items()
        for place, row in enumerate(order_board(rows.values()), 1)
    ]


def find_common(seen: "NDArray[np.bool_]") -> Common:
    """Return what is common of `seen`: whether the player of a row has the instance of a column.

    Enough instances are 100, or half of what some player has where that is fewer. A player that has none is
    never among the players.
    """
    own = seen.sum(axis=1)
    enough = min(FEWEST, int(own.max()) / 2)
    is_ranked = (own >= enough) & (own > 0)
    return Common(is_ranked, seen[is_ranked].all(axis=0), enough)


def _common_rates(
    grid: Grid, is_ranked: "NDArray[np.bool_]", is_common: "NDArray[np.bool_]"
) -> "tuple[Numbers, list[Bounds]]":
    """Return each player's rate on the common instances, nan for those not ranked, and its bounds."""
    import numpy as np

    rates = np.full(len(is_ranked), np.nan)
    bounds = [Bounds()] * len(is_ranked)
    n = int(is_common.sum())
    if not n:
        return rates, bounds
    runs, solved = (column[is_ranked][:, is_common] for column in (grid.runs, grid.solved))
    scaled, unit = rates_in_units(solved.ravel(), runs.ravel())
    sums = scaled.reshape(runs.shape)
    rates[is_ranked] = sums.sum(axis=1) / unit / n
    place = grid.cluster[is_common], grid.domain[is_common]
    for row, number in enumerate(np.flatnonzero(is_ranked)):
        played = float(runs[row].sum())
        bounds[number] = bound_share(sums[row] / unit, played, *place, grid.population)
    return rates, bounds


def adjust_rates(grid: Grid) -> Adjusted:
    """Return what each player would score on all instances of the setting that some player has.

    A player that has them all keeps its own rate exactly. Players that no chain of shared domains links to
    most others cannot be compared with them: their adjusted rate is undefined.
    """
    import numpy as np

    domain = grid.domain
    linked = find_linked(grid)
    kept = (grid.runs[linked] > 0).any(axis=0)
    _, stratum = np.unique(domain[kept], return_inverse=True)
    fitted = fit_rasch(group_patterns(grid.runs[linked][:, kept], grid.solved[linked][:, kept], stratum))
    found = Adjusted(*(np.full(len(linked), np.nan) for _ in range(3)))
    if fitted is not None:
        found.rates[linked] = fitted.rates
        found.errors[linked] = np.sqrt(np.diag(fitted.rate_covariance))
        if fitted.rate_cluster_covariance is not None:
            found.domain_errors[linked] = np.sqrt(np.diag(fitted.rate_cluster_covariance))
    return found


def find_linked(grid: Grid) -> "NDArray[np.bool_]":
    """Return which players the largest set holds whose members are linked by chains of shared domains.

    Instances of one domain are draws from one distribution, so two players need not share any of them. Of
    two sets of one size, the one with the first player counts.
    """
    import numpy as np
    from scipy.sparse.csgraph import connected_components

    seen, starts = grid.runs > 0, grid.domains.starts
    plays = np.stack([seen[:, a:b].any(axis=1) for a, b in pairwise(starts)], axis=1)
    _, parts = connected_components(plays @ plays.T, directed=False)
    is_largest: NDArray[np.bool_] = parts == np.argmax(np.bincount(parts))
    return is_largest


def _round_defined(value: float) -> float | None:
    # Digits beyond the twelfth differ with the order of adding.
    return None if value != value else round(float(value), 12)
