"""What decides between models: which cheaper one is good enough, and what tools add."""

from perennial.tasks.report.content import Content, Grid, Query, Record, ReportData, figure
from perennial.tasks.report.wording import clean, decimals, name_populations, with_interval

# With 20 models there are 190 pairs per setting, most of which decide nothing: one per model is shown.
CHEAPER_MODELS = Query(
    "cheaper_models",
    """
-- Which cheaper model could replace each model? All pairs are in view non_inferiority.
FROM non_inferiority WHERE edition = $edition AND is_first_choice
ORDER BY setting, coalesce(within_03, FALSE) DESC, saving DESC, other_player
""",
)
CHEAPER_DOC = (
    "For each model the cheaper one that could replace it, on the n instances that both answered: of those "
    "shown to be at most .03 below it the one that saves most, otherwise the closest. At least is the lower "
    "end of the difference's 95% interval: a cheaper model that is more than .03 below passes in at most "
    "2.5%. Pairs are not corrected for their number. Savings are in US dollars if known, else in tokens."
)


@figure(
    "Cheaper models that are good enough",
    CHEAPER_MODELS,
    missing="No two models of this edition answered the same instances at costs that are known.",
)
def cheaper_models(data: ReportData, rows: list[Record]) -> Content:
    """A row per model that a cheaper one might replace."""
    rows = data.sort_by_setting(rows)
    first, more = ("setting", "instead of", "cheaper model", "n"), ("difference", "at least", "within .03")
    cells = tuple((clean(row["setting"]), *describe_saving(row)) for row in rows)
    caption = f"{CHEAPER_DOC} {name_populations(rows)}"
    headings, numeric = (*first, "saves", *more), frozenset(range(3, 7))
    return Content(caption, grid=Grid(headings, cells, numeric, players=("instead of", "cheaper model")))


def describe_saving(row: Record) -> tuple[str, ...]:
    """Write a row of `CHEAPER_MODELS`: both models, n, saving, the difference and its bound, the verdict."""
    return (
        *(clean(row["other_player"]), clean(row["player"]), f"{row['instances']:,}"),
        f"{row['saving']:.0%} ({row['cost_unit']})",
        *(decimals(row["difference"]), decimals(row["difference_low"])),
        row["no_interval"] or ("yes" if row["within_03"] else "no"),
    )


TOOL_GAPS = Query(
    "tool_gaps",
    """
-- What do tools add to each model, and in which domains?
SELECT setting, domain, player, control, instances, gap, gap_low, gap_high, population, no_interval
FROM control_gaps
WHERE edition = $edition AND variant = 'tools'
ORDER BY setting, domain <> 'all', domain, player
""",
)
_MOST_ROWS = 60


@figure(
    "Without and with tools",
    TOOL_GAPS,
    missing="No model of this edition played both alone and as tools:MODEL.",
)
def tool_gaps(_data: ReportData, rows: list[Record]) -> Content:
    """The gaps between models and themselves with tools: all domains, then each."""
    caption = (
        "Gap is the model's success rate minus that of the same model where it may run Python scripts before "
        "it answers, over the n instances that both played: below 0, tools add as much. "
        f"{name_populations(rows)} Models with tools are not counted among the models in tests."
    )
    return Content(caption + describe_hidden_gaps(rows), grid=gap_grid(rows))


def gap_grid(rows: list[Record]) -> Grid:
    """The table of the first gaps between models and controls."""
    cells = tuple(
        (
            *(clean(row[name]) for name in ("setting", "domain", "player", "control")),
            with_interval(row["gap"], row["gap_low"], row["gap_high"]),
            f"{row['instances']:,}",
        )
        for row in rows[:_MOST_ROWS]
    )
    headings = ("setting", "domain", "player", "control", "gap", "n")
    return Grid(headings, cells, frozenset((4, 5)), players=("player", "control"))


def describe_hidden_gaps(rows: list[Record]) -> str:
    """How many gaps the table leaves out, "" where it has all."""
    beyond = len(rows) - _MOST_ROWS
    return f" {beyond:,} more rows are in the exported table." if beyond > 0 else ""
