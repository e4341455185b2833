"""Players on the same instances in two versions: the final book and outcomes, and other books or reports."""

from perennial.tasks.report.content import Grid, Query, Record, ReportData, Section, figure, omit_section
from perennial.tasks.report.wording import clean, decimals, name_populations, with_interval

BOOK_VERSIONS = Query(
    "book_versions",
    """
-- Does a player do better with the final books than with other books of the same instances?
SELECT setting, player, version AS book, instances, success_rate_usual AS success_final,
       success_rate_version AS success_other, difference, difference_low, difference_high, population,
       no_interval
FROM version_comparisons
WHERE edition = $edition AND domain = 'all'
ORDER BY setting, player, book
""",
)

_KEY = "book_versions"
_TITLE = "Same instances, two books"


@figure(_KEY, _TITLE, BOOK_VERSIONS)
def book_versions(data: ReportData) -> Section:
    """Return the section of paired differences between the final books and others."""
    table = data.tables[_KEY]
    if not table.rows:
        return omit_section(
            _KEY, _TITLE, [table], "No player was shown other books than the final ones (setting books)."
        )
    caption = (
        "Difference is the player's success rate with the final book minus that with the other book of the "
        "same instance; n counts the instances played with both. "
        f"{name_populations(table.records())} The book first is a model's draft that was revised until it "
        "passed: its difference is the gain of revision. The book template is the symbolic control. In "
        "among-N the final book stands among those of other domains, N in all: its difference is what a long "
        "context costs (view long_context has the tokens). In reliability-N outcomes are reported, and N% of "
        "reports are true (view reliability_scores has the exact reference). No other figure counts these "
        "episodes."
    )
    headings = ("setting", "player", "other book", "with the final", "with the other", "difference", "n")
    grid = Grid(headings, tuple(map(_cells, table.records())), frozenset(range(3, 7)))
    return Section(_KEY, _TITLE, caption, (table,), grid=grid)


def _cells(row: Record) -> tuple[str, ...]:
    return (
        *(clean(row[name]) for name in ("setting", "player", "book")),
        *(decimals(row[name]) for name in ("success_final", "success_other")),
        with_interval(row["difference"], row["difference_low"], row["difference_high"]),
        f"{row['instances']:,}",
    )
