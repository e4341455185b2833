"""A bar per player: shares of several kinds, one after the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import altair as alt

from perennial.tasks.report.content import Drawing
from perennial.tasks.report.figures.chart import (
    FOUND,
    ROWS,
    Spec,
    compile_chart,
    make_drawing,
    player_axis,
    series_colours,
    tips,
)
from perennial.tasks.report.wording import clean, decimals

_STEP = 19
_ORDER = "order == 'name' ? datum.by_name : order == 'value' ? datum.total : datum.place"


@dataclass(frozen=True, slots=True)
class Bar:
    """The bar of a player: each kind's share and its text, what it is of, and what bars are ordered by."""

    player: str
    shares: Mapping[str, tuple[float, str]]
    n: int
    value: float


@dataclass(frozen=True, slots=True)
class Labels:
    """The kinds in order, their name and that of a share in a note, the axis, columns of the legend."""

    kinds: tuple[str, ...]
    series: str
    share: str
    axis: str
    columns: int = 2


def stacked_shares(
    heading: str, title: str, bars: Sequence[Bar], labels: Labels, players: Sequence[str]
) -> Drawing:
    """Return the bars as a drawing; `players` are all players in order."""
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
    return make_drawing(heading, title, _compile(labels), drawn)


@lru_cache(maxsize=8)
def _compile(labels: Labels) -> Spec:
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
        .transform_calculate(key=_ORDER)
    )
    return compile_chart(bars.properties(width="container", height=alt.Step(_STEP)))
