"""How many actions Algorithm 3's policy takes, as a histogram a setting (the paper's figure 6c)."""

from functools import lru_cache

import altair as alt

from perennial.tasks.report.content import Drawing, Query, Record, ReportData, Section, figure, omit_section
from perennial.tasks.report.figures.chart import ROWS, SERIES, Spec, compile_chart, make_drawing, tips
from perennial.tasks.report.wording import decimals, with_interval

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

_KEY = "optimal_counts"
_TITLE = "Optimal action counts"
_HEIGHT = 170


@figure(_KEY, _TITLE, is_computed=True)
def optimal_histogram(data: ReportData) -> Section:
    """Return the section of optimal action counts: share of instances by count, a drawing per setting."""
    table = data.tables[_KEY]
    rows = table.records()
    if not rows:
        return omit_section(_KEY, _TITLE, [table], "This edition has no instance.")
    drawings = []
    for setting in data.settings:
        listed = [row for row in rows if row["setting"] == setting]
        first = listed[0]
        mean = with_interval(first["mean_count"], first["mean_low"], first["mean_high"], 2)
        heading = f"{setting}, n = {first['n']:,} instances, mean {mean}"
        drawings.append(_draw(heading, f"{_TITLE}: {setting}", listed))
    caption = (
        "Each bar is the share of instances on which Algorithm 3's policy, the paper's optimum, takes this "
        "many actions (its tests and the one prediction), on the observations that the instance has. 95% "
        "intervals: Wilson's for each share, normal for the mean. n is the number of instances."
    )
    return Section(_KEY, _TITLE, caption, (table,), tuple(drawings))


def _draw(heading: str, title: str, rows: list[Record]) -> Drawing:
    drawn: list[Record] = [
        {name: row[name] for name in ("optimal_count", "share", "share_low", "share_high")}
        | {
            "text": with_interval(row["share"], row["share_low"], row["share_high"]),
            "n": f"{row['instances']:,}",
        }
        for row in rows
    ]
    counts = {row["optimal_count"] for row in rows}
    # A count that no instance has leaves a gap.
    none = {"share": 0.0, "text": decimals(0.0), "n": "0"}
    drawn += [
        {"optimal_count": count, **none} for count in range(min(counts), max(counts)) if count not in counts
    ]
    return make_drawing(heading, title, _compile(), drawn)


@lru_cache(maxsize=1)
def _compile() -> Spec:
    shares = "share of instances"
    base = alt.Chart().encode(
        x=alt.X("optimal_count:O", title="actions of Algorithm 3's policy", axis=alt.Axis(labelAngle=0)),
        tooltip=tips(optimal_count="actions", text=shares, n="instances"),
    )
    bars = base.mark_bar(color=SERIES[0]).encode(y=alt.Y("share:Q", title=shares))
    intervals = base.mark_rule(strokeWidth=1.4).encode(
        y=alt.Y("share_low:Q", title=shares), y2="share_high:Q"
    )
    return compile_chart(alt.layer(bars, intervals, data=ROWS).properties(width="container", height=_HEIGHT))
