"""Success rate of each player in each domain: players are rows, domains columns from easy to hard."""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

import altair as alt

from tasks.report.content import Drawing, Query, Record, ReportData, Section, figure, omit_unanalysed
from tasks.report.figures.chart import FOUND, ROWS, Spec, compile_chart, cut, make_drawing, player_axis, tips
from tasks.report.wording import clean, decimals, name_populations, span, with_interval

DOMAINS = Query(
    "domains",
    """
-- How does each player do in each domain and setting?
SELECT setting, domain, player, n AS scored, value AS success_rate, low AS success_rate_low,
       high AS success_rate_high, population
FROM statistics
WHERE edition = $edition AND statistic = 'success_rate' AND domain <> 'all'
ORDER BY setting, domain, player
""",
)

_KEY = "domains"
_TITLE = "Success rate by domain and player"
_MOST_WRITTEN = 16
_WRITTEN = "bandwidth('x') > 98 ? datum.text : bandwidth('x') > 24 ? datum.short : ''"
_STEP = 18
_LEAST_FIELD = 9
_NAMES = 190
_ORDER = "order == 'name' ? datum.by_name : order == 'value' ? -datum.mean : datum.place"


@figure(_KEY, _TITLE, DOMAINS)
def heat_map(data: ReportData) -> Section:
    """Return the section of success rates by domain and player."""
    table = data.tables[_KEY]
    rows = data.known_rows(_KEY, "success_rate")
    if not rows:
        return omit_unanalysed(_KEY, _TITLE, [table])
    grouped = {
        setting: _groups([row for row in rows if row["setting"] == setting]) for setting in data.settings
    }
    # Players of few domains say little of how easy the others are.
    usual = _order_by_ease([row for groups in grouped.values() for _, listed in groups[:1] for row in listed])
    domains = [*usual, *sorted({row["domain"] for row in rows} - {*usual})]
    drawings = [
        _draw(f"{setting}: {group}", listed, data.players(), domains)
        for setting, groups in grouped.items()
        for group, listed in groups
    ]
    caption = (
        "Each field is the share of a player's scored episodes in a domain that it solved; dark is 0, light "
        "is 1, empty is not scored. Where there is room, the field shows the number and its 95% interval; "
        f"hover over a field to read both. {name_populations(rows)} n is the number of scored episodes. "
        "In every drawing domains run from the easiest to the hardest, by their mean rate over players "
        "and settings. Players with answers in fewer than half of the domains are listed separately."
    )
    return Section(_KEY, _TITLE, caption, (table,), tuple(drawings))


def _groups(rows: Sequence[Record]) -> list[tuple[str, list[Record]]]:
    """Return the rows of the players who met half of the domains and of those who met fewer, titled."""
    met: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        met[row["player"]].add(row["domain"])
    n_domains = len({row["domain"] for row in rows})
    found = []
    for is_half in (True, False):
        listed = [row for row in rows if (2 * len(met[row["player"]]) >= n_domains) == is_half]
        if listed:
            players = {row["player"] for row in listed}
            count = f"{len(players)} {'player' if len(players) == 1 else 'players'}"
            extent = f"{span(len(met[player]) for player in players)} of {n_domains} domains"
            found.append(
                (f"{count} in {extent}, n = {span(row['scored'] for row in listed)} per field", listed)
            )
    return found


def _order_by_ease(rows: Sequence[Record]) -> list[str]:
    """Return the domains from the one with the highest mean rate to that with the lowest."""
    mean = _mean_rates(rows, "domain")
    return sorted(mean, key=lambda domain: (-mean[domain], domain))


def _mean_rates(rows: Sequence[Record], name: str) -> dict[str, float]:
    rates = defaultdict(list)
    for row in rows:
        rates[row[name]].append(row["success_rate"])
    return {key: sum(of) / len(of) for key, of in rates.items()}


def _draw(heading: str, rows: Sequence[Record], order: Sequence[str], domains: Sequence[str]) -> Drawing:
    mean, here = _mean_rates(rows, "player"), {row["domain"] for row in rows}
    by_ease = [domain for domain in domains if domain in here]
    by_name = sorted(mean, key=str.casefold)
    is_written = len(by_ease) <= _MOST_WRITTEN
    drawn = [
        {
            **{name: clean(row[name]) for name in ("player", "domain")},
            "column": by_ease.index(row["domain"]),
            "place": order.index(row["player"]),
            "by_name": by_name.index(row["player"]),
            "mean": round(mean[row["player"]], 4),
            "rate": round(row["success_rate"], 4),
            "short": decimals(row["success_rate"], 2),
            "text": with_interval(row["success_rate"], row["success_rate_low"], row["success_rate_high"], 2),
            "n": f"{row['scored']:,}",
        }
        for row in rows
    ]
    least = 0 if is_written else _NAMES + _LEAST_FIELD * len(by_ease)
    title = f"{_TITLE}: {heading}"
    return make_drawing(heading, title, _compile(is_written), drawn, is_wide=True, least_width=least)


@lru_cache(maxsize=2)
def _compile(is_written: bool) -> Spec:
    """Return the chart of fields, and of the numbers in them where there may be room."""
    ink = alt.condition("datum.rate < 0.5", alt.value("#ffffff"), alt.value("#111111"))
    base = alt.Chart().encode(
        x=alt.X(
            "domain:N",
            sort=alt.EncodingSortField(field="column", op="min"),
            title=None,
            axis=alt.Axis(
                orient="top",
                labelExpr=cut("datum.label", 24, 12),
                labelAngle=-45 if is_written else -90,
                labelFontSize=11 if is_written else 9,
                ticks=False,
                domain=False,
            ),
        ),
        y=player_axis(),
        tooltip=tips(player="player", domain="domain", text="success rate [95%]", n="n"),
    )
    colour = alt.Color(
        "rate:Q",
        scale=alt.Scale(scheme="cividis", domain=[0, 1]),
        legend=alt.Legend(title="success rate", direction="horizontal", orient="bottom", tickCount=5),
    )
    layers = [base.mark_rect(strokeWidth=0).encode(color=colour)]
    if is_written:
        layers.append(base.mark_text(text=alt.ExprRef(_WRITTEN), fontSize=10).encode(color=ink))
    chart = alt.layer(*layers, data=ROWS).transform_filter(FOUND).transform_calculate(key=_ORDER)
    return compile_chart(chart.properties(width="container", height=alt.Step(_STEP)))
