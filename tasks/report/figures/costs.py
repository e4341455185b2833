"""What decides between models: which cheaper one is good enough."""

from perennial.tasks.report.content import Grid, Query, Record, ReportData, Section, figure, omit_section
from perennial.tasks.report.wording import clean, decimals, name_populations

# Non-inferiority: the view compares all pairs, of which a page shows one per model that might be replaced.
#
# With 20 models there are 190 pairs per setting, and most of them decide nothing: a cheaper model that is far
# below is no candidate, and of several that are good enough the one that saves most is taken.


CHEAPER_MODELS = Query(
    "cheaper_models",
    """
-- Which cheaper model could replace each model? Of those shown to be at most .03 below it in success rate
-- the one that saves most, otherwise the one that is shown to be within the smallest margin. All pairs are in
-- view non_inferiority.
SELECT setting, player, other_player, instances, cost_unit, cost, other_cost, saving, difference,
       difference_low, smallest_margin, population, no_interval, within_03
FROM non_inferiority
WHERE edition = $edition
QUALIFY row_number() OVER (
    PARTITION BY setting, other_player
    ORDER BY coalesce(within_03, FALSE) DESC, if(within_03, saving, 0) DESC, smallest_margin, saving DESC,
             player
) = 1
ORDER BY setting, coalesce(within_03, FALSE) DESC, saving DESC, other_player
""",
)
CHEAPER_DOC = (
    "For each model the cheaper one that could replace it: of those shown to be at most .03 below it the one "
    "that saves most, otherwise the one that comes closest. At least is the lower end of the difference's "
    "95% interval: a cheaper model that is more than .03 below passes in at most 2.5%, pairs not being "
    "corrected for their number. Both are compared on the n instances that both answered; the saving is "
    "in US dollars where these are known, otherwise in tokens."
)


@figure(CHEAPER_MODELS.name, "Cheaper models that are good enough", CHEAPER_MODELS)
def cheaper_models(data: ReportData) -> Section:
    """The section of non-inferiority: a row per model that a cheaper one might replace."""
    key, title = cheaper_models.key, cheaper_models.title
    table = data.tables[key]
    rows = [row for setting in data.settings for row in table.records() if row["setting"] == setting]
    if not rows:
        missing = "No two models of this edition answered the same instances at costs that are known."
        return omit_section(key, title, [table], missing)
    headings = (
        "setting",
        "instead of",
        "cheaper model",
        "n",
        "saves",
        "difference",
        "at least",
        "within .03",
    )
    cells = tuple((clean(row["setting"]), *describe_saving(row)) for row in rows)
    caption = f"{CHEAPER_DOC} {name_populations(rows)}"
    return Section(key, title, caption, (table,), grid=Grid(headings, cells, frozenset((3, 4, 5, 6))))


def describe_saving(row: Record) -> tuple[str, ...]:
    """Write a row of `CHEAPER_MODELS`: both models, n, saving, the difference and its bound, the verdict."""
    return (
        clean(row["other_player"]),
        clean(row["player"]),
        f"{row['instances']:,}",
        f"{row['saving']:.0%} ({row['cost_unit']})",
        decimals(row["difference"]),
        decimals(row["difference_low"]),
        row["no_interval"] or ("yes" if row["within_03"] else "no"),
    )
