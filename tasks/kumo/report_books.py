"""What a report says of domains and books: who wrote them, at what cost, and what players owe to them."""

from collections import defaultdict
from functools import lru_cache

import altair as alt

from perennial.tasks.report.content import (
    Content,
    Grid,
    Query,
    Record,
    ReportData,
    figure,
    grid_figure,
    show_cell,
)
from perennial.tasks.report.figures.chart import ROWS, Spec, compile_chart, make_drawing, series_colours, tips
from perennial.tasks.report.figures.costs import describe_hidden_gaps, gap_grid
from perennial.tasks.report.wording import clean, decimals, name_populations, p_number, with_interval

# What became of the domains and books that models wrote, and what each domain cost.


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

_STAGES = ("proposal", "configuration", "books")
_PARTS = ("domains", "books")


@figure(
    "Domains and books by models",
    *(AUTHORING_FUNNEL, AUTHORING_COSTS),
    key="authoring",
    missing="No model wrote domains or books of this edition.",
)
def authoring(data: ReportData, funnel: list[Record]) -> Content:
    """The funnel, drawn for all categories, and the costs, a row per domain."""
    caption = (
        "How many of the n proposed domains were new, got a valid configuration (some after repairs) and "
        "were accepted; of n instances that needed a book by a model, for how many it passed at once, passed "
        "after revision, or was replaced by the template's. These are counts, with no interval. The funnel "
        "of each category is in the table behind it. The table of costs has the authors' calls for each "
        "domain; a proposer's call is shared evenly among the domains that it gave."
    )
    drawings = []
    for part in _PARTS:
        drawn = [
            {**{name: row[name] for name in ("place", "step", "number")}, "series": part}
            for row in funnel
            if (row["category"], row["part"]) == ("all", part)
        ]
        if any(row["number"] for row in drawn):
            heading = f"{part}, n = {drawn[0]['number']:,} {drawn[0]['step']}"
            drawings.append(make_drawing(heading, f"{authoring.title}: {part}", _compile(part), drawn))
    return Content(caption, drawings, _cost_grid(data.tables[AUTHORING_COSTS.name].records()))


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
    lines = [(*map(clean, names), *_costs(calls)) for names, calls in domains.items()]
    return Grid(headings, (*lines, ("all", "", *_costs(rows))), frozenset(range(2, len(headings))))


def _costs(rows: list[Record]) -> tuple[str, ...]:
    """Calls and tokens of the rows, and their costs by stage and in all; blank where none is known."""

    def add(name: str, chosen: list[Record]) -> float | None:
        numbers = [row[name] for row in chosen if row[name] is not None]
        return sum(numbers) if numbers else None

    tokens = [add(name, rows) for name in ("prompt_tokens", "completion_tokens")]
    counted = [number for number in tokens if number is not None]
    by_stage = [add("cost_usd", [row for row in rows if row["stage"] == stage]) for stage in _STAGES]
    return (
        f"{add('calls', rows) or 0:,.1f}",
        f"{sum(counted):,.0f}" if counted else "",
        *("" if cost is None else decimals(cost, 4) for cost in (*by_stage, add("cost_usd", rows))),
    )


# How well players do with the template's books by their style.


BOOK_STYLES = Query(
    "book_styles",
    """
-- Is a book harder to read in one style than in another?
SELECT setting, style, player, instances, success_rate, success_rate_low, success_rate_high, p_holm
FROM book_style_scores
WHERE edition = $edition
ORDER BY setting, style, player
""",
)


@figure("Styles of books", BOOK_STYLES, missing="No player was shown a book that the template wrote.")
def book_styles(data: ReportData, rows: list[Record]) -> Content:
    """Success rates by style: a row per setting and style, a column per player."""
    players = [name for name in data.players() if any(row["player"] == name for row in rows)]
    cells = {(row["setting"], row["style"], row["player"]): row for row in rows}
    counts = {(row["setting"], row["style"]): row["instances"] for row in rows}
    places = {setting: position for position, setting in enumerate(data.settings)}
    lines = []
    for setting, style in sorted(counts, key=lambda key: (places.get(key[0], len(places)), key)):
        row_cells = (cells.get((setting, style, player)) for player in players)
        rates = (show_cell(row, "success_rate") if row else "" for row in row_cells)
        lines.append((clean(setting), clean(style), f"{counts[setting, style]:,}", *rates))
    for setting in dict.fromkeys(row["setting"] for row in rows):
        tests = {row["player"]: row["p_holm"] for row in rows if row["setting"] == setting}
        lines.append((clean(setting), "all: p (Holm)", "", *(p_number(tests.get(name)) for name in players)))
    caption = (
        "Success rate of each player by the style of the book that it was shown; n is the number of "
        "instances with such a book. All styles say the same rules. The 95% intervals (Wilson's for n "
        "instances) are of single styles: among several, some lie apart by chance. Whether style matters to "
        "a player is one test over all styles, the last lines (styles permuted among the instances; Holm's "
        "correction over the players of its kind in the setting)."
    )
    headings = ("setting", "style", "n", *map(clean, players))
    grid = Grid(headings, tuple(lines), frozenset(range(2, len(headings))), first_player=3)
    return Content(caption, grid=grid)


# Books that models revised: how many in each domain, and whether players gained where more were.


REVISIONS = Query(
    "revisions",
    """
-- How many books had to be revised in each domain? (the paper's figure 13)
SELECT setting, domain, author, books, unchanged, revised, replaced
FROM revisions
WHERE edition = $edition
ORDER BY setting, revised DESC, domain
""",
)

REVISIONS_GAIN = Query(
    "revisions_gain",
    """
-- What did revision add to each domain's success rate? (the paper's figure 14)
SELECT setting, domain, player, books, revised, instances, gain, gain_low, gain_high, domain_gain
FROM revisions_gain
WHERE edition = $edition
ORDER BY setting, player, revised DESC, domain
""",
)

REVISIONS_CORRELATION = Query(
    "revisions_correlation",
    """
-- Is success gained where more books were revised?
SELECT setting, player, domains, r, r_low, r_high, gain_domains, gain_r, gain_r_low, gain_r_high, population,
       no_interval
FROM revisions_correlation
WHERE edition = $edition
ORDER BY setting, player
""",
)

_ENDS = ("revised", "replaced")


@figure(
    "Books that were revised",
    *(REVISIONS, REVISIONS_GAIN, REVISIONS_CORRELATION),
    missing="No model wrote books of this edition.",
)
def book_revisions(data: ReportData, revised: list[Record]) -> Content:
    """The paper's figures 13 and 14: counts by domain, and gains by count."""
    title = book_revisions.title
    gains = data.tables[REVISIONS_GAIN.name].records()
    related = data.tables[REVISIONS_CORRELATION.name].records()
    caption = (
        "How many books of each domain passed after a revision, and how many never passed, so that the "
        "template's is used; all others passed as they were written. These are counts, with no interval. "
    )
    if gains:
        caption += (
            "Each point of the second kind is a domain: what revision adds to a player's success rate there, "
            "books that were not revised gaining nothing. r is Pearson's, over the n domains; gain r is that "
            "with the gain of a revised book, over domains that have one, which does not grow with their "
            f"number by construction. Intervals are by Fisher's z. {name_populations(related)}"
        )
    drawings = []
    for setting in data.settings:
        counted = [
            {"domain": clean(row["domain"]), "series": end, "number": row[end]}
            for row in revised
            for end in _ENDS
            if row["setting"] == setting
        ]
        if counted:
            books = sum(row["books"] for row in revised if row["setting"] == setting)
            heading = f"{setting}, n = {books:,} books"
            drawings.append(make_drawing(heading, f"{title}: {setting}", _compile_counts(), counted))
        points = [
            {
                "series": clean(row["player"]),
                "domain": clean(row["domain"]),
                **{name: row[name] for name in ("revised", "domain_gain")},
            }
            for row in gains
            if row["setting"] == setting and row["domain_gain"] is not None
        ]
        if points:
            players = tuple(dict.fromkeys(row["series"] for row in points))
            heading = f"{setting}, gain by number of revised books"
            name, spec = f"{title}: {heading}", _compile_gains(players)
            drawings.append(make_drawing(heading, name, spec, points, players=("series",)))
    headings = ("setting", "player", "n", "r", "n, gain r", "gain r")
    grid = Grid(headings, tuple(map(_correlation_cells, related)), frozenset(range(2, 6)))
    return Content(caption, drawings, grid if related else None)


def _correlation_cells(row: Record) -> tuple[str, ...]:
    cells = [clean(row["setting"]), clean(row["player"])]
    for count, name in (("domains", "r"), ("gain_domains", "gain_r")):
        r = row[name]
        undefined = (row["no_interval"] or "") if name == "r" else ""
        text = undefined if r is None else with_interval(r, row[f"{name}_low"], row[f"{name}_high"])
        cells += [str(row[count]), text]
    return tuple(cells)


@lru_cache(maxsize=1)
def _compile_counts() -> Spec:
    chart = (
        alt.Chart(ROWS)
        .mark_bar(height={"band": 0.7})
        .encode(
            x=alt.X("number:Q", title="books", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y("domain:N", sort=None, title=None),
            color=series_colours(list(_ENDS), alt.Legend(title=None)),
            tooltip=tips(domain="domain", series="end", number="books"),
        )
    )
    return compile_chart(chart.properties(width="container", height=alt.Step(22)))


@lru_cache(maxsize=8)
def _compile_gains(players: tuple[str, ...]) -> Spec:
    chart = (
        alt.Chart(ROWS)
        .mark_point(filled=True, size=60)
        .encode(
            x=alt.X("revised:Q", title="revised books", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y("domain_gain:Q", title="gain in success rate"),
            color=series_colours(list(players), alt.Legend(title=None)),
            tooltip=tips(domain="domain", series="player", revised="revised", domain_gain="gain"),
        )
    )
    return compile_chart(chart.properties(width="container", height=260))


# Players on the same instances in two versions: the final book and outcomes, and other books or reports.


BOOK_VERSIONS = Query(
    "book_versions",
    """
-- Does a player do better with the final books than with other books of the same instances?
SELECT setting, player, version AS book, instances, success_rate_usual AS success_final,
       success_rate_version AS success_other, difference, difference_low, difference_high, population,
       no_interval
FROM version_comparisons
WHERE edition = $edition AND domain = 'all'
ORDER BY setting, player, book
""",
)

book_versions = grid_figure(
    "Same instances, two books",
    BOOK_VERSIONS,
    lambda rows: (
        "Difference is the player's success rate with the final book minus that with the other book of the "
        "same instance; n counts the instances played with both. "
        f"{name_populations(rows)} The book first is a model's draft that was revised until it "
        "passed: its difference is the gain of revision. The book template is the symbolic control. In "
        "among-N the final book stands among those of other domains, N in all: its difference is what a long "
        "context costs (view long_context has the tokens). In reliability-N outcomes are reported, and N% of "
        "reports are true (view reliability_scores has the exact reference). No other figure counts these "
        "episodes."
    ),
    {
        "setting": "setting",
        "player": "player",
        "other book": "book",
        "with the final": "success_final",
        "with the other": "success_other",
        "difference": "difference",
        "n": "instances",
    },
    texts=3,
    missing="No player was shown other books than the final ones (setting books).",
)


# Domains of two configurers, made of the same proposals.


CONFIGURER_GAPS = Query(
    "configurer_gaps",
    """
-- Does it matter which model configured a domain?
SELECT setting, domain, player, instances, gap, gap_low, gap_high, population, no_interval
FROM configurer_gaps
WHERE edition = $edition
ORDER BY setting, domain <> 'all', domain, player
""",
)

configurer_gaps = grid_figure(
    "Domains of two configurers",
    CONFIGURER_GAPS,
    lambda rows: (
        "Gap is a player's success rate on the domains of the first configurer minus that on those of the "
        "second, made of the same proposals; n counts pairs of instances, one of each. "
        f"{name_populations(rows)} An interval that contains 0 does not show that the two are alike."
    ),
    {
        "setting": "setting",
        "domain": "domain",
        "player": "player",
        "gap": "gap",
        "n": "instances",
    },
    texts=3,
    missing="No proposal was configured by two models (setting second_configurer).",
    key="configurers",
)


# What models owe to their books and to what they know: each beside itself as a control.


CONTROL_GAPS = Query(
    "control_gaps",
    """
-- What does each model owe to its book, and each player to its knowledge of the facts, and in which
-- domains?
SELECT variant, setting, domain, player, control, instances, gap, gap_low, gap_high, population, no_interval
FROM (
    SELECT edition, variant, setting, domain, player, control, instances, gap, gap_low, gap_high,
           population, no_interval
    FROM control_gaps
    UNION ALL
    SELECT edition, 'counterfactual', setting, domain, player, 'on exchanged facts', instances, gap,
           gap_low, gap_high,
           population, no_interval
    FROM counterfactual_gaps
)
WHERE edition = $edition
ORDER BY variant, setting, domain <> 'all', domain, player
""",
)

_COUNTERFACTUAL = (
    " Rows `on exchanged facts` are of models and programs: success rate on true domains minus that on their "
    "counterfactuals, where the names are the same and the facts are not; n counts pairs of instances. A gap "
    "above 0 is what knowing the true facts gives beside the book."
)


@figure(
    "With and without the book",
    CONTROL_GAPS,
    missing="No model of this edition played both with its book and as closed:MODEL or symbolic:MODEL.",
)
def control_gaps(_data: ReportData, rows: list[Record]) -> Content:
    """The gaps between models and their controls: all domains, then each."""
    exchanged = any(row["variant"] == "counterfactual" for row in rows)
    caption = (
        "Gap is the model's success rate with the book minus that of the same model as a control, over the "
        f"instances that both played; n counts these. {name_populations(rows)} "
        "closed:MODEL sees truths, actions and outcomes, but no book: a gap near 0 means that "
        "the book added nothing: the model knows the domain, or only guesses in both (compare its rate with "
        "the floor). symbolic:MODEL sees the rules as a mapping: a "
        "gap below 0 is what reading prose costs. Controls are no part of the family of models in tests."
        + (_COUNTERFACTUAL if exchanged else "")
        + describe_hidden_gaps(rows)
    )
    return Content(caption, grid=gap_grid(rows))
