"""Players on several benchmarks: a table, a drawing of intervals for each setting, and a table of domains."""

from collections.abc import Iterable, Sequence

from perennial.schemas.statistics.board import MODELS
from perennial.tasks.report.content import Drawing, Grid, Query, Record, ReportTable, Section, omit_section
from perennial.tasks.report.figures.interval_rows import Scale, interval_rows, read_estimate
from perennial.tasks.report.wording import cell, clean, span, with_interval

PROFILE_SCORES = Query(
    "profile_scores",
    """
-- How good is each player at each benchmark, setting by setting?
SELECT benchmark, edition, setting, player, kind, instances, score, score_low, score_high, population,
       rank, episodes, episodes_with_cost, cost_usd
FROM profiles
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
    """Return the section of all scores: a row per player, a group of columns for each setting."""
    rows = table.records()
    found = {(row["player"], row["benchmark"], row["setting"]): row for row in rows}
    kinds = {row["player"]: row["kind"] for row in rows}
    cells, best = [], set()
    for place, player in enumerate(players):
        line = [clean(player), kinds[player]]
        for column in columns:
            row = found.get((player, *column))
            if row is not None and _is_best(row):
                best.add((place, len(line)))
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
    known = row["cost_usd"] is not None
    least = "≥ " if known and row["episodes_with_cost"] < row["episodes"] else ""
    return [
        with_interval(row["score"], row["score_low"], row["score_high"]),
        str(row["rank"]),
        f"{least}{cell(row['cost_usd'])}" if known else "",
    ]


def profile_rows(table: ReportTable, players: Sequence[str], columns: Sequence[Column]) -> Section:
    """Return the section of drawings: one for each setting, a row per player."""
    rows = table.records()
    title = "Scores by benchmark and setting"
    drawings = tuple(_draw(title, column, rows, players) for column in columns)
    caption = f"{_SCORES} Players that are not models have their kind beside their figures."
    return Section("scores", title, caption, (table,), drawings)


def _draw(title: str, column: Column, rows: Iterable[Record], players: Sequence[str]) -> Drawing:
    own = [row for row in rows if (row["benchmark"], row["setting"]) == column]
    drawn = [
        read_estimate(
            row, "score", "instances", more="" if row["kind"] == MODELS else f" ({clean(row['kind'])})"
        )
        for row in own
    ]
    name = ", ".join(column)
    heading = f"{name}, n = {span(row['instances'] for row in own)} instances"
    scale = Scale(("success rate on common instances",), ends=(0, 1))
    return interval_rows(heading, f"{title}: {name}", drawn, scale, players)


def domain_table(table: ReportTable, players: Sequence[str], columns: Sequence[Column]) -> Section:
    """Return the section of scores by domain: a row per domain of a setting, a column per player."""
    key, title = "profile_domains", "Domains"
    rows = table.records()
    if not rows:
        return omit_section(key, title, [table], "No domain has an instance that several players share.")
    scores: dict[tuple[str, str, str], dict[str, Record]] = {}
    for row in sorted(rows, key=lambda row: columns.index((row["benchmark"], row["setting"]))):
        scores.setdefault((row["domain"], row["benchmark"], row["setting"]), {})[row["player"]] = row
    cells, best = [], set()
    for place, (names, of) in enumerate(scores.items()):
        domain, *column = map(clean, names)
        line = [domain, ", ".join(column), span(row["instances"] for row in of.values())]
        for player in players:
            own = of.get(player)
            if own is not None and _is_best(own):
                best.add((place, len(line)))
            line.append(
                "" if own is None else with_interval(own["score"], own["score_low"], own["score_high"], 2)
            )
        cells.append(tuple(line))
    grid = Grid(
        ("domain", "setting", "n", *map(clean, players)),
        tuple(cells),
        frozenset(range(2, 3 + len(players))),
        best=frozenset(best),
    )
    caption = (
        f"{_SCORES} Instances are common within the domain. The best models of a domain are bold; ranks and "
        "costs are in the table behind it."
    )
    return Section(key, title, caption, (table,), grid=grid)
