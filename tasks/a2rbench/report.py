"""Sections of A2RBench in the report."""

from collections.abc import Sequence

from perennial.schemas.a2rbench.things import ANALYSIS
from perennial.tasks.report.content import (
    Drawing,
    Grid,
    Query,
    Record,
    Report,
    ReportData,
    Section,
    figure,
    omit_section,
    omit_unanalysed,
    table_figure,
)
from perennial.tasks.report.figures.analysts import analysed_answers
from perennial.tasks.report.figures.chart import Axes, draw_curves
from perennial.tasks.report.figures.costs import tool_gaps
from perennial.tasks.report.figures.interval_rows import (
    PAPER_DOC,
    PAPER_SCORES,
    Scale,
    interval_rows,
    paper_tables,
    read_estimate,
    read_paper_values,
)
from perennial.tasks.report.wording import brackets, clean, decimals, span, with_interval

# How much of what models wrote of rules and variations passed, and what it cost.


FUNNEL = Query(
    "a2rbench_funnel",
    """
-- How much of what models wrote of rules and variations passed each step?
SELECT * EXCLUDE (edition)
FROM a2rbench_funnel
WHERE edition = $edition
""",
)

AUTHOR_COSTS = Query(
    "a2rbench_author_costs",
    """
-- What did the rules and variations that models wrote cost?
SELECT * EXCLUDE (edition)
FROM a2rbench_author_costs
WHERE edition = $edition
""",
)

TASK_COSTS = Query(
    "a2rbench_task_costs",
    """
-- What does an item of rules that models wrote cost?
SELECT * EXCLUDE (edition)
FROM a2rbench_task_costs
WHERE edition = $edition
""",
)

_KEY_AUTHORING, _TITLE_AUTHORING = "a2rbench_funnel", "Rules by models"
_ALL = "all"
_DOLLARS = ("cost_usd", "cost_per_accepted_usd")
_TASK_DOLLARS = ("cost_usd", "cost_per_task_usd")
_HEADS = ("author", "step", "attempts", "successes", "success rate %", "accepted", "dollars", "dollars each")


@figure(_KEY_AUTHORING, _TITLE_AUTHORING, FUNNEL, AUTHOR_COSTS, TASK_COSTS)
def authoring(data: ReportData) -> Section:
    """Return the section of the funnel by author, with what accepted rules and variations cost."""
    funnel, costs = data.tables["a2rbench_funnel"], data.tables["a2rbench_author_costs"]
    rows = [row for row in funnel.records() if row["type"] == row["dimension"] == _ALL]
    if not rows:
        return omit_section(
            _KEY_AUTHORING, _TITLE_AUTHORING, [funnel, costs], "No model wrote rules of this edition."
        )
    written = [_funnel_row(row) for row in rows if row["author"] != _ALL]
    spent = [_cost_row(row) for row in costs.records()]
    caption = (
        "Of each step, how often it was tried and how often the next one followed: seeds and candidates "
        "begun, the rule in words, its judgement, its code, the run of the code, the judgement of both; and "
        "the same of the inputs of variations. These are counts, with no interval. Below them, by author: "
        "accepted rules and variations with the dollars of all calls that were made for them, judgements and "
        "refused work included; empty where no price is known. The last rows divide the dollars of all "
        "authors by the items of the edition: seeds, variations, and all with copies, as the paper's table 3 "
        "does. The table has types and dimensions."
    )
    tasks = data.tables["a2rbench_task_costs"]
    per_task = [_task_row(row) for row in tasks.records()]
    grid = Grid(_HEADS, (*written, *spent, *per_task), frozenset(range(2, len(_HEADS))))
    return Section(_KEY_AUTHORING, _TITLE_AUTHORING, caption, (funnel, costs, tasks), grid=grid)


def _funnel_row(row: Record) -> tuple[str, ...]:
    counts = (decimals(row["attempts"], 0), decimals(row["successes"], 0))
    rate = decimals(100 * row["success_rate"], 1)
    return (clean(row["author"]), row["step"].replace("_", " "), *counts, rate, "", "", "")


def _task_row(row: Record) -> tuple[str, ...]:
    dollars = ["" if row[name] is None else decimals(row[name], 4) for name in _TASK_DOLLARS]
    return ("all", f"per item: {row['kind']}", "", "", "", decimals(row["items"], 0), *dollars)


def _cost_row(row: Record) -> tuple[str, ...]:
    dollars = ["" if row[name] is None else decimals(row[name], 4) for name in _DOLLARS]
    accepted = decimals(row["accepted"], 0)
    return (clean(row["author"]), f"cost: {row['kind']}", "", "", "", accepted, *dollars)


# Accuracy of each player on the rules of each author, where there are several.


AUTHORS = Query(
    "a2rbench_authors",
    """
-- How often does each player infer the rules of each author?
SELECT * EXCLUDE (edition)
FROM a2rbench_authors
WHERE edition = $edition
""",
)

_KEY_AUTHORS, _TITLE_AUTHORS = "a2rbench_authors", "By the rules' author"


@figure(_KEY_AUTHORS, _TITLE_AUTHORS, AUTHORS)
def authors(data: ReportData) -> Section:
    """Return the section: a row per player, a column per author."""
    table = data.tables[_KEY_AUTHORS]
    rows = table.records()
    if not rows:
        return omit_unanalysed(_KEY_AUTHORS, _TITLE_AUTHORS, [table])
    names = sorted({row["author"] for row in rows})
    if len(names) == 1:
        return omit_section(
            _KEY_AUTHORS, _TITLE_AUTHORS, [table], f"All rules of this edition are of {clean(names[0])}."
        )
    cells = {(row["player"], row["author"]): row for row in rows}
    players = [player for player in data.players() if any((player, name) in cells for name in names)]
    grid = Grid(
        ("player", *map(clean, names)),
        tuple(
            (clean(player), *(_cell_authors(cells.get((player, name))) for name in names))
            for player in players
        ),
        frozenset(range(1, len(names) + 1)),
    )
    caption = (
        "Each number is the percentage of scored replies whose whole output is exactly right, on seeds and "
        "variations of the rules that this author wrote; copies in other tokens are not counted. Brackets "
        "hold 95% intervals by rule. A model that is better at its own rules than others are may know how it "
        "writes them."
    )
    return Section(_KEY_AUTHORS, _TITLE_AUTHORS, caption, (table,), grid=grid)


def _cell_authors(row: Record | None) -> str:
    if row is None:
        return ""
    value, low, high = (row[name] for name in ("accuracy", "accuracy_low", "accuracy_high"))
    return f"{decimals(100 * value, 1)} {brackets(decimals(100 * low, 1), decimals(100 * high, 1))}"


# The leaderboard in the paper's columns, and accuracy, entropy and compression from V0 to V9 (table 7).


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
        rows_with_rates = [row for row in together if row[column] is not None]
        if rows_with_rates:
            drawings.append(draw_lines(column, what, rows_with_rates, title, data, places))
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


PHASES = Query(
    "a2rbench_phases",
    """
-- Which inputs make rules hard, and whose rules?
SELECT * EXCLUDE (edition)
FROM a2rbench_phases
WHERE edition = $edition
""",
)

phases = table_figure(
    "a2rbench_phases",
    "By phase and author",
    "Accuracy on seeds and on standard (V1 to V3), edge (V4 to V6) and complex (V7 to V9) variations of each "
    "author's rules, with 95% intervals by rule; rules that perennial draws have the author drawn.",
    PHASES,
)


# Accuracy by dimension (the paper's figure 3), and by dimension and author (table 5).


DIMENSIONS = Query(
    "a2rbench_dimensions",
    """
-- Is 2D harder than 1D and 3D, and whose rules make it so?
SELECT * EXCLUDE (edition)
FROM a2rbench_dimensions
WHERE edition = $edition
""",
)

_KEY_DIMENSIONS, _TITLE_DIMENSIONS = "a2rbench_dimensions", "By dimension"
_DIMENSIONS = ("1D", "2D", "3D")


@figure(_KEY_DIMENSIONS, _TITLE_DIMENSIONS, DIMENSIONS)
def dimensions(data: ReportData) -> Section:
    """Return the section: a drawing of all authors together, and a row per player and author."""
    table = data.tables[_KEY_DIMENSIONS]
    rows = table.records()
    if not rows:
        return omit_unanalysed(_KEY_DIMENSIONS, _TITLE_DIMENSIONS, [table])
    together = [
        {**row, "variation": row["dimension"], "items": row["played"]}
        for row in rows
        if row["author"] == _ALL
    ]
    authors = sorted({row["author"] for row in rows if row["author"] != _ALL})
    shown_authors = [_ALL, *(authors if len(authors) > 1 else ())]
    cells = {(row["player"], row["author"], row["dimension"]): row for row in rows}
    pairs = [
        (player, author)
        for author in shown_authors
        for player in data.players()
        if any((player, author, depth) in cells for depth in _DIMENSIONS)
    ]
    grid = Grid(
        ("player", "author", *_DIMENSIONS, *(f"{depth}, with copies" for depth in _DIMENSIONS)),
        tuple(
            (
                clean(player),
                clean(author),
                *(_cell_dimensions(cells.get((player, author, depth)), "accuracy") for depth in _DIMENSIONS),
                *(
                    _cell_dimensions(cells.get((player, author, depth)), "paper_accuracy")
                    for depth in _DIMENSIONS
                ),
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
    drawing = draw_lines("accuracy", "accuracy", together, _TITLE_DIMENSIONS, data, 3)
    return Section(_KEY_DIMENSIONS, _TITLE_DIMENSIONS, caption, (table,), (drawing,), grid=grid)


def _cell_dimensions(row: Record | None, column: str) -> str:
    if row is None or row[column] is None:
        return ""
    text = decimals(100 * row[column], 1)
    low, high = row[f"{column}_low"], row[f"{column}_high"]
    return text if low is None else f"{text} {brackets(decimals(100 * low, 1), decimals(100 * high, 1))}"


FAILURES = Query(
    "a2rbench_failures",
    """
-- Why are answers right or wrong, and how do players reason, as each analyst says?
SELECT analyst, player, outcome, what, value, answers, share
FROM a2rbench_failures
WHERE edition = $edition AND domain = 'all' AND variation = 'all'
""",
)

failures = analysed_answers(FAILURES, ANALYSIS, "Why answers are right or wrong")


# How complex the code of the rules is, by author and dimension (the paper's measures of syntax trees).


MEASURES = Query(
    "a2rbench_measures",
    """
-- How complex is the code of the rules, by dimension, type and author?
SELECT * EXCLUDE (edition)
FROM a2rbench_measures
WHERE edition = $edition
""",
)

_KEY_MEASURES, _TITLE_MEASURES = "a2rbench_measures", "Code of the rules"
_MEASURES = {
    "mean_loop_depth": "loop depth",
    "mean_ifs": "ifs",
    "mean_if_depth": "if depth",
    "mean_complexity": "complexity",
    "mean_mutability": "mutability",
    "mean_return_complexity": "return complexity",
}


@figure(_KEY_MEASURES, _TITLE_MEASURES, MEASURES)
def measures(data: ReportData) -> Section:
    """Return the section: a row per author, dimension and type, a column per measure."""
    table = data.tables[_KEY_MEASURES]
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
    return Section(_KEY_MEASURES, _TITLE_MEASURES, caption, (table,), grid=grid)


# What A2RBench adds to the report: the leaderboard, accuracy by author, the curve, analyses, authors.


KINDS = Query(
    "kinds",
    """
-- Which kinds of items does the edition have: seeds, variations, copies?
SELECT DISTINCT setting, list_position(['seed', 'augmented', 'remapped'], setting) AS place
FROM instances
WHERE edition = $edition
ORDER BY place
""",
)

REPORT = Report(
    after_rates=(
        leaderboard,
        papers_tables,
        dimensions,
        authors,
        curve,
        failures,
        measures,
        authoring,
        tool_gaps,
    ),
    sources=(KINDS,),
    order=KINDS,
    explored=(remapping, phases),
)
