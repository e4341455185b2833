"""How complex the code of the rules is, by author and dimension (the paper's measures of syntax trees)."""

from perennial.tasks.report.content import Grid, Query, ReportData, Section, figure
from perennial.tasks.report.wording import clean, decimals

MEASURES = Query(
    "a2rbench_measures",
    """
-- How complex is the code of the rules, by dimension, type and author?
SELECT * EXCLUDE (edition)
FROM a2rbench_measures
WHERE edition = $edition
""",
)

_KEY, _TITLE = "a2rbench_measures", "Code of the rules"
_MEASURES = {
    "mean_loop_depth": "loop depth",
    "mean_ifs": "ifs",
    "mean_if_depth": "if depth",
    "mean_complexity": "complexity",
    "mean_mutability": "mutability",
    "mean_return_complexity": "return complexity",
}


@figure(_KEY, _TITLE, MEASURES)
def measures(data: ReportData) -> Section:
    """Return the section: a row per author, dimension and type, a column per measure."""
    table = data.tables[_KEY]
    rows = sorted(table.records(), key=lambda row: (row["author"], row["dimension"], row["type"]))
    grid = Grid(
        ("author", "dimension", "type", "rules", *_MEASURES.values()),
        tuple(
            (
                clean(row["author"]),
                f"{row['dimension']}D",
                row["type"],
                str(row["rules"]),
                *(decimals(row[name], 2) for name in _MEASURES),
            )
            for row in rows
        ),
        frozenset(range(3, 4 + len(_MEASURES))),
    )
    caption = (
        "Means over rules, each counted once, of what is counted in the syntax tree of transform_grid: loops "
        "around each other, conditions, conditions inside each other, decisions of one function plus one, "
        "changes in place, decisions in returned expressions. They describe code, not how hard a rule is."
    )
    return Section(_KEY, _TITLE, caption, (table,), grid=grid)
