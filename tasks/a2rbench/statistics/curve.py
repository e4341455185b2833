"""The augmentation curve (section 4.4 and table 7): wrong answers and compression from V0 to V9."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from perennial.tasks.a2rbench.measures.diversity import Diversity, diversity_of
from perennial.tasks.statistics.cells import ALL
from perennial.tasks.statistics.correlation import PEARSON_METHOD, pearson
from perennial.tasks.statistics.figure import Figure

if TYPE_CHECKING:
    from perennial.tasks.a2rbench.statistics.played import Items, Played

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
    items: "Items", everybody: "Sequence[Played]", pooled: "Sequence[Played]"
) -> Iterator[Figure]:
    """Yield the diversity of wrong answers by variation, and correlations with the compression of inputs.

    Wrong answers to an item are those of all `pooled` players and runs together: one player alone gives
    too few. Correlations are over variations; player `all` is the mean over the pooled players.
    """
    places = variations_of(items)
    if not everybody:
        return
    entropies: list[float | None] = []
    for variation, rows in places.items():
        found = [
            diversity_of(
                [answer for played in pooled for answer in played.wrong.get(row, ())], items.truth[row]
            )
            for row in rows
            if any(played.wrong.get(row) for played in pooled)
        ]
        for statistic, what in WRONG.items():
            known = [value for each in found if (value := getattr(each, _FIELDS[statistic])) is not None]
            value = sum(known) / len(known) if known else None
            if statistic == "wrong_entropy":
                entropies.append(value)
            method = f"{what}, all players and runs together: mean over items with any; n counts these"
            yield Figure(
                statistic,
                setting=ALL,
                domain=ALL,
                player=ALL,
                n=len(known),
                value=value,
                method=method,
                other=f"V{variation}",
            )
    compression = [sum(float(items.gzip[row]) for row in rows) / len(rows) for rows in places.values()]
    curves = {played.player: [_accuracy(played, rows) for rows in places.values()] for played in everybody}
    yield _correlation(WITH_ENTROPY, ALL, compression, entropies)
    means = [_mean([curves[played.player][at] for played in pooled]) for at in range(len(places))]
    for (variation, rows), mean in zip(places.items(), means, strict=True):
        method = f"unweighted mean of their {BY_VARIATION}; n counts items"
        yield Figure(
            statistic=f"mean_{BY_VARIATION}",
            setting=ALL,
            domain=ALL,
            player=ALL,
            n=len(rows),
            value=mean,
            method=method,
            other=f"V{variation}",
        )
    for player, values in {ALL: means, **curves}.items():
        yield _correlation(WITH_ACCURACY, player, compression, values)


def variations_of(items: "Items") -> dict[int, list[int]]:
    """Return the places of the items of each variation, without copies."""
    found: dict[int, list[int]] = {}
    for row, (variation, original) in enumerate(zip(items.variation, items.original, strict=True)):
        if original < 0:
            found.setdefault(int(variation), []).append(row)
    return dict(sorted(found.items()))


def _accuracy(played: "Played", rows: Sequence[int]) -> float | None:
    runs, solved = played.counts["runs"], played.counts["solved"]
    return _mean([float(solved[row] / runs[row]) for row in rows if runs[row]])


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _correlation(
    statistic: str, player: str, compression: Sequence[float], values: Sequence[float | None]
) -> Figure:
    found = pearson(compression, values)
    method = (
        f"over variations, with the mean gzip ratio of their items: {PEARSON_METHOD}; n counts variations"
    )
    return Figure(
        statistic,
        setting=ALL,
        domain=ALL,
        player=player,
        n=found.n,
        value=found.r,
        method=method,
        low=found.low,
        high=found.high,
        p_value=found.p_value,
    )
