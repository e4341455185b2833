"""The page of profiles: players on the newest edition of each benchmark, side by side."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from perennial.schemas.statistics.board import GROUPS, group_player
from perennial.tasks.report.content import Query, Record, ReportTable, Section
from perennial.tasks.report.page import render_sections
from perennial.tasks.report.profiles.correlation_matrix import PROFILE_CORRELATIONS, correlation_matrix
from perennial.tasks.report.profiles.sections import (
    PROFILE_DOMAINS,
    PROFILE_SCORES,
    domain_table,
    profile_rows,
    profile_table,
)

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
        """Return the data without the rows of these players."""
        return replace(self, tables={name: table.without(players) for name, table in self.tables.items()})


def profile_sections(data: ProfileData) -> list[Section]:
    """Return the sections of the page in order."""
    scores, domains = data.tables["profile_scores"], data.tables["profile_domains"]
    players = order_players(scores.records())
    return [
        profile_table(scores, players, data.columns),
        profile_rows(scores, players, data.columns),
        correlation_matrix(data.tables["profile_correlations"], data.columns),
        domain_table(domains, players, data.columns),
    ]


def render_profiles(data: ProfileData) -> str:
    """Return the whole HTML page: equal data give equal text, and nothing of the data is markup."""
    links = [("profiles", f"{data.explorer.rstrip('/')}/profiles")] if data.explorer else []
    return render_sections(TITLE, "perennial report --profiles", data.facts, links, profile_sections(data))


def order_players(rows: Iterable[Record]) -> list[str]:
    """Return the players: models first, programs last, of each kind the one with the best mean rank first."""
    ranks: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        ranks.setdefault((row["kind"], row["player"]), []).append(row["rank"])

    def place(of: tuple[str, str]) -> tuple[int, float, str]:
        kind, player = of
        return GROUPS.index(group_player(player, kind, None)), sum(ranks[of]) / len(ranks[of]), player

    return list(dict.fromkeys(player for _, player in sorted(ranks, key=place)))
