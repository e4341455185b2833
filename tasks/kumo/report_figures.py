"""Figures of KUMO's report: success against training and steps, domain graphs, and optimal counts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import altair as alt

from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.game import VARIANTS
from perennial.tasks.kumo.statistics import communities, domain_graph, rate_of_outcomes
from perennial.tasks.report.content import (
    Content,
    Drawing,
    Extras,
    Grid,
    Query,
    Record,
    ReportData,
    ReportTable,
    figure,
)
from perennial.tasks.report.figures.chart import (
    FOUND,
    INK,
    ROWS,
    SERIES,
    Spec,
    compile_chart,
    make_drawing,
    series_colours,
    tips,
)
from perennial.tasks.report.figures.interval_rows import Scale, interval_rows, read_estimate
from perennial.tasks.report.wording import clean, decimals, name_populations, span, with_interval
from perennial.tasks.statistics.clusters import wilson_interval
from perennial.tasks.training import parse_checkpoint

CHECKPOINT_RATES = Query(
    "checkpoint_rates",
    """
-- How well does each training checkpoint do in each domain that the edition has instances of?
SELECT domain, setting, player, instances, success_rate, success_rate_low, success_rate_high, population
FROM domain_scores
WHERE edition = $edition AND contains(player, 'sft/') AND success_rate IS NOT NULL
ORDER BY setting, domain, player
""",
)

OUTCOME_RUNS = Query(
    "outcome_runs",
    """
-- How many runs succeeded on each instance that an imported release does not have?
SELECT domain, setting, player, list(runs ORDER BY seed) AS runs, list(solved ORDER BY seed) AS solved
FROM kumo_outcome_runs
WHERE edition = $edition
GROUP BY ALL
ORDER BY setting, domain, player
""",
)

_KEY = "training_curves"
_HEIGHT = 190
_ENDS = ("success_rate_low", "success_rate_high")
_COLUMNS = ("setting", "domain", "training", "step", "player", "instances", "success_rate", *_ENDS)
_COMPUTED = (
    "The rows of the first query, each with the training and the step that the player's name gives, and "
    "success rates of the runs of the second, by instance."
)


def compute_curves(queried: Mapping[str, ReportTable], _seed: int) -> ReportTable:
    """A row per checkpoint, domain and setting: played here, or imported without instances."""
    played, imported = queried["checkpoint_rates"], queried["outcome_runs"]
    rates = [*played.records(), *_rates_of_outcomes(imported.records())]
    rows = []
    for row in rates:
        checkpoint = parse_checkpoint(row["player"], VARIANTS)
        if checkpoint is not None:
            named = {**row, "training": checkpoint.training, "step": checkpoint.step}
            rows.append(tuple(named[column] for column in _COLUMNS))
    return ReportTable(_KEY, _COLUMNS, tuple(sorted(rows)), f"{played.sql};\n\n{imported.sql}", _COMPUTED)


def _rates_of_outcomes(rows: Iterable[Record]) -> Iterable[Record]:
    for row in rows:
        rate, interval = rate_of_outcomes(row["runs"], row["solved"])
        yield {
            **row,
            "instances": len(row["runs"]),
            "success_rate": rate,
            **dict(zip(_ENDS, interval, strict=True)),
        }


@figure(
    "Success against training steps",
    key=_KEY,
    is_computed=True,
    missing="No player of this edition is a training checkpoint (sft/TRAINING-STEP).",
)
def training_curves(data: ReportData, rows: list[Record]) -> Content:
    """A panel per test set, a line per training."""
    trainings = tuple(dict.fromkeys(clean(row["training"]) for row in rows))
    order = [*data.settings, *sorted({row["setting"] for row in rows} - {*data.settings})]
    cells = {(row["domain"], row["setting"]) for row in rows}
    drawings = [
        _draw(*cell, [row for row in rows if (row["domain"], row["setting"]) == cell], trainings)
        for cell in sorted(cells, key=lambda cell: (cell[0], order.index(cell[1])))
    ]
    caption = (
        "Each panel is a test set: a domain in a setting. A line is a model that is trained on golden play "
        "of one domain in one setting, a point one of its checkpoints; bands are 95% intervals clustered by "
        "instance, and n counts the instances. Where a line is lower in a domain or setting that the model "
        "was not trained on, what it learned does not carry over."
    )
    return Content(caption, drawings)


def _draw(domain: str, setting: str, rows: Sequence[Record], trainings: tuple[str, ...]) -> Drawing:
    heading = f"{domain}, {setting}, n = {span(row['instances'] for row in rows)} instances per point"
    drawn: list[Record] = [
        {
            "player": clean(row["player"]),
            "series": clean(row["training"]),
            "step": row["step"],
            **dict(zip(("rate", "low", "high"), rates, strict=True)),
            "text": with_interval(*rates),
            "n": f"{row['instances']:,}",
        }
        for row in rows
        for rates in [[row[name] for name in ("success_rate", *_ENDS)]]
    ]
    return make_drawing(heading, f"{training_curves.title}: {domain}, {setting}", _compile(trainings), drawn)


@lru_cache(maxsize=8)
def _compile(trainings: tuple[str, ...]) -> Spec:
    rate = "success rate"
    base = alt.Chart().encode(
        x=alt.X("step:Q", title="training steps", axis=alt.Axis(tickMinStep=1, format=",d")),
        color=series_colours(trainings),
        tooltip=tips(player="checkpoint", step="steps", text=f"{rate} [95%]", n="n"),
    )
    across = alt.Scale(domain=[0, 1])
    bands = base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", title=rate, scale=across), y2="high:Q")
    lines = base.mark_line(strokeWidth=1.6).encode(y=alt.Y("rate:Q", title=rate, scale=across))
    points = base.mark_point().encode(y=alt.Y("rate:Q", title=rate, scale=across))
    chart = alt.layer(bands, lines, points, data=ROWS).transform_filter(FOUND)
    return compile_chart(chart.properties(width="container", height=_HEIGHT))


# What the report computes of KUMO's queries: domain graphs, communities, shares of optimal counts.


CONFIGURATIONS = Query(
    "configurations",
    """
-- What is each domain made of?
SELECT d.domain, c.n_truths, c.n_actions, c.config
FROM kumo_seed_configs AS c
JOIN kumo_domains AS d USING (edition, domain_id)
WHERE c.edition = $edition
ORDER BY d.domain, c.config_id
""",
)

_COMPUTED_EXTRAS = (
    "Computed from these configurations: truths that one action can rule out are linked, and communities "
    "found by Louvain's method."
)
_SHARES = "Beside these rows the share of each count, with Wilson's interval."


@dataclass(frozen=True, slots=True)
class DomainGraph:
    """The truths of a domain, the pairs that one action's mapping links, and their communities.

    A link is two positions in `truths` and the number of actions that make it; a community is a tuple of
    such positions.
    """

    domain: str
    truths: tuple[str, ...]
    links: tuple[tuple[int, int, int], ...]
    communities: tuple[tuple[int, ...], ...]
    modularity: float | None


def compute_extras(queried: Mapping[str, ReportTable], seed: int) -> Extras:
    """The domain graphs of the queried `configurations` with their communities, counts and curves."""
    source = queried["configurations"]
    graphs = tuple(_graph(record, seed) for record in source.records())
    rows = tuple(
        (graph.domain, len(graph.truths), len(graph.links), graph.modularity, number, len(members), names)
        for graph in graphs
        for number, members in enumerate(graph.communities, start=1)
        for names in [[graph.truths[member] for member in members]]
    )
    columns = ("domain", "n_truths", "n_links", "modularity", "community", "n_members", "truths")
    communities_table = ReportTable("communities", columns, rows, source.sql, _COMPUTED_EXTRAS)
    counts = _with_shares(queried["optimal_counts"])
    return Extras((communities_table, counts, compute_curves(queried, seed)), graphs)


def _with_shares(counts: ReportTable) -> ReportTable:
    """The optimal counts with the share of each among the setting's instances, and its interval."""
    rows = []
    for row in counts.records():
        interval = wilson_interval(row["instances"], row["n"])
        rows.append((*row.values(), row["instances"] / row["n"], *(interval or (None, None))))
    columns = (*counts.columns, "share", "share_low", "share_high")
    return ReportTable(counts.name, columns, tuple(rows), counts.sql, _SHARES)


def _graph(record: Record, seed: int) -> DomainGraph:
    config = parse_config(record["config"], record["domain"])
    linked = domain_graph(config)
    truths = tuple(linked)
    position: Mapping[str, int] = {truth: number for number, truth in enumerate(truths)}
    partition = communities(config, seed)
    links: list[tuple[Any, Any, Any]] = list(linked.edges(data="weight"))
    return DomainGraph(
        domain=record["domain"],
        truths=truths,
        links=tuple((position[first], position[other], int(weight)) for first, other, weight in links),
        communities=tuple(tuple(position[truth] for truth in group) for group in partition.communities),
        modularity=partition.modularity,
    )


# The graph of each domain as a matrix: truths by community, and the actions they share (figure 6d).


_SIDE = 320
_MOST_DRAWN = 12


@figure("Domain graphs", key="communities", is_computed=True, missing="This edition has no configuration.")
def domain_graphs(data: ReportData, _rows: list[Record]) -> Content:
    """A matrix per domain; beyond a dozen domains the others are in its table alone."""
    graphs: tuple[DomainGraph, ...] = data.drawing_data
    drawings = list(map(_draw_domain_graph, graphs[:_MOST_DRAWN]))
    beyond = len(graphs) - len(drawings)
    caption = (
        "Each row and column is a truth, on the diagonal in the colour of its community (Louvain). A field "
        "is the stronger the more actions can rule out both of its truths, empty where none can. A community "
        "that is set apart is a strong triangle under its part of the diagonal; modularity near 0 means that "
        "they hardly are. The graph describes the configuration and is no estimate, so that it has no "
        "interval; n is the number of truths."
    )
    if beyond:
        caption += f" The first {_MOST_DRAWN} domains by name are drawn, {beyond} more are in the table."
    return Content(caption, drawings)


def _draw_domain_graph(graph: DomainGraph) -> Drawing:
    n, groups = len(graph.truths), len(graph.communities)
    heading = (
        f"{graph.domain}: n = {n}, {len(graph.links):,} links, {groups} "
        f"{'community' if groups == 1 else 'communities'}, modularity {decimals(graph.modularity, 2)}"
    )
    order = [truth for members in graph.communities for truth in members]
    position = {truth: number for number, truth in enumerate(order)}
    names = [clean(graph.truths[truth]) for truth in order]
    community = [f"{number}" for number, members in enumerate(graph.communities, 1) for _ in members]
    most = max((weight for _, _, weight in graph.links), default=1)
    rows: list[Record] = [
        {"x": at, "y": at, "series": community[at], "truth": names[at], "ink": 1} for at in range(n)
    ]
    for first, other, weight in graph.links:
        x, y = sorted((position[first], position[other]))
        ink = round(0.1 + 0.9 * weight / most, 2)
        rows.append({"x": x, "y": y, "truth": names[x], "other": names[y], "actions": weight, "ink": ink})
    name = f"{domain_graphs.title}: {graph.domain}"
    return make_drawing(heading, name, _compile_domain_graph(groups), rows)


@lru_cache(maxsize=32)
def _compile_domain_graph(n_communities: int) -> Spec:
    sides = {"x": alt.X("x:O", axis=None), "y": alt.Y("y:O", axis=None)}
    colours = series_colours([f"{number}" for number in range(1, 1 + n_communities)], legend=None)
    links = alt.Chart().mark_rect(color=INK).transform_filter("isValid(datum.other)")
    truths = alt.Chart().mark_rect().transform_filter("!isValid(datum.other)")
    chart = alt.layer(
        links.encode(
            **sides,
            opacity=alt.Opacity("ink:Q", scale=None, legend=None),
            tooltip=tips(truth="truth", other="and", actions="shared actions"),
        ),
        truths.encode(**sides, color=colours, tooltip=tips(truth="truth", series="community")),
        data=ROWS,
    )
    return compile_chart(chart.properties(width=_SIDE, height=_SIDE))


# How many actions Algorithm 3's policy takes, as a histogram a setting (the paper's figure 6c).


OPTIMAL_COUNTS = Query(
    "optimal_counts",
    """
-- How many actions does Algorithm 3's policy take? Its tests and the one prediction, on each instance's
-- observations;
-- the mean of a setting has a normal interval.
WITH counted AS (
    SELECT i.setting, k.n_truths * k.n_actions AS size, k.optimal_tests + 1 AS optimal_count
    FROM kumo_instances AS k
    JOIN instances AS i USING (edition, instance_id)
    WHERE edition = $edition
), settings AS (
    SELECT setting, max(size) AS size, count(*) AS n, avg(optimal_count) AS mean,
           1.959964 * stddev_samp(optimal_count) / sqrt(count(*)) AS margin
    FROM counted
    GROUP BY setting
)
SELECT setting, optimal_count, count(*) AS instances, n, mean AS mean_count, mean - margin AS mean_low,
       mean + margin AS mean_high
FROM counted
JOIN settings AS s USING (setting)
GROUP BY setting, optimal_count, n, mean, margin, s.size
ORDER BY s.size, setting, optimal_count
""",
)


@figure(
    "Optimal action counts",
    key="optimal_counts",
    is_computed=True,
    missing="This edition has no instance.",
)
def optimal_histogram(data: ReportData, rows: list[Record]) -> Content:
    """The share of instances by count, a drawing per setting."""
    drawings = []
    for setting in data.settings:
        listed = [row for row in rows if row["setting"] == setting]
        first = listed[0]
        mean = with_interval(first["mean_count"], first["mean_low"], first["mean_high"], 2)
        heading = f"{setting}, n = {first['n']:,} instances, mean {mean}"
        name = f"{optimal_histogram.title}: {setting}"
        drawings.append(make_drawing(heading, name, _compile_optimal_histogram(), _list_bars(listed)))
    caption = (
        "Each bar is the share of instances on which Algorithm 3's policy, the paper's optimum, takes this "
        "many actions (its tests and the one prediction), on the observations that the instance has. 95% "
        "intervals: Wilson's for each share, normal for the mean. n is the number of instances."
    )
    return Content(caption, drawings)


def _list_bars(rows: list[Record]) -> list[Record]:
    names = ("share", "share_low", "share_high")
    bars: list[Record] = [
        {name: row[name] for name in ("optimal_count", *names)}
        | {"text": with_interval(*(row[name] for name in names)), "n": f"{row['instances']:,}"}
        for row in rows
    ]
    counts = {row["optimal_count"] for row in rows}
    # A count that no instance has leaves a gap.
    none = {"share": 0.0, "text": decimals(0.0), "n": "0"}
    missing = (count for count in range(min(counts), max(counts)) if count not in counts)
    return [*bars, *({"optimal_count": count, **none} for count in missing)]


@lru_cache(maxsize=1)
def _compile_optimal_histogram() -> Spec:
    shares = "share of instances"
    base = alt.Chart().encode(
        x=alt.X("optimal_count:O", title="actions of Algorithm 3's policy", axis=alt.Axis(labelAngle=0)),
        tooltip=tips(optimal_count="actions", text=shares, n="instances"),
    )
    bars = base.mark_bar(color=SERIES[0]).encode(y=alt.Y("share:Q", title=shares))
    intervals = base.mark_rule(strokeWidth=1.4).encode(
        y=alt.Y("share_low:Q", title=shares), y2="share_high:Q"
    )
    return compile_chart(alt.layer(bars, intervals, data=ROWS).properties(width="container", height=170))


# Steps at one half, and whether steps say how hard a size is.


STEPS_AT_HALF = Query(
    "steps_at_half",
    """
-- At how many expected steps is each player's success above guessing one half?
FROM steps_at_half WHERE edition = $edition ORDER BY steps_at_half DESC NULLS LAST, player
""",
)
LEFT_OUT_SETTINGS = Query(
    "left_out_settings",
    """
-- Which success rate do the other settings predict for each setting by its steps, and which is observed?
FROM left_out_settings WHERE edition = $edition ORDER BY player, setting
""",
)


@figure(
    "Steps at one half",
    *(STEPS_AT_HALF, LEFT_OUT_SETTINGS),
    missing="No player has such a number: perennial analyse computes it.",
)
def steps_at_half(data: ReportData, listed: list[Record]) -> Content | str:
    """A row per player, and the predictions of left-out settings."""
    key, title = steps_at_half.key, steps_at_half.title
    rows = [row for row in listed if row[key] is not None]
    if not rows:
        return f"No player has such a number: {listed[0]['no_interval']}."
    fewest, most = rows[0]["fewest_steps"], rows[0]["most_steps"]
    drawn = [
        read_estimate(row, key, "instances", more="" if fewest <= row[key] <= most else ", extrapolated")
        for row in rows
    ]
    scale = Scale(("expected steps at which success above guessing is one half",), places=2)
    heading = f"all settings, n = {span(row['instances'] for row in rows)} instances per player"
    left_out = data.tables[LEFT_OUT_SETTINGS.name].records()
    predicted = {(row["player"], row["setting"]): row for row in left_out}
    cells = tuple(
        (
            *(clean(player), clean(setting), f"{row['instances']:,}"),
            *(decimals(row["predicted_rate"]), decimals(row["observed_rate"])),
            with_interval(row["difference"], row["difference_low"], row["difference_high"]),
        )
        for player in data.players()
        for setting in data.settings
        if (row := predicted.get((player, setting)))
    )
    caption = (
        "Steps are the tests that the optimum expects to need. A logistic curve of the success above "
        "guessing (1 / truths) over the steps of n instances gives the number at which it is half; beyond "
        f"{fewest:.2f} to {most:.2f} steps it is extrapolated. The table shows what the curve of the other "
        f"settings predicts for one that is left out. {name_populations(rows)}"
    )
    headings = ("player", "left-out setting", "n", "predicted", "observed", "observed − predicted")
    grid = Grid(headings, cells, frozenset(range(2, 6))) if cells else None
    return Content(caption, [interval_rows(heading, title, drawn, scale)], grid)
