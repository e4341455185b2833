"""Means over items with intervals in which a rule counts once: its items are no independent draws."""

from typing import TYPE_CHECKING, NamedTuple

from perennial.tasks.statistics.cluster_intervals import GAP_METHOD as SHARED_GAP_METHOD
from perennial.tasks.statistics.cluster_intervals import SHARE_METHOD, gap_interval, share_interval
from perennial.tasks.statistics.clusters import Draw, estimate_ratio
from perennial.tasks.statistics.intervals import Interval

if TYPE_CHECKING:
    from perennial.tasks.statistics.cells import Column, Numbers

METHOD = f"mean over items of the mean over scored runs; rules are clusters: {SHARE_METHOD}"
GAP_METHOD = (
    "mean over pairs of an item and its copy of the difference of their rates; rules are clusters: "
    f"{SHARED_GAP_METHOD}"
)


class Estimate(NamedTuple):
    """A mean over `n` items or pairs with its 95% interval, None where that is undefined."""

    n: int
    value: float
    interval: Interval | None


def estimate_share(rates: "Numbers", rules: "Column", runs: float) -> Estimate | None:
    """Return the mean of rates in 0..1, one per item, whose rules have these numbers; None without any.

    `runs` are those of all items together.
    """
    import numpy as np

    if not len(rates):
        return None
    found = estimate_ratio(rates, np.ones(len(rates)), _by_rule(rules))
    return Estimate(len(rates), found.ratio, share_interval(found, runs))


def estimate_gap(gaps: "Numbers", rules: "Column") -> Estimate | None:
    """Return the mean of differences in -1..1, one per pair, of rules with these numbers, or None."""
    import numpy as np

    if not len(gaps):
        return None
    found = estimate_ratio(gaps, np.ones(len(gaps)), _by_rule(rules))
    return Estimate(len(gaps), found.ratio, gap_interval(found, float((gaps**2).mean())))


def _by_rule(rules: "Column") -> Draw:
    import numpy as np

    return Draw(np.unique(rules, return_inverse=True)[1])
