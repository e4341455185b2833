"""A row per player: its value as a point, the interval as a line through it, and both as text."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import altair as alt

from perennial.tasks.report.content import Drawing, Record, ReportData
from perennial.tasks.report.figures.chart import (
    FOUND,
    ROWS,
    SERIES,
    SOFT,
    Spec,
    compile_chart,
    cut,
    make_drawing,
    player_axis,
    series_colours,
    tips,
)
from perennial.tasks.report.figures.paper_values import describe_mark, name_places
from perennial.tasks.report.wording import clean, decimals, span, with_interval

_STEP, _SERIES_STEP, _PAIR_STEP = 19, 12, 32
_LAST = 1e300
_KEY = "order == 'name' ? datum.by_name : order == 'value' ? datum.by_value : datum.place"


@dataclass(frozen=True, slots=True)
class Scale:
    """The horizontal axis: lines of its title, decimals of texts, its ends where fixed, and a line at 0.

    `floor` is where another line is drawn, with its label.
    """

    title: tuple[str, ...]
    places: int = 3
    ends: tuple[float, float] | None = None
    has_zero_line: bool = False
    floor: tuple[float, str] | None = None


def read_estimate(
    row: Record,
    value: str,
    n: str,
    ends: Sequence[str] = (),
    series: str = "",
    other: str = "",
    more: str = "",
    paper: Record | None = None,
) -> Record:
    """Return what is drawn of a row: its columns `value`, `n` and `ends` (else `VALUE_low` and `VALUE_high`).

    `other` is the player whose value was taken from it; `more` is added to its text. `paper` is what the
    benchmark's paper prints of the player (`perennial.tasks.report.figures.paper_values`).
    """
    low, high = ends or (f"{value}_low", f"{value}_high")
    first, second = clean(row["player"]), clean(other)
    figures = {"value": row[value], "low": row[low], "high": row[high], "n": row[n]}
    player = f"{first}\n{second}" if other else first
    return {
        "player": player,
        "first": first,
        "other": second,
        "series": series,
        **figures,
        "more": more,
        "paper": paper,
    }


def rows_by_setting(
    data: ReportData,
    title: str,
    rows: Sequence[Record],
    read: Callable[[Record], list[Record]],
    scale: Scale,
    *,
    more: str = "",
    unit: str = "per player",
    floors: Mapping[str, tuple[float, str]] | None = None,
) -> tuple[Drawing, ...]:
    """Return a drawing of each setting that has rows, of what `read` gives of them, in the order of the page.

    The heading adds `more` to the setting's name, and says after n what `unit` it counts. `floors` are
    lines of the settings, each with its label.
    """
    drawings = []
    for setting in data.settings:
        drawn = [estimate for row in rows if row["setting"] == setting for estimate in read(row)]
        if drawn:
            heading = f"{setting}{more}, n = {span(row['n'] for row in drawn)} {unit}"
            own = replace(scale, floor=(floors or {}).get(setting))
            drawings.append(interval_rows(heading, f"{title}: {setting}{more}", drawn, own, data.players()))
    return tuple(drawings)


def interval_rows(
    heading: str, title: str, drawn: Sequence[Record], scale: Scale, order: Sequence[str] = ()
) -> Drawing:
    """Return the estimates as a drawing, a row per player (or pair of players), in this order or as given.

    What a paper prints of a player is a hollow mark in its row; the heading says of which table it is.
    """
    names = list(dict.fromkeys((*map(clean, order), *(row["player"] for row in drawn))))
    by_name = sorted(names, key=str.casefold)
    # A row of several series stands where its first one belongs.
    leading = {row["player"]: row["value"] for row in reversed(drawn)}
    printed = [row["paper"] for row in drawn if row.get("paper") is not None]
    rows = [
        {
            **row,
            **describe_mark(row.get("paper"), scale.places),
            "place": names.index(row["player"]),
            "by_name": by_name.index(row["player"]),
            "by_value": _LAST if (value := leading[row["player"]]) is None else -value,
            "text": with_interval(row["value"], row["low"], row["high"], scale.places) + row["more"],
            "short": decimals(row["value"], scale.places),
            "n": f"{row['n']:,}",
        }
        for row in drawn
    ]
    series = tuple(dict.fromkeys(row["series"] for row in drawn))
    is_pair = any(row["other"] for row in drawn)
    spec = _compile(scale, series, is_pair, bool(printed))
    return make_drawing(heading + name_places(printed), title, spec, rows)


@lru_cache(maxsize=64)
def _compile(scale: Scale, series: tuple[str, ...], is_pair: bool, has_paper: bool) -> Spec:
    step = _PAIR_STEP if is_pair else _STEP if len(series) == 1 else _SERIES_STEP
    labels = cut("datum.label")
    if is_pair:
        one, other = (f"split(datum.label, '\\n')[{place}]" for place in (0, 1))
        labels = f"[{cut(one)}, 'minus ' + {cut(other, 28, 18)}]"
    shared: dict[str, Any] = {
        "y": player_axis(labels),
        "tooltip": tips(
            **({"first": "player", "other": "minus"} if is_pair else {"first": "player"}),
            **({"series": "what"} if any(series) else {}),
            text="value [95%]",
            n="n",
        ),
    }
    shared["color"] = series_colours(series) if any(series) else alt.value(SERIES[0])
    if len(series) > 1:
        shared["yOffset"] = alt.YOffset("series:N", sort=list(series))
    ends = {"domain": list(scale.ends)} if scale.ends else {"zero": True, "nice": True}
    across: dict[str, Any] = {
        "scale": alt.Scale(**ends),
        "axis": alt.Axis(orient="top", title=list(scale.title), tickCount=5),
    }
    base = alt.Chart().encode(**shared)
    layers = [
        base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", **across), x2="high:Q"),
        base.mark_point().encode(x=alt.X("value:Q", **across)),
        base.mark_text(align="left", dx=8, fontSize=10).encode(
            x=alt.value("width"), text="shown:N", color=alt.value(SOFT)
        ),
    ]
    if has_paper:
        layers.append(
            base.mark_point(filled=False, size=70, strokeWidth=1.5)
            .encode(x=alt.X("paper:Q", **across), tooltip=tips(first="player", printed="the paper's value"))
            .transform_filter("isValid(datum.paper)")
        )
    if scale.has_zero_line:
        zero = alt.Chart(alt.InlineData(values=[{}])).mark_rule(strokeWidth=1.2, color=SOFT)
        layers.insert(0, zero.encode(x=alt.datum(0)))
    if scale.floor is not None:
        layers[:0] = _draw_floor(*scale.floor)
    return compile_chart(
        alt.layer(*layers, data=ROWS)
        .transform_filter(FOUND)
        .transform_calculate(key=_KEY, shown="narrow ? datum.short : datum.text")
        .properties(width="container", height=alt.Step(step))
    )


def _draw_floor(value: float, label: str) -> tuple[alt.Chart, alt.Chart]:
    """Return a dashed line across all rows, and its label at the foot."""
    base = alt.Chart(alt.InlineData(values=[{}])).encode(x=alt.datum(value))
    return (
        base.mark_rule(strokeWidth=1.2, strokeDash=[4, 3], color=SOFT),
        base.mark_text(text=label, align="left", baseline="top", dx=3, dy=3, fontSize=10, color=SOFT).encode(
            y=alt.value("height")
        ),
    )
