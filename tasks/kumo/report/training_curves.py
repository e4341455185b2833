"""Success against training steps: what a model learns from golden play, and where it helps (figure 5)."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import altair as alt

from perennial.tasks.kumo.game import VARIANTS
from perennial.tasks.kumo.statistics.outcome_rates import rate_of_outcomes
from perennial.tasks.report.content import (
    Drawing,
    Query,
    Record,
    ReportData,
    ReportTable,
    Section,
    figure,
    omit_section,
)
from perennial.tasks.report.figures.chart import (
    FOUND,
    ROWS,
    Spec,
    compile_chart,
    make_drawing,
    series_colours,
    tips,
)
from perennial.tasks.report.wording import clean, span, with_interval
from perennial.tasks.training.checkpoints import parse_checkpoint

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
_TITLE = "Success against training steps"
_HEIGHT = 190
_ENDS = ("success_rate_low", "success_rate_high")
_COLUMNS = ("setting", "domain", "training", "step", "player", "instances", "success_rate", *_ENDS)
_COMPUTED = (
    "The rows of the first query, each with the training and the step that the player's name gives, and "
    "success rates of the runs of the second, by instance."
)


def compute_curves(queried: Mapping[str, ReportTable], _seed: int) -> ReportTable:
    """Return a row per checkpoint, domain and setting: played here, or imported without instances."""
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


@figure(_KEY, _TITLE, is_computed=True)
def training_curves(data: ReportData) -> Section:
    """Return the section of training curves: a panel per test set, a line per training."""
    table = data.tables[_KEY]
    rows = table.records()
    if not rows:
        missing = "No player of this edition is a training checkpoint (sft/TRAINING-STEP)."
        return omit_section(_KEY, _TITLE, [table], missing)
    trainings = tuple(dict.fromkeys(clean(row["training"]) for row in rows))
    order = [*data.settings, *sorted({row["setting"] for row in rows} - {*data.settings})]
    places = sorted(
        {(row["setting"], row["domain"]) for row in rows}, key=lambda place: (place[1], order.index(place[0]))
    )
    drawings = tuple(
        _draw(
            domain,
            setting,
            [row for row in rows if (row["setting"], row["domain"]) == (setting, domain)],
            trainings,
        )
        for setting, domain in places
    )
    caption = (
        "Each panel is a test set: a domain in a setting. A line is a model that is trained on golden play "
        "of one domain in one setting, a point one of its checkpoints; bands are 95% intervals clustered by "
        "instance, and n counts the instances. Where a line is lower in a domain or setting that the model "
        "was not trained on, what it learned does not carry over."
    )
    return Section(_KEY, _TITLE, caption, (table,), drawings)


def _draw(domain: str, setting: str, rows: Sequence[Record], trainings: tuple[str, ...]) -> Drawing:
    heading = f"{domain}, {setting}, n = {span(row['instances'] for row in rows)} instances per point"
    drawn: list[Record] = [
        {
            "player": clean(row["player"]),
            "series": clean(row["training"]),
            "step": row["step"],
            "rate": row["success_rate"],
            "low": row["success_rate_low"],
            "high": row["success_rate_high"],
            "text": with_interval(row["success_rate"], row["success_rate_low"], row["success_rate_high"]),
            "n": f"{row['instances']:,}",
        }
        for row in rows
    ]
    return make_drawing(heading, f"{_TITLE}: {domain}, {setting}", _compile(trainings), drawn)


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
