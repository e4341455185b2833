"""Set the numbers that the KUMO paper prints beside those computed from the imported release."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby
from math import copysign, floor, log10, trunc

from warehouse.catalog.catalog import Catalog
from warehouse.kumo.paper.printed import PrintedValue, printed_values

# The text extraction of figure 3 garbles a few per cent of its cells, so that these are judged together.
LEAST_AGREEING = 0.95

# How many domains the paper's means are over: fewer give another mean, which is shown and not judged.
DOMAINS = {"all": 100, "five": 5}

Key = tuple[str, str, str, str]  # metric, setting, domain, player


@dataclass(frozen=True, slots=True)
class Comparison:
    """A printed value and ours; `difference` is ours less the printed one, `reason` why one is not there.

    `is_cut` says that ours agrees only because the paper cut it off after its last printed digit, as 6.696 to
    6.69, and did not round it.
    """

    item: str
    version: str
    metric: str
    setting: str
    domain: str
    player: str
    computed_of: str
    printed: float | None
    ours: float | None
    difference: float | None
    tolerance: float
    agrees: bool | None
    is_cut: bool
    reason: str


@dataclass(frozen=True, slots=True)
class FigureVerdict:
    """How many of the values of a figure that both sides have agree; None: nothing can be compared."""

    item: str
    metric: str
    compared: int
    agreeing: int
    cut: int  # of the agreeing ones: printed cut off, not rounded

    @property
    def agrees(self) -> bool | None:
        """Whether at least 95% of the values agree."""
        return self.agreeing >= LEAST_AGREEING * self.compared if self.compared else None


def compute_figures(catalog: Catalog) -> dict[Key, float]:
    """Return all that the paper prints, computed from the catalog's edition of the release."""
    sql = files("warehouse.kumo.paper").joinpath("computed.sql").read_text(encoding="utf-8")
    _, rows = catalog.query(sql)
    return {(metric, setting, domain, player): value for metric, setting, domain, player, value in rows}


def compare_figures(computed: Mapping[Key, float]) -> list[Comparison]:
    """Return a comparison for each printed value, and for each player of a figure without legible numbers."""
    return [row for value in printed_values() for row in _compare(value, computed)]


def _compare(value: PrintedValue, computed: Mapping[Key, float]) -> list[Comparison]:
    if value.player != "*":
        return [_comparison(value, value.player, computed)]
    place = value.metric, value.setting, value.domain
    players = sorted(key[3] for key in computed if key[:3] == place)
    return [_comparison(value, player, computed) for player in players] or [_comparison(value, "*", computed)]


def _comparison(value: PrintedValue, player: str, computed: Mapping[Key, float]) -> Comparison:
    key = value.metric, value.setting, value.domain, value.computed_of or player
    ours = computed.get(key)
    difference = None if ours is None or value.printed is None else ours - value.printed
    held = computed.get(("domains", value.setting, value.domain, ""), 0.0)
    is_partial = held < DOMAINS.get(value.domain, 0)
    partial = f"the edition holds {held:.0f} of {DOMAINS[value.domain]} domains" if is_partial else ""
    # A mean over players that the paper does not name is shown and not judged.
    agrees, is_cut = None, False
    if ours is not None and difference is not None and value.metric != "mean_tokens" and not is_partial:
        is_close = abs(difference) <= value.tolerance
        is_cut = not is_close and _cut_off(ours, value.tolerance) == value.printed
        agrees = is_close or is_cut
    return Comparison(
        value.item,
        value.version,
        value.metric,
        value.setting,
        value.domain,
        player,
        value.computed_of,
        value.printed,
        ours,
        difference,
        value.tolerance,
        agrees,
        is_cut,
        _reason(value, ours, partial),
    )


def _cut_off(ours: float, tolerance: float) -> float:
    """Return ours cut off after the last printed digit, of whose unit the tolerance is half and a little."""
    digits = floor(-log10(tolerance)) if tolerance else 0
    unit: float = 10.0**digits
    # A float just below a printed number, such as 0.29 * 100, is that number.
    return round(trunc(ours * unit + copysign(1e-6, ours)) / unit, digits)


def _reason(value: PrintedValue, ours: float | None, partial: str) -> str:
    if ours is not None or value.remark:
        return "; ".join(filter(None, (value.remark, partial)))
    if value.metric.startswith("correlation"):
        return "no external scores: perennial import scores FILE"
    return "the imported edition does not hold it"


def judge_figures(rows: Sequence[Comparison]) -> list[FigureVerdict]:
    """Return a verdict for each metric of each item, in the order of the rows."""
    verdicts = []
    for (item, metric), group in groupby(rows, key=lambda row: (row.item, row.metric)):
        judged = [row for row in group if row.agrees is not None]
        agreeing, cut = sum(row.agrees is True for row in judged), sum(row.is_cut for row in judged)
        verdicts.append(FigureVerdict(item, metric, len(judged), agreeing, cut))
    return verdicts
