"""Accuracy against size in the tasks of the Hard suite (figure 1 of the paper)."""

from itertools import groupby

from perennial.tasks.report.content import (
    Drawing,
    Query,
    Record,
    ReportData,
    Section,
    figure,
    omit_section,
    table_figure,
)
from perennial.tasks.report.figures.chart import SERIES
from perennial.tasks.report.figures.curves import Axes, draw_curves
from perennial.tasks.report.wording import clean, span

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


def _draw(task: str, rows: list[Record], players: list[str]) -> Drawing:
    drawn = [
        {
            "player": row["player"],
            "x": row["size"],
            "value": round(row["accuracy"], 4),
            "low": row["accuracy_low"],
            "high": row["accuracy_high"],
            "n": row["instances"],
        }
        for row in rows
    ]
    sizes = tuple(sorted({row["size"] for row in rows}))
    axes = Axes("size", "accuracy", x_title="size", ticks=sizes)
    heading = f"{_words(task)}, n = {span(row['instances'] for row in rows)} per point"
    return draw_curves(heading, f"{_TITLE}: {_words(task)}", drawn, axes, players)


ALL_SIZES = Query(
    "beyondbench_sizes",
    """
-- How does accuracy fall with size in the tasks of all suites?
SELECT * EXCLUDE (edition)
FROM beyondbench_sizes
WHERE edition = $edition
ORDER BY suite, task, size, accuracy DESC, player
""",
)

all_sizes = table_figure(
    "beyondbench_sizes",
    "Accuracy and size in all suites",
    "Accuracy is the unweighted mean over the variations of a task that have problems of this size. "
    "Intervals (95%) are for instances that vary.",
    ALL_SIZES,
)
