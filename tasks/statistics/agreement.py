"""How far raters agree: Krippendorff's alpha, with an interval."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from perennial.schemas.ids import derive_seed
from perennial.schemas.rows import Row
from perennial.tasks.statistics.cells import ALL, Numbers
from perennial.tasks.statistics.clusters import FEW, LEVEL, Interval, exact_interval
from perennial.tasks.statistics.multiplicity import Statistic

# Krippendorff's alpha for nominal data: how far raters agree beyond chance, missing values allowed.
#
# K. Krippendorff, Content Analysis, 3rd edition (2013), section 12.3. Units are what is rated. In a unit with
# m >= 2 values each of the m (m - 1) ordered pairs of values of different raters counts 1 / (m - 1), so that
# the unit counts m; units with fewer values count nothing. With o_cc the pairs of equal values c, n_c the
# values c of all such units and n their number:
#
#     D_o = (n - sum of o_cc) / n        D_e = (n^2 - sum of n_c^2) / (n (n - 1))        alpha = 1 - D_o / D_e
#
# It is undefined where n < 2 or all values are equal: nothing varies.

# Below this, an expected disagreement is 0 but for rounding.
_ROUNDING = 1e-12


class Pairs(NamedTuple):
    """What units count: the pairs of unequal values, and their values by category."""

    unequal: float
    values: Counter[str]


def count_pairs(units: Iterable[Sequence[str | None]]) -> Pairs:
    """Return what the units count, each given as its values by rater, None where a rater gave none."""
    unequal, values = 0.0, Counter[str]()
    for unit in units:
        counts = Counter(value for value in unit if value is not None)
        m = counts.total()
        if m >= 2:
            values += counts
            unequal += m - sum(number * (number - 1) for number in counts.values()) / (m - 1)
    return Pairs(unequal, values)


def nominal_alpha(units: Iterable[Sequence[str | None]]) -> float | None:
    """Return alpha, None where it is undefined."""
    pairs = count_pairs(units)
    counts = np.array([[pairs.values[name] for name in sorted(pairs.values)]], dtype=float)
    (alpha,) = alphas_of(np.array([pairs.unequal]), counts).tolist()
    return None if alpha != alpha else float(alpha)


def alphas_of(unequal: Numbers, values: Numbers) -> Numbers:
    """Return alpha for each row of pairs of unequal values and counts by category, NaN where undefined."""
    n = values.sum(axis=1)
    chances = n**2 - (values**2).sum(axis=1)  # n (n - 1) D_e
    with np.errstate(divide="ignore", invalid="ignore"):
        alphas: Numbers = 1 - (n - 1) * unequal / chances
    return np.where((n > 1) & (chances > _ROUNDING), alphas, np.nan)


# How far analysts agree: Krippendorff's alpha of their categories and styles, with an interval by cluster.

CATEGORY, STYLE = "analyst_agreement_category", "analyst_agreement_style"
RESAMPLES = 2_000
_BLOCK = 100
_METHOD = (
    "Krippendorff's alpha of nominal data between analysts, an episode being a unit; 95% percentile "
    f"bootstrap over clusters, {RESAMPLES:,} resamples; where analysts differ on fewer than {FEW} of them, "
    "1 - D_o / D_e with Clopper-Pearson's ends of the share of clusters for D_o; n counts episodes with two "
    "analyses"
)


class Analyses(NamedTuple):
    """What analysts said of an episode: categories and styles by analyst, in the analysts' order.

    `cluster` is what its question belongs to: the rule of an item, a pair of texts.
    """

    player: str
    cluster: str
    categories: Mapping[str, str]
    styles: Mapping[str, str]


def read_analyses(rows: Iterable[Row]) -> Iterator[Analyses]:
    """Read rows with lists by analyst: `analysts`, `categories` and, where they say some, `styles`."""
    for row in rows:
        analyses = (
            dict(zip(row["analysts"], row[name], strict=True)) if row[name] else {}
            for name in ("categories", "styles")
        )
        yield Analyses(row["player"], row["cluster"], *analyses)


def agreement_figures(analysed: Iterable[Analyses], seed: int) -> Iterator[Statistic]:
    """Yield alpha of categories and of styles, of each player and of `all`; nothing without two analysts."""
    everything = list(analysed)
    analysts = sorted({name for analysis in everything for name in analysis.categories})
    if len(analysts) < 2:
        return
    statistics = (CATEGORY, STYLE) if any(analysis.styles for analysis in everything) else (CATEGORY,)
    for player in (ALL, *sorted({analysis.player for analysis in everything})):
        analyses = [analysis for analysis in everything if player in (ALL, analysis.player)]
        for statistic in statistics:
            by_cluster: dict[str, list[list[str | None]]] = {}
            for analysis in analyses:
                labels = analysis.categories if statistic == CATEGORY else analysis.styles
                by_cluster.setdefault(analysis.cluster, []).append([labels.get(name) for name in analysts])
            clusters = [by_cluster[cluster] for cluster in sorted(by_cluster)]
            units = [unit for cluster in clusters for unit in cluster]
            n = sum(len(unit) - unit.count(None) >= 2 for unit in units)
            alpha = nominal_alpha(units)
            low, high = interval_of(clusters, derive_seed(seed, f"{statistic}/{player}", 0)) or (None, None)
            yield Statistic(
                statistic,
                setting=ALL,
                domain=ALL,
                player=player,
                n=n,
                value=alpha,
                method=_METHOD,
                low=low,
                high=high,
            )


def interval_of(clusters: Sequence[Sequence[Sequence[str | None]]], seed: int) -> Interval | None:
    """Return the 95% interval of alpha over units by cluster; None for an undefined alpha or fewer than 2.

    Clusters are resampled whole, with all their units; resamples in which nothing varies have no alpha and
    are left out. Where raters differ on few clusters, resamples that hold none of these would end the
    interval at 1, however many clusters there are: there its ends are those of D_o, as a share of so many
    clusters, with D_e as it is.
    """
    counted = [pairs for cluster in clusters if (pairs := count_pairs(cluster)).values]
    if len(counted) < 2:
        return None
    names = sorted({name for pairs in counted for name in pairs.values})
    unequal = np.array([pairs.unequal for pairs in counted])
    values = np.array([[pairs.values[name] for name in names] for pairs in counted], dtype=float)
    (alpha,) = alphas_of(unequal.sum(keepdims=True), values.sum(axis=0, keepdims=True)).tolist()
    if alpha != alpha:
        return None
    if sum(map(_differs, counted)) < FEW:
        total = values.sum()
        expected = float((total**2 - (values.sum(axis=0) ** 2).sum()) / (total * (total - 1)))
        observed = float(unequal.sum() / total)
        low, high = exact_interval(observed * len(counted), len(counted))
        return 1 - high / expected, 1 - low / expected
    generator = np.random.Generator(np.random.PCG64(seed))
    number = len(counted)
    alphas = []
    for _ in range(RESAMPLES // _BLOCK):
        drawn = generator.multinomial(number, np.full(number, 1 / number), size=_BLOCK)
        alphas.append(alphas_of(drawn @ unequal, drawn @ values))
    tail = (1 - LEVEL) / 2
    low, high = np.nanquantile(np.concatenate(alphas), [tail, 1 - tail]).tolist()
    return float(low), float(high)


def _differs(pairs: Pairs) -> bool:
    return pairs.unequal > 0
