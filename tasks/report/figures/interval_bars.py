"""Horizontal bars with intervals: a name and its figure on one line, the bar beneath it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tasks.report.content import Drawing, Record
from tasks.report.figures.canvas import (
    GRID,
    INK,
    SERIES,
    SMALL,
    SOFT,
    TEXT,
    WIDTH,
    canvas,
    plot,
    sheet,
    to_svg,
)
from tasks.report.wording import shorten, span, with_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 34
_BAR = 9
_TOP = 2
_BOTTOM = 32
_EDGE = 8
_LETTERS = 53
_AXIS_LETTERS = 62


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its name, value and interval (None: undefined), and these as text.

    A `heading` stands above the bar where a group of bars begins.
    """

    label: str
    value: float | None
    low: float | None
    high: float | None
    text: str
    series: int = 0
    heading: str = ""


def interval_bar(
    label: str,
    row: Record,
    value: str,
    low: str = "low",
    high: str = "high",
    series: int = 0,
    heading: str = "",
    places: int = 3,
) -> Bar:
    """Return the bar of a row's value and interval, which these columns hold, with both as its text."""
    ends = row[value], row[low], row[high]
    return Bar(label, *ends, with_interval(*ends, places), series, heading)


def count_a_player(column: str) -> Callable[[list[Record]], str]:
    """Return what names the least and greatest count that the column holds of a player."""
    return lambda listed: f"{span(row[column] for row in listed)} a player"


def bars_by_setting(
    key: str,
    title: str,
    settings: Sequence[str],
    rows: Sequence[Record],
    bars: Callable[[list[Record]], Sequence[Bar]],
    axis_label: str,
    n: Callable[[list[Record]], str],
    least_upper: float = 0.0,
    *,
    more: str = "",
) -> tuple[Drawing, ...]:
    """Return a drawing of each setting that has rows: the bars of these, and what `n` is in its heading.

    `more` is added to the setting's name. The axis is that of `interval_bars`.
    """
    drawings = []
    for number, setting in enumerate(settings):
        if listed := [row for row in rows if row["setting"] == setting]:
            name = f"{setting}{more}"
            svg = interval_bars(f"{key}-{number}", f"{title}: {name}", bars(listed), axis_label, least_upper)
            drawings.append(Drawing(f"{name}, n = {n(listed)}", svg))
    return tuple(drawings)


def interval_bars(
    key: str, title: str, bars: Sequence[Bar], axis_label: str, least_upper: float = 0.0
) -> str:
    """Return the bars as an SVG; the axis holds 0, all intervals and `least_upper`."""
    starts, height = _places(bars)
    with sheet():
        figure = canvas(height + _TOP + _BOTTOM)
        axes = plot(figure, _EDGE, _TOP, WIDTH - 2 * _EDGE, height)
        axes.set_ylim(height, 0)
        ends = [end for bar in bars for end in (bar.value, bar.low, bar.high) if end is not None]
        lower, upper = min([0.0, *ends]), max([least_upper, *ends])
        upper = upper if upper > lower else lower + 1.0
        margin = 0.02 * (upper - lower)
        lower, upper = (lower - margin if lower < 0 else lower), (upper if upper == 1 else upper + margin)
        axes.set_xlim(lower, upper)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(shorten(axis_label, _AXIS_LETTERS))
        axes.locator_params(axis="x", nbins=5)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.6g}".replace("-", "\N{MINUS SIGN}"))
        axes.vlines(0, 0, height, color=GRID, linewidth=1)
        for bar, start in zip(bars, starts, strict=True):
            _draw(axes, bar, start)
        return to_svg(figure, key, title)


def _places(bars: Sequence[Bar]) -> tuple[list[float], float]:
    starts: list[float] = []
    place = 0.0
    for bar in bars:
        place += 24 if bar.heading else 0
        starts.append(place)
        place += _ROW
    return starts, place + 4


def _draw(axes: "Axes", bar: Bar, start: float) -> None:
    across = axes.get_yaxis_transform()
    if bar.heading:
        name = shorten(bar.heading, _LETTERS)
        axes.text(0, start - 8, name, transform=across, weight="bold", fontsize=TEXT, va="baseline")
    room = max(12, _LETTERS - len(bar.text))
    axes.text(0, start + 13, shorten(bar.label, room), transform=across, fontsize=TEXT, va="baseline")
    axes.text(
        1, start + 13, bar.text, transform=across, fontsize=SMALL, color=SOFT, ha="right", va="baseline"
    )
    if bar.value is None:
        return
    middle = start + 13 + 5 + _BAR / 2
    axes.barh(middle, bar.value, height=_BAR, color=SERIES[bar.series % len(SERIES)])
    if bar.low is not None and bar.high is not None:
        axes.hlines(middle, bar.low, bar.high, color=INK, linewidth=1.4, clip_on=False)
        axes.vlines([bar.low, bar.high], middle - 4, middle + 4, color=INK, linewidth=1.4, clip_on=False)
