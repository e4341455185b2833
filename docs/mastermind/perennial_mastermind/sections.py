"""Mastermind's section of the report: letters in place, guess by guess."""

from perennial.tasks.report.content import Grid, Query, Report, ReportData, Section, figure, omit_section
from perennial.tasks.report.wording import decimals

PROGRESS = Query(
    "progress",
    """
-- How near do players come, guess by guess?
SELECT * EXCLUDE (edition)
FROM mastermind_progress
WHERE edition = $edition
""",
)
_KEY, _TITLE = "progress", "Letters in place, guess by guess"


@figure(_KEY, _TITLE, PROGRESS)
def show_progress(data: ReportData) -> Section:
    """Return the section: a row per player and setting, a column per guess."""
    table = data.tables[_KEY]
    rows = table.records()
    if not rows:
        return omit_section(_KEY, _TITLE, [table], "No player has made a guess.")
    numbers = sorted({row["number"] for row in rows})
    means = {(row["setting"], row["player"], row["number"]): row["mean_in_place"] for row in rows}
    whose = list(dict.fromkeys((row["setting"], row["player"]) for row in rows))
    cells = [
        (*who, *(decimals(means[*who, one], 2) if (*who, one) in means else "" for one in numbers))
        for who in whose
    ]
    grid = Grid(
        ("setting", "player", *map(str, numbers)), tuple(cells), numeric=frozenset(range(2, len(numbers) + 2))
    )
    caption = (
        "Mean number of letters in the right place, by the number of the guess. Games that have ended do not "
        "count, so a column may be of fewer games than the one before."
    )
    return Section(_KEY, _TITLE, caption, (table,), grid=grid)


REPORT = Report(after_rates=(show_progress,))
