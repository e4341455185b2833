"""What a player's knowledge is worth: its success on true domains minus that on their counterfactuals."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from perennial.schemas.kumo.things import COUNTERFACTUAL
from perennial.tasks.statistics.cells import ALL, Cells
from perennial.tasks.statistics.cluster_intervals import GAP_METHOD
from perennial.tasks.statistics.figure import Figure
from perennial.tasks.statistics.figures.rate_figures import rates_in_units
from perennial.tasks.statistics.populations import bound_gap

if TYPE_CHECKING:
    from perennial.tasks.statistics.cells import Numbers

STATISTIC = "counterfactual_gap"
_METHOD = (
    "mean difference of success rates, true domain minus counterfactual one, over pairs of scored instances, "
    f"the first of one with the first of the other, and so on; {GAP_METHOD}; n counts pairs"
)


def counterfactual_figures(cells: Cells) -> Iterator[Figure]:
    """Yield `counterfactual_gap` of each player: over all true domains with a counterfactual, and in each.

    The two domains' instances are independent draws in an order that tells nothing, so that pairs of them
    differ by as much as their means do. Where API errors ended more episodes in one of the two, what is left
    of the other has no pair.
    """
    import numpy as np

    names = set(cells.domains.names)
    true_domains = [name for name in cells.domains.names if name + COUNTERFACTUAL in names]
    for group in cells.groups() if true_domains else ():
        if group.domain != ALL:
            continue
        rates = {name: _rates(cells, rows) for name, rows in cells.by_domain(group.rows)}
        gaps: dict[str, Numbers] = {}
        for name in true_domains:
            one, other = rates.get(name, np.zeros(0)), rates.get(name + COUNTERFACTUAL, np.zeros(0))
            n = min(len(one), len(other))
            if n:
                gaps[name] = one[:n] - other[:n]
        if not gaps:
            continue
        place = np.repeat(np.arange(len(gaps)), [len(gap) for gap in gaps.values()])
        whole = np.concatenate(list(gaps.values()))
        one_place = ((name, gap, np.zeros(len(gap), np.int64)) for name, gap in gaps.items())
        for name, gap, pair in ((ALL, whole, place), *one_place):
            of = (cells.setting, name, group.player, len(gap), float(gap.mean()))
            bounds = bound_gap(gap, pair, pair, cells.population)
            yield Figure(STATISTIC, *of, _METHOD, **bounds._asdict())


def _rates(cells: Cells, rows: slice) -> "Numbers":
    """Return the success rates of the scored instances, in the order of the instances."""
    scored = cells["runs"][rows] > 0
    rates, unit = rates_in_units(cells["solved"][rows][scored], cells["runs"][rows][scored])
    return rates / unit
