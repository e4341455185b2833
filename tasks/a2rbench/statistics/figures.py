"""Figures of players by type, dimension, variation and author, and of the same items in other tokens.

`setting` is `all` for the items P0 (seed and augmented), else seed, augmented or remapped (P1, in no figure
of `all`). `domain` is a cell of the grid. `other` is a type or a shape where all cells of it are meant.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from perennial.schemas.a2rbench.item import DOMAINS, RULE_TYPES, SETTINGS, SHAPES, name_domain
from perennial.tasks.a2rbench.statistics.curve import BY_VARIATION, curve_figures
from perennial.tasks.a2rbench.statistics.estimates import (
    GAP_METHOD,
    METHOD,
    Estimate,
    estimate_gap,
    estimate_share,
)
from perennial.tasks.a2rbench.statistics.played import Items, Played
from perennial.tasks.statistics.cells import ALL
from perennial.tasks.statistics.cluster_intervals import ONE_CLUSTER
from perennial.tasks.statistics.figure import Figure

if TYPE_CHECKING:
    from perennial.tasks.statistics.cells import Column, Numbers

ACCURACY, COLLAPSE, DELTA = "item_accuracy", "collapse_rate", "delta_s"
STRICT = "strict_accuracy"
BY_AUTHOR = "accuracy_by_author"
# Over originals and copies together, as the paper counts (tables 1, 4, 5 and 8).
PAPER = "paper_accuracy"
COUNTS = ("runs", "solved", "collapsed", "strict")
_WHAT = {
    "solved": "share of scored runs whose answer is exactly right",
    "collapsed": "share of scored runs without a usable answer",
    "strict": "share of scored runs whose answer is exactly right, in strict JSON of the form asked for",
}


class _Group(NamedTuple):
    statistic: str
    setting: str
    domain: str
    other: str
    rows: "Column"


def item_figures(items: Items, players: Iterable[Played], programs: Iterable[str]) -> Iterator[Figure]:
    """Yield all figures; those of all players together are of models where there are any."""
    everybody = list(players)
    groups = list(_groups(items))
    for played in everybody:
        for group in groups:
            yield from _share(items, played, group, "solved")
            if group.statistic == ACCURACY:
                yield from _share(items, played, group._replace(statistic=COLLAPSE), "collapsed")
                yield from _share(items, played, group._replace(statistic=STRICT), "strict")
        yield from _deltas(items, played)
    known = set(programs)
    models = [played for played in everybody if played.player not in known]
    yield from curve_figures(items, everybody, models or everybody)


def _groups(items: Items) -> Iterator[_Group]:
    """Yield the items that figures are of; empty groups not."""
    import numpy as np

    is_copy = items.original >= 0
    of_setting = {
        ALL: ~is_copy,
        "seed": ~is_copy & (items.variation == 0),
        "augmented": ~is_copy & (items.variation > 0),
        "remapped": is_copy,
    }
    assert set(of_setting) == {ALL, *SETTINGS}
    for setting, chosen in of_setting.items():
        parts = [(ALL, "", chosen)]
        parts += [(ALL, type_, chosen & (items.type == type_)) for type_ in RULE_TYPES]
        parts += [
            (ALL, shape, chosen & (items.dimension == number)) for number, shape in enumerate(SHAPES, start=1)
        ]
        parts += [
            (name_domain(number, type_), "", chosen & (items.type == type_) & (items.dimension == number))
            for number in range(1, len(SHAPES) + 1)
            for type_ in RULE_TYPES
        ]
        for domain, other, rows in parts:
            if rows.any():
                yield _Group(ACCURACY, setting, domain, other, np.flatnonzero(rows))
    for variation in np.unique(items.variation[~is_copy]).tolist():
        rows = np.flatnonzero(~is_copy & (items.variation == variation))
        yield _Group(BY_VARIATION, ALL, ALL, f"V{variation}", rows)
    for author in np.unique(items.author[~is_copy]).tolist():
        rows = np.flatnonzero(~is_copy & (items.author == author))
        yield _Group(BY_AUTHOR, ALL, ALL, author, rows)
    yield from _paper_groups(items)


def _paper_groups(items: Items) -> Iterator[_Group]:
    """Yield the items by dimension and author (table 5), and all that the paper counts with its copies."""
    import numpy as np

    is_copy, everything = items.original >= 0, np.ones(len(items), dtype=bool)
    shapes = {shape: items.dimension == number for number, shape in enumerate(SHAPES, start=1)}
    parts = {"": everything, "seed": items.variation == 0, "augmented": items.variation > 0, **shapes}
    for type_ in RULE_TYPES:
        parts[type_] = items.type == type_
    found = [(PAPER, other, rows) for other, rows in parts.items()]
    for author in np.unique(items.author).tolist():
        for shape, of_shape in shapes.items():
            rows = of_shape & (items.author == author)
            found += [
                (f"{BY_AUTHOR}_{shape}", author, rows & ~is_copy),
                (f"paper_{BY_AUTHOR}_{shape}", author, rows),
            ]
    for statistic, other, rows in found:
        if rows.any():
            yield _Group(statistic, ALL, ALL, other, np.flatnonzero(rows))


def rates(played: Played, rows: "Column", column: str) -> "tuple[Column, Numbers]":
    """Return those of the rows that the player has a scored run on, and the share of its runs on each."""
    runs = played.counts["runs"][rows]
    known = rows[runs > 0]
    return known, played.counts[column][known] / runs[runs > 0]


def _share(items: Items, played: Played, group: _Group, column: str) -> Iterator[Figure]:
    rows, values = rates(played, group.rows, column)
    found = estimate_share(values, items.rule[rows], float(played.counts["runs"][rows].sum()))
    if found is not None:
        yield _figure(group, played.player, found, f"{_WHAT[column]}: {METHOD}; n counts items")


def _deltas(items: Items, played: Played) -> Iterator[Figure]:
    """Yield accuracy of P0 minus P1 on the items that the player has runs on in both."""
    import numpy as np

    runs, solved = played.counts["runs"], played.counts["solved"]
    copies = np.flatnonzero(items.original >= 0)
    copies = copies[(runs[copies] > 0) & (runs[items.original[copies]] > 0)]
    originals = items.original[copies]
    gaps = solved[originals] / runs[originals] - solved[copies] / runs[copies]
    for domain in (ALL, *DOMAINS):
        names = zip(items.dimension[copies], items.type[copies], strict=True)
        inside = np.array([domain in (ALL, name_domain(*name)) for name in names], dtype=bool)
        found = estimate_gap(gaps[inside], items.rule[copies[inside]])
        if found is not None:
            group = _Group(DELTA, "remapped", domain, "", copies)
            yield _figure(group, played.player, found, f"accuracy of P0 - P1: {GAP_METHOD}; n counts pairs")


def _figure(group: _Group, player: str, estimate: Estimate, method: str) -> Figure:
    low, high = estimate.interval or (None, None)
    place = group.statistic, group.setting, group.domain, player
    why = ONE_CLUSTER if estimate.interval is None else None
    return Figure(
        *place, estimate.n, estimate.value, method, other=group.other, low=low, high=high, no_interval=why
    )
