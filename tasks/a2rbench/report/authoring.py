"""How much of what models wrote of rules and variations passed, and what it cost."""

from perennial.tasks.report.content import Grid, Query, Record, ReportData, Section, figure, omit_section
from perennial.tasks.report.wording import clean, decimals

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

_KEY, _TITLE = "a2rbench_funnel", "Rules by models"
_ALL = "all"
_DOLLARS = ("cost_usd", "cost_per_accepted_usd")
_TASK_DOLLARS = ("cost_usd", "cost_per_task_usd")
_HEADS = ("author", "step", "attempts", "successes", "success rate %", "accepted", "dollars", "dollars each")


@figure(_KEY, _TITLE, FUNNEL, AUTHOR_COSTS, TASK_COSTS)
def authoring(data: ReportData) -> Section:
    """Return the section of the funnel by author, with what accepted rules and variations cost."""
    funnel, costs = data.tables["a2rbench_funnel"], data.tables["a2rbench_author_costs"]
    rows = [row for row in funnel.records() if row["type"] == row["dimension"] == _ALL]
    if not rows:
        return omit_section(_KEY, _TITLE, [funnel, costs], "No model wrote rules of this edition.")
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
    each = [_task_row(row) for row in tasks.records()]
    grid = Grid(_HEADS, (*written, *spent, *each), frozenset(range(2, len(_HEADS))))
    return Section(_KEY, _TITLE, caption, (funnel, costs, tasks), grid=grid)


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
