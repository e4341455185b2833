"""Two versions of the same questions: how much better a player does on the usual one, instance by instance.

Only instances on which the player has scored runs of both versions count, each by the difference of its two
means over runs: what the instance asks, and how hard it is, drops out.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING

from perennial.schemas.statistics.populations import Population
from perennial.tasks.statistics.cells import ALL, Domains
from perennial.tasks.statistics.cluster_intervals import GAP_METHOD
from perennial.tasks.statistics.figure import Figure
from perennial.tasks.statistics.figures.rate_figures import rates_in_units
from perennial.tasks.statistics.populations import bound_gap

if TYPE_CHECKING:
    from perennial.tasks.statistics.cells import Column, Numbers

_DIFFERENCE = (
    "mean over instances with scored runs of both versions of success rate on the usual one - on the other; "
    f"{GAP_METHOD}; n counts instances"
)
_PREFERENCE = (
    "half of the mean, over instances with scored runs of both players on both versions, of (success rate on "
    f"the usual one - on the other) of the player - the same of the other player; {GAP_METHOD}; n counts "
    "instances"
)
_RATE = "mean over instances with scored runs of both versions of the mean over runs; n counts instances"


def version_figures(
    setting: str,
    domains: Domains,
    player: str,
    version: str,
    usual: "Mapping[str, Column]",
    other: "Mapping[str, Column]",
    widest: Population,
) -> Iterator[Figure]:
    """Yield `version_difference` and `version_rate` (of the other version) in all domains and in each one.

    `usual` and `other` are the player's cells (`perennial.tasks.statistics.cells.Cells`) on the two versions.
    """
    import numpy as np

    known = {name: cells["runs"] > 0 for name, cells in (("usual", usual), ("other", other))}
    numbers, own, others = np.intersect1d(
        usual["instance"][known["usual"]],
        other["instance"][known["other"]],
        assume_unique=True,
        return_indices=True,
    )
    if not len(numbers):
        return
    solved = np.concatenate([usual["solved"][known["usual"]][own], other["solved"][known["other"]][others]])
    runs = np.concatenate([usual["runs"][known["usual"]][own], other["runs"][known["other"]][others]])
    rates, unit = rates_in_units(solved, runs)
    gaps, shown = rates[: len(numbers)] - rates[len(numbers) :], rates[len(numbers) :]
    edges = np.searchsorted(numbers, domains.starts)
    parts = [(ALL, slice(0, len(numbers)))]
    parts += [
        (domain, slice(int(edges[place]), int(edges[place + 1])))
        for place, domain in enumerate(domains.names)
        if edges[place] < edges[place + 1]
    ]
    cluster = usual["cluster"][known["usual"]][own]
    place = np.searchsorted(domains.starts, numbers, side="right")
    for domain, rows in parts:
        n = rows.stop - rows.start
        of = (setting, domain, player, n)
        bounds = bound_gap(gaps[rows] / unit, cluster[rows], place[rows], widest)
        difference = float(gaps[rows].sum()) / (unit * n)
        yield Figure("version_difference", *of, difference, _DIFFERENCE, other=version, **bounds._asdict())
        yield Figure("version_rate", *of, float(shown[rows].sum()) / (unit * n), _RATE, other=version)


def preference_figures(
    setting: str,
    domains: Domains,
    version: str,
    players: "Mapping[str, tuple[Mapping[str, Column], Mapping[str, Column]]]",
    widest: Population,
) -> Iterator[Figure]:
    """Yield `version_preference` of each two players: how much more the first gains from the usual version.

    `players` has the cells of each player on the usual version and on the other one. Where the first wrote
    the usual version and the second the other one, this is what a player gains from a text of its own. In
    -1..1; `convention` is the version, and the second player has the opposite value.
    """
    import numpy as np

    gaps = {player: _gaps(*cells) for player, cells in sorted(players.items())}
    for (one, (numbers, gap, cluster)), (other, (others, less, _)) in combinations(gaps.items(), 2):
        shared, mine, theirs = np.intersect1d(numbers, others, assume_unique=True, return_indices=True)
        if not len(shared):
            continue
        halves = (gap[mine] - less[theirs]) / 2
        place = np.searchsorted(domains.starts, shared, side="right")
        bounds = bound_gap(halves, cluster[mine], place, widest)
        of = (setting, ALL, one, len(shared), float(halves.mean()), _PREFERENCE, version)
        yield Figure("version_preference", *of, other=other, **bounds._asdict())


def _gaps(usual: "Mapping[str, Column]", other: "Mapping[str, Column]") -> "tuple[Column, Numbers, Column]":
    """Return the instances played in both versions, the differences of success rates, and the clusters."""
    import numpy as np

    one, two = usual["runs"] > 0, other["runs"] > 0
    numbers, own, others = np.intersect1d(
        usual["instance"][one], other["instance"][two], assume_unique=True, return_indices=True
    )
    rates = [cells["solved"][kept] / cells["runs"][kept] for cells, kept in ((usual, one), (other, two))]
    return numbers, rates[0][own] - rates[1][others], usual["cluster"][one][own]
