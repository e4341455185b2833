"""A map of fields: players down, kinds of questions across, the rate of each as a color and a number."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import altair as alt

from perennial.tasks.report.content import Drawing, Record
from perennial.tasks.report.figures.chart import (
    FOUND,
    ROWS,
    Spec,
    compile_chart,
    cut,
    make_drawing,
    player_axis,
    tips,
)
from perennial.tasks.report.wording import clean, decimals, with_interval

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
    """Return the mean of `rate` over the rows of each value of the column `name`."""
    rates = defaultdict(list)
    for row in rows:
        rates[row[name]].append(row["rate"])
    return {key: sum(of) / len(of) for key, of in rates.items()}


def draw_fields(
    heading: str, title: str, rows: Sequence[Record], columns: Sequence[str], players: Sequence[str], map: Map
) -> Drawing:
    """Return the map of these rows, whose columns are player, column, rate, low, high, n.

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
    return make_drawing(heading, title, _compile(is_written, map), drawn, is_wide=True, least_width=least)


@lru_cache(maxsize=16)
def _compile(is_written: bool, map: Map) -> Spec:
    """Return the chart of fields, and of the numbers in them where there may be room."""
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
