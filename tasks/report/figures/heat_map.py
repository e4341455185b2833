"""Success rates by domain and over all editions on one scale; contamination gap; parts of the variance."""

from collections import defaultdict
from collections.abc import Callable, Sequence

import altair as alt

from perennial.tasks.report.content import (
    UNANALYSED,
    Content,
    Drawing,
    Grid,
    Query,
    Record,
    ReportData,
    figure,
    make_grid,
)
from perennial.tasks.report.figures.chart import (
    CUT_LEGEND,
    FOUND,
    ROWS,
    SERIES,
    Map,
    compile_chart,
    draw_fields,
    make_drawing,
    mean_rates,
    series_colours,
    tips,
)
from perennial.tasks.report.figures.interval_rows import Scale, interval_rows, read_estimate, rows_by_setting
from perennial.tasks.report.wording import clean, decimals, name_populations, p_number, span, with_interval

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


@figure("Success rate by domain and player", DOMAINS)
def heat_map(data: ReportData, rows: list[Record]) -> Content | str:
    """A map of players and domains per setting."""
    rows = [row for row in rows if row["success_rate"] is not None]
    if not rows:
        return UNANALYSED
    grouped = {
        setting: _groups([row for row in rows if row["setting"] == setting]) for setting in data.settings
    }
    # Players of few domains say little of how easy the others are.
    usual = _order_by_ease([row for groups in grouped.values() for _, listed in groups[:1] for row in listed])
    domains = [*usual, *sorted({row["domain"] for row in rows} - {*usual})]
    drawings = [
        _draw_heat_map(f"{setting}: {group}", listed, data.players(), domains)
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
    return Content(caption, drawings)


def _groups(rows: Sequence[Record]) -> list[tuple[str, list[Record]]]:
    """The rows of the players who met half of the domains and of those who met fewer, titled."""
    met: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        met[row["player"]].add(row["domain"])
    n_domains = len({row["domain"] for row in rows})
    groups = []
    for is_half in (True, False):
        listed = [row for row in rows if (2 * len(met[row["player"]]) >= n_domains) == is_half]
        if listed:
            players = {row["player"] for row in listed}
            count = f"{len(players)} {'player' if len(players) == 1 else 'players'}"
            extent = f"{span(len(met[player]) for player in players)} of {n_domains} domains"
            groups.append(
                (f"{count} in {extent}, n = {span(row['scored'] for row in listed)} per field", listed)
            )
    return groups


def _order_by_ease(rows: Sequence[Record]) -> list[str]:
    """The domains from the one with the highest mean rate to that with the lowest."""
    mean = mean_rates([{**row, "rate": row["success_rate"]} for row in rows], "domain")
    return sorted(mean, key=lambda domain: (-mean[domain], domain))


def _draw_heat_map(
    heading: str, rows: Sequence[Record], players: Sequence[str], domains: Sequence[str]
) -> Drawing:
    here = {row["domain"] for row in rows}
    by_ease = [domain for domain in domains if domain in here]
    drawn = [
        {
            "player": row["player"],
            "column": row["domain"],
            "rate": row["success_rate"],
            "low": row["success_rate_low"],
            "high": row["success_rate_high"],
            "n": row["scored"],
        }
        for row in rows
    ]
    return draw_fields(
        heading, f"{heat_map.title}: {heading}", drawn, by_ease, players, Map("success rate", "domain")
    )


SCALE = Query(
    "scale",
    """
-- How able is each player over all editions of this benchmark, on one scale?
SELECT s.setting, s.statistic, s.player || if(s.protocol_id = '', '',
       ' (protocol ' || s.protocol_id || ')') AS player, s.other AS other,
       s.value, s.standard_error, s.low, s.high, s.domains, s.editions, s.link,
       s.discrimination, s.discrimination_p_holm, e.created_at
FROM scale AS s
LEFT JOIN editions AS e ON e.edition = s.other AND s.statistic IN ('rate_in_edition', 'shift_of_edition')
WHERE s.benchmark = (SELECT benchmark FROM editions WHERE edition = $edition) AND s.statistic <>
'difference'
ORDER BY s.setting, s.statistic, s.value DESC, s.player, s.protocol_id, e.created_at, s.other
""",
)
_MISFIT = 0.05
_MOST_DRAWN = len(SERIES)
_CAPTION = (
    "Rates over the population of domains, from all visible editions of the benchmark by a joint model "
    "(generalized least squares), with 95% intervals for domains that vary, the link between editions "
    "included; n counts domains. The drawing shows each player's rate by one edition alone, less what was "
    "hard for all in that edition, for players of the most editions: intervals that are "
    "apart say that the player has changed. "
    "Discrimination says how far a player follows what is hard for all, 1 as the scale takes it; where its p "
    "(Holm) is below 0.05, marked *, the scale does not fit that player and its link is worth less than its "
    "interval says."
)


@figure("All editions on one scale", SCALE)
def scale_over_editions(data: ReportData, rows: list[Record]) -> Content | str:
    """The common scale: a row per player, and a drawing per setting over time."""
    if not any(row["statistic"] == "shift_of_edition" for row in rows):
        return "The benchmark has one edition with answers only."
    rates = [row for row in rows if row["statistic"] == "rate"]
    columns: dict[str, Callable[[Record], str]] = {
        "setting": lambda row: clean(row["setting"]),
        "player": lambda row: clean(row["player"]),
        "rate": lambda row: with_interval(row["value"], row["low"], row["high"]),
        "standard error": lambda row: decimals(row["standard_error"]),
        "n": lambda row: f"{row['domains']:,}",
        "editions": lambda row: f"{row['editions']:,}",
        "discrimination": _discrimination,
        "p (Holm)": lambda row: p_number(row["discrimination_p_holm"]),
    }
    settings = list(dict.fromkeys((*data.settings, *(row["setting"] for row in rates))))
    drawings = tuple(drawing for setting in settings for drawing in _draw(rows, setting))
    return Content(_CAPTION, drawings, make_grid(rates, columns, texts=2))


def _discrimination(row: Record) -> str:
    p = row["discrimination_p_holm"]
    mark = " *" if p is not None and p < _MISFIT else ""
    return f"{decimals(row['discrimination'], 2)}{mark}"


def _draw(rows: list[Record], setting: str) -> list[Drawing]:
    in_setting = [row for row in rows if row["setting"] == setting]
    shifts = sorted(
        (row for row in in_setting if row["statistic"] == "shift_of_edition"),
        key=lambda row: (row["created_at"], row["other"]),
    )
    editions = [clean(row["other"]) for row in shifts]
    if len(editions) < 2:
        return []
    ranked = [row for row in in_setting if row["statistic"] == "rate"]
    chosen = sorted(ranked, key=lambda row: -row["editions"])[:_MOST_DRAWN]
    names = [row["player"] for row in ranked if row in chosen]
    marks = [
        {
            "player": clean(row["player"]),
            "series": clean(row["player"]),
            "edition": clean(row["other"]),
            "value": row["value"],
            "low": row["low"],
            "high": row["high"],
            "estimate": with_interval(row["value"], row["low"], row["high"]),
        }
        for row in in_setting
        if row["statistic"] == "rate_in_edition" and row["player"] in names
    ]
    across = alt.X("edition:N", sort=editions, title="edition, oldest first", axis=alt.Axis(labelAngle=-30))
    base = alt.Chart(ROWS).transform_filter(FOUND).encode(x=across, xOffset=alt.XOffset("series:N"))
    colour = series_colours([clean(name) for name in names], CUT_LEGEND)
    scale = alt.Scale(domain=[0, 1])
    rule = base.mark_rule(opacity=0.6).encode(
        y=alt.Y("low:Q", scale=scale, title="rate on the common scale, 95% interval"),
        y2="high:Q",
        color=colour,
    )
    point = base.mark_point().encode(
        y=alt.Y("value:Q", scale=scale),
        color=colour,
        tooltip=tips(player="player", edition="edition", estimate="rate"),
    )
    spec = compile_chart(alt.layer(rule, point).properties(width="container", height=280))
    heading = f"{setting}: {len(editions)} editions"
    title, players = f"{scale_over_editions.title}: {setting}", ("player", "series")
    return [make_drawing(heading, title, spec, marks, is_wide=True, players=players)]


CONTAMINATION = Query(
    "contamination",
    """
-- How much better does each player do on public instances than on private ones?
SELECT player, player_kind, gap, gap_low, gap_high, population, p_holm, detectable_gap, detects_08,
       public_instances, private_instances, public_instances + private_instances AS compared, created_at,
       training_cutoff, no_gap
FROM contamination_gaps
WHERE edition = $edition
ORDER BY player_kind <> 'models', player_kind, gap DESC NULLS LAST, player
""",
)


@figure(
    "Contamination gap",
    CONTAMINATION,
    missing="The edition has no private instances, or nobody has answered them.",
)
def contamination_gaps(_data: ReportData, listed: list[Record]) -> Content | str:
    """The gap of public and private instances: a row per player."""
    rows = [row for row in listed if row["gap"] is not None]
    if not rows:
        return f"There are {listed[0]['no_gap']}."
    scale = Scale(("public minus private success rate",), has_zero_line=True)
    drawn = [read_estimate(row, "gap", "compared") for row in rows]
    heading = f"all settings, n = {span(row['compared'] for row in rows)} per player"
    cells = tuple(
        (
            clean(row["player"]),
            with_interval(row["gap"], row["gap_low"], row["gap_high"]),
            p_number(row["p_holm"]),
            decimals(row["detectable_gap"]),
            "yes" if row["detects_08"] else "no",
            str(row["training_cutoff"] or ""),
        )
        for row in rows
    )
    headings = ("player", "gap", "p (Holm)", "would find", "detects .08", "trained until")
    published = f"{rows[0]['created_at']:%Y-%m-%d}"
    caption = (
        f"A secret chose the private instances of this edition, published {published}: a player who has not "
        "seen it does as well on public ones. The gap is the public minus the private success rate within "
        f"domain and setting. {name_populations(rows)} p is of one side, by redrawn splits, with Holm's "
        "correction over players of a kind; a small one is evidence that the model saw public instances. "
        "A gap below what the edition would find with power .8 may be missed, and a leak of the private part "
        "has no gap. n counts instances."
    )
    drawing = interval_rows(heading, contamination_gaps.title, drawn, scale)
    return Content(caption, [drawing], Grid(headings, cells, frozenset(range(1, 4))))


VARIANCE = Query(
    "variance_parts",
    """
-- What makes the models' successes differ?
FROM variance_parts WHERE edition = $edition
""",
)
CHANGES = Query(
    "smallest_changes",
    """
-- Which change of a model in the next edition is no chance?
FROM smallest_changes WHERE edition = $edition
""",
)


@figure("Variance, and changes that are no chance", VARIANCE, CHANGES, missing="")
def variance_rows(data: ReportData, parts: list[Record]) -> Content | str:
    """Parts of the variance, with a row per model of the changes between editions."""
    rows = data.sort_by_setting(data.known_rows(CHANGES.name, "beyond_chance"))
    if not rows:
        return "No model of this edition has answers of known variance."
    drawings = rows_by_setting(
        data,
        variance_rows.title,
        [row for row in parts if row["variance"] is not None],
        lambda row: [read_estimate({**row, "player": row["part"]}, "variance", "clusters")],
        Scale(("variance of a success",), places=4, has_zero_line=True),
        unit="clusters",
    )
    texts, numbers = ("setting", "player"), ("success_rate", "beyond_chance", "detectable_change")
    cells = tuple(
        (*(clean(row[name]) for name in texts), *(decimals(row[name]) for name in numbers)) for row in rows
    )
    headings = ("setting", "model", "success rate", "beyond chance", "found with power .8")
    caption = (
        "The variance of a single success of the models, in parts: domains and instances that are harder for "
        "all, those that are harder for one model, and runs on the same instance. In another edition of this "
        "size with draws of its own, the same model's success rate changes by more than 'beyond chance' in "
        "about 5% of cases or fewer; a change as large as the last column is found in about 80%. "
        f"{name_populations(rows)} n counts what was drawn."
    )
    return Content(caption, drawings, Grid(headings, cells, frozenset(range(2, 5)), players=("model",)))
