"""What a report is made of: tables as they were queried, drawings, and sections of a page."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Record = dict[str, Any]
MOST_DRAWN = 30
"""A drawing names so many players at most; its table has all."""


@dataclass(frozen=True, slots=True)
class ReportTable:
    """The rows behind a figure, in order, and the SQL that gave them (`sql` as it was run).

    `computed` says in a sentence what was done to the query's rows; empty: these are its rows.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    sql: str
    computed: str = ""

    def records(self) -> list[Record]:
        """Return the rows as dictionaries by column name."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


@dataclass(frozen=True, slots=True)
class DomainGraph:
    """The truths of a domain, the pairs that one action's mapping links, and their communities.

    A link is two positions in `truths` and the number of actions that make it; a community is a tuple of
    such positions.
    """

    domain: str
    truths: tuple[str, ...]
    links: tuple[tuple[int, int, int], ...]
    communities: tuple[tuple[int, ...], ...]
    modularity: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The same tables of another edition, which the report's edition is compared with."""

    edition: str
    headline: ReportTable
    domains: ReportTable


@dataclass(frozen=True, slots=True)
class ReportData:
    """All that the page of an edition shows; `tables` by name."""

    edition: str
    facts: tuple[tuple[str, str], ...]
    tables: dict[str, ReportTable]
    graphs: tuple[DomainGraph, ...] = ()
    comparison: Comparison | None = None

    def settings(self) -> list[str]:
        """Return the settings, from the smallest instances to the largest."""
        return list(dict.fromkeys(row["setting"] for row in self.tables["optimal_counts"].records()))

    def players(self) -> list[str]:
        """Return the players, the best of the smallest setting first."""
        settings = self.settings()
        rows = self.tables["headline"].records()
        ordered = (row["player"] for setting in settings for row in rows if row["setting"] == setting)
        return list(dict.fromkeys(ordered))

    def drawn_players(self) -> list[str]:
        """Return the players that drawings name: those with most scored episodes, at most MOST_DRAWN."""
        scored = Counter[str]()
        for row in self.tables["headline"].records():
            scored[row["player"]] += row["scored"]
        ranked = sorted(self.players(), key=lambda player: -scored[player])[:MOST_DRAWN]
        return [player for player in self.players() if player in ranked]


@dataclass(frozen=True, slots=True)
class Drawing:
    """One SVG and the short heading above it; a wide one has a row of the page for itself."""

    heading: str
    svg: str
    is_wide: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table to read on the page: headings, cells as text, and which columns hold numbers."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Section:
    """One figure or table of the page, with the tables behind it.

    `missing` says in one sentence why nothing is drawn; it is empty where something is. `names_players`:
    its drawings are of `ReportData.drawn_players`, which may not be all.
    """

    key: str
    title: str
    caption: str
    tables: tuple[ReportTable, ...]
    drawings: tuple[Drawing, ...] = ()
    grid: Grid | None = None
    missing: str = ""
    names_players: bool = False


def left_out(key: str, title: str, tables: Iterable[ReportTable], missing: str) -> Section:
    """Return a section that only says why it has no figure."""
    return Section(key, title, "", tuple(tables), missing=missing)


def not_analysed(key: str, title: str, tables: Iterable[ReportTable]) -> Section:
    """Return a section whose figures are not among the edition's statistics."""
    missing = "The edition's statistics lack these figures: the command perennial analyse computes them."
    return left_out(key, title, tables, missing)
