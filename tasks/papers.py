"""Numbers that a paper prints beside those that are computed from released data."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import copysign, floor, log10, trunc
from typing import Any

from perennial.schemas.statistics import PublishedScore

# A number that a paper prints beside ours, and what a table or figure of such numbers comes to.


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A printed number and ours; `difference` is ours less the printed one.

    `item` is the table, figure or passage. `computed_of` is whose number it is, where the paper prints it
    under another name. `reason` says why a number is missing, why the two are not judged, or what explains a
    difference. `is_cut`: ours agrees only because the paper cut it off after its last digit (6.696 to 6.69).
    """

    item: str
    metric: str
    setting: str = ""
    domain: str = ""
    player: str = ""
    settings: str = ""
    computed_of: str = ""
    printed: float | None
    ours: float | None
    difference: float | None
    tolerance: float
    agrees: bool | None
    is_cut: bool
    reason: str = ""


def beside(score: PublishedScore, item: str, ours: float | None, **more: Any) -> Comparison:
    """Return the comparison of a printed score of a player in a setting with a number of ours."""
    more = {"setting": score.setting, "player": score.player, **more}
    return compare(item, score.figure, score.value, ours, **more)


def compare(
    item: str,
    metric: str,
    printed: float | None,
    ours: float | None,
    *,
    tolerance: float = 0.0,
    is_judged: bool = True,
    **texts: str,
) -> Comparison:
    """Return the comparison, with more of its texts by name.

    Where a number is missing, or it is not to be judged, `agrees` is None.
    """
    difference = None if ours is None or printed is None else ours - printed
    agrees, is_cut = None, False
    if ours is not None and difference is not None and is_judged:
        is_close = abs(difference) <= tolerance
        is_cut = not is_close and _cut_off(ours, tolerance) == printed
        agrees = is_close or is_cut
    return Comparison(
        item=item,
        metric=metric,
        printed=printed,
        ours=ours,
        difference=difference,
        tolerance=tolerance,
        agrees=agrees,
        is_cut=is_cut,
        **texts,
    )


def _cut_off(ours: float, tolerance: float) -> float:
    """Return ours cut off after the last printed digit, of whose unit the tolerance is half and a little."""
    digits = floor(-log10(tolerance)) if tolerance else 0
    unit: float = 10.0**digits
    # A float just below a printed number, such as 0.29 * 100, is that number.
    return round(trunc(ours * unit + copysign(1e-6, ours)) / unit, digits)


@dataclass(frozen=True, slots=True)
class FigureVerdict:
    """How many of the numbers of a table or figure that both sides have agree.

    `unjudged` counts numbers that both sides have and that are shown without a verdict.
    """

    item: str
    metric: str
    compared: int
    agreeing: int
    cut: int  # of the agreeing ones: printed cut off, not rounded
    unjudged: int
    least_agreeing: float

    @property
    def agrees(self) -> bool | None:
        """Whether enough of the numbers agree; None: none can be judged."""
        return self.agreeing >= self.least_agreeing * self.compared if self.compared else None


def judge_figures(rows: Sequence[Comparison], least_agreeing: float) -> list[FigureVerdict]:
    """Return a verdict for each metric of each item, in the order of the rows.

    A figure agrees where at least the share `least_agreeing` of its judged numbers does.
    """
    verdicts = []
    for (item, metric), group in groupby(rows, key=lambda row: (row.item, row.metric)):
        of_figure = list(group)
        judged = [row for row in of_figure if row.agrees is not None]
        agreeing, cut = sum(row.agrees is True for row in judged), sum(row.is_cut for row in judged)
        unjudged = sum(row.agrees is None and row.difference is not None for row in of_figure)
        verdicts.append(FigureVerdict(item, metric, len(judged), agreeing, cut, unjudged, least_agreeing))
    return verdicts
