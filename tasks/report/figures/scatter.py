"""Points with intervals both ways: few players by colour, many by labels on those that stand out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import altair as alt
import numpy as np

from perennial.tasks.report.content import Content, Drawing, Grid, Query, Record, ReportData, figure
from perennial.tasks.report.figures.chart import (
    BACK,
    FOUND,
    ROWS,
    SERIES,
    SOFT,
    Spec,
    compile_chart,
    cut,
    make_drawing,
    series_colours,
    tips,
)
from perennial.tasks.report.figures.heat_map import DOMAINS
from perennial.tasks.report.wording import brackets, clean, decimals, name_populations, p_text, with_interval
from perennial.tasks.statistics.correlation import FEWEST_PLAYERS, Correlation, pearson

Span = tuple[float | None, float | None]
_HEIGHT, _WIDTH, _SIZE = 340, 420, 55
_MOST_COLOURS = 8
_COLUMNS = ("x", "x_low", "x_high", "y", "y_low", "y_high")
_SIDES: tuple[tuple[Literal["left", "right"], int], ...] = (("left", 7), ("right", -7))
_LABELS, _LETTERS, _LETTER, _LINE = 14, 24, 6.0, 15


@dataclass(frozen=True, slots=True)
class ScatterPoint:
    """One point: the player it is of, where, with an interval on each axis; its domain if of one alone."""

    name: str
    x: float
    y: float
    x_interval: Span = (None, None)
    y_interval: Span = (None, None)
    domain: str = ""
    is_on_frontier: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis shows; `is_share`: it runs from 0 to 1; otherwise its texts have so many decimals."""

    label: str
    is_share: bool = False
    places: int = 3


def scatter(heading: str, title: str, points: Sequence[ScatterPoint], x: Axis, y: Axis) -> Drawing:
    """The points as a drawing. Up to eight players have colours; of more, some have labels."""
    names = tuple(dict.fromkeys(clean(point.name) for point in points))
    has_colours = len(names) <= _MOST_COLOURS
    labels = {} if has_colours else _choose_labels(points)
    middle = _middle(points)
    rows = [_row(point, x, y, middle, labels.get(number, 0)) for number, point in enumerate(points)]
    for index, row in enumerate(rows):
        # Of several in one place the earlier show around the later.
        later = sum((other["x"], other["y"]) == (row["x"], row["y"]) for other in rows[index + 1 :])
        row["size"] = _SIZE * (1 + min(later, _MOST_COLOURS))
    spec = _compile(x, y, names if has_colours else (), any(point.domain for point in points))
    return make_drawing(heading, title, spec, rows, players=("player", "series"))


@lru_cache(maxsize=64)
def _compile(x: Axis, y: Axis, names: tuple[str, ...], has_domains: bool) -> Spec:
    """The chart of points: with colours of these names, or without any with labels."""
    across, down = _encoding(x), _encoding(y)
    base = alt.Chart().encode(
        color=series_colours(names) if names else alt.value(SERIES[0]),
        tooltip=tips(
            player="player", **({"domain": "domain"} if has_domains else {}), x_text=x.label, y_text=y.label
        ),
    )
    at_x, at_y = alt.X("x:Q", **across), alt.Y("y:Q", **down)
    size = alt.Size("size:Q", scale=None, legend=None)
    layers = [
        base.mark_rule(strokeWidth=1, opacity=0.45).encode(
            x=alt.X("x_low:Q", **across), x2="x_high:Q", y=at_y
        ),
        base.mark_rule(strokeWidth=1, opacity=0.45).encode(x=at_x, y=alt.Y("y_low:Q", **down), y2="y_high:Q"),
        base.mark_point(stroke=BACK, strokeWidth=0.7).encode(x=at_x, y=at_y, size=size),
    ]
    if x.is_share and y.is_share:
        ends = alt.InlineData(values=[{"x": 0, "y": 0}, {"x": 1, "y": 1}])
        diagonal = alt.Chart(ends).mark_line(color=SOFT, strokeWidth=0.8, strokeDash=[4, 3])
        layers.insert(0, diagonal.encode(x=at_x, y=at_y))
    on_frontier = alt.Chart().transform_filter("datum.is_on_frontier")
    line = on_frontier.mark_line(interpolate="step-after", color=SOFT, strokeWidth=1.2)
    layers.insert(0, line.encode(x=at_x, y=at_y))
    if not names:
        layers += _labels(at_x, at_y)
    chart = alt.layer(*layers, data=ROWS).transform_filter(FOUND)
    return compile_chart(chart.properties(width="container", height=_HEIGHT))


def _encoding(axis: Axis) -> dict[str, Any]:
    scale = alt.Scale(domain=[0, 1]) if axis.is_share else alt.Scale(zero=False, nice=True)
    return {"scale": scale, "title": axis.label}


def _labels(at_x: alt.X, at_y: alt.Y) -> list[alt.Chart]:
    """The layers of labels: those of the right half stand to the left of their points."""
    chosen = f"find != '' || (datum.label > 0 && datum.label <= (narrow ? 5 : {_LABELS}))"
    base = alt.Chart().transform_calculate(name=cut("datum.player", _LETTERS, 14))
    return [
        base.transform_filter(f"({chosen}) && datum.side == '{side}'")
        .mark_text(align=side, dx=dx, stroke=BACK, strokeWidth=3)
        .encode(x=at_x, y=at_y, text="name:N")
        for side, dx in _SIDES
    ]


def correlation_text(related: Correlation) -> str:
    """n, r, its interval and p as a heading, or why there is none."""
    if related.n < FEWEST_PLAYERS:
        return f"n = {related.n}, too few for a correlation"
    if related.r is None:
        return f"n = {related.n}, correlation undefined: one side does not vary"
    interval = (
        f" {brackets(decimals(related.low, 2), decimals(related.high, 2))}"
        if related.low is not None and related.high is not None
        else ", interval undefined"
    )
    return f"n = {related.n}, r = {decimals(related.r, 2)}{interval}, {p_text(related.p_value)}"


def _row(point: ScatterPoint, x: Axis, y: Axis, middle: float, label: int) -> Record:
    (x_low, x_high), (y_low, y_high) = point.x_interval, point.y_interval
    return {
        "player": clean(point.name),
        "series": clean(point.name),
        "domain": clean(point.domain),
        "is_on_frontier": point.is_on_frontier,
        **dict(zip(_COLUMNS, (point.x, x_low, x_high, point.y, y_low, y_high), strict=True)),
        "x_text": with_interval(point.x, x_low, x_high, x.places),
        "y_text": with_interval(point.y, y_low, y_high, y.places),
        "label": label,
        "side": "left" if point.x <= middle else "right",
    }


def _middle(points: Sequence[ScatterPoint]) -> float:
    return (min(point.x for point in points) + max(point.x for point in points)) / 2


def _choose_labels(points: Sequence[ScatterPoint]) -> dict[int, int]:
    """The places of the points that stand out and hide no other label, numbered from 1.

    First come the highest, the lowest and the ends along x, then those farthest from the line through all.
    """
    at = np.array([(point.x, point.y) for point in points])
    spread = np.ptp(at, axis=0)
    scaled = (at - at.min(axis=0)) / np.where(spread > 0, spread, 1.0) * (_WIDTH, _HEIGHT)
    centred = scaled - scaled.mean(axis=0)
    slope = centred[:, 0] @ centred[:, 1] / max(centred[:, 0] @ centred[:, 0], 1e-9)
    off = np.abs(centred[:, 1] - slope * centred[:, 0])
    ends = [scaled[:, 1].argmax(), scaled[:, 1].argmin(), scaled[:, 0].argmax(), scaled[:, 0].argmin()]
    is_left = at[:, 0] <= _middle(points)
    chosen: dict[int, int] = {}
    boxes: list[tuple[float, float, float]] = []
    for index in dict.fromkeys((*map(int, ends), *map(int, np.argsort(-off, kind="stable")))):
        length = min(len(points[index].name), _LETTERS) * _LETTER + 7
        left = float(scaled[index, 0]) - (0 if is_left[index] else length)
        box = left, left + length, float(scaled[index, 1])
        if all(box[0] > right or box[1] < start or abs(box[2] - y) > _LINE for start, right, y in boxes):
            boxes.append(box)
            chosen[index] = len(chosen) + 1
        if len(chosen) == _LABELS:
            break
    return chosen


# Models by what their entries in models.toml say of them: tuning, weights and size.

MODELS = Query(
    "models",
    """
-- How do models of a kind do: tuned for reasoning or not, with open or closed weights, small or large?
SELECT l.setting, l.player, f.family, f.parameters_billion, f.tuning, f.weights, l.success_rate,
       l.success_rate_low,
       l.success_rate_high, l.population, t.mean_tokens, t.mean_reasoning_tokens
FROM leaderboard AS l
JOIN model_facts AS f USING (edition, player)
LEFT JOIN token_use AS t USING (edition, setting, player)
WHERE l.edition = $edition AND l.success_rate IS NOT NULL
ORDER BY l.setting, l.success_rate DESC, l.player
""",
)

# In billions of parameters: below the first, below the second, and the rest.
_SIZES = (10, 50)


@figure("Models by tuning, weights and size", MODELS, missing="")
def model_groups(data: ReportData, rows: list[Record]) -> Content | str:
    """Means over the models of each kind, and success by number of parameters."""
    if not any(group_of(row) for row in rows for _, group_of in _TRAITS):
        return (
            "Nothing is known of the edition's models: their entries in models.toml may say tuning, weights "
            "and parameters_billion."
        )
    of_headline = {(row["setting"], row["player"]): row for row in data.tables["headline"].records()}
    measures = data.measures[:1]
    for row in rows:
        row |= {score.column: of_headline[row["setting"], row["player"]][score.column] for score in measures}
    headings = (
        *("setting", "kind", "n", "mean success rate", "lowest", "highest"),
        *(f"mean {measure.heading}" for measure in measures),
        *("mean tokens", "mean reasoning tokens"),
    )
    columns = [measure.column for measure in measures]
    cells = tuple(_line(*group, columns) for setting in data.settings for group in _groups(rows, setting))
    drawings = tuple(
        scatter(
            f"{setting}: {correlation_text(pearson([p.x for p in points], [p.y for p in points]))}",
            f"Success and parameters: {setting}",
            points,
            Axis("parameters, billions", places=1),
            Axis("success rate", True),
        )
        for setting in data.settings
        if len(points := _group_points(rows, setting)) > 1
    )
    caption = (
        "Means are over the models of a kind, each with equal weight, as their entries in models.toml "
        "describe them. Models are not a draw from a population, so these means have no interval; lowest "
        "and highest say how far they lie apart; n counts models. Reasoning tokens are those that "
        "servers counted. A drawing shows each model whose number of parameters is known, with its 95% "
        "interval. "
        f"{name_populations(rows)}"
    )
    grid = Grid(headings, cells, frozenset(range(2, len(headings))))
    return Content(caption, drawings, grid, ("headline",))


def _size(row: Record) -> str:
    billions = row["parameters_billion"]
    if billions is None:
        return ""
    small, large = _SIZES
    if billions < small:
        return f"below {small} billion parameters"
    return f"{small} to {large} billion" if billions < large else f"{large} billion or more"


_TRAITS: tuple[tuple[str, Callable[[Record], str]], ...] = (
    ("tuning", lambda row: row["tuning"] or ""),
    ("weights", lambda row: row["weights"] or ""),
    ("size", _size),
)


def _groups(rows: Sequence[Record], setting: str) -> Iterator[tuple[str, str, list[Record]]]:
    for trait, group_of in _TRAITS:
        groups: dict[str, list[Record]] = {}
        listed = [row for row in rows if row["setting"] == setting]
        for row in sorted(listed, key=lambda row: row["parameters_billion"] or 0):
            if group := group_of(row):
                groups.setdefault(group, []).append(row)
        for group, models in groups.items():
            yield setting, group if trait == "size" else f"{trait}: {group}", models


def _line(setting: str, kind: str, models: Sequence[Record], measures: Sequence[str]) -> tuple[str, ...]:
    rates = [row["success_rate"] for row in models]
    return (
        *(clean(setting), clean(kind), str(len(models))),
        *(f"{value:.3f}" for value in (sum(rates) / len(rates), min(rates), max(rates))),
        *(_mean(models, column, 3) for column in measures),
        *(_mean(models, column, 0) for column in ("mean_tokens", "mean_reasoning_tokens")),
    )


def _mean(models: Sequence[Record], column: str, places: int) -> str:
    numbers = [row[column] for row in models if row[column] is not None]
    return decimals(sum(numbers) / len(numbers), places) if numbers else ""


def _group_points(rows: Sequence[Record], setting: str) -> list[ScatterPoint]:
    return [
        ScatterPoint(
            row["player"],
            row["parameters_billion"],
            row["success_rate"],
            y_interval=(row["success_rate_low"], row["success_rate_high"]),
        )
        for row in rows
        if row["setting"] == setting and row["parameters_billion"] is not None
    ]


# Success rate against another setting, tokens, and other benchmarks.

OTHER_BENCHMARKS = Query(
    "other_benchmarks",
    """
-- How did the same players do in other benchmarks?
SELECT x.benchmark, l.setting, l.player, x.score, x.source, l.success_rate, l.success_rate_low,
       l.success_rate_high,
       l.population
FROM leaderboard AS l
JOIN external_scores AS x USING (player)
WHERE l.edition = $edition AND l.success_rate IS NOT NULL
ORDER BY x.benchmark, x.source, l.setting, l.player
""",
)

_FEWEST_PLAYERS = 4
_PEARSON = "r is Pearson's, its 95% interval by Fisher's z (at least 7 points), n the number of points"
_NAMES = "Beyond eight players only those are named that stand out; look for others by name."
_LINES = "lines through a point are its 95% intervals"


@figure("Success in two settings", DOMAINS, key="two_settings", table="headline", missing="")
def settings_scatter(data: ReportData, rows: list[Record]) -> Content | str:
    """The first setting against the last."""
    settings = data.settings
    if len(settings) < 2:
        return "This edition has one setting only."
    easier, harder = settings[0], settings[-1]
    points = _points(rows, easier, harder, ["player"])
    unit = "player, all domains together"
    if len(points) < _FEWEST_PLAYERS:
        points = _points(data.tables[DOMAINS.name].records(), easier, harder, ["player", "domain"])
        unit = "player in one domain, as too few players took part in both settings to compare players alone"
    if not points:
        return "No player took part in both settings."
    axes = Axis(f"success rate, {easier}", True), Axis(f"success rate, {harder}", True)
    title = f"{settings_scatter.title}: {easier} and {harder}"
    caption = (
        f"Each point is a {unit}; {_LINES}. {name_populations(rows)} On the broken line both "
        f"settings are equally hard. {_NAMES} {_PEARSON}."
    )
    return Content(caption, [scatter(_correlation(points), title, points, *axes)])


COST_FRONTIER = Query(
    "cost_frontier",
    """
-- What does each player solve, and what does an episode of it cost, in US dollars and in tokens?
FROM cost_frontier
WHERE edition = $edition AND (cost > 0 OR cost_unit = 'tokens')
ORDER BY setting, cost_unit DESC, cost, player
""",
)
_PLACES = {"tokens": 0, "US dollars": 4}
FRONTIER_DOC = (
    "A model is on the frontier if no other one has at least its rate for at most its cost, one of both "
    "better. On the frontier in is the share of redrawn editions, by clusters, in which that is so."
)


@figure(
    "Success and cost",
    COST_FRONTIER,
    key="success_and_cost",
    missing="No episode of this edition has a token count: no model played in it.",
)
def cost_scatter(data: ReportData, rows: list[Record]) -> Content:
    """Success against cost: a drawing per setting and unit, a row per player."""
    title, rows = cost_scatter.title, data.sort_by_setting(rows)
    drawings = []
    for setting, unit in dict.fromkeys((row["setting"], row["cost_unit"]) for row in rows):
        points = [
            ScatterPoint(
                *(row["player"], row["cost"], row["success_rate"], (row["cost_low"], row["cost_high"])),
                (row["success_rate_low"], row["success_rate_high"]),
                is_on_frontier=bool(row["is_on_frontier"]),
            )
            for row in rows
            if (row["setting"], row["cost_unit"]) == (setting, unit)
        ]
        if len(points) > 1:
            axes = Axis(f"mean {unit} per episode", places=_PLACES[unit]), Axis("success rate", True)
            heading = f"{setting}, {unit}: {_correlation(points)}"
            drawings.append(scatter(heading, f"{title}: {setting}, {unit}", points, *axes))
    caption = (
        f"Each point is a player, all domains together; {_LINES}. {name_populations(rows)} {FRONTIER_DOC} "
        f"The stepped line is the frontier. {_NAMES} {_PEARSON}."
    )
    headings = ("setting", "player", "mean cost per episode", "unit", "success rate", "on the frontier in")
    cells = tuple((clean(row["setting"]), *describe_cost(row)) for row in rows)
    return Content(caption, drawings, Grid(headings, cells, frozenset((2, 4, 5))))


def describe_cost(row: Record) -> tuple[str, ...]:
    """Write a row of `COST_FRONTIER`: player, cost, unit, rate, and the share of redrawn editions."""
    return (
        clean(row["player"]),
        with_interval(row["cost"], row["cost_low"], row["cost_high"], _PLACES[row["cost_unit"]]),
        row["cost_unit"],
        with_interval(row["success_rate"], row["success_rate_low"], row["success_rate_high"]),
        "" if row["frontier_share"] is None else f"{row['frontier_share']:.1%}",
    )


@figure("Success and other benchmarks", OTHER_BENCHMARKS, missing="")
def benchmarks_scatter(data: ReportData, listed: list[Record]) -> Content | str:
    """Success, and the first measure, against scores of other benchmarks."""
    title = benchmarks_scatter.title
    headline = {(row["setting"], row["player"]): row for row in data.tables["headline"].records()}
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for row in listed:
        groups.setdefault((row["benchmark"], row["source"], row["setting"]), []).append(row)
    drawings = []
    compared = (("success_rate", ""), *((measure.column, measure.heading) for measure in data.measures[:1]))
    for (benchmark, _, setting), rows in groups.items():
        for column, measure in compared:
            points = [
                ScatterPoint(
                    *(row["player"], row["score"], rated[column]),
                    y_interval=(rated[f"{column}_low"], rated[f"{column}_high"]),
                )
                for row in rows
                if (rated := headline[setting, row["player"]])[column] is not None
            ]
            name = f"{benchmark}, {setting}" + (f", {measure}" if measure else "")
            axes = Axis(f"score in {benchmark}"), Axis(f"{measure or 'success rate'}, {setting}", not measure)
            if points:
                drawings.append(scatter(f"{name}: {_correlation(points)}", f"{title}: {name}", points, *axes))
    if not drawings:
        return "No score of another benchmark is known: the command perennial import scores takes them in."
    caption = (
        "Each point is a player, all domains together; the line through it is the 95% interval of its "
        f"success rate, or of the measure. {name_populations(listed)} {_NAMES} {_PEARSON}. The "
        "table names each score's source."
    )
    return Content(caption, drawings, tables=("headline",))


def _correlation(points: Sequence[ScatterPoint]) -> str:
    return correlation_text(pearson([point.x for point in points], [point.y for point in points]))


def _points(rows: list[Record], easier: str, harder: str, whose: Sequence[str]) -> list[ScatterPoint]:
    """A point for what has a rate in both settings."""
    low, high = "success_rate_low", "success_rate_high"
    rated = [row for row in rows if row["success_rate"] is not None]
    rates = {(row["setting"], *(row[name] for name in whose)): row for row in rated}
    return [
        ScatterPoint(
            row["player"],
            row["success_rate"],
            other["success_rate"],
            (row[low], row[high]),
            (other[low], other[high]),
            row.get("domain", ""),
        )
        for (setting, *rest), row in rates.items()
        if setting == easier and (other := rates.get((harder, *rest))) is not None
    ]
