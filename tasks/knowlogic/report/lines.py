"""Accuracy and tokens from easy to hard and by level, a drawing per domain (the paper's figures 7 to 12)."""

from collections.abc import Sequence
from functools import lru_cache

import altair as alt

from schemas.knowlogic.things import DIFFICULTIES, DOMAINS
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
from tasks.report.figures.chart import FOUND, ROWS, SERIES, SOFT, Spec, compile_chart, cut, make_drawing, tips
from tasks.report.wording import clean, decimals, span, with_interval

DIFFICULTY = Query(
    "difficulty",
    """
-- Does accuracy fall from easy to hard questions in each domain?
SELECT * EXCLUDE (edition)
FROM knowlogic_difficulty
WHERE edition = $edition AND language = 'all'
""",
)

REPLY_TOKENS = Query(
    "reply_tokens",
    """
-- Do replies to harder questions take more tokens, and wrong ones more than right ones?
SELECT * EXCLUDE (edition)
FROM knowlogic_tokens
WHERE edition = $edition AND language = 'all'
""",
)

LEVELS = Query(
    "levels",
    """
-- Do replies get longer, and right less often, as the level rises?
SELECT * EXCLUDE (edition)
FROM knowlogic_levels
WHERE edition = $edition AND language = 'all'
""",
)

_HEIGHT = 200
# Names are cut so that a telephone shows them.
_LEGEND = alt.Legend(columns=2, labelExpr=cut("datum.label", 34, 20))
_OTHERS = "others"
_ALL = "all"
_RIGHT, _WRONG = "right", "wrong"
_NAMED = (
    f"The first {len(SERIES)} players by rank have colours; look for others by name. Lines through points "
    "are 95% intervals for questions that vary, a pair of texts counting once."
)


@figure("difficulty", "Accuracy and difficulty", DIFFICULTY)
def difficulty(data: ReportData) -> Section:
    """Return the section of accuracy by difficulty: a drawing of all domains, and one of each."""
    key, title = difficulty.key, difficulty.title
    table = data.tables[key]
    rows = [
        {
            **row,
            "difficulty": name,
            "kind": "",
            **_figures(row, f"{name}_accuracy"),
            "n": row[f"{name}_questions"],
        }
        for row in table.records()
        for name in DIFFICULTIES
        if row[f"{name}_accuracy"] is not None
    ]
    if not rows:
        return omit_unanalysed(key, title, [table])
    drawings = _by_domain(data, title, rows, "accuracy", 3)
    caption = (
        "Each point is a player's accuracy on the questions of one class, both languages together. "
        "Classes come from the steps of the proof and the options to decide: the same class is not equally "
        f"hard in two domains. {_NAMED} n is the number of questions of a point, each in one language."
    )
    return Section(key, title, caption, (table,), drawings)


@figure("reply_tokens", "Tokens of right and wrong replies", REPLY_TOKENS)
def reply_tokens(data: ReportData) -> Section:
    """Return the section of tokens by difficulty, right and wrong replies apart; none without models."""
    key, title = reply_tokens.key, reply_tokens.title
    table = data.tables[key]
    rows = [
        {**row, "kind": kind, **_figures(row, f"{kind}_tokens"), "n": row[f"{kind}_questions"]}
        for row in table.records()
        for kind in (_RIGHT, _WRONG)
        if row["difficulty"] != _ALL and row[f"{kind}_tokens"] is not None
    ]
    if not rows:
        missing = "No reply of this edition has a token count: no model played in it."
        return omit_section(key, title, [table], missing)
    drawings = _by_domain(data, title, rows, "tokens per reply", 0)
    caption = (
        "Each point is the mean number of tokens of a player's replies, reasoning included, to the "
        "questions of one class: whole lines and discs are right replies, broken lines and crosses wrong "
        "ones. Which questions these are differs between the two. The table has the correlations of "
        f"tokens with the level within each domain, with 95% intervals. {_NAMED} n is the number of "
        "questions of a point. Programs have no tokens."
    )
    return Section(key, title, caption, (table,), drawings)


@figure("levels", "Tokens and level", LEVELS)
def levels(data: ReportData) -> Section:
    """Return the section of tokens by band of the level, right and wrong replies apart."""
    key, title = levels.key, levels.title
    table = data.tables[key]
    rows = [
        {
            **row,
            "difficulty": decimals(row["level"], 2),
            "kind": kind,
            **_figures(row, f"{kind}_tokens"),
            "n": row[f"{kind}_questions"],
        }
        for row in table.records()
        for kind in (_RIGHT, _WRONG)
        if row[f"{kind}_tokens"] is not None
    ]
    if not rows:
        missing = "No reply of this edition has a token count, or its questions have no levels."
        return omit_section(key, title, [table], missing)
    drawings = _by_domain(data, title, rows, "tokens per reply", 0)
    caption = (
        "Each point is the mean number of tokens of a player's replies, reasoning included, to the "
        "questions of a band of the paper's level, a quarter wide and called by where it begins: whole "
        "lines and discs are right replies, broken lines and crosses wrong ones. Levels of two domains are "
        f"not comparable. The table has accuracy by band as well. {_NAMED} n is the number of questions of "
        "a point. Programs have no tokens."
    )
    return Section(key, title, caption, (table,), drawings)


def _figures(row: Record, column: str) -> Record:
    return {"value": row[column], "low": row[f"{column}_low"], "high": row[f"{column}_high"]}


def _by_domain(
    data: ReportData, title: str, rows: Sequence[Record], what: str, places: int
) -> tuple[Drawing, ...]:
    """Return the drawings of those domains that have rows, all together first."""
    drawings = []
    for domain in (_ALL, *DOMAINS):
        listed = [row for row in rows if row["domain"] == domain]
        if listed:
            drawings.append(
                _draw(f"{domain} domains" if domain == _ALL else domain, title, listed, data, what, places)
            )
    return tuple(drawings)


def _draw(name: str, title: str, rows: Sequence[Record], data: ReportData, what: str, places: int) -> Drawing:
    playing = [player for player in data.players() if any(row["player"] == player for row in rows)]
    named = playing[: len(SERIES)]
    drawn = [
        {
            "player": clean(row["player"]),
            "series": clean(row["player"]) if row["player"] in named else _OTHERS,
            "place": playing.index(row["player"]),
            "difficulty": row["difficulty"],
            "kind": row["kind"],
            "value": row["value"],
            "low": row["low"],
            "high": row["high"],
            "text": with_interval(row["value"], row["low"], row["high"], places),
            "n": decimals(row["n"], 0),
        }
        for row in rows
    ]
    series = tuple(map(clean, named)) + ((_OTHERS,) if len(playing) > len(named) else ())
    heading = f"{name}, n = {span(row['n'] for row in rows)} per point"
    names = {row["difficulty"] for row in rows}
    order = DIFFICULTIES if names <= set(DIFFICULTIES) else tuple(sorted(names, key=float))
    chart = _compile(series, len(playing), what, places == 0, order)
    return make_drawing(heading, f"{title}: {name}", chart, drawn)


@lru_cache(maxsize=32)
def _compile(
    series: tuple[str, ...], players: int, what: str, has_kinds: bool, order: tuple[str, ...]
) -> Spec:
    """Return the chart of lines, points and intervals; of two kinds of lines where it has kinds."""
    colours = [SOFT if name == _OTHERS else SERIES[place] for place, name in enumerate(series)]
    kind = {"kind": "replies"} if has_kinds else {}
    base = alt.Chart().encode(
        x=alt.X(
            "difficulty:O",
            sort=list(order),
            title=None if order == DIFFICULTIES else "level",
            axis=alt.Axis(labelAngle=0),
            scale=alt.Scale(paddingInner=0.5, paddingOuter=0.25),
        ),
        xOffset=alt.XOffset("place:O", scale=alt.Scale(domain=list(range(players)))),
        color=alt.Color("series:N", scale=alt.Scale(domain=list(series), range=colours), legend=_LEGEND),
        detail=["player:N", "kind:N"],
        tooltip=tips(
            player="player",
            difficulty="difficulty" if order == DIFFICULTIES else "level",
            **kind,
            text=f"{what} [95%]",
            n="n",
        ),
    )
    scale = alt.Scale(zero=True) if has_kinds else alt.Scale(domain=[0, 1])
    up = alt.Y("value:Q", title=what, scale=scale)
    shape = alt.Shape(
        "kind:N", scale=alt.Scale(domain=[_RIGHT, _WRONG], range=["circle", "cross"]), legend=None
    )
    dash = alt.StrokeDash(
        "kind:N", scale=alt.Scale(domain=[_RIGHT, _WRONG], range=[[1, 0], [5, 3]]), legend=None
    )
    line, point = base.mark_line(strokeWidth=1.5).encode(y=up), base.mark_point().encode(y=up)
    layers = [
        base.mark_rule(strokeWidth=1, opacity=0.4).encode(y=alt.Y("low:Q", title=what), y2="high:Q"),
        line.encode(strokeDash=dash) if has_kinds else line,
        point.encode(shape=shape) if has_kinds else point,
    ]
    chart = alt.layer(*layers, data=ROWS).transform_filter(FOUND)
    return compile_chart(chart.properties(width="container", height=_HEIGHT))
