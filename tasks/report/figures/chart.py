"""What all figures share: their theme, long names cut to fit, and the reader's filter and order of players.

Colours are the page's CSS variables, so that one drawing serves a light and a dark page and print. Three
signals are the page's to set: `find` (a pattern of players; empty: all), `order` (`rank`, `value` or `name`)
and `narrow` (there is no room for whole names and intervals as text).
"""

from collections.abc import Sequence
from typing import Any

import altair as alt

from perennial.tasks.report.content import Chart, Drawing, Record
from perennial.tasks.report.wording import clean

SERIES = tuple(f"var(--s{number})" for number in range(8))
"""The colours of series (`perennial.tasks.report.palette`)."""
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
    """Return the chart with the theme and the page's signals."""
    return Chart({**chart.to_dict(), "config": _THEME, "params": _SIGNALS, "autosize": _AUTOSIZE})


def make_drawing(
    heading: str,
    title: str,
    spec: Spec,
    rows: Sequence[Record],
    *,
    is_wide: bool = False,
    least_width: int = 0,
) -> Drawing:
    """Return the compiled chart of these rows as a drawing that screen readers call `title`."""
    return Drawing(clean(heading), clean(title), spec, tuple(rows), is_wide, least_width)


def cut(text: str, wide: int = 34, narrow: int = 24) -> str:
    """Return the Vega expression of a text whose middle is left out where it has more letters than these."""
    most = f"(narrow ? {narrow} : {wide})"
    head, tail = f"floor({most} * 2 / 3)", f"(length({text}) - {most} + 1 + floor({most} * 2 / 3))"
    return f"(length({text}) > {most} ? slice({text}, 0, {head}) + '…' + slice({text}, {tail}) : {text})"


CUT_LEGEND = alt.Legend(columns=2, labelExpr=cut("datum.label", 34, 20))
"""A legend whose names are cut, so that a telephone shows them."""


def tips(**fields: str) -> list[alt.Tooltip]:
    """Return what a mark shows when it is pointed at: each field of its row under a title."""
    return [alt.Tooltip(field=field, type="nominal", title=title) for field, title in fields.items()]


def series_colours(names: Sequence[str], legend: alt.Legend | None = LEGEND) -> alt.Color:
    """Return the colours of the field `series`, whose values are these."""
    scale = alt.Scale(domain=list(names), range=[SERIES[place % len(SERIES)] for place in range(len(names))])
    return alt.Color("series:N", scale=scale, legend=legend)


def player_axis(labels: str = "") -> alt.Y:
    """Return the rows of players, by the field `key`; `labels` is the expression of their labels."""
    look: dict[str, Any] = {
        "ticks": False,
        "domain": False,
        "grid": True,
        "gridDash": [1, 3],
        "labelPadding": 8,
    }
    axis = alt.Axis(labelExpr=labels or cut("datum.label"), **look)
    return alt.Y("player:N", sort=alt.EncodingSortField(field="key", op="min"), title=None, axis=axis)
