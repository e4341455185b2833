"""Accuracy in the Hard suite against scores of fixed benchmarks (figure 2 of the paper)."""

from itertools import groupby

from perennial.tasks.report.content import Query, ReportData, Section, figure, omit_section
from perennial.tasks.report.figures.scatter import Axis, Point, correlation_text, scatter
from perennial.tasks.report.wording import clean, decimals
from perennial.tasks.statistics.correlation import pearson

STATIC = Query(
    "static",
    """
-- How do players do in the Hard suite who have a score in a fixed benchmark?
SELECT * EXCLUDE (edition)
FROM beyondbench_static
WHERE edition = $edition
""",
)

_KEY = "static"
_TITLE = "The Hard suite and fixed benchmarks"


@figure(_KEY, _TITLE, STATIC)
def static_benchmarks(data: ReportData) -> Section:
    """Return the section of fixed benchmarks: a drawing each, of the players that have a score in it."""
    table = data.tables[_KEY]
    rows = [row for row in table.records() if row["other_share"] is not None]
    drawings = []
    for (benchmark, _), of_source in groupby(rows, lambda row: (row["other_benchmark"], row["source"])):
        listed = list(of_source)
        points = [
            Point(
                row["player"],
                row["other_share"],
                row["hard_accuracy"],
                y_interval=(row["hard_accuracy_low"], row["hard_accuracy_high"]),
            )
            for row in listed
        ]
        found = correlation_text(pearson([point.x for point in points], [point.y for point in points]))
        gap = sum(row["gap"] for row in listed) / len(listed)
        heading = f"{clean(benchmark)}: mean gap {decimals(100 * gap, 1)} percentage points; {found}"
        axes = Axis(f"score in {benchmark}", True), Axis("accuracy, Hard suite", True)
        drawings.append(scatter(heading, f"{_TITLE}: {clean(benchmark)}", points, *axes))
    if not drawings:
        missing = (
            "No player of the Hard suite has a score in another benchmark: perennial import scores takes "
            "scores in, such as those of GSM8K or MMLU, and the players bear the same names."
        )
        return omit_section(_KEY, _TITLE, [table], missing)
    caption = (
        "Each point is a player. Below the broken line its accuracy in the Hard suite is lower than its "
        "score in the other benchmark; the gap is the mean difference. Lines through points are 95% "
        "intervals for instances that vary. Two benchmarks ask different things: a gap alone does not show "
        "that models were trained on the fixed one. r is Pearson's, its 95% interval by Fisher's z, n the "
        "number of players. The table names each score's source."
    )
    return Section(_KEY, _TITLE, caption, (table,), tuple(drawings))
