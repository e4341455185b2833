"""Points with intervals both ways: few players by colour, many by labels on those that stand out."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import altair as alt

from perennial.tasks.report.content import Drawing, Record
from perennial.tasks.report.figures.chart import (
    BACK,
    FOUND,
    ROWS,
    SERIES,
    SOFT,
    Spec,
    compile_chart,
    cut,
    make_drawing,
    series_colours,
    tips,
)
from perennial.tasks.report.wording import brackets, clean, decimals, p_text, with_interval
from perennial.tasks.statistics.correlation import Correlation
from perennial.tasks.statistics.reliability import FEWEST_PLAYERS

Span = tuple[float | None, float | None]
_HEIGHT, _WIDTH, _SIZE = 340, 420, 55
_MOST_COLOURS = 8
_COLUMNS = ("x", "x_low", "x_high", "y", "y_low", "y_high")
_SIDES: tuple[tuple[Literal["left", "right"], int], ...] = (("left", 7), ("right", -7))
_LABELS, _LETTERS, _LETTER, _LINE = 14, 24, 6.0, 15


@dataclass(frozen=True, slots=True)
class Point:
    """One point: the player it is of, where, with an interval on each axis; its domain if of one alone."""

    name: str
    x: float
    y: float
    x_interval: Span = (None, None)
    y_interval: Span = (None, None)
    domain: str = ""


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis shows; `is_share`: it runs from 0 to 1; otherwise its texts have so many decimals."""

    label: str
    is_share: bool = False
    places: int = 3


def scatter(heading: str, title: str, points: Sequence[Point], x: Axis, y: Axis) -> Drawing:
    """Return the points as a drawing. Up to eight players have colours; of more, some have labels."""
    names = tuple(dict.fromkeys(clean(point.name) for point in points))
    has_colours = len(names) <= _MOST_COLOURS
    labels = {} if has_colours else _choose_labels(points)
    middle = _middle(points)
    rows = [_row(point, x, y, middle, labels.get(number, 0)) for number, point in enumerate(points)]
    for place, row in enumerate(rows):
        # Of several in one place the earlier show around the later.
        later = sum((other["x"], other["y"]) == (row["x"], row["y"]) for other in rows[place + 1 :])
        row["size"] = _SIZE * (1 + min(later, _MOST_COLOURS))
    spec = _compile(x, y, names if has_colours else (), any(point.domain for point in points))
    return make_drawing(heading, title, spec, rows)


@lru_cache(maxsize=64)
def _compile(x: Axis, y: Axis, names: tuple[str, ...], has_domains: bool) -> Spec:
    """Return the chart of points: with colours of these names, or without any with labels."""
    across, down = _encoding(x), _encoding(y)
    base = alt.Chart().encode(
        color=series_colours(names) if names else alt.value(SERIES[0]),
        tooltip=tips(
            player="player", **({"domain": "domain"} if has_domains else {}), x_text=x.label, y_text=y.label
        ),
    )
    at_x, at_y = alt.X("x:Q", **across), alt.Y("y:Q", **down)
    size = alt.Size("size:Q", scale=None, legend=None)
    layers = [
        base.mark_rule(strokeWidth=1, opacity=0.45).encode(
            x=alt.X("x_low:Q", **across), x2="x_high:Q", y=at_y
        ),
        base.mark_rule(strokeWidth=1, opacity=0.45).encode(x=at_x, y=alt.Y("y_low:Q", **down), y2="y_high:Q"),
        base.mark_point(stroke=BACK, strokeWidth=0.7).encode(x=at_x, y=at_y, size=size),
    ]
    if x.is_share and y.is_share:
        ends = alt.InlineData(values=[{"x": 0, "y": 0}, {"x": 1, "y": 1}])
        diagonal = alt.Chart(ends).mark_line(color=SOFT, strokeWidth=0.8, strokeDash=[4, 3])
        layers.insert(0, diagonal.encode(x=at_x, y=at_y))
    if not names:
        layers += _labels(at_x, at_y)
    chart = alt.layer(*layers, data=ROWS).transform_filter(FOUND)
    return compile_chart(chart.properties(width="container", height=_HEIGHT))


def _encoding(axis: Axis) -> dict[str, Any]:
    scale = alt.Scale(domain=[0, 1]) if axis.is_share else alt.Scale(zero=False, nice=True)
    return {"scale": scale, "title": axis.label}


def _labels(at_x: alt.X, at_y: alt.Y) -> list[alt.Chart]:
    """Return the layers of labels: those of the right half stand to the left of their points."""
    chosen = f"find != '' || (datum.label > 0 && datum.label <= (narrow ? 5 : {_LABELS}))"
    base = alt.Chart().transform_calculate(name=cut("datum.player", _LETTERS, 14))
    return [
        base.transform_filter(f"({chosen}) && datum.side == '{side}'")
        .mark_text(align=side, dx=dx, stroke=BACK, strokeWidth=3)
        .encode(x=at_x, y=at_y, text="name:N")
        for side, dx in _SIDES
    ]


def correlation_text(found: Correlation) -> str:
    """Return n, r, its interval and p as a heading, or why there is none."""
    if found.n < FEWEST_PLAYERS:
        return f"n = {found.n}, too few for a correlation"
    if found.r is None:
        return f"n = {found.n}, correlation undefined: one side does not vary"
    interval = (
        f" {brackets(decimals(found.low, 2), decimals(found.high, 2))}"
        if found.low is not None and found.high is not None
        else ", interval undefined"
    )
    return f"n = {found.n}, r = {decimals(found.r, 2)}{interval}, {p_text(found.p_value)}"


def _row(point: Point, x: Axis, y: Axis, middle: float, label: int) -> Record:
    (x_low, x_high), (y_low, y_high) = point.x_interval, point.y_interval
    return {
        "player": clean(point.name),
        "series": clean(point.name),
        "domain": clean(point.domain),
        **dict(zip(_COLUMNS, (point.x, x_low, x_high, point.y, y_low, y_high), strict=True)),
        "x_text": with_interval(point.x, x_low, x_high, x.places),
        "y_text": with_interval(point.y, y_low, y_high, y.places),
        "label": label,
        "side": "left" if point.x <= middle else "right",
    }


def _middle(points: Sequence[Point]) -> float:
    return (min(point.x for point in points) + max(point.x for point in points)) / 2


def _choose_labels(points: Sequence[Point]) -> dict[int, int]:
    """Return the places of the points that stand out and hide no other label, numbered from 1.

    First come the highest, the lowest and the ends along x, then those farthest from the line through all.
    """
    import numpy as np

    at = np.array([(point.x, point.y) for point in points])
    spread = np.ptp(at, axis=0)
    scaled = (at - at.min(axis=0)) / np.where(spread > 0, spread, 1.0) * (_WIDTH, _HEIGHT)
    centred = scaled - scaled.mean(axis=0)
    slope = centred[:, 0] @ centred[:, 1] / max(centred[:, 0] @ centred[:, 0], 1e-9)
    off = np.abs(centred[:, 1] - slope * centred[:, 0])
    ends = [scaled[:, 1].argmax(), scaled[:, 1].argmin(), scaled[:, 0].argmax(), scaled[:, 0].argmin()]
    is_left = at[:, 0] <= _middle(points)
    chosen: dict[int, int] = {}
    boxes: list[tuple[float, float, float]] = []
    for place in dict.fromkeys((*map(int, ends), *map(int, np.argsort(-off, kind="stable")))):
        length = min(len(points[place].name), _LETTERS) * _LETTER + 7
        left = float(scaled[place, 0]) - (0 if is_left[place] else length)
        box = left, left + length, float(scaled[place, 1])
        if all(box[0] > right or box[1] < start or abs(box[2] - y) > _LINE for start, right, y in boxes):
            boxes.append(box)
            chosen[place] = len(chosen) + 1
        if len(chosen) == _LABELS:
            break
    return chosen
