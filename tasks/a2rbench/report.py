"""Sections of A2RBench in the report."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from perennial.schemas.a2rbench.things import ANALYSIS
from perennial.tasks.report.content import (
    Content,
    Drawing,
    Grid,
    Query,
    Record,
    Report,
    ReportData,
    figure,
    make_grid,
    query_view,
    table_figure,
)
from perennial.tasks.report.figures.analysts import analysed_answers
from perennial.tasks.report.figures.chart import Axes, draw_curves
from perennial.tasks.report.figures.costs import tool_gaps
from perennial.tasks.report.figures.interval_rows import PAPER_DOC, PAPER_SCORES, draw_beside_paper
from perennial.tasks.report.wording import clean, decimals, percent_cell, with_interval

# How much of what models wrote of rules and variations passed, and what it cost.

FUNNEL = query_view(
    "a2rbench_funnel", "How much of what models wrote of rules and variations passed each step?"
)
AUTHOR_COSTS = query_view(
    "a2rbench_author_costs", "What did the rules and variations that models wrote cost?"
)
TASK_COSTS = query_view("a2rbench_task_costs", "What does an item of rules that models wrote cost?")

_ALL = "all"
_HEADS = ("author", "step", "attempts", "successes", "success rate %", "accepted", "dollars", "dollars each")


@figure("Rules by models", FUNNEL, AUTHOR_COSTS, TASK_COSTS, missing="")
def authoring(data: ReportData, steps: list[Record]) -> Content | str:
    """The funnel by author, with what accepted rules and variations cost."""
    rows = [row for row in steps if row["type"] == row["dimension"] == _ALL]
    if not rows:
        return "No model wrote rules of this edition."
    written = [
        (
            *(clean(row["author"]), row["step"].replace("_", " ")),
            *(decimals(row[name], 0) for name in ("attempts", "successes")),
            *(decimals(100 * row["success_rate"], 1), "", "", ""),
        )
        for row in rows
        if row["author"] != _ALL
    ]
    spent = [
        (clean(row["author"]), f"cost: {row['kind']}", "", "", "", *_cost_cells(row, "accepted"))
        for row in data.tables[AUTHOR_COSTS.name].records()
    ]
    caption = (
        "Of each step, how often it was tried and how often the next one followed: seeds and candidates "
        "begun, the rule in words, its judgement, its code, the run of the code, the judgement of both; and "
        "the same of the inputs of variations. These are counts, with no interval. Below them, by author: "
        "accepted rules and variations with the dollars of all calls that were made for them, judgements and "
        "refused work included; empty where no price is known. The last rows divide the dollars of all "
        "authors by the items of the edition: seeds, variations, and all with copies, as the paper's table 3 "
        "does. The table has types and dimensions."
    )
    per_task = [
        ("all", f"per item: {row['kind']}", "", "", "", *_cost_cells(row, "items", "task"))
        for row in data.tables[TASK_COSTS.name].records()
    ]
    grid = Grid(_HEADS, (*written, *spent, *per_task), frozenset(range(2, len(_HEADS))))
    return Content(caption, grid=grid)


def _cost_cells(row: Record, counted: str, per: str = "accepted") -> tuple[str, ...]:
    dollars = (row["cost_usd"], row[f"cost_per_{per}_usd"])
    return (decimals(row[counted], 0), *("" if cost is None else decimals(cost, 4) for cost in dollars))


# Accuracy of each player on the rules of each author, where there are several.


@figure(
    "By the rules' author",
    query_view("a2rbench_authors", "How often does each player infer the rules of each author?"),
)
def authors(data: ReportData, rows: list[Record]) -> Content | str:
    """A row per player, a column per author."""
    names = sorted({row["author"] for row in rows})
    if len(names) == 1:
        return f"All rules of this edition are of {clean(names[0])}."
    columns = {clean(name): (name, "accuracy") for name in names}
    grid = _cross(rows, ("player",), ((player,) for player in data.players()), "author", columns)
    caption = (
        "Each number is the percentage of scored replies whose whole output is exactly right, on seeds and "
        "variations of the rules that this author wrote; copies in other tokens are not counted. Brackets "
        "hold 95% intervals by rule. A model that is better at its own rules than others are may know how it "
        "writes them."
    )
    return Content(caption, grid=grid)


def _cross(
    rows: Sequence[Record],
    texts: tuple[str, ...],
    lines: Iterable[tuple[str, ...]],
    across: str,
    columns: Mapping[str, tuple[str, str]],
) -> Grid:
    """Return a line for each of these values of `texts` that a row has, and percentages by heading.

    A column shows a share of the row that has its value of `across`.
    """
    cells = {tuple(row[name] for name in (*texts, across)): row for row in rows}
    lines = [line for line in lines if any((*line, value) in cells for value, _ in columns.values())]
    return Grid(
        (*texts, *columns),
        tuple(
            (
                *map(clean, line),
                *(
                    percent_cell(cells[*line, value], share) if (*line, value) in cells else ""
                    for value, share in columns.values()
                ),
            )
            for line in lines
        ),
        frozenset(range(len(texts), len(texts) + len(columns))),
    )


# The leaderboard in the paper's columns, and accuracy, entropy and compression from V0 to V9 (table 7).

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


@figure(
    "Rules inferred",
    query_view(
        "a2rbench_leaderboard",
        "Which player infers how many rules, of which kind, and what do copies in other tokens cost?",
    ),
)
def leaderboard(data: ReportData, rows: list[Record]) -> Content:
    """A row per player, the paper's columns."""
    columns = [name for name in _COLUMNS if name != "judge_share" or any(row[name] for row in rows)]
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
    return Content(caption, grid=_tabulate(data.group_rows(rows), columns))


@figure(
    "As the paper counts",
    query_view("a2rbench_paper", "What would the paper's tables say of each player?"),
    PAPER_SCORES,
)
def papers_tables(data: ReportData, rows: list[Record]) -> Content:
    """The same accuracies with copies counted as items: tables 1, 4 and 8."""
    caption = (
        "The paper's tables 1, 4 and 8 count copies in other tokens as further items, so that a symbolic "
        "item with a copy counts twice. Percentages as above; brackets hold 95% intervals of the total, by "
        "rule."
    )
    rows = data.group_rows(rows)
    drawings = draw_beside_paper(
        data,
        rows,
        f"{papers_tables.title}: total",
        "total_accuracy",
        "played",
        figure="accuracy",
        part="total",
        unit="replies",
        axis="accuracy over all items, copies too",
    )
    caption += PAPER_DOC if drawings else ""
    grid = _tabulate(rows, [name for name in _COLUMNS if name in rows[0]])
    return Content(caption, drawings, grid)


def _tabulate(rows: Sequence[Record], columns: Sequence[str]) -> Grid:
    shares = {
        _COLUMNS[name]: partial(percent_cell, column=name, has_interval=name in _WITH_INTERVAL)
        for name in columns
    }
    return make_grid(rows, {"player": lambda row: clean(row["player"])} | shares, texts=1)


@figure(
    "From V0 to V9",
    query_view(
        "a2rbench_curve", "How do accuracy, wrong answers and the compression of inputs go from V0 to V9?"
    ),
)
def curve(data: ReportData, rows: list[Record]) -> Content:
    """Accuracy of each player, then what is of all of them together."""
    title = curve.title
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
    return Content(caption, drawings)


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


remapping = table_figure(
    "a2rbench_remapping",
    "Originals and copies in other tokens",
    "delta_s is the accuracy on originals (P0) minus that on their copies (P1), over the pairs that "
    "a player has both answers to, with 95% intervals.",
    query_view(
        "a2rbench_remapping",
        "How much better are players on originals than on copies in other tokens?",
        order="domain <> 'all', domain, delta_s DESC, player",
    ),
)
phases = table_figure(
    "a2rbench_phases",
    "By phase and author",
    "Accuracy on seeds and on standard (V1 to V3), edge (V4 to V6) and complex (V7 to V9) variations of each "
    "author's rules, with 95% intervals by rule; rules that perennial draws have the author drawn.",
    query_view("a2rbench_phases", "Which inputs make rules hard, and whose rules?"),
)

# Accuracy by dimension (the paper's figure 3), and by dimension and author (table 5).

_DIMENSIONS = ("1D", "2D", "3D")


@figure(
    "By dimension",
    query_view("a2rbench_dimensions", "Is 2D harder than 1D and 3D, and whose rules make it so?"),
)
def dimensions(data: ReportData, rows: list[Record]) -> Content:
    """A drawing of all authors together, and a row per player and author."""
    together = [
        {**row, "variation": row["dimension"], "items": row["played"]}
        for row in rows
        if row["author"] == _ALL
    ]
    authors = sorted({row["author"] for row in rows if row["author"] != _ALL})
    shown_authors = [_ALL, *(authors if len(authors) > 1 else ())]
    pairs = ((player, author) for author in shown_authors for player in data.players())
    columns = {depth: (depth, "accuracy") for depth in _DIMENSIONS}
    columns |= {f"{depth}, with copies": (depth, "paper_accuracy") for depth in _DIMENSIONS}
    grid = _cross(rows, ("player", "author"), pairs, "dimension", columns)
    caption = (
        "Percentage of scored replies whose whole output is exactly right on lists (1D), grids (2D) and "
        "cubes (3D), with 95% intervals by rule. The first three columns count seed and augmented items "
        "once; the last three count copies in other tokens too, as the paper's tables do."
    )
    drawing = draw_lines("accuracy", "accuracy", together, dimensions.title, data, 3)
    return Content(caption, (drawing,), grid)


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

_MEASURES = {
    "mean_loop_depth": "loop depth",
    "mean_ifs": "ifs",
    "mean_if_depth": "if depth",
    "mean_complexity": "complexity",
    "mean_mutability": "mutability",
    "mean_return_complexity": "return complexity",
}


@figure(
    "Code of the rules",
    query_view("a2rbench_measures", "How complex is the code of the rules, by dimension, type and author?"),
)
def measures(data: ReportData, rows: list[Record]) -> Content:
    """A row per author, dimension and type, a column per measure."""
    rows = sorted(rows, key=lambda row: (row["author"], row["dimension"], row["type"]))
    columns: dict[str, Callable[[Record], str]] = {
        "author": lambda row: clean(row["author"]),
        "dimension": lambda row: f"{row['dimension']}D",
        "type": lambda row: row["type"],
        "rules": lambda row: str(row["rules"]),
    }
    for name, heading in _MEASURES.items():
        columns[heading] = partial(_mean_cell, column=name)
    grid = make_grid(rows, columns, texts=3)
    caption = (
        "Means over rules, each counted once, of what is counted in the syntax tree of transform_grid: loops "
        "around each other, conditions, conditions inside each other, decisions of one function plus one, "
        "changes in place, decisions in returned expressions. They describe code, not how hard a rule is."
    )
    return Content(caption, grid=grid)


def _mean_cell(row: Record, column: str) -> str:
    return decimals(row[column], 2)


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
