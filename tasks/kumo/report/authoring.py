"""What became of the domains and books that models wrote, and what each domain cost."""

from collections import defaultdict
from functools import lru_cache

import altair as alt

from perennial.tasks.report.content import (
    Drawing,
    Grid,
    Query,
    Record,
    ReportData,
    Section,
    figure,
    omit_section,
)
from perennial.tasks.report.figures.chart import ROWS, Spec, compile_chart, make_drawing, series_colours, tips
from perennial.tasks.report.wording import clean, decimals

AUTHORING_FUNNEL = Query(
    "authoring_funnel",
    """
-- How many of the domains and books that models wrote got how far?
SELECT category, part, place, step, number
FROM authoring_funnel
WHERE edition = $edition
ORDER BY category <> 'all', category, place
""",
)

AUTHORING_COSTS = Query(
    "authoring_costs",
    """
-- What did the authors' calls for each domain cost?
SELECT domain, category, stage, calls, prompt_tokens, completion_tokens, cost_usd, calls_without_cost
FROM authoring_costs
WHERE edition = $edition
ORDER BY domain NULLS LAST, stage
""",
)

_KEY = "authoring"
_TITLE = "Domains and books by models"
_STAGES = ("proposal", "configuration", "books")
_PARTS = ("domains", "books")


@figure(_KEY, _TITLE, AUTHORING_FUNNEL, AUTHORING_COSTS)
def authoring(data: ReportData) -> Section:
    """Return the section of the funnel, drawn for all categories, and of the costs, a row per domain."""
    funnel, costs = data.tables["authoring_funnel"], data.tables["authoring_costs"]
    rows = [row for row in funnel.records() if row["category"] == "all"]
    if not rows:
        return omit_section(_KEY, _TITLE, [funnel, costs], "No model wrote domains or books of this edition.")
    caption = (
        "How many of the n proposed domains were new, got a valid configuration (some after repairs) and "
        "were accepted; of n instances that needed a book by a model, for how many it passed at once, passed "
        "after revision, or was replaced by the template's. These are counts, with no interval. The funnel "
        "of each category is in the table behind it. The table of costs has the authors' calls for each "
        "domain; a proposer's call is shared evenly among the domains that it gave."
    )
    drawings = tuple(_draw(part, rows) for part in _PARTS if any(_counts(part, rows)))
    return Section(_KEY, _TITLE, caption, (funnel, costs), drawings, _cost_grid(costs.records()))


def _counts(part: str, rows: list[Record]) -> list[int]:
    return [row["number"] for row in rows if row["part"] == part]


def _draw(part: str, rows: list[Record]) -> Drawing:
    listed = [
        {**{name: row[name] for name in ("place", "step", "number")}, "series": part}
        for row in rows
        if row["part"] == part
    ]
    heading = f"{part}, n = {listed[0]['number']:,} {listed[0]['step']}"
    return make_drawing(heading, f"{_TITLE}: {part}", _compile(part), listed)


@lru_cache(maxsize=2)
def _compile(part: str) -> Spec:
    steps = alt.Y("step:N", sort=alt.EncodingSortField(field="place", op="min"), title=None)
    numbers = alt.X("number:Q", title=f"number of {part}", axis=alt.Axis(tickMinStep=1))
    base = alt.Chart().encode(x=numbers, y=steps, tooltip=tips(step="step", number="number"))
    bars = base.mark_bar(height={"band": 0.7}).encode(color=series_colours([part], None))
    numbers_behind = base.mark_text(align="left", dx=4).encode(text="number:Q")
    chart = alt.layer(bars, numbers_behind, data=ROWS)
    return compile_chart(chart.properties(width="container", height=alt.Step(26)))


def _cost_grid(rows: list[Record]) -> Grid:
    domains: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for row in rows:
        domains[row["domain"] or "(none)", row["category"] or ""].append(row)
    headings = ("domain", "category", "calls", "tokens", *(f"{stage}, USD" for stage in _STAGES), "all, USD")
    lines = [(*map(clean, names), *_costs(own)) for names, own in domains.items()]
    return Grid(headings, (*lines, ("all", "", *_costs(rows))), frozenset(range(2, len(headings))))


def _costs(rows: list[Record]) -> tuple[str, ...]:
    """Return calls and tokens of the rows, and their costs by stage and in all; blank where none is known."""

    def add(name: str, chosen: list[Record]) -> float | None:
        known = [row[name] for row in chosen if row[name] is not None]
        return sum(known) if known else None

    tokens = [add(name, rows) for name in ("prompt_tokens", "completion_tokens")]
    known = [number for number in tokens if number is not None]
    by_stage = [add("cost_usd", [row for row in rows if row["stage"] == stage]) for stage in _STAGES]
    return (
        f"{add('calls', rows) or 0:,.1f}",
        f"{sum(known):,.0f}" if known else "",
        *("" if cost is None else decimals(cost, 4) for cost in (*by_stage, add("cost_usd", rows))),
    )
