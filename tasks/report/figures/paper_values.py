"""What a benchmark's paper prints of the same models: hollow marks beside ours, and their legend."""

from collections.abc import Iterable

from perennial.tasks.report.content import Query, Record, ReportData, ReportTable
from perennial.tasks.report.wording import clean, decimals

PAPER_SCORES = Query(
    "paper_scores",
    """
-- What does the benchmark's paper print of the same models, over its own questions?
SELECT player, figure, setting, domain, value, place, printed_as, settings
FROM paper_scores
WHERE edition = $edition AND source <> 'site'
ORDER BY player, figure, setting, domain, NOT starts_with(place, 'table'), place
""",
)
_MARK = "\N{WHITE CIRCLE}"
PAPER_DOC = (
    f" {_MARK} is what the benchmark's paper prints of a model of exactly this name, over its own questions; "
    "the heading names the table."
)


def paper_tables(data: ReportData) -> tuple[ReportTable, ...]:
    """Return the table of what the paper prints, where it was read."""
    table = data.tables.get(PAPER_SCORES.name)
    return () if table is None else (table,)


def read_paper_values(data: ReportData, figure: str) -> dict[tuple[str, str], Record]:
    """Return what the paper prints as this figure over all its domains, by setting (or `all`) and player.

    Where several tables print it, a row of the first.
    """
    found: dict[tuple[str, str], Record] = {}
    for row in (row for table in paper_tables(data) for row in table.records()):
        if (row["figure"], row["domain"]) == (figure, "all"):
            found.setdefault((row["setting"], row["player"]), row)
    return found


def describe_mark(printed: Record | None, places: int) -> Record:
    """Return the fields of a hollow mark: its place on the axis, and its text."""
    if printed is None:
        return {"paper": None, "printed": ""}
    said = ", ".join(part for part in (printed["place"], printed["printed_as"], printed["settings"]) if part)
    return {"paper": printed["value"], "printed": f"{decimals(printed['value'], places)} ({clean(said)})"}


def name_places(printed: Iterable[Record]) -> str:
    """Return the legend of these marks, which names the tables that they are of; empty without marks."""
    places = sorted({str(row["place"]) for row in printed})
    return f"; {_MARK} the paper's value: {', '.join(places)}" if places else ""
