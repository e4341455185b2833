"""The page of profiles: players on several benchmarks."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import altair as alt

from perennial.schemas.statistics import GROUPS, MODELS, claimed_names, group_player
from perennial.tasks.report.content import Drawing, Grid, Query, Record, ReportTable, Section
from perennial.tasks.report.figures.chart import ROWS, SOFT, Spec, compile_chart, cut, make_drawing, tips
from perennial.tasks.report.figures.interval_rows import Scale, interval_rows, read_estimate
from perennial.tasks.report.page import render_sections
from perennial.tasks.report.wording import brackets, cell, clean, decimals, p_number, span, with_interval

# How models' scores in each setting of each benchmark go together: a matrix of correlations.

PROFILE_CORRELATIONS = Query(
    "profile_correlations",
    """
-- Do models that are good at one benchmark do well at another?
SELECT benchmark, edition, setting, other_benchmark, other_edition, other_setting, coefficient, players,
       correlation,
       correlation_low, correlation_high, p_holm, reliability, other_reliability, disattenuated,
       disattenuated_low, disattenuated_high, undefined
FROM profile_correlations
WHERE is_newest
ORDER BY coefficient, benchmark, setting, other_benchmark, other_setting
""",
)

_KEY = "correlations"
_TITLE = "Correlations over models"
_NAMES = {"spearman": "Spearman's correlation", "pearson": "Pearson's correlation"}
_STEP = 36
_NARROW = 4  # settings: so many have room beside another matrix
_LEAST_FIELD, _LABELS = 78, 170


def correlation_matrix(table: ReportTable, columns: Sequence[tuple[str, str]]) -> Section:
    """The section of correlations between these settings: a matrix for each coefficient."""
    rows = table.records()
    if not rows:
        missing = "There is one setting only: nothing to compare it with."
        return Section(_KEY, _TITLE, "", (table,), missing=missing)
    names = [", ".join(column) for column in columns]
    drawings = tuple(
        _draw_correlation_matrix(f"{name}, n = {span(row['players'] for row in group)} models", group, names)
        for coefficient, name in _NAMES.items()
        if (group := [row for row in rows if row["coefficient"] == coefficient])
    )
    caption = (
        "Each field is the correlation, over the models that have a score in both, of their scores in two "
        "settings, with its 95% interval by Fisher's z below it: of few models it is wide. A dash is "
        "undefined: fewer than seven models, or all with the same score; an interval is undefined at 1. "
        "p is by t, after Holm's correction over the correlations of a matrix. "
        "Chance in the scores hides correlations: the table has the reliability of each setting, and what "
        "Pearson's correlation would be without chance. Programs, people, controls and checkpoints do not "
        "count. Point to a field to read its number of models."
    )
    return Section(_KEY, _TITLE, caption, (table,), drawings)


def _draw_correlation_matrix(heading: str, rows: Sequence[Record], names: Sequence[str]) -> Drawing:
    drawn = []
    for row in rows:
        left, other = (", ".join((row[f"{side}benchmark"], row[f"{side}setting"])) for side in ("", "other_"))
        for down, across in ((left, other), (other, left)):
            drawn.append(
                {
                    "down": clean(down),
                    "across": clean(across),
                    "down_place": names.index(down),
                    "across_place": names.index(across),
                    "r": row["correlation"],
                    "text": decimals(row["correlation"], 2),
                    "interval": _interval(row),
                    "p": p_number(row["p_holm"]),
                    "n": f"{row['players']:,}",
                    "why": row["undefined"] or "",
                }
            )
    is_wide, least = len(names) > _NARROW, _LABELS + _LEAST_FIELD * len(names)
    title = f"{_TITLE}: {heading}"
    return make_drawing(heading, title, _compile(), drawn, is_wide=is_wide, least_width=least)


def _interval(row: Record) -> str:
    if row["correlation_low"] is None or row["correlation_high"] is None:
        return ""
    return brackets(decimals(row["correlation_low"], 2), decimals(row["correlation_high"], 2))


@lru_cache(maxsize=1)
def _compile() -> Spec:
    label = cut("datum.label", 24, 24)
    look: dict[str, Any] = {"ticks": False, "domain": False, "labelExpr": label}
    base = alt.Chart().encode(
        x=alt.X(
            "across:N",
            sort=alt.EncodingSortField(field="across_place", op="min"),
            title=None,
            axis=alt.Axis(orient="top", labelAngle=-35, **look),
        ),
        y=alt.Y(
            "down:N",
            sort=alt.EncodingSortField(field="down_place", op="min"),
            title=None,
            axis=alt.Axis(labelPadding=8, **look),
        ),
        tooltip=tips(
            down="of",
            across="with",
            text="correlation",
            interval="95% interval",
            p="p (Holm)",
            n="models",
            why="undefined",
        ),
    )
    colour = alt.Color(
        "r:Q",
        scale=alt.Scale(scheme="blueorange", domain=[-1, 1], reverse=True),
        legend=alt.Legend(title="correlation", direction="horizontal", orient="bottom", tickCount=5),
    )
    valid = base.transform_filter("isValid(datum.r)")
    ink = alt.condition("abs(datum.r) > 0.7", alt.value("#ffffff"), alt.value("#111111"))
    layers = [
        valid.mark_rect(strokeWidth=0).encode(color=colour),
        valid.mark_text(dy=-6, fontSize=11).encode(text="text:N", color=ink),
        valid.mark_text(dy=8, fontSize=9).encode(text="interval:N", color=ink),
        base.transform_filter("!isValid(datum.r)")
        .mark_text(fontSize=11)
        .encode(text="text:N", color=alt.value(SOFT)),
    ]
    chart = alt.layer(*layers, data=ROWS)
    return compile_chart(chart.properties(width="container", height=alt.Step(_STEP)))


# Players on several benchmarks: a table, a drawing of intervals for each setting, and a table of domains.

PROFILE_SCORES = Query(
    "profile_scores",
    """
-- How good is each player at each benchmark, setting by setting?
SELECT benchmark, edition, setting, player, kind, instances, score, score_low, score_high, population,
       rank, episodes, episodes_with_cost, cost_usd, answers
FROM profiles LEFT JOIN player_answers USING (edition, player)
WHERE is_newest AND domain = 'all'
ORDER BY benchmark, setting, kind, rank, player
""",
)

PROFILE_DOMAINS = Query(
    "profile_domains",
    """
-- How good is each player in each domain of each benchmark, setting by setting?
SELECT benchmark, edition, setting, domain, player, kind, instances, score, score_low, score_high,
       population, rank,
       episodes, episodes_with_cost, cost_usd
FROM profiles
WHERE is_newest AND domain <> 'all'
ORDER BY benchmark, setting, domain, kind, rank, player
""",
)

Column = tuple[str, str]
_TITLES = ("score", "rank", "US$")
_SCORES = (
    "Score is the success rate over the instances that all players of its kind with enough of them have: "
    "the mean over these n instances of the share of scored runs that are solved. Brackets hold 95% "
    "intervals, of the population that the table names: new domains where a benchmark draws its domains, and "
    "else other instances of these."
)
_SETTINGS = "Settings of a benchmark are never counted together, as on leaderboards."


def profile_table(table: ReportTable, players: Sequence[str], columns: Sequence[Column]) -> Section:
    """The section of all scores: a row per player, a group of columns for each setting."""
    rows = table.records()
    by_cell = {(row["player"], row["benchmark"], row["setting"]): row for row in rows}
    kinds = {row["player"]: row["kind"] for row in rows}
    cells, best = [], set()
    for index, player in enumerate(players):
        line = [clean(player), kinds[player]]
        for column in columns:
            row = by_cell.get((player, *column))
            if row is not None and _is_best(row):
                best.add((index, len(line)))
            line += [""] * len(_TITLES) if row is None else _cells(row)
        cells.append(tuple(line))
    groups = []
    for column in columns:
        n = span({row["instances"] for row in rows if (row["benchmark"], row["setting"]) == column})
        groups.append((f"{clean(', '.join(column))}, n = {n}", len(_TITLES)))
    grid = Grid(
        ("player", "kind", *_TITLES * len(columns)),
        tuple(cells),
        frozenset(range(2, 2 + len(_TITLES) * len(columns))),
        (("", 2), *groups),
        frozenset(best),
    )
    caption = (
        f"{_SCORES} {_SETTINGS} Rank is the place among the players of the same kind, so that models are "
        "ranked among models; equal scores share a place. The best models are bold. US$ is the cost of all "
        "the player's episodes in the setting: empty where none is known, with ≥ where some are not. A "
        "player that has too few instances of a setting, or none, has no score there."
    )
    return Section("profiles", "Players and benchmarks", caption, (table,), grid=grid)


def _is_best(row: Record) -> bool:
    return bool(row["kind"] == MODELS and row["rank"] == 1)


def _cells(row: Record) -> list[str]:
    has_cost = row["cost_usd"] is not None
    least = "≥ " if has_cost and row["episodes_with_cost"] < row["episodes"] else ""
    return [
        with_interval(row["score"], row["score_low"], row["score_high"]),
        str(row["rank"]),
        f"{least}{cell(row['cost_usd'])}" if has_cost else "",
    ]


def profile_rows(table: ReportTable, players: Sequence[str], columns: Sequence[Column]) -> Section:
    """The section of drawings: one for each setting, a row per player."""
    rows = table.records()
    title = "Scores by benchmark and setting"
    drawings = tuple(_draw(title, column, rows, players) for column in columns)
    caption = f"{_SCORES} Players that are not models have their kind beside their figures."
    return Section("scores", title, caption, (table,), drawings)


def _draw(title: str, column: Column, rows: Iterable[Record], players: Sequence[str]) -> Drawing:
    chosen = [row for row in rows if (row["benchmark"], row["setting"]) == column]
    drawn = [
        read_estimate(
            row, "score", "instances", more="" if row["kind"] == MODELS else f" ({clean(row['kind'])})"
        )
        for row in chosen
    ]
    name = ", ".join(column)
    heading = f"{name}, n = {span(row['instances'] for row in chosen)} instances"
    scale = Scale(("success rate on common instances",), ends=(0, 1))
    return interval_rows(heading, f"{title}: {name}", drawn, scale, players)


def domain_table(table: ReportTable, players: Sequence[str], columns: Sequence[Column]) -> Section:
    """The section of scores by domain: a row per domain of a setting, a column per player."""
    key, title = "profile_domains", "Domains"
    rows = table.records()
    if not rows:
        missing = "No domain has an instance that several players share."
        return Section(key, title, "", (table,), missing=missing)
    scores: dict[tuple[str, str, str], dict[str, Record]] = {}
    for row in sorted(rows, key=lambda row: columns.index((row["benchmark"], row["setting"]))):
        scores.setdefault((row["domain"], row["benchmark"], row["setting"]), {})[row["player"]] = row
    cells, best = [], set()
    for index, (names, by_player) in enumerate(scores.items()):
        domain, *column = map(clean, names)
        line = [domain, ", ".join(column), span(row["instances"] for row in by_player.values())]
        for player in players:
            mark = by_player.get(player)
            if mark is not None and _is_best(mark):
                best.add((index, len(line)))
            line.append(
                "" if mark is None else with_interval(mark["score"], mark["score_low"], mark["score_high"], 2)
            )
        cells.append(tuple(line))
    grid = Grid(
        ("domain", "setting", "n", *map(clean, players)),
        tuple(cells),
        frozenset(range(2, 3 + len(players))),
        best=frozenset(best),
        first_player=3,
    )
    caption = (
        f"{_SCORES} Instances are common within the domain. The best models of a domain are bold; ranks and "
        "costs are in the table behind it."
    )
    return Section(key, title, caption, (table,), grid=grid)


# The page of profiles: players on the newest edition of each benchmark, side by side.

PROFILE_EDITIONS = Query(
    "profile_editions",
    """
-- Which edition of each benchmark do profiles show, and which players have answered it?
SELECT e.benchmark, e.edition, e.created_at, e.freshness, count(DISTINCT p.player) AS players
FROM profiles AS p
JOIN editions AS e USING (edition)
WHERE p.is_newest
GROUP BY ALL
ORDER BY e.benchmark
""",
)

QUERIES = (PROFILE_EDITIONS, PROFILE_SCORES, PROFILE_DOMAINS, PROFILE_CORRELATIONS)
TITLE = "Profiles"


@dataclass(frozen=True, slots=True)
class ProfileData:
    """All that the page shows: facts of its editions, tables by name, and the URL of a `perennial web`.

    `columns` are benchmark and setting of each column, in the order of the page.
    """

    facts: tuple[tuple[str, str], ...]
    tables: dict[str, ReportTable]
    columns: tuple[tuple[str, str], ...]
    explorer: str = ""

    def without(self, players: Collection[str]) -> "ProfileData":
        """The data without the rows of these players."""
        return replace(self, tables={name: table.without(players) for name, table in self.tables.items()})


def profile_sections(data: ProfileData) -> list[Section]:
    """The sections of the page in order."""
    scores, domains = data.tables["profile_scores"], data.tables["profile_domains"]
    players = order_players(scores.records())
    claimed = claimed_names(scores.records())
    names = {clean(player): clean(name) for player, name in claimed.items()}
    sections = [
        profile_table(scores, players, data.columns),
        profile_rows(scores, players, data.columns),
        correlation_matrix(data.tables["profile_correlations"], data.columns),
        domain_table(domains, players, data.columns),
    ]
    return [section.rename(names) for section in sections]


def render_profiles(data: ProfileData) -> str:
    """The whole HTML page: equal data give equal text, and nothing of the data is markup."""
    links = [("profiles", f"{data.explorer.rstrip('/')}/profiles")] if data.explorer else []
    return render_sections(TITLE, "perennial report --profiles", data.facts, links, profile_sections(data))


def order_players(rows: Iterable[Record]) -> list[str]:
    """The players: models first, programs last, of each kind the one with the best mean rank first."""
    ranks: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        ranks.setdefault((row["kind"], row["player"]), []).append(row["rank"])

    def order_key(key: tuple[str, str]) -> tuple[int, float, str]:
        kind, player = key
        return GROUPS.index(group_player(player, kind, None)), sum(ranks[key]) / len(ranks[key]), player

    return list(dict.fromkeys(player for _, player in sorted(ranks, key=order_key)))
