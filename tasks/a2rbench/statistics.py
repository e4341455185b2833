"""Figures of players on an edition of A2RBench."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from perennial.schemas.a2rbench.things import DOMAINS, RULE_TYPES, SETTINGS, SHAPES, name_domain
from perennial.tasks.a2rbench.measures import Diversity, diversity_of
from perennial.tasks.statistics.cells import ALL, Column, Numbers
from perennial.tasks.statistics.clusters import GAP_METHOD as SHARED_GAP_METHOD
from perennial.tasks.statistics.clusters import (
    ONE_CLUSTER,
    SHARE_METHOD,
    ClusterDraw,
    Estimate,
    Interval,
    estimate_ratio,
    gap_interval,
    share_interval,
)
from perennial.tasks.statistics.correlation import PEARSON_METHOD, pearson
from perennial.tasks.statistics.multiplicity import Statistic

# The augmentation curve (section 4.4 and table 7): wrong answers and compression from V0 to V9.

# What is said of the wrong answers to an item, by the statistic that its mean is.
WRONG = {
    "wrong_distinct": "number of distinct wrong answers",
    "wrong_entropy": "Shannon entropy in bits of the wrong answers",
    "wrong_to_truth": "mean edit distance of wrong answers to the truth",
    "wrong_to_each_other": "mean of 100 - ratio over pairs of distinct wrong answers",
}
_FIELDS = dict(zip(WRONG, Diversity._fields, strict=True))
BY_VARIATION = "accuracy_by_variation"
WITH_ACCURACY, WITH_ENTROPY = "compression_accuracy", "compression_entropy"


def curve_figures(
    items: "EditionItems", everybody: "Sequence[PlayedItems]", pooled: "Sequence[PlayedItems]"
) -> Iterator[Statistic]:
    """Yield the diversity of wrong answers by variation, and correlations with the compression of inputs.

    Wrong answers to an item are those of all `pooled` players and runs together: one player alone gives
    too few. Correlations are over variations; player `all` is the mean over the pooled players.
    """
    places = variations_of(items)
    if not everybody:
        return
    entropies: list[float | None] = []
    for variation, rows in places.items():
        by_rule = [
            diversity_of(
                [answer for played in pooled for answer in played.wrong.get(row, ())], items.truth[row]
            )
            for row in rows
            if any(played.wrong.get(row) for played in pooled)
        ]
        for statistic, what in WRONG.items():
            points = [value for curve in by_rule if (value := getattr(curve, _FIELDS[statistic])) is not None]
            value = sum(points) / len(points) if points else None
            if statistic == "wrong_entropy":
                entropies.append(value)
            method = f"{what}, all players and runs together: mean over items with any; n counts these"
            yield Statistic(statistic, ALL, ALL, ALL, len(points), value, method, other=f"V{variation}")
    compression = [sum(float(items.gzip[row]) for row in rows) / len(rows) for rows in places.values()]
    curves = {played.player: [_accuracy(played, rows) for rows in places.values()] for played in everybody}
    yield _correlation(WITH_ENTROPY, ALL, compression, entropies)
    means = [_mean([curves[played.player][at] for played in pooled]) for at in range(len(places))]
    for (variation, rows), mean in zip(places.items(), means, strict=True):
        method = f"unweighted mean of their {BY_VARIATION}; n counts items"
        other = f"V{variation}"
        yield Statistic(f"mean_{BY_VARIATION}", ALL, ALL, ALL, len(rows), mean, method, other=other)
    for player, values in {ALL: means, **curves}.items():
        yield _correlation(WITH_ACCURACY, player, compression, values)


def variations_of(items: "EditionItems") -> dict[int, list[int]]:
    """Return the places of the items of each variation, without copies."""
    rows_by_variation: dict[int, list[int]] = {}
    for row, (variation, original) in enumerate(zip(items.variation, items.original, strict=True)):
        if original < 0:
            rows_by_variation.setdefault(int(variation), []).append(row)
    return dict(sorted(rows_by_variation.items()))


def _accuracy(played: "PlayedItems", rows: Sequence[int]) -> float | None:
    runs, solved = played.counts["runs"], played.counts["solved"]
    return _mean([float(solved[row] / runs[row]) for row in rows if runs[row]])


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None


def _correlation(
    statistic: str, player: str, compression: Sequence[float], values: Sequence[float | None]
) -> Statistic:
    correlation = pearson(compression, values)
    method = (
        f"over variations, with the mean gzip ratio of their items: {PEARSON_METHOD}; n counts variations"
    )
    made = Statistic(statistic, ALL, ALL, player, correlation.n, correlation.r, method)
    return made._replace(low=correlation.low, high=correlation.high, p_value=correlation.p_value)


# Means over items with intervals in which a rule counts once: its items are no independent draws.

METHOD = f"mean over items of the mean over scored runs; rules are clusters: {SHARE_METHOD}"
GAP_METHOD = (
    "mean over pairs of an item and its copy of the difference of their rates; rules are clusters: "
    f"{SHARED_GAP_METHOD}"
)


class ItemMean(NamedTuple):
    """A mean over `n` items or pairs with its 95% interval, None where that is undefined."""

    n: int
    value: float
    interval: Interval | None


def estimate_share(rates: Numbers, rules: Column, runs: float) -> ItemMean | None:
    """Return the mean of rates in 0..1, one per item, whose rules have these numbers; None without any.

    `runs` are those of all items together.
    """
    ratio = _ratio_by_rule(rates, rules)
    return None if ratio is None else ItemMean(len(rates), ratio.ratio, share_interval(ratio, runs))


def estimate_gap(gaps: Numbers, rules: Column) -> ItemMean | None:
    """Return the mean of differences in -1..1, one per pair, of rules with these numbers, or None."""
    ratio = _ratio_by_rule(gaps, rules)
    if ratio is None:
        return None
    return ItemMean(len(gaps), ratio.ratio, gap_interval(ratio, float((gaps**2).mean())))


def _ratio_by_rule(values: Numbers, rules: Column) -> Estimate | None:
    by_rule = ClusterDraw(np.unique(rules, return_inverse=True)[1])
    return estimate_ratio(values, np.ones(len(values)), by_rule) if len(values) else None


# What figures are computed from: the items of an edition, and what each player made of them.


@dataclass(frozen=True, slots=True)
class EditionItems:
    """The items of an edition, an element each. `original` is the place of an item's original, -1 for none.

    `rule` holds numbers of rules, `truth` right answers as texts.
    """

    rule: Column
    type: Column
    dimension: Column
    variation: Column
    author: Column
    original: Column
    gzip: Numbers
    truth: list[str]

    def __len__(self) -> int:
        return len(self.rule)


class PlayedItems(NamedTuple):
    """What a player did: counts (`COUNTS`), one element per item, and its wrong answers by item's place."""

    player: str
    counts: Mapping[str, Column]
    wrong: Mapping[int, list[str]]


# Figures of players by type, dimension, variation and author, and of the same items in other tokens.
#
# `setting` is `all` for the items P0 (seed and augmented), else seed, augmented or remapped (P1, in no figure
# of `all`). `domain` is a cell of the grid. `other` is a type or a shape where all cells of it are meant.

ACCURACY, COLLAPSE, DELTA = "item_accuracy", "collapse_rate", "delta_s"
STRICT = "strict_accuracy"
BY_AUTHOR = "accuracy_by_author"
# Over originals and copies together, as the paper counts (tables 1, 4, 5 and 8).
PAPER = "paper_accuracy"
PHASES = ("seed", "standard", "edge", "complex")
COUNTS = ("runs", "solved", "collapsed", "strict")
_WHAT = {
    "solved": "share of scored runs whose answer is exactly right",
    "collapsed": "share of scored runs without a usable answer",
    "strict": "share of scored runs whose answer is exactly right, in strict JSON of the form asked for",
}


class _ItemGroup(NamedTuple):
    statistic: str
    setting: str
    domain: str
    other: str
    rows: Column


def item_figures(
    items: EditionItems, players: Iterable[PlayedItems], programs: Iterable[str]
) -> Iterator[Statistic]:
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
    program_names = set(programs)
    models = [played for played in everybody if played.player not in program_names]
    yield from curve_figures(items, everybody, models or everybody)


def _groups(items: EditionItems) -> Iterator[_ItemGroup]:
    is_copy = items.original >= 0
    of_setting = {
        ALL: ~is_copy,
        "seed": ~is_copy & (items.variation == 0),
        "augmented": ~is_copy & (items.variation > 0),
        "remapped": is_copy,
    }
    assert set(of_setting) == {ALL, *SETTINGS}
    types = {type_: items.type == type_ for type_ in RULE_TYPES}
    shapes = {shape: items.dimension == number for number, shape in enumerate(SHAPES, start=1)}
    cells = {(ALL, ""): np.ones(len(items), dtype=bool)}
    cells |= {(ALL, other): rows for other, rows in (types | shapes).items()}
    for number, in_shape in enumerate(shapes.values(), start=1):
        cells |= {(name_domain(number, type_), ""): in_shape & types[type_] for type_ in RULE_TYPES}
    for setting, chosen in of_setting.items():
        for (domain, other), in_cell in cells.items():
            if (chosen & in_cell).any():
                yield _ItemGroup(ACCURACY, setting, domain, other, np.flatnonzero(chosen & in_cell))
    for variation in np.unique(items.variation[~is_copy]).tolist():
        rows = np.flatnonzero(~is_copy & (items.variation == variation))
        yield _ItemGroup(BY_VARIATION, ALL, ALL, f"V{variation}", rows)
    for author in np.unique(items.author[~is_copy]).tolist():
        rows = np.flatnonzero(~is_copy & (items.author == author))
        yield _ItemGroup(BY_AUTHOR, ALL, ALL, author, rows)
    yield from _paper_groups(items)


def _paper_groups(items: EditionItems) -> Iterator[_ItemGroup]:
    """Yield the items by dimension, phase and author, and all that the paper counts with its copies."""
    is_copy, everything = items.original >= 0, np.ones(len(items), dtype=bool)
    shapes = {shape: items.dimension == number for number, shape in enumerate(SHAPES, start=1)}
    parts = {"": everything, "seed": items.variation == 0, "augmented": items.variation > 0, **shapes}
    for type_ in RULE_TYPES:
        parts[type_] = items.type == type_
    groups = [(PAPER, other, rows) for other, rows in parts.items()]
    # The three strategies of variations (section 4.2), V1 to V3, V4 to V6 and V7 to V9, beside the seeds.
    phases = {name: (items.variation + 2) // 3 == number for number, name in enumerate(PHASES)}
    authors = {author: items.author == author for author in np.unique(items.author).tolist()}
    groups += [(f"{BY_AUTHOR}_{phase}", ALL, rows & ~is_copy) for phase, rows in phases.items()]
    for author, written in authors.items():
        for part, in_part in {**shapes, **phases}.items():
            rows = in_part & written
            groups.append((f"{BY_AUTHOR}_{part}", author, rows & ~is_copy))
            if part in shapes:
                groups.append((f"paper_{BY_AUTHOR}_{part}", author, rows))
    for statistic, other, rows in groups:
        if rows.any():
            yield _ItemGroup(statistic, ALL, ALL, other, np.flatnonzero(rows))


def rates(played: PlayedItems, rows: Column, column: str) -> tuple[Column, Numbers]:
    """Return those of the rows that the player has a scored run on, and the share of its runs on each."""
    runs = played.counts["runs"][rows]
    played_rows = rows[runs > 0]
    return played_rows, played.counts[column][played_rows] / runs[runs > 0]


def _share(items: EditionItems, played: PlayedItems, group: _ItemGroup, column: str) -> Iterator[Statistic]:
    rows, values = rates(played, group.rows, column)
    estimate = estimate_share(values, items.rule[rows], float(played.counts["runs"][rows].sum()))
    if estimate is not None:
        yield _figure(group, played.player, estimate, f"{_WHAT[column]}: {METHOD}; n counts items")


def _deltas(items: EditionItems, played: PlayedItems) -> Iterator[Statistic]:
    """Yield accuracy of P0 minus P1 on the items that the player has runs on in both."""
    runs, solved = played.counts["runs"], played.counts["solved"]
    copies = np.flatnonzero(items.original >= 0)
    copies = copies[(runs[copies] > 0) & (runs[items.original[copies]] > 0)]
    originals = items.original[copies]
    gaps = solved[originals] / runs[originals] - solved[copies] / runs[copies]
    for domain in (ALL, *DOMAINS):
        names = zip(items.dimension[copies], items.type[copies], strict=True)
        inside = np.array([domain in (ALL, name_domain(*name)) for name in names], dtype=bool)
        mean = estimate_gap(gaps[inside], items.rule[copies[inside]])
        if mean is not None:
            group = _ItemGroup(DELTA, "remapped", domain, "", copies)
            yield _figure(group, played.player, mean, f"accuracy of P0 - P1: {GAP_METHOD}; n counts pairs")


def _figure(group: _ItemGroup, player: str, estimate: ItemMean, method: str) -> Statistic:
    low, high = estimate.interval or (None, None)
    labels = group.statistic, group.setting, group.domain, player
    why = ONE_CLUSTER if estimate.interval is None else None
    return Statistic(
        *labels, estimate.n, estimate.value, method, other=group.other, low=low, high=high, no_interval=why
    )
