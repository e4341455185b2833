"""Two versions of the same questions: how much better a player does on the usual one, instance by instance.

Only instances on which the player has scored runs of both versions count, each by the difference of its two
means over runs: what the instance asks, and how hard it is, drops out.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from schemas.populations import Population
from tasks.statistics.cells import ALL, Domains
from tasks.statistics.cluster_intervals import GAP_METHOD
from tasks.statistics.figure import Figure
from tasks.statistics.populations import bound_gap
from tasks.statistics.rate_figures import rates_in_units

if TYPE_CHECKING:
    from tasks.statistics.cells import Column

_DIFFERENCE = (
    "mean over instances with scored runs of both versions of success rate on the usual one - on the other; "
    f"{GAP_METHOD}; n counts instances"
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

    `usual` and `other` are the player's cells (`tasks.statistics.cells.Cells`) on the two versions.
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
