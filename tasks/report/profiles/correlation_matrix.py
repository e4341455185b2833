"""How models' scores in each setting of each benchmark go together: a matrix of correlations."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt

from perennial.tasks.report.content import Drawing, Query, Record, ReportTable, Section, omit_section
from perennial.tasks.report.figures.chart import ROWS, SOFT, Spec, compile_chart, cut, make_drawing, tips
from perennial.tasks.report.wording import brackets, clean, decimals, p_number, span

PROFILE_CORRELATIONS = Query(
    "profile_correlations",
    """
-- Do models that are good at one benchmark do well at another?
SELECT benchmark, edition, setting, other_benchmark, other_edition, other_setting, coefficient, players,
       correlation,
       correlation_low, correlation_high, p_holm, reliability, other_reliability, disattenuated,
       disattenuated_low, disattenuated_high, undefined
FROM profile_correlations
WHERE is_newest
ORDER BY coefficient, benchmark, setting, other_benchmark, other_setting
""",
)

_KEY = "correlations"
_TITLE = "Correlations over models"
_NAMES = {"spearman": "Spearman's correlation", "pearson": "Pearson's correlation"}
_STEP = 36
_NARROW = 4  # settings: so many have room beside another matrix
_LEAST_FIELD, _LABELS = 78, 170


def correlation_matrix(table: ReportTable, columns: Sequence[tuple[str, str]]) -> Section:
    """Return the section of correlations between these settings: a matrix for each coefficient."""
    rows = table.records()
    if not rows:
        return omit_section(_KEY, _TITLE, [table], "There is one setting only: nothing to compare it with.")
    names = [", ".join(column) for column in columns]
    drawings = tuple(
        _draw(f"{name}, n = {span(row['players'] for row in of)} models", of, names)
        for coefficient, name in _NAMES.items()
        if (of := [row for row in rows if row["coefficient"] == coefficient])
    )
    caption = (
        "Each field is the correlation, over the models that have a score in both, of their scores in two "
        "settings, with its 95% interval by Fisher's z below it: of few models it is wide. A dash is "
        "undefined: fewer than seven models, or all with the same score; an interval is undefined at 1. "
        "p is by t, after Holm's correction over the correlations of a matrix. "
        "Chance in the scores hides correlations: the table has the reliability of each setting, and what "
        "Pearson's correlation would be without chance. Programs, people, controls and checkpoints do not "
        "count. Point to a field to read its number of models."
    )
    return Section(_KEY, _TITLE, caption, (table,), drawings)


def _draw(heading: str, rows: Sequence[Record], names: Sequence[str]) -> Drawing:
    drawn = []
    for row in rows:
        one, other = (", ".join((row[f"{side}benchmark"], row[f"{side}setting"])) for side in ("", "other_"))
        for down, across in ((one, other), (other, one)):
            drawn.append(
                {
                    "down": clean(down),
                    "across": clean(across),
                    "down_place": names.index(down),
                    "across_place": names.index(across),
                    "r": row["correlation"],
                    "text": decimals(row["correlation"], 2),
                    "interval": _interval(row),
                    "p": p_number(row["p_holm"]),
                    "n": f"{row['players']:,}",
                    "why": row["undefined"] or "",
                }
            )
    is_wide, least = len(names) > _NARROW, _LABELS + _LEAST_FIELD * len(names)
    title = f"{_TITLE}: {heading}"
    return make_drawing(heading, title, _compile(), drawn, is_wide=is_wide, least_width=least)


def _interval(row: Record) -> str:
    if row["correlation_low"] is None or row["correlation_high"] is None:
        return ""
    return brackets(decimals(row["correlation_low"], 2), decimals(row["correlation_high"], 2))


@lru_cache(maxsize=1)
def _compile() -> Spec:
    """Return the chart of fields with their numbers and intervals."""
    label = cut("datum.label", 24, 24)
    look: dict[str, Any] = {"ticks": False, "domain": False, "labelExpr": label}
    base = alt.Chart().encode(
        x=alt.X(
            "across:N",
            sort=alt.EncodingSortField(field="across_place", op="min"),
            title=None,
            axis=alt.Axis(orient="top", labelAngle=-35, **look),
        ),
        y=alt.Y(
            "down:N",
            sort=alt.EncodingSortField(field="down_place", op="min"),
            title=None,
            axis=alt.Axis(labelPadding=8, **look),
        ),
        tooltip=tips(
            down="of",
            across="with",
            text="correlation",
            interval="95% interval",
            p="p (Holm)",
            n="models",
            why="undefined",
        ),
    )
    colour = alt.Color(
        "r:Q",
        scale=alt.Scale(scheme="blueorange", domain=[-1, 1], reverse=True),
        legend=alt.Legend(title="correlation", direction="horizontal", orient="bottom", tickCount=5),
    )
    known = base.transform_filter("isValid(datum.r)")
    ink = alt.condition("abs(datum.r) > 0.7", alt.value("#ffffff"), alt.value("#111111"))
    layers = [
        known.mark_rect(strokeWidth=0).encode(color=colour),
        known.mark_text(dy=-6, fontSize=11).encode(text="text:N", color=ink),
        known.mark_text(dy=8, fontSize=9).encode(text="interval:N", color=ink),
        base.transform_filter("!isValid(datum.r)")
        .mark_text(fontSize=11)
        .encode(text="text:N", color=alt.value(SOFT)),
    ]
    chart = alt.layer(*layers, data=ROWS)
    return compile_chart(chart.properties(width="container", height=alt.Step(_STEP)))
