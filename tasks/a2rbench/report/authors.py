"""Accuracy of each player on the rules of each author, where there are several."""

from perennial.tasks.report.content import (
    Grid,
    Query,
    Record,
    ReportData,
    Section,
    figure,
    omit_section,
    omit_unanalysed,
)
from perennial.tasks.report.wording import brackets, clean, decimals

AUTHORS = Query(
    "a2rbench_authors",
    """
-- How often does each player infer the rules of each author?
SELECT * EXCLUDE (edition)
FROM a2rbench_authors
WHERE edition = $edition
""",
)

_KEY, _TITLE = "a2rbench_authors", "By the rules' author"


@figure(_KEY, _TITLE, AUTHORS)
def authors(data: ReportData) -> Section:
    """Return the section: a row per player, a column per author."""
    table = data.tables[_KEY]
    rows = table.records()
    if not rows:
        return omit_unanalysed(_KEY, _TITLE, [table])
    names = sorted({row["author"] for row in rows})
    if len(names) == 1:
        return omit_section(_KEY, _TITLE, [table], f"All rules of this edition are of {clean(names[0])}.")
    cells = {(row["player"], row["author"]): row for row in rows}
    players = [player for player in data.players() if any((player, name) in cells for name in names)]
    grid = Grid(
        ("player", *map(clean, names)),
        tuple((clean(player), *(_cell(cells.get((player, name))) for name in names)) for player in players),
        frozenset(range(1, len(names) + 1)),
    )
    caption = (
        "Each number is the percentage of scored replies whose whole output is exactly right, on seeds and "
        "variations of the rules that this author wrote; copies in other tokens are not counted. Brackets "
        "hold 95% intervals by rule. A model that is better at its own rules than others are may know how it "
        "writes them."
    )
    return Section(_KEY, _TITLE, caption, (table,), grid=grid)


def _cell(row: Record | None) -> str:
    if row is None:
        return ""
    value, low, high = (row[name] for name in ("accuracy", "accuracy_low", "accuracy_high"))
    return f"{decimals(100 * value, 1)} {brackets(decimals(100 * low, 1), decimals(100 * high, 1))}"
