"""Points with intervals both ways, distinguished by colour and mark, with a key beneath."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tasks.report.figures.canvas import (
    GRID,
    MARKERS,
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
from tasks.report.wording import brackets, decimals, p_text, shorten
from tasks.statistics.correlation import Correlation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Span = tuple[float | None, float | None]
_SIDE = 250
_LEFT = 52
_TOP = 8
_LINE = 17
_KEY_TOP = _TOP + _SIDE + 44
_LETTERS = 46
_MARK = 6.5


@dataclass(frozen=True, slots=True)
class Point:
    """One point: what it is of (the key's entry), its place, and its interval on each axis."""

    name: str
    x: float
    y: float
    x_interval: Span = (None, None)
    y_interval: Span = (None, None)


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis shows; `is_share`: it runs from 0 to 1."""

    label: str
    is_share: bool = False


def scatter(key: str, title: str, points: Sequence[Point], x: Axis, y: Axis, order: Sequence[str]) -> str:
    """Return the points as an SVG; a name's place in `order` gives its colour and mark in every drawing.

    Points of other names are grey and come first, so that they hide none.
    """
    present = {point.name for point in points}
    series = {name: number for number, name in enumerate(order) if name in present}
    entries = [(name, _mark(number)) for name, number in series.items()]
    if others := len(present) - len(series):
        entries.append((f"{others} other players", _mark(None)))
    with sheet():
        figure = canvas(_KEY_TOP + _LINE * len(entries) + 4)
        axes = plot(figure, _LEFT, _TOP, WIDTH - _LEFT - 14, _SIDE)
        axes.grid(True)
        if x.is_share and y.is_share:
            axes.plot([0, 1], [0, 1], color=SOFT, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
        ordered = sorted(points, key=lambda point: point.name in series)
        for point, size in zip(ordered, _sizes(ordered), strict=True):
            _draw(axes, point, _mark(series.get(point.name), size))
        _set_axes(axes, x, y)
        for line, (name, mark) in enumerate(entries):
            _draw_key(axes, name, mark, _KEY_TOP - _TOP + _LINE * line)
        return to_svg(figure, key, title)


def correlation_text(found: Correlation) -> str:
    """Return n, r, its interval and p as a heading, or why there is none."""
    if found.r is None:
        reason = "fewer than three points" if found.n < 3 else "one side does not vary"
        return f"n = {found.n}, correlation undefined: {reason}"
    interval = (
        f" {brackets(decimals(found.low, 2), decimals(found.high, 2))}"
        if found.low is not None and found.high is not None
        else ", interval undefined"
    )
    return f"n = {found.n}, r = {decimals(found.r, 2)}{interval}, {p_text(found.p_value)}"


def _sizes(points: Sequence[Point]) -> list[float]:
    """Return each mark's size: where several are in one place, the earlier ones show around the later."""
    places = [(point.x, point.y) for point in points]
    return [_MARK + 4.5 * places[number + 1 :].count(place) for number, place in enumerate(places)]


def _draw(axes: "Axes", point: Point, mark: dict[str, Any]) -> None:
    colour = mark["color"]
    for (low, high), is_x in ((point.x_interval, True), (point.y_interval, False)):
        if low is None or high is None:
            continue
        if is_x:
            axes.hlines(point.y, low, high, color=colour, linewidth=1.1, alpha=0.75)
        else:
            axes.vlines(point.x, low, high, color=colour, linewidth=1.1, alpha=0.75)
    axes.plot([point.x], [point.y], **mark, clip_on=False)


def _mark(series: int | None, size: float = _MARK) -> dict[str, Any]:
    # Beyond eight names the marks move on by one, so that no two of 64 look alike.
    turn, place = divmod(series or 0, len(SERIES))
    return {
        "marker": "." if series is None else MARKERS[(place + turn) % len(MARKERS)],
        "color": SOFT if series is None else SERIES[place],
        "markersize": size,
        "markeredgewidth": 0,
        "linestyle": "none",
    }


def _set_axes(axes: "Axes", x: Axis, y: Axis) -> None:
    axes.set_xlabel(shorten(x.label, _LETTERS))
    axes.set_ylabel(shorten(y.label, _LETTERS))
    if x.is_share:
        axes.set_xlim(-0.03, 1.03)
    else:
        axes.locator_params(axis="x", nbins=5)
    if y.is_share:
        axes.set_ylim(-0.03, 1.03)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.6g}")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.6g}")
    for side in ("bottom", "left"):
        axes.spines[side].set_color(GRID)
    axes.tick_params(labelsize=SMALL)


def _draw_key(axes: "Axes", name: str, mark: dict[str, Any], top: float) -> None:
    down = axes.transAxes
    y = 1 - (top + 6) / _SIDE
    axes.plot([-0.12], [y], transform=down, clip_on=False, **mark)
    axes.text(-0.08, y, shorten(name, _LETTERS), transform=down, fontsize=TEXT, va="center_baseline")
