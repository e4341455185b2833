"""Accuracy by dimension (the paper's figure 3), and by dimension and author (table 5)."""

from perennial.tasks.a2rbench.report.sections import draw_lines
from perennial.tasks.report.content import Grid, Query, Record, ReportData, Section, figure, omit_unanalysed
from perennial.tasks.report.wording import brackets, clean, decimals

DIMENSIONS = Query(
    "a2rbench_dimensions",
    """
-- Is 2D harder than 1D and 3D, and whose rules make it so?
SELECT * EXCLUDE (edition)
FROM a2rbench_dimensions
WHERE edition = $edition
""",
)

_KEY, _TITLE = "a2rbench_dimensions", "By dimension"
_DIMENSIONS = ("1D", "2D", "3D")
_ALL = "all"


@figure(_KEY, _TITLE, DIMENSIONS)
def dimensions(data: ReportData) -> Section:
    """Return the section: a drawing of all authors together, and a row per player and author."""
    table = data.tables[_KEY]
    rows = table.records()
    if not rows:
        return omit_unanalysed(_KEY, _TITLE, [table])
    together = [
        {**row, "variation": row["dimension"], "items": row["played"]}
        for row in rows
        if row["author"] == _ALL
    ]
    authors = sorted({row["author"] for row in rows if row["author"] != _ALL})
    shown = [_ALL, *(authors if len(authors) > 1 else ())]
    cells = {(row["player"], row["author"], row["dimension"]): row for row in rows}
    pairs = [
        (player, author)
        for author in shown
        for player in data.players()
        if any((player, author, each) in cells for each in _DIMENSIONS)
    ]
    grid = Grid(
        ("player", "author", *_DIMENSIONS, *(f"{each}, with copies" for each in _DIMENSIONS)),
        tuple(
            (
                clean(player),
                clean(author),
                *(_cell(cells.get((player, author, each)), "accuracy") for each in _DIMENSIONS),
                *(_cell(cells.get((player, author, each)), "paper_accuracy") for each in _DIMENSIONS),
            )
            for player, author in pairs
        ),
        frozenset(range(2, 2 + 2 * len(_DIMENSIONS))),
    )
    caption = (
        "Percentage of scored replies whose whole output is exactly right on lists (1D), grids (2D) and "
        "cubes (3D), with 95% intervals by rule. The first three columns count seed and augmented items "
        "once; the last three count copies in other tokens too, as the paper's tables do."
    )
    drawing = draw_lines("accuracy", "accuracy", together, _TITLE, data, 3)
    return Section(_KEY, _TITLE, caption, (table,), (drawing,), grid=grid)


def _cell(row: Record | None, column: str) -> str:
    if row is None or row[column] is None:
        return ""
    text = decimals(100 * row[column], 1)
    low, high = row[f"{column}_low"], row[f"{column}_high"]
    return text if low is None else f"{text} {brackets(decimals(100 * low, 1), decimals(100 * high, 1))}"
