"""BeyondBench's own sections of the report."""

from collections.abc import Sequence
from itertools import groupby

from perennial.schemas.beyondbench.things import SUITES
from perennial.tasks.beyondbench.scaling_figures import SUITES as SUITES_QUERY
from perennial.tasks.beyondbench.scaling_figures import compute_extras, quantization, scaling, violins
from perennial.tasks.report.content import (
    Content,
    Drawing,
    Grid,
    Query,
    Record,
    Report,
    ReportData,
    figure,
    query_view,
    table_figure,
)
from perennial.tasks.report.figures.chart import SERIES, Axes, draw_curves
from perennial.tasks.report.figures.costs import tool_gaps
from perennial.tasks.report.figures.interval_rows import PAPER_DOC, PAPER_SCORES, draw_beside_paper
from perennial.tasks.report.figures.scatter import Axis, ScatterPoint, correlation_text, scatter
from perennial.tasks.report.wording import brackets, clean, decimals, span, with_interval
from perennial.tasks.statistics.correlation import pearson

# The leaderboard in the columns of the paper's table 3: the best accuracy bold, the second underlined.

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

SCORES = query_view(
    "beyondbench_scores",
    "How does each player do in each suite and task, with unread replies and token statuses?",
    name="scores",
)
UNASKED = query_view(
    "beyondbench_unasked",
    "What was each player not asked, as its own budget of tokens does not hold it?",
    name="unasked",
)

_PARTS = (*SUITES, "overall")
_STAR = "\N{NO-BREAK SPACE}*"
_COLUMNS = (
    ("Acc", "accuracy", True),
    ("Inst", "instruction_following", True),
    ("Tokens", "response_tokens", False),
)


_COMMON = ("Common", "common_accuracy", True)
_COMPARED = (
    " Common is the accuracy on the problems that all players with at least half of a suite have: players "
    "that were not asked the largest problems are compared on what all were asked, and bold and underlined "
    "go by it. It is empty for a player that lacks one of these."
)


@figure("Suites and overall", LEADERBOARD, SCORES, UNASKED, PAPER_SCORES)
def leaderboard(data: ReportData, rows: list[Record]) -> Content:
    """A row per player, three columns per suite and overall."""
    rows = data.group_rows(rows)
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
        "these differ; brackets hold 95% intervals for other instances of the same cells; those of tokens "
        "are in the table behind. Bold is the best accuracy of a column, underlined the second, among "
        f"{who} with all cells. * has fewer cells than "
        "others, or was not asked what its own budget of tokens does not hold: see its columns cells and "
        "not_asked, and table unasked for the sizes." + (_COMPARED if differs else "")
    )
    drawings = [
        drawing
        for part in _PARTS
        for drawing in draw_beside_paper(
            data,
            rows,
            f"{leaderboard.title}: {part}",
            f"{part}_accuracy",
            f"{part}_cells",
            figure="accuracy",
            part=part,
            unit="cells",
            axis="accuracy",
            setting="all" if part == "overall" else part,
        )
    ]
    caption += PAPER_DOC if drawings else ""
    return Content(caption, tuple(drawings), grid)


def _name(row: Record, rows: Sequence[Record]) -> str:
    """The player's name, starred where it has fewer cells than others or was not asked everything."""
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
    """The places of the best and second accuracies; equal ones share them."""
    name = "common_accuracy" if differs else "accuracy"
    most = max(map(_cells_of, rows))
    ranked = [
        index
        for index, row in enumerate(rows)
        if _cells_of(row) == most and (not is_program[index] or all(is_program))
    ]
    best_and_second: tuple[set[tuple[int, int]], set[tuple[int, int]]] = (set(), set())
    for number, part in enumerate(_PARTS):
        values = {row: rows[row][f"{part}_{name}"] for row in ranked}
        ranks = sorted({round(value, 9) for value in values.values() if value is not None}, reverse=True)
        for marked, value in zip(best_and_second, ranks, strict=False):
            column = 1 + number * width + differs
            marked |= {
                (row, column) for row, rate in values.items() if rate is not None and round(rate, 9) == value
            }
    return frozenset(best_and_second[0]), frozenset(best_and_second[1])


# Tasks that take answers which are nearly the best: how many are right, and how many are the best.

_CAPTION = (
    "A set of projects is right where its profit is at least 95% of the largest possible one, as the prompt "
    "says. Right is the share of scored runs with such an answer, best the share with the largest profit "
    "itself; brackets hold 95% intervals for instances that vary. The suite's accuracy counts the former, "
    "its best_accuracy in the table behind the latter."
)


@figure("Best answers", SCORES, key="best_answers")
def best_answers(data: ReportData, rows: list[Record]) -> Content | str:
    """A row per player, two columns per task whose right answers are not all best."""
    row_of = {(row["domain"], row["player"]): row for row in rows if row["domain"] != "all"}
    tasks = sorted({task for (task, _), row in row_of.items() if row["best_accuracy"] != row["accuracy"]})
    if not tasks:
        return "Every right answer of this edition is a best one."
    players = [player for player in data.players() if any((task, player) in row_of for task in tasks)]
    cells = []
    for player in players:
        line = [clean(player)]
        for task in tasks:
            row = row_of.get((task, player), {})
            line += [
                with_interval(row.get(name), row.get(f"{name}_low"), row.get(f"{name}_high"))
                for name in ("accuracy", "best_accuracy")
            ]
        cells.append(tuple(line))
    grid = Grid(
        ("player", *("right", "best") * len(tasks)),
        tuple(cells),
        frozenset(range(1, 1 + 2 * len(tasks))),
        (("", 1), *((clean(task), 2) for task in tasks)),
    )
    return Content(_CAPTION, grid=grid)


# Accuracy against size in the tasks of the Hard suite (figure 1 of the paper).

SIZES = Query(
    "sizes",
    """
-- How does accuracy fall with size in the tasks of the Hard suite?
SELECT domain, size, player, instances, accuracy, accuracy_low, accuracy_high
FROM beyondbench_sizes
WHERE edition = $edition AND suite = 'hard'
ORDER BY domain, player, size
""",
)


@figure("Accuracy and size", SIZES, missing="")
def size_curves(data: ReportData, rows: list[Record]) -> Content | str:
    """A drawing per task that has problems of several sizes."""
    drawings, flat = [], []
    for task, of_task in groupby(rows, key=lambda row: str(row["domain"])):
        listed = list(of_task)
        if len({row["size"] for row in listed}) > 1:
            drawings.append(_draw(task, listed, data.players()))
        else:
            flat.append(task)
    if not drawings:
        return "No task of the Hard suite has scored answers at two sizes in this edition."
    caption = (
        "Each point is a player's accuracy at one size: the unweighted mean over the variations of the task "
        "that have problems of this size, each the mean over these. Sizes are in the task's own unit: "
        "disks, queens, vertices, variables, empty cells, digits, matrices, congruences, projects, people. "
        "Variations have sizes of their own, so that a step may be one of variations too. "
        f"Lines through points are 95% intervals for instances that vary. The first {len(SERIES)} players by "
        "rank have colours; look for others by name. n is the number of instances of a point."
        + (f" Of one size only, and left out: {', '.join(map(_words, flat))}." if flat else "")
    )
    return Content(caption, drawings)


def _words(task: str) -> str:
    return clean(task.replace("_", " "))


def _draw(task: str, rows: list[Record], players: list[str]) -> Drawing:
    drawn = [
        _point(row, row["size"], round(row["accuracy"], 4), row["instances"])
        | {"low": row["accuracy_low"], "high": row["accuracy_high"]}
        for row in rows
    ]
    sizes = tuple(sorted({row["size"] for row in rows}))
    axes = Axes("size", "accuracy", x_title="size", ticks=sizes)
    heading = f"{_words(task)}, n = {span(row['instances'] for row in rows)} per point"
    return draw_curves(heading, f"{size_curves.title}: {_words(task)}", drawn, axes, players)


ALL_SIZES = query_view(
    "beyondbench_sizes",
    "How does accuracy fall with size in the tasks of all suites?",
    order="suite, domain, size, accuracy DESC, player",
)

all_sizes = table_figure(
    "beyondbench_sizes",
    "Accuracy and size in all suites",
    "Accuracy is the unweighted mean over the variations of a task that have problems of this size. "
    "Intervals (95%) are for instances that vary.",
    ALL_SIZES,
)


# Accuracy in the Hard suite against scores of fixed benchmarks (figure 2 of the paper).

STATIC = query_view(
    "beyondbench_static",
    "How do players do in the Hard suite who have a score in a fixed benchmark?",
    name="static",
)


@figure("The Hard suite and fixed benchmarks", STATIC, missing="")
def static_benchmarks(_data: ReportData, rows: list[Record]) -> Content | str:
    """A drawing per fixed benchmark, of the players that have a score in it."""
    rows = [row for row in rows if row["other_share"] is not None]
    drawings = []
    for (benchmark, _), of_source in groupby(rows, lambda row: (row["other_benchmark"], row["source"])):
        listed = list(of_source)
        points = [
            ScatterPoint(
                row["player"],
                row["other_share"],
                row["hard_accuracy"],
                y_interval=(row["hard_accuracy_low"], row["hard_accuracy_high"]),
            )
            for row in listed
        ]
        correlation = correlation_text(pearson([point.x for point in points], [point.y for point in points]))
        gap = sum(row["gap"] for row in listed) / len(listed)
        heading = f"{clean(benchmark)}: mean gap {decimals(100 * gap, 1)} percentage points; {correlation}"
        axes = Axis(f"score in {benchmark}", True), Axis("accuracy, Hard suite", True)
        drawings.append(scatter(heading, f"{static_benchmarks.title}: {clean(benchmark)}", points, *axes))
    if not drawings:
        return (
            "No player of the Hard suite has a score in another benchmark: perennial import scores takes "
            "scores in, such as those of GSM8K or MMLU, and the players bear the same names."
        )
    caption = (
        "Each point is a player. Below the broken line its accuracy in the Hard suite is lower than its "
        "score in the other benchmark; the gap is the mean difference. Lines through points are 95% "
        "intervals for instances that vary. Two benchmarks ask different things: a gap alone does not show "
        "that models were trained on the fixed one. r is Pearson's, its 95% interval by Fisher's z, n the "
        "number of players. The table names each score's source."
    )
    return Content(caption, drawings)


# Replies that are longer than right answers to problems of their size are (the paper's introduction).

OVERTHINKING = Query(
    "overthinking",
    """
-- How many replies of each model are above the bound of their task and size, and are they right?
SELECT suite, player, sum(replies)::BIGINT AS replies,
       sum(share_above * replies) / sum(replies) AS share_above,
       sum(accuracy_above * share_above * replies) / nullif(sum(share_above * replies), 0) AS accuracy_above,
       sum(accuracy_below * (1 - share_above) * replies) / nullif(sum((1 - share_above) * replies), 0)
       AS accuracy_below, median(median_ratio) AS median_ratio
FROM beyondbench_overthinking
WHERE edition = $edition AND bound IS NOT NULL
GROUP BY suite, player
ORDER BY list_position(['easy', 'medium', 'hard'], suite), share_above DESC, player
""",
)


@figure(
    "Overthinking",
    OVERTHINKING,
    missing="No task and size of this edition has 20 right replies of models to give a bound.",
)
def overthinking(data: ReportData, rows: list[Record]) -> Content:
    """Replies above the bound, by suite and player."""
    caption = (
        "The tokens of a reply, with its reasoning, are divided by those of a written solution. The bound of "
        "a task and size is the 95th percentile of this ratio over the right replies of all models, so 5% of "
        "right replies are above it. A model with a larger share thinks longer than problems of their size "
        "take; accuracy above and below says whether it helps. View beyondbench_overthinking has each size. "
        "Points have no intervals: they are of these replies, of which n is the number."
    )
    return Content(caption, _draw_overthinking(rows, data.players()))


_BELOW, _ABOVE = "at most the bound", "above it"


def _draw_overthinking(rows: Sequence[Record], players: Sequence[str]) -> tuple[Drawing, ...]:
    """The share of long replies by suite, and for each suite how many short and long ones are right."""
    title = overthinking.title
    suites = tuple(suite for suite in SUITES if any(row["suite"] == suite for row in rows))
    points = [_point(row, row["suite"], row["share_above"], row["replies"]) for row in rows]
    axes = Axes("suite", "share above the bound", is_share=False, order=suites, n="replies", is_dodged=True)
    heading = f"share of replies above the bound, n = {span(point['n'] for point in points)} per point"
    drawings = [draw_curves(heading, title, points, axes, players)]
    axes = Axes("replies", "accuracy", order=(_BELOW, _ABOVE), n="replies", is_dodged=True)
    for suite in suites:
        points = []
        for row in (row for row in rows if row["suite"] == suite):
            above = round(row["share_above"] * row["replies"])
            points.append(_point(row, _BELOW, row["accuracy_below"], row["replies"] - above))
            points.append(_point(row, _ABOVE, row["accuracy_above"], above))
        points = [point for point in points if point["value"] is not None]
        heading = f"{suite}: accuracy by the bound, n = {span(point['n'] for point in points)} per point"
        drawings.append(draw_curves(heading, f"{title}: {suite}", points, axes, players))
    return tuple(drawings)


def _point(row: Record, x: str | int, value: float | None, n: int) -> Record:
    return {"player": row["player"], "x": x, "value": value, "low": None, "high": None, "n": n}


# What BeyondBench adds to the report: the paper's leaderboard and figures 1 to 5.

REPORT = Report(
    after_rates=(leaderboard, best_answers, size_curves, static_benchmarks, overthinking, tool_gaps),
    at_end=(scaling, quantization, violins),
    sources=(SUITES_QUERY,),
    compute=compute_extras,
    order=SUITES_QUERY,
    explored=(all_sizes,),
)
