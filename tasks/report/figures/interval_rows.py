"""A row a player: its value as a point, the interval as a line through it, and both as text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import altair as alt

from tasks.report.content import Drawing, Record, ReportData
from tasks.report.figures.chart import (
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
from tasks.report.wording import clean, decimals, span, with_interval

_STEP, _SERIES_STEP, _PAIR_STEP = 19, 12, 32
_LAST = 1e300
_KEY = "order == 'name' ? datum.by_name : order == 'value' ? datum.by_value : datum.place"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A player's value with its interval (None: undefined), from n observations.

    `other` is the player whose value was taken from it; `more` is added to its text.
    """

    player: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    series: str = ""
    other: str = ""
    more: str = ""


@dataclass(frozen=True, slots=True)
class Scale:
    """The horizontal axis: lines of its title, decimals of texts, its ends where fixed, and a line at 0."""

    title: tuple[str, ...]
    places: int = 3
    ends: tuple[float, float] | None = None
    has_zero_line: bool = False


def read_estimate(row: Record, value: str, n: str, low: str = "", high: str = "", **texts: Any) -> Estimate:
    """Return the row's estimate from these columns; of the interval, `VALUE_low` and `VALUE_high` by default.

    `texts` are its series, other player and more, where it has them.
    """
    ends = row[low or f"{value}_low"], row[high or f"{value}_high"]
    return Estimate(row["player"], row[value], *ends, row[n], **texts)


def rows_by_setting(
    data: ReportData,
    title: str,
    rows: Sequence[Record],
    estimates: Callable[[Record], Sequence[Estimate]],
    scale: Scale,
    *,
    more: str = "",
    unit: str = "a player",
) -> tuple[Drawing, ...]:
    """Return a drawing of each setting that has rows: their estimates, players in the order of the page.

    The heading adds `more` to the setting's name, and says after n what `unit` it counts.
    """
    drawings = []
    for setting in data.settings:
        if listed := [row for row in rows if row["setting"] == setting]:
            found = [estimate for row in listed for estimate in estimates(row)]
            heading = f"{setting}{more}, n = {span(estimate.n for estimate in found)} {unit}"
            drawings.append(interval_rows(heading, f"{title}: {setting}{more}", found, scale, data.players()))
    return tuple(drawings)


def interval_rows(
    heading: str, title: str, estimates: Sequence[Estimate], scale: Scale, order: Sequence[str] = ()
) -> Drawing:
    """Return the estimates as a drawing, a row a player (or pair of players), in this order or as given."""
    series = tuple(dict.fromkeys(estimate.series for estimate in estimates))
    spec = _compile(scale, series, any(estimate.other for estimate in estimates))
    return make_drawing(heading, title, spec, _rows(estimates, scale, order))


@lru_cache(maxsize=64)
def _compile(scale: Scale, series: tuple[str, ...], is_pair: bool) -> Spec:
    step = _PAIR_STEP if is_pair else _STEP if len(series) == 1 else _SERIES_STEP
    sort = alt.EncodingSortField(field="key", op="min")
    labels = f"[{cut('datum.label')}]"
    if is_pair:
        one, other = (f"split(datum.label, '\\n')[{place}]" for place in (0, 1))
        labels = f"[{cut(one)}, 'minus ' + {cut(other, 28, 18)}]"
    shared: dict[str, Any] = {
        "y": alt.Y(
            "player:N",
            sort=sort,
            title=None,
            axis=alt.Axis(
                labelExpr=labels, ticks=False, domain=False, grid=True, gridDash=[1, 3], labelPadding=8
            ),
        ),
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
    if scale.has_zero_line:
        zero = alt.Chart(alt.InlineData(values=[{}])).mark_rule(strokeWidth=1.2, color=SOFT)
        layers.insert(0, zero.encode(x=alt.datum(0)))
    return compile_chart(
        alt.layer(*layers, data=ROWS)
        .transform_filter(FOUND)
        .transform_calculate(key=_KEY, shown="narrow ? datum.short : datum.text")
        .properties(width="container", height=alt.Step(step))
    )


def _rows(estimates: Sequence[Estimate], scale: Scale, order: Sequence[str]) -> list[Record]:
    names = list(dict.fromkeys((*(f"{player}\n" for player in order), *map(_name, estimates))))
    place = {name: number for number, name in enumerate(names)}
    by_name = {name: number for number, name in enumerate(sorted(names, key=str.casefold))}
    # A row of several series stands where its first one belongs.
    leading = {_name(estimate): estimate.value for estimate in reversed(estimates)}
    return [
        {
            "player": clean(estimate.player) + (f"\n{clean(estimate.other)}" if estimate.other else ""),
            "first": clean(estimate.player),
            "other": clean(estimate.other),
            "series": estimate.series,
            "place": place[_name(estimate)],
            "by_name": by_name[_name(estimate)],
            "by_value": _LAST if (value := leading[_name(estimate)]) is None else -value,
            "value": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "text": with_interval(estimate.value, estimate.low, estimate.high, scale.places) + estimate.more,
            "short": decimals(estimate.value, scale.places),
            "n": f"{estimate.n:,}",
        }
        for estimate in estimates
    ]


def _name(estimate: Estimate) -> str:
    return f"{estimate.player}\n{estimate.other}"
