"""Leaderboards, histories and lines over time as pages show them, from rows of the views."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from schemas.rows import Row
from schemas.statistics.measure import Floor, Measure, label_player
from tasks.report.wording import cell, name_populations, with_interval
from tasks.website.line_chart import MOST_SERIES, LineChart, Point, Series

MODELS = "models"
_MOST_ROWS = 450  # of all leaderboards on a page, so that it stays below its size
_MOST_ROWS_EACH = 200
_LEAST_MODELS = 4
_NEWEST = 40  # editions on a chart
RAW = "Success rates on the questions of each edition, so that harder editions show lower rates."
SCALED = (
    "Where a chart says 'common scale', a rate is by that edition alone, less what was hard for all in that "
    "edition; else it is the success rate on the edition's own questions."
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A rate with its interval and the floor of its setting, and how it is written."""

    rate: float | None
    low: float | None
    high: float | None
    floor: float | None
    instances: int

    @property
    def text(self) -> str:
        """The rate and its interval."""
        return with_interval(self.rate, self.low, self.high)


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A player on a leaderboard."""

    player: str
    label: str
    kind: str
    rank: str
    estimate: Estimate
    measures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Board:
    """The leaderboard of a setting; `more` says which of its rows are left out."""

    setting: str
    rows: tuple[BoardRow, ...]
    more: str


def make_boards(
    rows: Sequence[Row],
    settings: Sequence[str],
    kinds: Mapping[str, str],
    floor: Floor | None,
    measures: Sequence[Measure] = (),
) -> list[Board]:
    """Return the leaderboards of an edition, one per setting in this order, players by rank."""
    boards = []
    held = [setting for setting in settings if any(row["setting"] == setting for row in rows)]
    most = min(_MOST_ROWS_EACH, max(_MOST_ROWS // max(len(held), 1), 1))
    floors = floor_rates(rows, floor)
    for setting in held:
        own = [row for row in rows if row["setting"] == setting]
        own.sort(
            key=lambda row: (
                row["rank"] is None,
                row["rank"] or 0,
                -(row["success_rate"] or 0),
                row["player"],
            )
        )
        shown = tuple(
            BoardRow(
                row["player"],
                label_player(floor, row),
                kinds.get(row["player"], ""),
                _rank(row),
                estimate_of(row, floors.get(setting)),
                tuple(
                    with_interval(row[one.column], row[f"{one.column}_low"], row[f"{one.column}_high"])
                    for one in measures
                ),
            )
            for row in own[:most]
        )
        left_out = len(own) - len(shown)
        boards.append(
            Board(setting, shown, f"{left_out:,} more players are in scores.json." if left_out else "")
        )
    return boards


def _rank(row: Row) -> str:
    """Return the rank and, where it is not certain, its interval."""
    if row["rank"] is None:
        return ""
    low, high = row.get("rank_low"), row.get("rank_high")
    is_known = low is not None and high is not None and (low, high) != (row["rank"], row["rank"])
    return f"{row['rank']} ({low} to {high})" if is_known else str(row["rank"])


def estimate_of(row: Row, floor: float | None) -> Estimate:
    """Return the estimate of a row of view `leaderboard`."""
    low, high = row["success_rate_low"], row["success_rate_high"]
    return Estimate(row["success_rate"], low, high, floor, row["instances"])


def floor_rates(rows: Iterable[Row], floor: Floor | None) -> dict[str, float]:
    """Return the floor of each setting of an edition."""
    return {
        row["setting"]: row["success_rate"]
        for row in rows
        if floor is not None and row["player"] == floor.player and row["success_rate"] is not None
    }


def describe_rows(rows: Sequence[Row], floor: Floor | None) -> str:
    """Return what readers must know of such rows: whose intervals they are, and what the floor is."""
    note = f"n counts instances. Ranks in parentheses are those that the data allow. {name_populations(rows)}"
    return f"{note} The dashed line is the floor. {floor.doc}" if floor else note


def natural_key(name: str) -> list[tuple[int, str]]:
    """Return the key by which `4x6` stands before `12x16`."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]


def cost_text(row: Row) -> str:
    """Return what all the player's episodes cost, with ≥ where some costs are not known."""
    if row["cost_usd"] is None:
        return ""
    return f"{'≥ ' if row['episodes_with_cost'] < row['episodes'] else ''}{cell(row['cost_usd'])}"


Rates = Mapping[str, Mapping[str, tuple[float, float | None, float | None]]]
"""Rate and interval by player and edition."""


def choose_players(rates: Sequence[Rates], kinds: Mapping[str, str], floor: Floor | None) -> list[str]:
    """Return whom the charts of a benchmark show, at most one per color, whatever the setting.

    Models come before others, those with most points first, then the best; of the others only as many as are
    needed beside few models. The floor's player has a line of its own.
    """
    points: dict[str, list[float]] = {}
    for of_setting in rates:
        for player, by in of_setting.items():
            points.setdefault(player, []).extend(value for value, *_ in by.values())
    if floor is not None:
        points.pop(floor.player, None)

    def order(player: str) -> tuple[bool, int, float, str]:
        own = points[player]
        return kinds.get(player) != MODELS, -len(own), -sum(own) / len(own), player

    models = sum(kinds.get(player) == MODELS for player in points)
    return sorted(points, key=order)[: min(MOST_SERIES, max(models, _LEAST_MODELS))]


def make_chart(
    title: str,
    editions: Sequence[tuple[str, str]],
    rates: Rates,
    players: Sequence[str],
    floor: Floor | None,
) -> LineChart | None:
    """Return the chart of these players, None where fewer than two editions have rates.

    `editions` are name and day, the oldest first; a player has the color of its place among `players`.
    """
    held = [(name, day) for name, day in editions if any(name in by for by in rates.values())][-_NEWEST:]
    if len(held) < 2:
        return None
    places = {name: place for place, (name, _) in enumerate(held)}

    def series(player: str, color: int) -> Series:
        by = rates.get(player, {})
        return Series(
            player, tuple(Point(place, *by[name]) for name, place in places.items() if name in by), color
        )

    lines = [line for color, player in enumerate(players) if (line := series(player, color)).points]
    lines.sort(key=lambda line: (-line.points[-1].value, line.name))
    low = series(floor.player, 0) if floor else None
    return LineChart(
        title,
        tuple(name for name, _ in held),
        tuple(day for _, day in held),
        tuple(lines),
        low if low and low.points else None,
    )
