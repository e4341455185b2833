"""The leaderboard in the columns of the paper's table 5: the best accuracy bold, the second underlined."""

from collections.abc import Sequence

from perennial.schemas.knowlogic.things import DOMAINS, LANGUAGES
from perennial.tasks.report.content import (
    Drawing,
    Grid,
    Query,
    Record,
    ReportData,
    Section,
    figure,
    omit_unanalysed,
)
from perennial.tasks.report.figures.interval_rows import Scale, interval_rows, read_estimate
from perennial.tasks.report.figures.paper_values import (
    PAPER_DOC,
    PAPER_SCORES,
    paper_tables,
    read_paper_values,
)
from perennial.tasks.report.wording import brackets, clean, decimals, span

LEADERBOARD = Query(
    "leaderboard",
    """
-- Which player answers how much of each domain in each language, and on average?
SELECT * EXCLUDE (edition)
FROM knowlogic_leaderboard
WHERE edition = $edition
""",
)

_KEY = "leaderboard"
_TITLE = "Domains and languages"
_HEADINGS = {"zh": "Chinese", "en": "English"}


@figure(_KEY, _TITLE, LEADERBOARD, PAPER_SCORES)
def leaderboard(data: ReportData) -> Section:
    """Return the section of the leaderboard: a row per player, a column per domain and language, average."""
    table = data.tables[_KEY]
    rows = data.group_rows(table.records())
    if not rows:
        return omit_unanalysed(_KEY, _TITLE, [table])
    is_program = [data.is_program(row["player"]) for row in rows]
    # An edition may have some domains, or one language.
    groups = {
        domain: [
            f"{domain}_{language}_accuracy"
            for language in LANGUAGES
            if any(row[f"{domain}_{language}_accuracy"] is not None for row in rows)
        ]
        for domain in DOMAINS
    }
    groups = {domain: columns for domain, columns in groups.items() if columns}
    columns = [column for listed in groups.values() for column in listed] + ["average"]
    headings = [_HEADINGS[column.split("_")[1]] for column in columns[:-1]]
    best, second = _mark(rows, columns, is_program)
    grid = Grid(
        ("player", *headings, "average", "unextracted"),
        tuple(
            (
                clean(row["player"]),
                *(_cell(row, column) for column in columns),
                _percent(row["unextracted_rate"]),
            )
            for row in rows
        ),
        frozenset(range(1, len(columns) + 2)),
        (("", 1), *((domain.capitalize(), len(listed)) for domain, listed in groups.items()), ("All", 2)),
        best,
        second,
    )
    who = "players" if all(is_program) else "models"
    caption = (
        "Each number is the percentage of scored replies with exactly the right letters: no partial "
        "credit, and a reply from which no letters could be read is wrong; unextracted is the percentage "
        "of these. The average is the unweighted mean of the columns before it, empty where a player has "
        "no answer in one of them. Brackets hold 95% intervals for questions that vary: in one column by "
        "question, and of the average by pairs, as the two texts of one question are no independent "
        "draws; Clopper and Pearson's near 0 and 100%. Bold is the best of a column, underlined the "
        f"second, among {who}."
    )
    drawings = _draw_beside_paper(data, rows)
    caption += PAPER_DOC if drawings else ""
    return Section(_KEY, _TITLE, caption, (table, *paper_tables(data)), drawings, grid)


def _draw_beside_paper(data: ReportData, rows: Sequence[Record]) -> tuple[Drawing, ...]:
    """Return a drawing of the averages; none where the paper prints none of a player's."""
    printed = read_paper_values(data, "average")
    drawn = [
        read_estimate(row, "average", "questions", paper=printed.get(("all", row["player"])))
        for row in rows
        if row["average"] is not None
    ]
    if not any(row["paper"] for row in drawn):
        return ()
    heading = f"average, n = {span(row['n'] for row in drawn)} questions per player"
    scale = Scale(("average of domains and languages",), ends=(0, 1))
    return (interval_rows(heading, f"{_TITLE}: average", drawn, scale, data.players()),)


def _cell(row: Record, column: str) -> str:
    value, low, high = (row[f"{column}{end}"] for end in ("", "_low", "_high"))
    if value is None or low is None or high is None:
        return _percent(value)
    return f"{_percent(value)} {brackets(_percent(low), _percent(high))}"


def _percent(value: float | None) -> str:
    return "" if value is None else decimals(100 * value, 1)


def _mark(
    rows: Sequence[Record], columns: Sequence[str], is_program: Sequence[bool]
) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
    """Return the places of the best and second accuracies; equal ones share them."""
    ranked = [place for place in range(len(rows)) if not is_program[place] or all(is_program)]
    found: tuple[set[tuple[int, int]], set[tuple[int, int]]] = (set(), set())
    for number, column in enumerate(columns, start=1):
        values = {place: round(value, 9) for place in ranked if (value := rows[place][column]) is not None}
        for marked, value in zip(found, sorted(set(values.values()), reverse=True), strict=False):
            marked |= {(place, number) for place, own in values.items() if own == value}
    return frozenset(found[0]), frozenset(found[1])
