"""Accuracy against parameters by family (figure 3 of the paper), and of quantised models (figure 4)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from statistics import fmean, median

import altair as alt

from perennial.tasks.report.content import (
    Content,
    Drawing,
    Extras,
    Query,
    Record,
    ReportData,
    ReportTable,
    figure,
)
from perennial.tasks.report.figures.chart import (
    BACK,
    FOUND,
    INK,
    ROWS,
    Spec,
    compile_chart,
    make_drawing,
    series_colours,
    tips,
)
from perennial.tasks.report.figures.interval_rows import Scale, interval_rows
from perennial.tasks.report.wording import clean, decimals, with_interval

# What the report computes of BeyondBench's queries: accuracy by parameters, a line per family.

MODEL_FACTS = Query(
    "model_facts",
    """
-- How does accuracy go with what is known of models: family, parameters, quantisation, tuning?
SELECT s.suite, s.player, p.family, p.parameters_billion, p.quantization, p.tuning, s.cells, s.instances,
       s.accuracy, s.accuracy_low, s.accuracy_high
FROM beyondbench_scores AS s
JOIN model_facts AS p USING (edition, player)
WHERE s.edition = $edition AND s.domain = 'all'
ORDER BY list_position(['easy', 'medium', 'hard', 'overall'], s.suite), p.family, p.parameters_billion,
s.player
""",
)

SUITES = Query(
    "suites",
    """
-- Which suites does the edition have, in the paper's order?
SELECT DISTINCT suite AS setting, list_position(['easy', 'medium', 'hard'], suite) AS place
FROM beyondbench_instances
WHERE edition = $edition
ORDER BY place
""",
)

SCALING = "scaling"
_COLUMNS = (
    "family",
    "models",
    "least_billion",
    "largest_billion",
    "gain_per_doubling",
    "at_least",
    "at_largest",
)
_COMPUTED = (
    "Computed from the overall accuracies: a line by least squares over the base-2 logarithm of parameters, "
    "a family each that has two sizes; its gain a doubling, and its values at both ends."
)


def compute_extras(queried: Mapping[str, ReportTable], _seed: int) -> Extras:
    """The table of lines of the families that have models of two sizes."""
    source = queried["model_facts"]
    rows = tuple(
        row
        for family, models in sorted(families_of(source.records()).items())
        if (row := _fit(family, models)) is not None
    )
    return Extras((ReportTable(SCALING, _COLUMNS, rows, source.sql, _COMPUTED),))


def families_of(rows: list[Record]) -> dict[str, list[Record]]:
    """The overall rows of unquantised models whose family and parameters are known, by family."""
    families: dict[str, list[Record]] = defaultdict(list)
    for row in rows:
        is_known = row["family"] and row["parameters_billion"] and row["quantization"] in (None, "none")
        if row["suite"] == "overall" and is_known:
            families[row["family"]].append(row)
    return dict(families)


def _fit(family: str, models: list[Record]) -> tuple[str, int, float, float, float, float, float] | None:
    import numpy as np

    sizes = np.array([row["parameters_billion"] for row in models])
    least, largest = float(sizes.min()), float(sizes.max())
    if least == largest:
        return None
    slope, start = np.polyfit(np.log2(sizes), [row["accuracy"] for row in models], 1)
    low, high = (float(start + slope * np.log2(size)) for size in (least, largest))
    return family, len(models), least, largest, float(slope), low, high


_KEYS = (
    "The keys family, parameters_billion, quantization and tuning of a model's entry in models.toml say so"
)
_HEIGHT = 300


@figure("Accuracy and parameters", MODEL_FACTS, key=SCALING, is_computed=True, missing="")
def scaling(data: ReportData, rows: list[Record]) -> Content | str:
    """Overall accuracy by parameters: a point per model, a line per family."""
    lines = data.tables[SCALING].records()
    if not lines:
        return (
            "Of no family are the parameters of two models known that answered all three suites. "
            f"{_KEYS} when it is evaluated."
        )
    families = families_of(rows)
    points = [_point(row) for family in sorted(families) for row in families[family]]
    ends = [
        {
            "kind": "line",
            "player": clean(line["family"]),
            "series": clean(line["family"]),
            "x": line[x],
            "y": line[y],
        }
        for line in lines
        for x, y in (("least_billion", "at_least"), ("largest_billion", "at_largest"))
    ]
    gains = ", ".join(
        f"{clean(line['family'])} {decimals(100 * line['gain_per_doubling'], 1)} (n = {line['models']})"
        for line in lines
    )
    heading = f"percentage points a doubling of parameters: {gains}"
    drawing = make_drawing(
        heading,
        scaling.title,
        _compile_chart_of(tuple(map(clean, sorted(families)))),
        [*points, *ends],
        is_wide=True,
    )
    caption = (
        "Each point is a model, its overall accuracy over the logarithm of its parameters; lines through "
        "points are 95% intervals for instances that vary. Straight lines are fitted by least squares, a "
        "family each, n models: too few for an interval of the gain. Quantised models are left out. "
        f"{_KEYS}: models without them are not here."
    )
    return Content(caption, [drawing])


def _point(row: Record) -> Record:
    return {
        "kind": "model",
        "player": clean(row["player"]),
        "series": clean(row["family"]),
        "x": row["parameters_billion"],
        "y": row["accuracy"],
        "low": row["accuracy_low"],
        "high": row["accuracy_high"],
        "text": with_interval(row["accuracy"], row["accuracy_low"], row["accuracy_high"]),
    }


@lru_cache(maxsize=4)
def _compile_chart_of(families: tuple[str, ...]) -> Spec:
    """The chart of accuracy by size, whose series are these families; rows are filled in later."""
    across = alt.X("x:Q", scale=alt.Scale(type="log", nice=False, padding=14), title="parameters, billions")
    up = alt.Y("y:Q", scale=alt.Scale(domain=[0, 1]), title="overall accuracy")
    base = alt.Chart().encode(x=across, color=series_colours(families))
    models = base.transform_filter(f"datum.kind == 'model' && ({FOUND})").encode(
        tooltip=tips(player="player", series="family", x="billions", text="accuracy [95%]")
    )
    layers = [
        base.transform_filter("datum.kind == 'line'")
        .mark_line(strokeWidth=1.2, strokeDash=[5, 3])
        .encode(y=up),
        models.mark_rule(strokeWidth=1, opacity=0.45).encode(
            y=alt.Y("low:Q", title="overall accuracy"), y2="high:Q"
        ),
        models.mark_point().encode(y=up),
    ]
    return compile_chart(alt.layer(*layers, data=ROWS).properties(width="container", height=_HEIGHT))


@figure("Accuracy and quantisation", MODEL_FACTS, key="quantization", missing="")
def quantization(_data: ReportData, listed: list[Record]) -> Content | str:
    """Models beside quantised ones of the same family, parameters and tuning."""
    groups: dict[tuple[str, float, str], list[Record]] = defaultdict(list)
    for row in listed:
        is_known = row["quantization"] is not None and row["family"] and row["parameters_billion"]
        if row["suite"] == "overall" and is_known:
            groups[row["family"], row["parameters_billion"], row["tuning"] or ""].append(row)
    compared = {
        key: rows for key, rows in sorted(groups.items()) if len({row["quantization"] for row in rows}) > 1
    }
    if not compared:
        return (
            "No two models that answered all three suites are known to differ in quantisation alone. "
            f"{_KEYS} when it is evaluated."
        )
    drawn = [
        {
            "player": clean(f"{family} {size:g}B {tuning}".strip()),
            "first": clean(row["player"]),
            "other": "",
            "series": clean(row["quantization"]),
            "value": row["accuracy"],
            "low": row["accuracy_low"],
            "high": row["accuracy_high"],
            "n": row["instances"],
            "more": "",
        }
        for (family, size, tuning), rows in compared.items()
        for row in sorted(rows, key=lambda row: (row["quantization"] != "none", row["quantization"]))
    ]
    heading = f"models in several quantisations: {len(compared)}"
    drawing = interval_rows(heading, quantization.title, drawn, Scale(("overall accuracy",), ends=(0, 1)))
    caption = (
        "Each row is a model of one family, size and tuning in the quantisations that played; none is full "
        "precision. Each point is its overall accuracy with its 95% interval for instances that vary. "
        f"{_KEYS}."
    )
    return Content(caption, [drawing])


# How accuracies of models spread by tuning and suite, as violins (figure 5 of the paper).

_FEWEST = 5  # models of one tuning: a density of fewer would be drawn from nothing
_HALF, _HEIGHT_VIOLINS, _STEPS = 0.4, 260, 60


@figure("Accuracy by tuning and suite", MODEL_FACTS, key="violins", missing="")
def violins(_data: ReportData, rows: list[Record]) -> Content | str:
    """A drawing per suite and overall, a violin per tuning."""
    suites: dict[str, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["tuning"] is not None:
            suites[row["suite"]][row["tuning"]].append(row)
    suites = {suite: parts for suite, parts in suites.items() if max(map(len, parts.values())) >= _FEWEST}
    if not suites:
        return (
            f"Of no tuning, such as instruct or thinking, are {_FEWEST} models known that played, so that "
            "there is no spread to show. The key tuning of a model's entry in models.toml says it when the "
            "model is evaluated."
        )
    caption = (
        "Each point is a model. A violin's width is the density of models at each accuracy, a normal kernel "
        f"by Scott's rule, drawn for {_FEWEST} models or more; the broken line is their median, the whole "
        "one their mean, n their number. The gap is the highest mean of a drawing minus the lowest, in "
        "percentage points: models of two tunings differ in more than tuning."
    )
    return Content(caption, [_draw(suite, parts) for suite, parts in suites.items()])


def _draw(suite: str, groups: dict[str, list[Record]]) -> Drawing:
    tunings = sorted(groups)
    means = [fmean(row["accuracy"] for row in groups[tuning]) for tuning in tunings]
    gap = f", gap {decimals(100 * (max(means) - min(means)), 1)}" if len(means) > 1 else ""
    listed = "; ".join(
        f"{clean(tuning)} mean {decimals(100 * mean, 1)}%, n = {len(groups[tuning])}"
        for tuning, mean in zip(tunings, means, strict=True)
    )
    rows = [row for index, tuning in enumerate(tunings) for row in _rows(index, tuning, groups[tuning])]
    spec = _compile_violins(tuple(map(clean, tunings)))
    return make_drawing(f"{suite}: {listed}{gap}", f"{violins.title}: {suite}", spec, rows)


def _rows(column: int, tuning: str, models: Sequence[Record]) -> list[Record]:
    """What is drawn of a tuning: its models, and outline, mean and median where there are enough."""
    shared = {"series": clean(tuning)}
    values = [row["accuracy"] for row in models]
    rows = [
        {
            **shared,
            "kind": "model",
            "player": clean(row["player"]),
            "left": column + 0.05 * ((number % 5) - 2),
            "y": row["accuracy"],
            "text": with_interval(row["accuracy"], row["accuracy_low"], row["accuracy_high"]),
        }
        for number, row in enumerate(models)
    ]
    if len(models) < _FEWEST:
        return rows
    for kind, y in (("mean", fmean(values)), ("median", median(values))):
        rows.append({**shared, "kind": kind, "left": column - _HALF / 2, "right": column + _HALF / 2, "y": y})
    return rows + [{**shared, "kind": "outline", **level} for level in _outline(column, values)]


def _outline(column: int, values: Sequence[float]) -> list[Record]:
    """Left and right end of the violin at each accuracy; nothing where all are alike."""
    import numpy as np
    from scipy.stats import gaussian_kde

    if len(set(values)) < 2:
        return []
    levels = np.linspace(min(values), max(values), _STEPS)
    density = gaussian_kde(values)(levels)
    half = _HALF * density / density.max()
    return [
        {"left": column - float(width), "right": column + float(width), "y": float(level)}
        for level, width in zip(levels, half, strict=True)
    ]


@lru_cache(maxsize=8)
def _compile_violins(tunings: tuple[str, ...]) -> Spec:
    quoted = ", ".join("'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'" for name in tunings)
    across = alt.X(
        "left:Q",
        scale=alt.Scale(domain=[-0.6, len(tunings) - 0.4], nice=False),
        axis=alt.Axis(
            values=list(range(len(tunings))),
            labelExpr=f"[{quoted}][datum.value]",
            title=None,
            grid=False,
            ticks=False,
        ),
    )
    up = alt.Y("y:Q", scale=alt.Scale(domain=[0, 1]), title="accuracy")
    base = alt.Chart().encode(x=across, y=up, color=series_colours(tunings, None))

    def part(kind: str) -> alt.Chart:
        return base.transform_filter(f"datum.kind == '{kind}'")

    layers = [
        part("outline").mark_area(orient="horizontal", opacity=0.3).encode(x2="right:Q"),
        part("mean").mark_rule(strokeWidth=2).encode(x2="right:Q", color=alt.value(INK)),
        part("median").mark_rule(strokeWidth=2, strokeDash=[4, 3]).encode(x2="right:Q", color=alt.value(INK)),
        base.transform_filter(f"datum.kind == 'model' && ({FOUND})")
        .mark_point(size=30, stroke=BACK, strokeWidth=0.6)
        .encode(tooltip=tips(player="player", series="tuning", text="accuracy [95%]")),
    ]
    return compile_chart(alt.layer(*layers, data=ROWS).properties(width="container", height=_HEIGHT_VIOLINS))
