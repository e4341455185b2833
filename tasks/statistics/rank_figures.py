"""Fair ranks: players compared on the instances that all of them have, or by rates adjusted for the others.

A player that met only some instances may have met the easy ones, so that its own rate says nothing beside
another's. Three rates a player: on its own instances (`success_rate`), on those common to all players of the
setting, and adjusted (`tasks.statistics.rasch`): what it would have scored on all instances of the setting.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import lcm
from typing import TYPE_CHECKING

from tasks.statistics import rasch
from tasks.statistics.cells import ALL
from tasks.statistics.figure import Figure
from tasks.statistics.intervals import METHOD, intervals_of_sums
from tasks.statistics.patterns import group_patterns
from tasks.statistics.rasch import fit_rasch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

FEWEST = 100
"""Enough instances for a rank, unless half of what some player has is fewer."""
_TIE = 1e-9
_COMMON = f"{METHOD}, over the instances that all players with enough of them have; n counts them"
_ERROR = f"standard error of adjusted_rate, {{}}; {rasch.METHOD}"
_RANK = {
    "common": "place by common_rate; n counts the common instances",
    "adjusted": "place by adjusted_rate, as too few instances are common; n counts instances",
}


@dataclass(frozen=True, slots=True)
class Answers:
    """The scored answers of a setting: each element is one player's answer to one instance.

    `player`, `instance` and `domain` are numbers 0, 1, ... without gaps; `solved` of `runs` runs (1 or more)
    succeeded. No player answers an instance twice.
    """

    player: "Ints"
    instance: "Ints"
    domain: "Ints"
    solved: "Ints"
    runs: "Ints"


def collect_answers(
    players: Sequence[str],
    instances: Sequence[str],
    domains: Sequence[str],
    solved: Sequence[int],
    runs: Sequence[int],
) -> Answers:
    """Return the answers with names turned into numbers, in the order of the names."""
    import numpy as np

    numbers = (
        np.unique(np.asarray(names), return_inverse=True)[1] for names in (players, instances, domains)
    )
    counts = (np.asarray(values, dtype=np.int64) for values in (solved, runs))
    return Answers(*numbers, *counts)


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Each player's adjusted rate, and its standard error by instance and by domain; nan: undefined."""

    rates: "Floats"
    errors: "Floats"
    domain_errors: "Floats"


def rank_figures(setting: str, players: Sequence[str], answers: Answers, seed: int) -> Iterator[Figure]:
    """Yield `common_rate`, `adjusted_rate`, its standard errors and `rank` of each player of a setting.

    Enough instances are 100, or half of what some player has where that is fewer. The common instances are
    those of all players that have enough; where they are enough, the rank goes by the common rate, and else
    by the adjusted one. Equal rates share a place; a player without that rate has no place.
    """
    import numpy as np

    n_instances, n_players = int(answers.instance.max()) + 1, len(players)
    own = np.bincount(answers.player, minlength=n_players)
    enough = min(FEWEST, int(own.max()) / 2)
    is_ranked = own >= enough
    counted = is_ranked[answers.player]
    has = np.bincount(answers.instance[counted], minlength=n_instances)
    kept = counted & (has == is_ranked.sum())[answers.instance]
    n_common = int(kept.sum()) // int(is_ranked.sum())
    # Whole numbers, exact in any order of adding: solved runs times `unit` over the runs.
    unit = lcm(*np.unique(answers.runs).tolist())
    solved, player = (answers.solved * (unit // answers.runs))[kept], answers.player[kept]
    sums = [solved[player == number].astype(np.float64) for number in range(n_players)]
    intervals = intervals_of_sums([(one, np.full(len(one), float(unit))) for one in sums], seed)
    common = np.array([one.sum() / (unit * len(one)) if len(one) else np.nan for one in sums])
    adjusted = adjust_rates(answers)
    ranked_by = "common" if n_common >= enough else "adjusted"
    ranks = _rank(common if ranked_by == "common" else adjusted.rates)
    for number, player_name in enumerate(players):
        of = (setting, ALL, player_name)
        low, high = intervals[number] or (None, None)
        n = len(sums[number])
        yield Figure("common_rate", *of, n, _defined(common[number]), _COMMON, low=low, high=high)
        yield Figure("adjusted_rate", *of, n_instances, _defined(adjusted.rates[number]), rasch.METHOD)
        for clusters, errors in (("instances", adjusted.errors), ("domains", adjusted.domain_errors)):
            value, method = _defined(errors[number]), _ERROR.format(f"clustered by {clusters}")
            yield Figure("adjusted_rate_se", *of, n_instances, value, method, convention=clusters)
        n_behind = n_common if ranked_by == "common" else n_instances
        yield Figure("rank", *of, n_behind, ranks[number], _RANK[ranked_by], convention=ranked_by)


def adjust_rates(answers: Answers) -> Adjusted:
    """Return what each player would score on all instances of the setting, by a Rasch model.

    A player that has them all keeps its own rate exactly. Players that no chain of shared domains links to
    most others cannot be compared with them: their adjusted rate is undefined.
    """
    import numpy as np

    n_players = int(answers.player.max()) + 1
    linked = find_linked(answers.player, answers.domain)
    kept = linked[answers.player]
    numbers = np.cumsum(linked) - 1
    _, instance = np.unique(answers.instance[kept], return_inverse=True)
    _, domain = np.unique(answers.domain[kept], return_inverse=True)
    patterns = group_patterns(
        numbers[answers.player[kept]],
        instance.reshape(-1),
        domain.reshape(-1),
        answers.solved[kept],
        answers.runs[kept],
    )
    fitted = fit_rasch(patterns)
    found = Adjusted(*(np.full(n_players, np.nan) for _ in range(3)))
    if fitted is not None:
        found.rates[linked] = fitted.rates
        found.errors[linked] = np.sqrt(np.diag(fitted.rate_covariance))
        if fitted.rate_cluster_covariance is not None:
            found.domain_errors[linked] = np.sqrt(np.diag(fitted.rate_cluster_covariance))
    return found


def find_linked(player: "Ints", domain: "Ints") -> "NDArray[np.bool_]":
    """Return which players the largest set holds whose members are linked by chains of shared domains.

    Instances of one domain are draws from one distribution, so two players need not share any of them. Of
    two sets of one size, the one with the first player counts.
    """
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n_players, n_nodes = int(player.max()) + 1, int(player.max()) + int(domain.max()) + 2
    links = coo_array(
        (np.ones(len(player), dtype=bool), (player, n_players + domain)), shape=(n_nodes, n_nodes)
    )
    _, parts = connected_components(links, directed=False)
    of_players = parts[:n_players]
    is_largest: NDArray[np.bool_] = of_players == np.argmax(np.bincount(of_players))
    return is_largest


def _rank(rates: "Floats") -> list[float | None]:
    """Return each one's place: 1 + the number of higher rates; None where it is undefined."""
    return [None if rate != rate else 1.0 + float((rates > rate + _TIE).sum()) for rate in rates.tolist()]


def _defined(value: float) -> float | None:
    # Digits beyond the twelfth differ with the order of adding.
    return None if value != value else round(float(value), 12)
