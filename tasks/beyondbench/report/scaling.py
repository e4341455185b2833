"""Accuracy against parameters by family (figure 3 of the paper), and of quantised models (figure 4)."""

from collections import defaultdict
from functools import lru_cache

import altair as alt

from perennial.tasks.beyondbench.report.extras import MODEL_FACTS, SCALING, families_of
from perennial.tasks.report.content import Record, ReportData, Section, figure, omit_section
from perennial.tasks.report.figures.chart import (
    FOUND,
    ROWS,
    Spec,
    compile_chart,
    make_drawing,
    series_colours,
    tips,
)
from perennial.tasks.report.figures.interval_rows import Scale, interval_rows
from perennial.tasks.report.wording import clean, decimals, with_interval

_KEYS = (
    "The keys family, parameters_billion, quantization and tuning of a model's entry in models.toml say so"
)
_HEIGHT = 300


@figure(SCALING, "Accuracy and parameters", MODEL_FACTS, is_computed=True)
def scaling(data: ReportData) -> Section:
    """Return the section of overall accuracy by parameters: a point per model, a line per family."""
    key, title = scaling.key, scaling.title
    tables = (data.tables["model_facts"], data.tables[SCALING])
    lines = tables[1].records()
    if not lines:
        missing = (
            "Of no family are the parameters of two models known that answered all three suites. "
            f"{_KEYS} when it is evaluated."
        )
        return omit_section(key, title, tables, missing)
    families = families_of(tables[0].records())
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
        heading, title, _compile(tuple(map(clean, sorted(families)))), [*points, *ends], is_wide=True
    )
    caption = (
        "Each point is a model, its overall accuracy over the logarithm of its parameters; lines through "
        "points are 95% intervals for instances that vary. Straight lines are fitted by least squares, a "
        "family each, n models: too few for an interval of the gain. Quantised models are left out. "
        f"{_KEYS}: models without them are not here."
    )
    return Section(key, title, caption, tables, (drawing,))


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
def _compile(families: tuple[str, ...]) -> Spec:
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


@figure("quantization", "Accuracy and quantisation", MODEL_FACTS)
def quantization(data: ReportData) -> Section:
    """Return the section of models beside quantised ones of the same family, parameters and tuning."""
    key, title = quantization.key, quantization.title
    table = data.tables["model_facts"]
    groups: dict[tuple[str, float, str], list[Record]] = defaultdict(list)
    for row in data.known_rows("model_facts", "quantization"):
        if row["suite"] == "overall" and row["family"] and row["parameters_billion"]:
            groups[row["family"], row["parameters_billion"], row["tuning"] or ""].append(row)
    compared = {
        of: rows for of, rows in sorted(groups.items()) if len({row["quantization"] for row in rows}) > 1
    }
    if not compared:
        missing = (
            "No two models that answered all three suites are known to differ in quantisation alone. "
            f"{_KEYS} when it is evaluated."
        )
        return omit_section(key, title, [table], missing)
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
    drawing = interval_rows(heading, title, drawn, Scale(("overall accuracy",), ends=(0, 1)))
    caption = (
        "Each row is a model of one family, size and tuning in the quantisations that played; none is full "
        "precision. Each point is its overall accuracy with its 95% interval for instances that vary. "
        f"{_KEYS}."
    )
    return Section(key, title, caption, (table,), (drawing,))
