"""What is wrong about wrong replies: the shares of error classes, and of replies without letters."""

from collections.abc import Sequence

from perennial.schemas.knowlogic.things import DOMAINS, ERROR_CLASSES
from perennial.tasks.report.content import (
    Drawing,
    Query,
    Record,
    ReportData,
    Section,
    figure,
    omit_section,
    omit_unanalysed,
)
from perennial.tasks.report.figures.stacked_shares import Bar, Labels, stacked_shares
from perennial.tasks.report.wording import span, with_interval

ERRORS = Query(
    "errors",
    """
-- What is wrong about wrong letters?
SELECT * EXCLUDE (edition)
FROM knowlogic_errors
WHERE edition = $edition AND language = 'all' AND difficulty = 'all'
""",
)

_KEY = "errors"
_TITLE = "Classes of wrong replies"
_ALL = "all"
_UNREAD = "no letters"
_KINDS = (*ERROR_CLASSES, _UNREAD)


@figure(_KEY, _TITLE, ERRORS)
def error_classes(data: ReportData) -> Section:
    """Return the section of error classes: a drawing of all domains, and one of each."""
    table = data.tables[_KEY]
    rows = table.records()
    if not rows:
        return omit_unanalysed(_KEY, _TITLE, [table])
    if all(row["accuracy"] == 1 for row in rows):
        return omit_section(_KEY, _TITLE, [table], "Every reply of this edition is right.")
    drawings = []
    for domain in (_ALL, *DOMAINS):
        listed = [row for row in rows if row["domain"] == domain]
        if listed:
            drawings.append(_draw("all domains" if domain == _ALL else domain, listed, data.players()))
    caption = (
        "Each bar is the share of a player's scored replies that are wrong, by what their letters are to "
        "the right ones: subset, some right ones are missing and none is wrong; superset, wrong ones were "
        "added; overlap, both; disjoint, none is right; and no letters, where none could be read. A "
        "question with one right letter has no subset, one with four no superset. What is left to 1 is "
        "right. Point to a part to read its share with its 95% interval; n is the number of questions, "
        "each in one language."
    )
    return Section(_KEY, _TITLE, caption, (table,), tuple(drawings))


def _draw(name: str, rows: Sequence[Record], players: Sequence[str]) -> Drawing:
    bars = [
        Bar(row["player"], {kind: _share(row, kind) for kind in _KINDS}, row["questions"], row["accuracy"])
        for row in rows
    ]
    heading = f"{name}, n = {span(row['questions'] for row in rows)} per player"
    labels = Labels(_KINDS, "wrong letters", "share [95%]", "share of scored replies")
    return stacked_shares(heading, f"{_TITLE}: {name}", bars, labels, players)


def _share(row: Record, kind: str) -> tuple[float, str]:
    column = "unextracted_rate" if kind == _UNREAD else kind
    low, high = (row.get(f"{column}_{end}") for end in ("low", "high"))
    return row[column], with_interval(row[column], low, high)
