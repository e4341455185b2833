"""The leaderboard in the columns of the paper's table 3: the best accuracy bold, the second underlined."""

from collections.abc import Sequence

from perennial.schemas.beyondbench.things import SUITES
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
-- Which player solves how much of each suite and overall, following the instruction how often, in how many
-- tokens?
SELECT * EXCLUDE (edition)
FROM beyondbench_leaderboard
WHERE edition = $edition
""",
)

SCORES = Query(
    "scores",
    """
-- How does each player do in each suite and task, with unread replies and token statuses?
SELECT * EXCLUDE (edition)
FROM beyondbench_scores
WHERE edition = $edition
""",
)

UNASKED = Query(
    "unasked",
    """
-- What was each player not asked, as its own budget of tokens does not hold it?
SELECT * EXCLUDE (edition)
FROM beyondbench_unasked
WHERE edition = $edition
""",
)

_KEY = "leaderboard"
_TITLE = "Suites and overall"
_PARTS = (*SUITES, "overall")
_STAR = "\N{NO-BREAK SPACE}*"
_COLUMNS = (
    ("Acc", "accuracy", True),
    ("Inst", "instruction_following", True),
    ("Tokens", "response_tokens", False),
)


_SCALE = Scale(("accuracy",), ends=(0, 1))
_COMMON = ("Common", "common_accuracy", True)
_COMPARED = (
    " Common is the accuracy on the problems that all players with at least half of a suite have: players "
    "that were not asked the largest problems are compared on what all were asked, and bold and underlined "
    "go by it. It is empty for a player that lacks one of these."
)


@figure(_KEY, _TITLE, LEADERBOARD, SCORES, UNASKED, PAPER_SCORES)
def leaderboard(data: ReportData) -> Section:
    """Return the section of the leaderboard: a row per player, three columns per suite and overall."""
    tables = (data.tables[_KEY], data.tables["scores"], data.tables["unasked"])
    rows = data.group_rows(tables[0].records())
    if not rows:
        return omit_unanalysed(_KEY, _TITLE, tables)
    is_program = [data.is_program(row["player"]) for row in rows]
    differs = any(
        row[f"{part}_common_accuracy"] != row[f"{part}_accuracy"] for row in rows for part in _PARTS
    )
    columns = (_COLUMNS[0], *(_COMMON,) * differs, *_COLUMNS[1:])
    headings = tuple(heading for heading, _, _ in columns)
    cells = tuple(
        (_name(row, rows), *(_cell(row, p, c, s) for p in _PARTS for _, c, s in columns)) for row in rows
    )
    best, second = _mark(rows, differs, len(columns), is_program)
    grid = Grid(
        ("player", *headings * len(_PARTS)),
        cells,
        frozenset(range(1, 1 + len(headings) * len(_PARTS))),
        (("", 1), *((part.capitalize(), len(headings)) for part in _PARTS)),
        best,
        second,
    )
    who = "players" if all(is_program) else "models"
    caption = (
        "Acc is the percentage of scored replies that are right, a reply from which nothing could be read "
        "being wrong; Inst of those in exactly the required format; Tokens the mean of a reply with its "
        "reasoning, which programs have none of. A cell is a variation of a task: a task is the unweighted "
        "mean of its cells, a suite of its tasks, overall of the three suites, and empty where a player has "
        "no answer in one of them. ± is the population standard deviation across cells, which says how much "
        "these differ; brackets hold 95% intervals for instances that vary, resampled within cells, and "
        "Clopper and Pearson's near 0 and 100%; those of tokens are in the table behind. Bold is the best "
        f"accuracy of a column, underlined the second, among {who} with all cells. * has fewer cells than "
        "others, or was not asked what its own budget of tokens does not hold: see its columns cells and "
        "not_asked, and table unasked for the sizes." + (_COMPARED if differs else "")
    )
    drawings = _draw_beside_paper(data, rows)
    caption += PAPER_DOC if drawings else ""
    return Section(_KEY, _TITLE, caption, (*tables, *paper_tables(data)), drawings, grid)


def _draw_beside_paper(data: ReportData, rows: Sequence[Record]) -> tuple[Drawing, ...]:
    """Return a drawing per suite and overall of which the paper prints a player's accuracy."""
    printed = read_paper_values(data, "accuracy")
    drawings = []
    for part in _PARTS:
        setting, column = "all" if part == "overall" else part, f"{part}_accuracy"
        drawn = [
            read_estimate(row, column, f"{part}_cells", paper=printed.get((setting, row["player"])))
            for row in rows
            if row[column] is not None
        ]
        if any(row["paper"] for row in drawn):
            heading = f"{part}, n = {span(row['n'] for row in drawn)} cells per player"
            drawings.append(interval_rows(heading, f"{_TITLE}: {part}", drawn, _SCALE, data.players()))
    return tuple(drawings)


def _name(row: Record, rows: Sequence[Record]) -> str:
    """Return the player's name, starred where it has fewer cells than others or was not asked everything."""
    is_short = _cells_of(row) < max(map(_cells_of, rows))
    return clean(row["player"]) + _STAR * (is_short or any(row[f"{suite}_not_asked"] for suite in SUITES))


def _cells_of(row: Record) -> int:
    return sum(row[f"{suite}_cells"] or 0 for suite in SUITES)


def _cell(row: Record, part: str, column: str, is_share: bool) -> str:
    value, *rest = (row.get(f"{part}_{column}{end}") for end in ("", "_deviation", "_low", "_high"))
    if value is None:
        return ""
    factor, places = (100, 1) if is_share else (1, 0)
    text, deviation, low, high = (
        None if number is None else decimals(factor * number, places) for number in (value, *rest)
    )
    spread = "" if deviation is None else f"\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{deviation}"
    return f"{text}{spread}" + (
        "" if low is None or high is None or not is_share else f" {brackets(low, high)}"
    )


def _mark(
    rows: Sequence[Record], differs: bool, width: int, is_program: Sequence[bool]
) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
    """Return the places of the best and second accuracies; equal ones share them."""
    name = "common_accuracy" if differs else "accuracy"
    most = max(map(_cells_of, rows))
    ranked = [
        place
        for place, row in enumerate(rows)
        if _cells_of(row) == most and (not is_program[place] or all(is_program))
    ]
    found: tuple[set[tuple[int, int]], set[tuple[int, int]]] = (set(), set())
    for number, part in enumerate(_PARTS):
        values = {place: rows[place][f"{part}_{name}"] for place in ranked}
        known = sorted({round(value, 9) for value in values.values() if value is not None}, reverse=True)
        for marked, value in zip(found, known, strict=False):
            column = 1 + number * width + differs
            marked |= {
                (place, column) for place, own in values.items() if own is not None and round(own, 9) == value
            }
    return frozenset(found[0]), frozenset(found[1])
