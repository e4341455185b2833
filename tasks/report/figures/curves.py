"""Lines of players over sizes, classes or variations: the first by rank have colors, others are grey."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import altair as alt

from perennial.tasks.report.content import Drawing, Record
from perennial.tasks.report.figures.chart import (
    CUT_LEGEND,
    FOUND,
    LEGEND,
    ROWS,
    SERIES,
    SOFT,
    Spec,
    compile_chart,
    make_drawing,
    tips,
)
from perennial.tasks.report.wording import clean, decimals, with_interval

_HEIGHT = 200
_OTHERS = "others"


@dataclass(frozen=True, slots=True)
class Axes:
    """What lines run over, and what they show.

    `x` names what they run over, in a note; `x_title` is written below the axis, where it is not empty.
    `order` are the places along it, one beside the other; without one, it is a scale with marks at `ticks`.
    `y` names the values, whose texts have so many decimals; `is_share`: they run from 0 to 1. `n` names what
    a point counts. Points of one place stand side by side if `is_dodged`. There may be two `kinds` of lines:
    whole ones with discs, and broken ones with crosses.
    """

    x: str
    y: str
    places: int = 3
    is_share: bool = True
    x_title: str = ""
    order: tuple[str, ...] = ()
    ticks: tuple[int, ...] = ()
    n: str = "n"
    is_dodged: bool = False
    kinds: tuple[str, ...] = ()


def draw_curves(
    heading: str, title: str, rows: Sequence[Record], axes: Axes, players: Sequence[str]
) -> Drawing:
    """Return lines of these rows, whose columns are player, x, value, low, high, n, and kind of two.

    `players` are the players in order; those without a row are passed over.
    """
    having = {row["player"] for row in rows}
    playing = [player for player in players if player in having]
    named = playing[: len(SERIES)]
    drawn = [
        {
            "player": clean(row["player"]),
            "series": clean(row["player"]) if row["player"] in named else _OTHERS,
            **({"place": playing.index(row["player"])} if axes.is_dodged else {}),
            "x": row["x"],
            **({"kind": row["kind"]} if axes.kinds else {}),
            **{name: row[name] for name in ("value", "low", "high")},
            "text": with_interval(row["value"], row["low"], row["high"], axes.places),
            "n": decimals(row["n"], 0),
        }
        for row in rows
    ]
    series = tuple(map(clean, named)) + ((_OTHERS,) if len(playing) > len(named) else ())
    has_intervals = any(row["low"] is not None for row in rows)
    return make_drawing(heading, title, _compile(axes, series, len(playing), has_intervals), drawn)


@lru_cache(maxsize=64)
def _compile(axes: Axes, series: tuple[str, ...], players: int, has_intervals: bool) -> Spec:
    """Return the chart of intervals, lines and points."""
    colors = [SOFT if name == _OTHERS else SERIES[place] for place, name in enumerate(series)]
    shared: dict[str, Any] = {
        "x": _place(axes),
        "color": alt.Color(
            "series:N",
            scale=alt.Scale(domain=list(series), range=colors),
            legend=CUT_LEGEND if axes.order else LEGEND,
        ),
        "detail": ["player:N", *(["kind:N"] if axes.kinds else [])],
        "tooltip": tips(
            player="player",
            x=axes.x,
            **({"kind": "replies"} if axes.kinds else {}),
            text=f"{axes.y} [95%]" if has_intervals else axes.y,
            n=axes.n,
        ),
    }
    if axes.is_dodged:
        shared["xOffset"] = alt.XOffset("place:O", scale=alt.Scale(domain=list(range(players))))
    base = alt.Chart().encode(**shared)
    scale = alt.Scale(domain=[0, 1]) if axes.is_share else alt.Scale(zero=True)
    up = alt.Y("value:Q", title=axes.y, scale=scale)
    line, point = base.mark_line(strokeWidth=1.5).encode(y=up), base.mark_point().encode(y=up)
    if axes.kinds:
        look: dict[str, Any] = {"legend": None}
        line = line.encode(
            strokeDash=alt.StrokeDash("kind:N", scale=_scale(axes.kinds, [[1, 0], [5, 3]]), **look)
        )
        point = point.encode(shape=alt.Shape("kind:N", scale=_scale(axes.kinds, ["circle", "cross"]), **look))
    layers = [line, point]
    if has_intervals:
        rule = base.mark_rule(strokeWidth=1, opacity=0.4)
        layers.insert(0, rule.encode(y=alt.Y("low:Q", title=axes.y), y2="high:Q"))
    chart = alt.layer(*layers, data=ROWS).transform_filter(FOUND)
    return compile_chart(chart.properties(width="container", height=_HEIGHT))


def _place(axes: Axes) -> alt.X:
    if not axes.order:
        ticks = alt.Axis(values=list(axes.ticks), labelOverlap=True, format="d", grid=False)
        return alt.X(
            "x:Q", title=axes.x_title, scale=alt.Scale(zero=False, nice=False, padding=12), axis=ticks
        )
    dodged: dict[str, Any] = (
        {"scale": alt.Scale(paddingInner=0.5, paddingOuter=0.25)} if axes.is_dodged else {}
    )
    look = alt.Axis(labelAngle=0)
    return alt.X("x:O", sort=list(axes.order), title=axes.x_title or None, axis=look, **dodged)


def _scale(kinds: tuple[str, ...], looks: list[Any]) -> alt.Scale:
    return alt.Scale(domain=list(kinds), range=looks)
