"""What all figures share: their theme, long names cut to fit, and the reader's filter and order of players.

Colours are the page's CSS variables, so that one drawing serves a light and a dark page and print. Three
signals are the page's to set: `find` (a pattern of players; empty: all), `order` (`rank`, `value` or `name`)
and `narrow` (there is no room for whole names and intervals as text).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import altair as alt

from perennial.tasks.report.content import Chart, Drawing, Record
from perennial.tasks.report.wording import clean, decimals, with_interval

SERIES = tuple(f"var(--s{number})" for number in range(8))
"""The colours of series (`perennial.tasks.report.page`)."""
INK, SOFT, GRID, BACK = (f"var(--{name})" for name in ("ink", "soft", "grid", "back"))
Spec = Chart
ROWS = alt.NamedData(name="rows")
FOUND = "find == '' || test(regexp(find, 'i'), datum.player)"
"""Whether a row's player is one that the reader looks for."""
LEGEND = alt.Legend(columns=3)
_SIGNALS = [
    {"name": name, "value": value} for name, value in (("find", ""), ("order", "rank"), ("narrow", False))
]
_AUTOSIZE = {"type": "fit-x", "contains": "padding"}
_LINES = {"gridColor": GRID, "domainColor": GRID, "tickColor": GRID}
_TEXTS = {"labelColor": SOFT, "titleColor": SOFT, "titleFontWeight": "normal"}
_SIZES = {"labelFontSize": 11, "titleFontSize": 11, "labelLimit": 0, "titleLimit": 0}
_THEME: dict[str, Any] = {
    "background": "transparent",
    "font": "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif",
    "view": {"stroke": None},
    "axis": {**_LINES, **_TEXTS, **_SIZES, "tickCount": 6},
    "legend": {
        **_TEXTS,
        **_SIZES,
        "orient": "top",
        "title": None,
        "symbolType": "circle",
        "symbolOpacity": 1,
        "offset": 6,
    },
    "text": {"color": INK, "fontSize": 11},
    "rule": {"color": INK},
    "point": {"filled": True, "size": 45, "opacity": 1},
    "range": {"category": SERIES},
    "scale": {"rectBandPaddingInner": 0.04},
}


def compile_chart(chart: alt.TopLevelMixin) -> Spec:
    """Compile the chart with the theme and the page's signals."""
    return Chart({**chart.to_dict(), "config": _THEME, "params": _SIGNALS, "autosize": _AUTOSIZE})


def make_drawing(
    heading: str,
    title: str,
    spec: Spec,
    rows: Sequence[Record],
    *,
    is_wide: bool = False,
    least_width: int = 0,
    players: tuple[str, ...] = ("player", "first"),
) -> Drawing:
    """The compiled chart of these rows as a drawing that screen readers call `title`."""
    return Drawing(clean(heading), clean(title), spec, tuple(rows), is_wide, least_width, players)


def cut(text: str, wide: int = 34, narrow: int = 24) -> str:
    """The Vega expression of a text whose middle is left out where it has more letters than these."""
    most = f"(narrow ? {narrow} : {wide})"
    head, tail = f"floor({most} * 2 / 3)", f"(length({text}) - {most} + 1 + floor({most} * 2 / 3))"
    return f"(length({text}) > {most} ? slice({text}, 0, {head}) + '…' + slice({text}, {tail}) : {text})"


CUT_LEGEND = alt.Legend(columns=2, labelExpr=cut("datum.label", 34, 20))
"""A legend whose names are cut, so that a telephone shows them."""


def tips(**fields: str) -> list[alt.Tooltip]:
    """What a mark shows when it is pointed at: each field of its row under a title."""
    return [alt.Tooltip(field=field, type="nominal", title=title) for field, title in fields.items()]


def series_colours(names: Sequence[str], legend: alt.Legend | None = LEGEND) -> alt.Color:
    """The colours of the field `series`, whose values are these."""
    scale = alt.Scale(domain=list(names), range=[SERIES[index % len(SERIES)] for index in range(len(names))])
    return alt.Color("series:N", scale=scale, legend=legend)


def player_axis(labels: str = "") -> alt.Y:
    """The rows of players, by the field `key`; `labels` is the expression of their labels."""
    look: dict[str, Any] = {
        "ticks": False,
        "domain": False,
        "grid": True,
        "gridDash": [1, 3],
        "labelPadding": 8,
    }
    axis = alt.Axis(labelExpr=labels or cut("datum.label"), **look)
    return alt.Y("player:N", sort=alt.EncodingSortField(field="key", op="min"), title=None, axis=axis)


# Lines of players over sizes, classes or variations: the first by rank have colors, others are grey.

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
    """Lines of these rows, whose columns are player, x, value, low, high, n, and kind of two.

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
    spec = _compile(axes, series, len(playing), has_intervals)
    return make_drawing(heading, title, spec, drawn, players=("player", "series"))


@lru_cache(maxsize=64)
def _compile(axes: Axes, series: tuple[str, ...], players: int, has_intervals: bool) -> Spec:
    colors = [SOFT if name == _OTHERS else SERIES[index] for index, name in enumerate(series)]
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


# A map of fields: players down, kinds of questions across, the rate of each as a color and a number.

_MOST_WRITTEN = 16
_WRITTEN = "bandwidth('x') > 98 ? datum.text : bandwidth('x') > 24 ? datum.short : ''"
_STEP = 18
_LEAST_FIELD = 9
_NAMES = 190
_ORDER = "order == 'name' ? datum.by_name : order == 'value' ? -datum.mean : datum.place"


@dataclass(frozen=True, slots=True)
class Map:
    """What the rates are, and what a column is, in a note."""

    rate: str
    column: str


def mean_rates(rows: Iterable[Record], name: str) -> dict[str, float]:
    """The mean of `rate` over the rows of each value of the column `name`."""
    rates = defaultdict(list)
    for row in rows:
        rates[row[name]].append(row["rate"])
    return {key: sum(values) / len(values) for key, values in rates.items()}


def draw_fields(
    heading: str, title: str, rows: Sequence[Record], columns: Sequence[str], players: Sequence[str], map: Map
) -> Drawing:
    """The map of these rows, whose columns are player, column, rate, low, high, n.

    `columns` are the map's columns in order, `players` all players. Beyond 16 columns no number is written.
    """
    mean = mean_rates(rows, "player")
    by_name = sorted(mean, key=str.casefold)
    is_written = len(columns) <= _MOST_WRITTEN
    drawn = [
        {
            "player": clean(row["player"]),
            "of": clean(row["column"]),
            "column": columns.index(row["column"]),
            "place": players.index(row["player"]),
            "by_name": by_name.index(row["player"]),
            "mean": round(mean[row["player"]], 4),
            "rate": round(row["rate"], 4),
            "short": decimals(row["rate"], 2),
            "text": with_interval(row["rate"], row["low"], row["high"], 2),
            "n": decimals(row["n"], 0),
        }
        for row in rows
    ]
    least = 0 if is_written else _NAMES + _LEAST_FIELD * len(columns)
    return make_drawing(
        heading, title, _compile_fields(is_written, map), drawn, is_wide=True, least_width=least
    )


@lru_cache(maxsize=16)
def _compile_fields(is_written: bool, map: Map) -> Spec:
    """The chart of fields, and of the numbers in them where there may be room."""
    ink = alt.condition("datum.rate < 0.5", alt.value("#ffffff"), alt.value("#111111"))
    look = alt.Axis(
        orient="top",
        labelExpr=cut("datum.label", 24, 12),
        labelAngle=-45 if is_written else -90,
        labelFontSize=11 if is_written else 9,
        ticks=False,
        domain=False,
    )
    base = alt.Chart().encode(
        x=alt.X("of:N", sort=alt.EncodingSortField(field="column", op="min"), title=None, axis=look),
        y=player_axis(),
        tooltip=tips(player="player", of=map.column, text=f"{map.rate} [95%]", n="n"),
    )
    color = alt.Color(
        "rate:Q",
        scale=alt.Scale(scheme="cividis", domain=[0, 1]),
        legend=alt.Legend(title=map.rate, direction="horizontal", orient="bottom", tickCount=5),
    )
    layers = [base.mark_rect(strokeWidth=0).encode(color=color)]
    if is_written:
        layers.append(base.mark_text(text=alt.ExprRef(_WRITTEN), fontSize=10).encode(color=ink))
    chart = alt.layer(*layers, data=ROWS).transform_filter(FOUND).transform_calculate(key=_ORDER)
    return compile_chart(chart.properties(width="container", height=alt.Step(_STEP)))


# A bar per player: shares of several kinds, one after the other.

_STEP_STACKED_SHARES = 19
_ORDER_STACKED_SHARES = "order == 'name' ? datum.by_name : order == 'value' ? datum.total : datum.place"


@dataclass(frozen=True, slots=True)
class Bar:
    """The bar of a player: each kind's share and its text, what it is of, and what bars are ordered by."""

    player: str
    shares: Mapping[str, tuple[float, str]]
    n: int
    value: float


@dataclass(frozen=True, slots=True)
class ShareLabels:
    """The kinds in order, their name and that of a share in a note, the axis, columns of the legend."""

    kinds: tuple[str, ...]
    series: str
    share: str
    axis: str
    columns: int = 2


def stacked_shares(
    heading: str, title: str, bars: Sequence[Bar], labels: ShareLabels, players: Sequence[str]
) -> Drawing:
    """The bars as a drawing; `players` are all players in order."""
    by_name = sorted({bar.player for bar in bars}, key=str.casefold)
    drawn = []
    for bar in bars:
        start = 0.0
        for kind in labels.kinds:
            if kind not in bar.shares:
                continue
            share, text = bar.shares[kind]
            drawn.append(
                {
                    "player": clean(bar.player),
                    "series": kind,
                    "start": start,
                    "end": start + share,
                    "total": bar.value,
                    "place": players.index(bar.player),
                    "by_name": by_name.index(bar.player),
                    "text": text,
                    "n": decimals(bar.n, 0),
                }
            )
            start += share
    return make_drawing(heading, title, _compile_stacked_shares(labels), drawn)


@lru_cache(maxsize=8)
def _compile_stacked_shares(labels: ShareLabels) -> Spec:
    across = alt.X(
        "start:Q",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(orient="top", title=labels.axis, tickCount=5),
    )
    bars = (
        alt.Chart(ROWS)
        .mark_bar(height={"band": 0.75})
        .encode(
            x=across,
            x2="end:Q",
            y=player_axis(),
            color=series_colours(labels.kinds, alt.Legend(columns=labels.columns)),
            tooltip=tips(player="player", series=labels.series, text=labels.share, n="n"),
        )
        .transform_filter(FOUND)
        .transform_calculate(key=_ORDER_STACKED_SHARES)
    )
    return compile_chart(bars.properties(width="container", height=alt.Step(_STEP_STACKED_SHARES)))
