"""The leaderboard in the paper's columns, and accuracy, entropy and compression from V0 to V9 (table 7)."""

from collections.abc import Sequence

from perennial.tasks.report.content import (
    Drawing,
    Grid,
    Query,
    Record,
    ReportData,
    Section,
    figure,
    omit_unanalysed,
    table_figure,
)
from perennial.tasks.report.figures.curves import Axes, draw_curves
from perennial.tasks.report.figures.interval_rows import Scale, interval_rows, read_estimate
from perennial.tasks.report.figures.paper_values import (
    PAPER_DOC,
    PAPER_SCORES,
    paper_tables,
    read_paper_values,
)
from perennial.tasks.report.wording import brackets, clean, decimals, span, with_interval

LEADERBOARD = Query(
    "a2rbench_leaderboard",
    """
-- Which player infers how many rules, of which kind, and what do copies in other tokens cost?
SELECT * EXCLUDE (edition)
FROM a2rbench_leaderboard
WHERE edition = $edition
""",
)

PAPER = Query(
    "a2rbench_paper",
    """
-- What would the paper's tables say of each player?
SELECT * EXCLUDE (edition)
FROM a2rbench_paper
WHERE edition = $edition
""",
)

CURVE = Query(
    "a2rbench_curve",
    """
-- How do accuracy, wrong answers and the compression of inputs go from V0 to V9?
SELECT * EXCLUDE (edition)
FROM a2rbench_curve
WHERE edition = $edition
""",
)

_ALL = "all"
_COLUMNS = {
    "total_accuracy": "total",
    "symbolic_accuracy": "symbolic",
    "semantic_accuracy": "semantic",
    "seed_accuracy": "seed",
    "augmented_accuracy": "augmented",
    "line_accuracy": "1D",
    "grid_accuracy": "2D",
    "cube_accuracy": "3D",
    "remapped_accuracy": "remapped",
    "delta_s": "delta_S",
    "strict_accuracy": "strict",
    "collapse_rate": "collapsed",
    "judge_share": "by judge",
}
_WITH_INTERVAL = ("total_accuracy", "delta_s")
# The quantities of the curve that are of all players together, with the decimals of their text.
_TOGETHER = {"gzip": ("compression ratio", 3), "wrong_entropy": ("entropy of wrong answers, bits", 2)}


@figure("a2rbench_leaderboard", "Rules inferred", LEADERBOARD)
def leaderboard(data: ReportData) -> Section:
    """Return the section of the leaderboard: a row per player, the paper's columns."""
    key, title = leaderboard.key, leaderboard.title
    table = data.tables[key]
    rows = data.group_rows(table.records())
    if not rows:
        return omit_unanalysed(key, title, [table])
    columns = [name for name in _COLUMNS if name != "judge_share" or any(row[name] for row in rows)]
    grid = Grid(
        ("player", *(_COLUMNS[name] for name in columns)),
        tuple((clean(row["player"]), *(_cell(row, column) for column in columns)) for row in rows),
        frozenset(range(1, len(columns) + 1)),
    )
    judged = (
        " By judge is the percentage whose answer a model read, as the program found none."
        if "judge_share" in columns
        else ""
    )
    caption = (
        "Each number is the percentage of scored replies whose whole output is exactly right; strict counts "
        "only those in strict JSON of the form asked for, as the paper does; collapsed is "
        f"the percentage without a usable answer, which are wrong.{judged} Remapped are copies of symbolic "
        "items in other tokens; earlier columns do not count them. delta_S is the accuracy on originals less "
        "theirs, in points. Brackets hold 95% intervals: of the total by rule, as the items of one rule are "
        "not independent draws, and of delta_S by pair of original and copy."
    )
    return Section(key, title, caption, (table,), grid=grid)


@figure("a2rbench_paper", "As the paper counts", PAPER, PAPER_SCORES)
def papers_tables(data: ReportData) -> Section:
    """Return the section of the same accuracies with copies counted as items: tables 1, 4 and 8."""
    key, title = papers_tables.key, papers_tables.title
    table = data.tables[key]
    rows = data.group_rows(table.records())
    if not rows:
        return omit_unanalysed(key, title, [table])
    columns = [name for name in _COLUMNS if name in rows[0]]
    grid = Grid(
        ("player", *(_COLUMNS[name] for name in columns)),
        tuple((clean(row["player"]), *(_cell(row, column) for column in columns)) for row in rows),
        frozenset(range(1, len(columns) + 1)),
    )
    caption = (
        "The paper's tables 1, 4 and 8 count copies in other tokens as further items, so that a symbolic "
        "item with a copy counts twice. Percentages as above; brackets hold 95% intervals of the total, by "
        "rule."
    )
    drawings = _draw_beside_paper(data, title, rows)
    caption += PAPER_DOC if drawings else ""
    return Section(key, title, caption, (table, *paper_tables(data)), drawings, grid)


def _draw_beside_paper(data: ReportData, title: str, rows: Sequence[Record]) -> tuple[Drawing, ...]:
    """Return a drawing of the total accuracies; none where the paper prints none of a player's."""
    printed = read_paper_values(data, "accuracy")
    drawn = [
        read_estimate(row, "total_accuracy", "played", paper=printed.get(("all", row["player"])))
        for row in rows
        if row["total_accuracy"] is not None
    ]
    if not any(row["paper"] for row in drawn):
        return ()
    heading = f"total, n = {span(row['n'] for row in drawn)} replies per player"
    scale = Scale(("accuracy over all items, copies too",), ends=(0, 1))
    return (interval_rows(heading, f"{title}: total", drawn, scale, data.players()),)


def _cell(row: Record, column: str) -> str:
    value = row[column]
    text = "" if value is None else decimals(100 * value, 1)
    low, high = (row.get(f"{column}_{end}") for end in ("low", "high"))
    if column not in _WITH_INTERVAL or low is None or high is None:
        return text
    return f"{text} {brackets(decimals(100 * low, 1), decimals(100 * high, 1))}"


@figure("a2rbench_curve", "From V0 to V9", CURVE)
def curve(data: ReportData) -> Section:
    """Return the section of the curve: accuracy of each player, then what is of all of them together."""
    key, title = curve.key, curve.title
    table = data.tables[key]
    rows = table.records()
    if not rows:
        return omit_unanalysed(key, title, [table])
    together = [row for row in rows if row["player"] == _ALL]
    playing = [row for row in rows if row["player"] != _ALL]
    drawings = [draw_lines("accuracy", "accuracy", playing, title, data, 3)]
    for column, (what, places) in _TOGETHER.items():
        known = [row for row in together if row[column] is not None]
        if known:
            drawings.append(draw_lines(column, what, known, title, data, places))
    caption = (
        "V0 is the seed, V1 to V3 are standard, V4 to V6 edge (tiny or repetitive) and V7 to V9 complex "
        "(large) inputs of the same rules. Accuracy has 95% intervals by rule. The compression ratio is "
        "compressed over original size by gzip, a mean over items: higher is less regular. Entropy is of the "
        "wrong answers to an item, all models and runs together (programs where no model played), a mean "
        "over items with any. Over these variations, compression and accuracy of all have Pearson's "
        f"r = {_correlation(together, 'accuracy')}, compression and entropy "
        f"r = {_correlation(together, 'entropy')}."
    )
    return Section(key, title, caption, (table,), tuple(drawings))


def _correlation(rows: list[Record], name: str) -> str:
    if not rows:
        return decimals(None)
    row, column = rows[0], f"pearson_{name}"
    return with_interval(row[column], row[f"{column}_low"], row[f"{column}_high"], 2)


def draw_lines(
    column: str, what: str, rows: list[Record], title: str, data: ReportData, places: int
) -> Drawing:
    """Return lines of each player over the variations, or what else stands in their place, of these rows."""
    drawn = [
        {
            "player": row["player"],
            "x": row["variation"],
            "value": row[column],
            "low": row.get(f"{column}_low"),
            "high": row.get(f"{column}_high"),
            "n": row["items"],
        }
        for row in rows
    ]
    order = tuple(sorted({row["variation"] for row in rows}))
    axes = Axes("variation", what, places, column == "accuracy", order=order, n="items")
    return draw_curves(what, f"{title}: {what}", drawn, axes, [*data.players(), _ALL])


REMAPPING = Query(
    "a2rbench_remapping",
    """
-- How much better are players on originals than on copies in other tokens?
SELECT * EXCLUDE (edition)
FROM a2rbench_remapping
WHERE edition = $edition
ORDER BY domain <> 'all', domain, delta_s DESC, player
""",
)

remapping = table_figure(
    "a2rbench_remapping",
    "Originals and copies in other tokens",
    "delta_s is the accuracy on originals (P0) minus that on their copies (P1), over the pairs that "
    "a player has both answers to, with 95% intervals.",
    REMAPPING,
)
