"""How far analysts agree: Krippendorff's alpha of their categories and styles, with an interval by rule."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from perennial.schemas.ids import derive_seed
from perennial.tasks.a2rbench.statistics.krippendorff import Pairs, alphas_of, count_pairs, nominal_alpha
from perennial.tasks.statistics.cells import ALL
from perennial.tasks.statistics.figure import Figure
from perennial.tasks.statistics.intervals import LEVEL, Interval
from perennial.tasks.statistics.shares import FEW, exact_interval

CATEGORY, STYLE = "analyst_agreement_category", "analyst_agreement_style"
RESAMPLES = 2_000
_BLOCK = 100
_METHOD = (
    "Krippendorff's alpha of nominal data between analysts, an episode being a unit; 95% percentile "
    f"bootstrap over rules, {RESAMPLES:,} resamples; where analysts differ on fewer than {FEW} rules, 1 - "
    "D_o / D_e with Clopper-Pearson's ends of the share of rules for D_o; n counts episodes with two analyses"
)


class Analyses(NamedTuple):
    """What analysts said of an episode: categories and styles by analyst, in the analysts' order."""

    player: str
    rule: str
    categories: Mapping[str, str]
    styles: Mapping[str, str]


def agreement_figures(analysed: Iterable[Analyses], seed: int) -> Iterator[Figure]:
    """Yield alpha of categories and of styles, of each player and of `all`; nothing without two analysts."""
    everything = list(analysed)
    analysts = sorted({name for each in everything for name in each.categories})
    if len(analysts) < 2:
        return
    for player in (ALL, *sorted({each.player for each in everything})):
        own = [each for each in everything if player in (ALL, each.player)]
        for statistic in (CATEGORY, STYLE):
            by_rule: dict[str, list[list[str | None]]] = {}
            for each in own:
                said = each.categories if statistic == CATEGORY else each.styles
                by_rule.setdefault(each.rule, []).append([said.get(name) for name in analysts])
            rules = [by_rule[rule] for rule in sorted(by_rule)]
            units = [unit for rule in rules for unit in rule]
            n = sum(len(unit) - unit.count(None) >= 2 for unit in units)
            alpha = nominal_alpha(units)
            low, high = interval_of(rules, derive_seed(seed, f"{statistic}/{player}", 0)) or (None, None)
            yield Figure(
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


def interval_of(rules: Sequence[Sequence[Sequence[str | None]]], seed: int) -> Interval | None:
    """Return the 95% interval of alpha over units by rule; None for an undefined alpha or fewer than 2 rules.

    Rules are resampled whole, with all their items; resamples in which nothing varies have no alpha and are
    left out. Where raters differ on few rules, resamples that hold none of these would end the interval at 1
    whatever the number of rules: there its ends are those of D_o, as a share of so many rules, with D_e as
    it is.
    """
    import numpy as np

    counted = [pairs for rule in rules if (pairs := count_pairs(rule)).values]
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
    found = []
    for _ in range(RESAMPLES // _BLOCK):
        drawn = generator.multinomial(number, np.full(number, 1 / number), size=_BLOCK)
        found.append(alphas_of(drawn @ unequal, drawn @ values))
    tail = (1 - LEVEL) / 2
    low, high = np.nanquantile(np.concatenate(found), [tail, 1 - tail]).tolist()
    return float(low), float(high)


def _differs(pairs: Pairs) -> bool:
    return pairs.unequal > 0
