"""Accuracy against size in the tasks of the Hard suite (figure 1 of the paper)."""

from functools import lru_cache
from itertools import groupby

import altair as alt

from tasks.report.content import Drawing, Query, Record, ReportData, Section, figure, omit_section
from tasks.report.figures.chart import (
    FOUND,
    ROWS,
    SERIES,
    SOFT,
    Spec,
    compile_chart,
    make_drawing,
    tips,
)
from tasks.report.wording import clean, span, with_interval

SIZES = Query(
    "sizes",
    """
-- How does accuracy fall with size in the tasks of the Hard suite?
SELECT task, size, player, instances, accuracy, accuracy_low, accuracy_high
FROM beyondbench_sizes
WHERE edition = $edition AND suite = 'hard'
ORDER BY task, player, size
""",
)

_KEY = "sizes"
_TITLE = "Accuracy and size"
_HEIGHT = 200
_OTHERS = "others"


@figure(_KEY, _TITLE, SIZES)
def size_curves(data: ReportData) -> Section:
    """Return the section of accuracy by size: a drawing a task that has problems of several sizes."""
    table = data.tables[_KEY]
    rows = table.records()
    drawings, flat = [], []
    for task, of_task in groupby(rows, key=lambda row: str(row["task"])):
        listed = list(of_task)
        if len({row["size"] for row in listed}) > 1:
            drawings.append(_draw(task, listed, data.players()))
        else:
            flat.append(task)
    if not drawings:
        missing = "No task of the Hard suite has scored answers at two sizes in this edition."
        return omit_section(_KEY, _TITLE, [table], missing)
    caption = (
        "Each point is a player's accuracy at one size: the unweighted mean over the variations of the task "
        "that have problems of this size, each the mean over these. Sizes are in the task's own unit: "
        "disks, queens, vertices, variables, empty cells, digits, matrices, congruences, projects, people. "
        "Variations have sizes of their own, so that a step may be one of variations too. "
        f"Lines through points are 95% intervals for instances that vary. The first {len(SERIES)} players by "
        "rank have colours; look for others by name. n is the number of instances of a point."
        + (f" Of one size only, and left out: {', '.join(map(_words, flat))}." if flat else "")
    )
    return Section(_KEY, _TITLE, caption, (table,), tuple(drawings))


def _words(task: str) -> str:
    return clean(task.replace("_", " "))


def _draw(task: str, rows: list[Record], order: list[str]) -> Drawing:
    playing = [player for player in order if any(row["player"] == player for row in rows)]
    named = playing[: len(SERIES)]
    drawn = [
        {
            "player": clean(row["player"]),
            "series": clean(row["player"]) if row["player"] in named else _OTHERS,
            "size": row["size"],
            "value": round(row["accuracy"], 4),
            "low": row["accuracy_low"],
            "high": row["accuracy_high"],
            "text": with_interval(row["accuracy"], row["accuracy_low"], row["accuracy_high"]),
            "n": f"{row['instances']:,}",
        }
        for row in rows
    ]
    names = tuple(map(clean, named)) + ((_OTHERS,) if len(playing) > len(named) else ())
    sizes = tuple(sorted({row["size"] for row in rows}))
    heading = f"{_words(task)}, n = {span(row['instances'] for row in rows)} per point"
    return make_drawing(heading, f"{_TITLE}: {_words(task)}", _compile(names, sizes), drawn)


@lru_cache(maxsize=32)
def _compile(names: tuple[str, ...], sizes: tuple[int, ...]) -> Spec:
    """Return the chart of lines, points and intervals of these series at these sizes."""
    colours = [SOFT if name == _OTHERS else SERIES[place] for place, name in enumerate(names)]
    base = alt.Chart().encode(
        x=alt.X(
            "size:Q",
            title="size",
            scale=alt.Scale(zero=False, nice=False, padding=12),
            axis=alt.Axis(values=list(sizes), labelOverlap=True, format="d", grid=False),
        ),
        color=alt.Color(
            "series:N",
            scale=alt.Scale(domain=list(names), range=colours),
            legend=alt.Legend(columns=3),
        ),
        detail="player:N",
        tooltip=tips(player="player", size="size", text="accuracy [95%]", n="n"),
    )
    up = alt.Y("value:Q", title="accuracy", scale=alt.Scale(domain=[0, 1]))
    layers = [
        base.mark_rule(strokeWidth=1, opacity=0.4).encode(y=alt.Y("low:Q", title="accuracy"), y2="high:Q"),
        base.mark_line(strokeWidth=1.5).encode(y=up),
        base.mark_point().encode(y=up),
    ]
    chart = alt.layer(*layers, data=ROWS).transform_filter(FOUND)
    return compile_chart(chart.properties(width="container", height=_HEIGHT))
