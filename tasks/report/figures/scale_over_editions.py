"""All editions of the benchmark on one scale: rates of players, and how they went from edition to edition."""

import altair as alt

from perennial.tasks.report.content import (
    Drawing,
    Grid,
    Query,
    Record,
    ReportData,
    Section,
    figure,
    omit_section,
    omit_unanalysed,
)
from perennial.tasks.report.figures.chart import (
    CUT_LEGEND,
    FOUND,
    ROWS,
    SERIES,
    compile_chart,
    make_drawing,
    series_colours,
    tips,
)
from perennial.tasks.report.wording import clean, decimals, p_number, with_interval

SCALE = Query(
    "scale",
    """
-- How able is each player over all editions of this benchmark, on one scale?
SELECT s.setting, s.statistic, s.player || if(s.protocol_id = '', '',
       ' (protocol ' || s.protocol_id || ')') AS player, s.other AS other,
       s.value, s.standard_error, s.low, s.high, s.domains, s.editions, s.link,
       s.discrimination, s.discrimination_p_holm, e.created_at
FROM scale AS s
LEFT JOIN editions AS e ON e.edition = s.other AND s.statistic IN ('rate_in_edition', 'shift_of_edition')
WHERE s.benchmark = (SELECT benchmark FROM editions WHERE edition = $edition) AND s.statistic <>
'difference'
ORDER BY s.setting, s.statistic, s.value DESC, s.player, s.protocol_id, e.created_at, s.other
""",
)

_KEY = "scale"
_TITLE = "All editions on one scale"
_MISFIT = 0.05
_MOST_DRAWN = len(SERIES)
_CAPTION = (
    "Rates over the population of domains, from all visible editions of the benchmark by a joint model "
    "(generalized least squares), with 95% intervals for domains that vary, the link between editions "
    "included; n counts domains. The drawing shows each player's rate by one edition alone, less what was "
    "hard for all in that edition, for players of the most editions: intervals that are "
    "apart say that the player has changed. "
    "Discrimination says how far a player follows what is hard for all, 1 as the scale takes it; where its p "
    "(Holm) is below 0.05, marked *, the scale does not fit that player and its link is worth less than its "
    "interval says."
)


@figure(_KEY, _TITLE, SCALE)
def scale_over_editions(data: ReportData) -> Section:
    """Return the section of the common scale: a row per player, and a drawing per setting over time."""
    table = data.tables[_KEY]
    rows = table.records()
    if not rows:
        return omit_unanalysed(_KEY, _TITLE, [table])
    if not any(row["statistic"] == "shift_of_edition" for row in rows):
        return omit_section(_KEY, _TITLE, [table], "The benchmark has one edition with answers only.")
    rates = [row for row in rows if row["statistic"] == "rate"]
    cells = tuple(
        (
            clean(row["setting"]),
            clean(row["player"]),
            with_interval(row["value"], row["low"], row["high"]),
            decimals(row["standard_error"]),
            f"{row['domains']:,}",
            f"{row['editions']:,}",
            _discrimination(row),
            p_number(row["discrimination_p_holm"]),
        )
        for row in rates
    )
    headings = ("setting", "player", "rate", "standard error", "n", "editions")
    grid = Grid((*headings, "discrimination", "p (Holm)"), cells, frozenset(range(2, 8)))
    settings = list(dict.fromkeys((*data.settings, *(row["setting"] for row in rates))))
    drawings = tuple(drawing for setting in settings for drawing in _draw(rows, setting))
    return Section(_KEY, _TITLE, _CAPTION, (table,), drawings, grid)


def _discrimination(row: Record) -> str:
    p = row["discrimination_p_holm"]
    mark = " *" if p is not None and p < _MISFIT else ""
    return f"{decimals(row['discrimination'], 2)}{mark}"


def _draw(rows: list[Record], setting: str) -> list[Drawing]:
    """Return the drawing of the setting; none where it has one edition."""
    own = [row for row in rows if row["setting"] == setting]
    shifts = sorted(
        (row for row in own if row["statistic"] == "shift_of_edition"),
        key=lambda row: (row["created_at"], row["other"]),
    )
    editions = [clean(row["other"]) for row in shifts]
    if len(editions) < 2:
        return []
    ranked = [row for row in own if row["statistic"] == "rate"]
    chosen = sorted(ranked, key=lambda row: -row["editions"])[:_MOST_DRAWN]
    names = [row["player"] for row in ranked if row in chosen]
    marks = [
        {
            "player": clean(row["player"]),
            "series": clean(row["player"]),
            "edition": clean(row["other"]),
            "value": row["value"],
            "low": row["low"],
            "high": row["high"],
            "estimate": with_interval(row["value"], row["low"], row["high"]),
        }
        for row in own
        if row["statistic"] == "rate_in_edition" and row["player"] in names
    ]
    place = alt.X("edition:N", sort=editions, title="edition, oldest first", axis=alt.Axis(labelAngle=-30))
    base = alt.Chart(ROWS).transform_filter(FOUND).encode(x=place, xOffset=alt.XOffset("series:N"))
    colour = series_colours([clean(name) for name in names], CUT_LEGEND)
    scale = alt.Scale(domain=[0, 1])
    rule = base.mark_rule(opacity=0.6).encode(
        y=alt.Y("low:Q", scale=scale, title="rate on the common scale, 95% interval"),
        y2="high:Q",
        color=colour,
    )
    point = base.mark_point().encode(
        y=alt.Y("value:Q", scale=scale),
        color=colour,
        tooltip=tips(player="player", edition="edition", estimate="rate"),
    )
    spec = compile_chart(alt.layer(rule, point).properties(width="container", height=280))
    heading = f"{setting}: {len(editions)} editions"
    return [make_drawing(heading, f"{_TITLE}: {setting}", spec, marks, is_wide=True)]
