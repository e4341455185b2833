"""What models owe to their books and to what they know: each beside itself as a control."""

from perennial.tasks.report.content import Grid, Query, Record, ReportData, Section, figure, omit_section
from perennial.tasks.report.wording import clean, name_populations, with_interval

CONTROL_GAPS = Query(
    "control_gaps",
    """
-- What does each model owe to its book, and each player to its knowledge of the facts, and in which
-- domains?
SELECT variant, setting, domain, player, control, instances, gap, gap_low, gap_high, population, no_interval
FROM (
    SELECT edition, variant, setting, domain, player, control, instances, gap, gap_low, gap_high,
           population, no_interval
    FROM control_gaps
    UNION ALL
    SELECT edition, 'counterfactual', setting, domain, player, 'on exchanged facts', instances, gap,
           gap_low, gap_high,
           population, no_interval
    FROM counterfactual_gaps
)
WHERE edition = $edition
ORDER BY variant, setting, domain <> 'all', domain, player
""",
)

_KEY = "control_gaps"
_TITLE = "With and without the book"
_MOST_ROWS = 60
_COUNTERFACTUAL = (
    " Rows `on exchanged facts` are of models and programs: success rate on true domains minus that on their "
    "counterfactuals, where the names are the same and the facts are not; n counts pairs of instances. A gap "
    "above 0 is what knowing the true facts gives beside the book."
)


@figure(_KEY, _TITLE, CONTROL_GAPS)
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
        ("setting", "domain", "player", "control", "gap", "n"),
        tuple(_cells(row) for row in rows[:_MOST_ROWS]),
        frozenset((4, 5)),
    )
    beyond = len(rows) - _MOST_ROWS
    exchanged = any(row["variant"] == "counterfactual" for row in rows)
    caption = (
        "Gap is the model's success rate with the book minus that of the same model as a control, over the "
        f"instances that both played; n counts these. {name_populations(rows)} "
        "closed:MODEL sees truths, actions and outcomes, but no book: a gap near 0 means that "
        "what the model knows, or guesses, replaces reading. symbolic:MODEL sees the rules as a mapping: a "
        "gap below 0 is what reading prose costs. Controls are no part of the family of models in tests."
        + (_COUNTERFACTUAL if exchanged else "")
        + (f" {beyond:,} more rows are in the exported table." if beyond > 0 else "")
    )
    return Section(_KEY, _TITLE, caption, (table,), grid=grid)


def _cells(row: Record) -> tuple[str, ...]:
    return (
        clean(row["setting"]),
        clean(row["domain"]),
        clean(row["player"]),
        clean(row["control"]),
        with_interval(row["gap"], row["gap_low"], row["gap_high"]),
        f"{row['instances']:,}",
    )
