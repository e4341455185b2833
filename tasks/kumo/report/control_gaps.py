"""What models owe to their books: each beside itself as a control, on the same instances."""

from tasks.report.content import Grid, Record, ReportData, Section, omit_section
from tasks.report.wording import clean, name_populations, with_interval

_KEY = "control_gaps"
_TITLE = "With and without the book"
_MOST_ROWS = 60


def control_gaps(data: ReportData) -> Section:
    """Return the section of the gaps between models and their controls: all domains, then each."""
    table = data.tables[_KEY]
    rows = table.records()
    if not rows:
        return omit_section(
            _KEY,
            _TITLE,
            [table],
            "No model of this edition played both with its book and as closed:MODEL or symbolic:MODEL.",
        )
    grid = Grid(
        ("setting", "domain", "model", "control", "gap", "n"),
        tuple(_cells(row) for row in rows[:_MOST_ROWS]),
        frozenset((4, 5)),
    )
    beyond = len(rows) - _MOST_ROWS
    caption = (
        "Gap is the model's success rate with the book minus that of the same model as a control, over the "
        f"instances that both played; n counts these. {name_populations(rows)} "
        "closed:MODEL sees truths, actions and outcomes, but no book: a gap near 0 means that "
        "what the model knows, or guesses, replaces reading. symbolic:MODEL sees the rules as a mapping: a "
        "gap below 0 is what reading prose costs. Controls are no part of the family of models in tests."
        + (f" {beyond:,} more rows are in the exported table." if beyond > 0 else "")
    )
    return Section(_KEY, _TITLE, caption, (table,), grid=grid)


def _cells(row: Record) -> tuple[str, ...]:
    return (
        clean(row["setting"]),
        clean(row["domain"]),
        clean(row["player"]),
        clean(row["control"]),
        with_interval(row["gap"], row["low"], row["high"]),
        f"{row['instances']:,}",
    )
