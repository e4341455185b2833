"""What is wrong about wrong replies: the shares of error classes, and of replies without letters."""

from collections.abc import Sequence
from functools import lru_cache

import altair as alt

from schemas.knowlogic.things import DOMAINS, ERROR_CLASSES
from tasks.report.content import (
    Drawing,
    Query,
    Record,
    ReportData,
    Section,
    figure,
    omit_section,
    omit_unanalysed,
)
from tasks.report.figures.chart import (
    FOUND,
    ROWS,
    Spec,
    compile_chart,
    make_drawing,
    player_axis,
    series_colours,
    tips,
)
from tasks.report.wording import clean, decimals, span, with_interval

ERRORS = Query(
    "errors",
    """
-- What is wrong about wrong letters?
SELECT * EXCLUDE (edition)
FROM knowlogic_errors
WHERE edition = $edition AND language = 'all' AND difficulty = 'all'
""",
)

_KEY = "errors"
_TITLE = "Classes of wrong replies"
_STEP = 19
_ALL = "all"
_UNREAD = "no letters"
_KINDS = (*ERROR_CLASSES, _UNREAD)
_ORDER = "order == 'name' ? datum.by_name : order == 'value' ? datum.total : datum.place"


@figure(_KEY, _TITLE, ERRORS)
def error_classes(data: ReportData) -> Section:
    """Return the section of error classes: a drawing of all domains, and one of each."""
    table = data.tables[_KEY]
    rows = table.records()
    if not rows:
        return omit_unanalysed(_KEY, _TITLE, [table])
    if all(row["accuracy"] == 1 for row in rows):
        return omit_section(_KEY, _TITLE, [table], "Every reply of this edition is right.")
    drawings = []
    for domain in (_ALL, *DOMAINS):
        listed = [row for row in rows if row["domain"] == domain]
        if listed:
            drawings.append(_draw("all domains" if domain == _ALL else domain, listed, data.players()))
    caption = (
        "Each bar is the share of a player's scored replies that are wrong, by what their letters are to "
        "the right ones: subset, some right ones are missing and none is wrong; superset, wrong ones were "
        "added; overlap, both; disjoint, none is right; and no letters, where none could be read. A "
        "question with one right letter has no subset, one with four no superset. What is left to 1 is "
        "right. Point to a part to read its share with its 95% interval; n is the number of questions, "
        "each in one language."
    )
    return Section(_KEY, _TITLE, caption, (table,), tuple(drawings))


def _draw(name: str, rows: Sequence[Record], order: Sequence[str]) -> Drawing:
    by_name = sorted({row["player"] for row in rows}, key=str.casefold)
    drawn = []
    for row in rows:
        start = 0.0
        for kind in _KINDS:
            column = "unextracted_rate" if kind == _UNREAD else kind
            value = row[column]
            low, high = (row.get(f"{column}_{end}") for end in ("low", "high"))
            drawn.append(
                {
                    "player": clean(row["player"]),
                    "series": kind,
                    "start": start,
                    "end": start + value,
                    "total": row["accuracy"],
                    "place": order.index(row["player"]),
                    "by_name": by_name.index(row["player"]),
                    "text": with_interval(value, low, high),
                    "n": decimals(row["questions"], 0),
                }
            )
            start += value
    heading = f"{name}, n = {span(row['questions'] for row in rows)} per player"
    return make_drawing(heading, f"{_TITLE}: {name}", _compile(), drawn)


@lru_cache(maxsize=1)
def _compile() -> Spec:
    across = alt.X(
        "start:Q",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(orient="top", title="share of scored replies", tickCount=5),
    )
    bars = (
        alt.Chart(ROWS)
        .mark_bar(height={"band": 0.75})
        .encode(
            x=across,
            x2="end:Q",
            y=player_axis(),
            color=series_colours(_KINDS, alt.Legend(columns=2)),
            tooltip=tips(player="player", series="wrong letters", text="share [95%]", n="n"),
        )
        .transform_filter(FOUND)
        .transform_calculate(key=_ORDER)
    )
    return compile_chart(bars.properties(width="container", height=alt.Step(_STEP)))
