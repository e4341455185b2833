"""How accuracies of models spread by tuning and suite, as violins (figure 5 of the paper)."""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from statistics import fmean, median

import altair as alt

from perennial.tasks.beyondbench.report.extras import MODEL_FACTS
from perennial.tasks.report.content import Drawing, Record, ReportData, Section, figure, omit_section
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
from perennial.tasks.report.wording import clean, decimals, with_interval

_KEY = "violins"
_TITLE = "Accuracy by tuning and suite"
_FEWEST = 5  # models of one tuning: a density of fewer would be drawn from nothing
_HALF, _HEIGHT, _STEPS = 0.4, 260, 60


@figure(_KEY, _TITLE, MODEL_FACTS)
def violins(data: ReportData) -> Section:
    """Return the section of violins: a drawing per suite and overall, a violin per tuning."""
    table = data.tables["model_facts"]
    suites: dict[str, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for row in data.known_rows("model_facts", "tuning"):
        suites[row["suite"]][row["tuning"]].append(row)
    suites = {suite: found for suite, found in suites.items() if max(map(len, found.values())) >= _FEWEST}
    if not suites:
        missing = (
            f"Of no tuning, such as instruct or thinking, are {_FEWEST} models known that played, so that "
            "there is no spread to show. The key tuning of a model's entry in models.toml says it when the "
            "model is evaluated."
        )
        return omit_section(_KEY, _TITLE, [table], missing)
    caption = (
        "Each point is a model. A violin's width is the density of models at each accuracy, a normal kernel "
        f"by Scott's rule, drawn for {_FEWEST} models or more; the broken line is their median, the whole "
        "one their mean, n their number. The gap is the highest mean of a drawing minus the lowest, in "
        "percentage points: models of two tunings differ in more than tuning."
    )
    return Section(
        _KEY, _TITLE, caption, (table,), tuple(_draw(suite, found) for suite, found in suites.items())
    )


def _draw(suite: str, found: dict[str, list[Record]]) -> Drawing:
    tunings = sorted(found)
    means = [fmean(row["accuracy"] for row in found[tuning]) for tuning in tunings]
    gap = f", gap {decimals(100 * (max(means) - min(means)), 1)}" if len(means) > 1 else ""
    listed = "; ".join(
        f"{clean(tuning)} mean {decimals(100 * mean, 1)}%, n = {len(found[tuning])}"
        for tuning, mean in zip(tunings, means, strict=True)
    )
    rows = [row for place, tuning in enumerate(tunings) for row in _rows(place, tuning, found[tuning])]
    spec = _compile(tuple(map(clean, tunings)))
    return make_drawing(f"{suite}: {listed}{gap}", f"{_TITLE}: {suite}", spec, rows)


def _rows(place: int, tuning: str, models: Sequence[Record]) -> list[Record]:
    """Return what is drawn of a tuning: its models, and outline, mean and median where there are enough."""
    shared = {"series": clean(tuning)}
    values = [row["accuracy"] for row in models]
    rows = [
        {
            **shared,
            "kind": "model",
            "player": clean(row["player"]),
            "left": place + 0.05 * ((number % 5) - 2),
            "y": row["accuracy"],
            "text": with_interval(row["accuracy"], row["accuracy_low"], row["accuracy_high"]),
        }
        for number, row in enumerate(models)
    ]
    if len(models) < _FEWEST:
        return rows
    for kind, y in (("mean", fmean(values)), ("median", median(values))):
        rows.append({**shared, "kind": kind, "left": place - _HALF / 2, "right": place + _HALF / 2, "y": y})
    return rows + [{**shared, "kind": "outline", **level} for level in _outline(place, values)]


def _outline(place: int, values: Sequence[float]) -> list[Record]:
    """Return left and right end of the violin at each accuracy; nothing where all are alike."""
    import numpy as np
    from scipy.stats import gaussian_kde

    if len(set(values)) < 2:
        return []
    levels = np.linspace(min(values), max(values), _STEPS)
    density = gaussian_kde(values)(levels)
    half = _HALF * density / density.max()
    return [
        {"left": place - float(width), "right": place + float(width), "y": float(level)}
        for level, width in zip(levels, half, strict=True)
    ]


@lru_cache(maxsize=8)
def _compile(tunings: tuple[str, ...]) -> Spec:
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

    def of(kind: str) -> alt.Chart:
        return base.transform_filter(f"datum.kind == '{kind}'")

    layers = [
        of("outline").mark_area(orient="horizontal", opacity=0.3).encode(x2="right:Q"),
        of("mean").mark_rule(strokeWidth=2).encode(x2="right:Q", color=alt.value(INK)),
        of("median").mark_rule(strokeWidth=2, strokeDash=[4, 3]).encode(x2="right:Q", color=alt.value(INK)),
        base.transform_filter(f"datum.kind == 'model' && ({FOUND})")
        .mark_point(size=30, stroke=BACK, strokeWidth=0.6)
        .encode(tooltip=tips(player="player", series="tuning", text="accuracy [95%]")),
    ]
    return compile_chart(alt.layer(*layers, data=ROWS).properties(width="container", height=_HEIGHT))
