"""Of which population a group's figure is, and what is drawn again in it."""

from typing import TYPE_CHECKING, NamedTuple

from perennial.schemas.statistics.populations import NEW_DOMAINS, THESE_DOMAINS, Population
from perennial.tasks.statistics.cluster_intervals import ONE_CLUSTER, gap_interval, share_interval
from perennial.tasks.statistics.clusters import Draw, estimate_ratio

if TYPE_CHECKING:
    from perennial.tasks.statistics.cells import Column, Numbers


def headline(cluster: "Column", domain: "Column", widest: Population) -> tuple[Draw, Population]:
    """Return how a figure over these instances is drawn again in the widest population that they show.

    With new domains the clusters are drawn. Where they are one, or the domains are the definition, instances
    are drawn in these domains, those of a cluster together.
    """
    if widest == NEW_DOMAINS:
        if bool((cluster != cluster[0]).any()):
            return Draw(cluster), NEW_DOMAINS
        return Draw(), THESE_DOMAINS
    return Draw(cluster, domain), THESE_DOMAINS


def within(cluster: "Column") -> Draw:
    """Return how instances are drawn again in clusters that stay: `these domains` of drawn domains."""
    return Draw(None, cluster)


class Bounds(NamedTuple):
    """An interval with the population that it is of, or why there is none."""

    low: float | None = None
    high: float | None = None
    population: Population | None = None
    no_interval: str | None = None


def bound_gap(gaps: "Numbers", cluster: "Column", domain: "Column", widest: Population) -> Bounds:
    """Return the bounds of a mean of differences in -1..1, one per instance; there is at least one."""
    draw, population = headline(cluster, domain, widest)
    estimate = estimate_ratio(gaps, gaps * 0 + 1, draw)
    interval = gap_interval(estimate, float((gaps**2).mean()))
    return Bounds(no_interval=ONE_CLUSTER) if interval is None else Bounds(*interval, population)


def bound_share(
    rates: "Numbers", runs: float, cluster: "Column", domain: "Column", widest: Population
) -> Bounds:
    """Return the bounds of a mean of shares, one per instance; there is at least one."""
    draw, population = headline(cluster, domain, widest)
    return Bounds(*share_interval(estimate_ratio(rates, rates * 0 + 1, draw), runs), population)
