"""Leaderboards and lines over time as pages show them, from rows of the views."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from perennial.flows.benchmark import find_installed
from perennial.flows.editions.report import fill_query, own_report, query_table
from perennial.flows.website.visible import Edition
from perennial.schemas.rows import Row
from perennial.schemas.statistics import LINES, Floor, Measure, label_player, rank_text
from perennial.tasks.report.wording import decimals, name_populations, with_interval
from perennial.tasks.website.line_chart import MOST_SERIES, LineChart, LinePoint, Series
from perennial.warehouse.catalog.catalog import Catalog

_MOST_ROWS = 450  # of all leaderboards on an edition's page, so that it stays below its size
_MOST_ROWS_EACH = 200
_NEWEST = 40  # editions on a chart
RAW = "Success rates on the questions of each edition, so that harder editions show lower rates."
SCALED = (
    "Where a chart says 'common scale', a rate is by that edition alone, less what was hard for all in that "
    "edition; else it is the success rate on the edition's own questions."
)


@dataclass(frozen=True, slots=True)
class RateBounds:
    """What rates of a setting are compared with: floor, heuristic and reference, where known."""

    floor: float | None = None
    heuristic: float | None = None
    reference: float | None = None


@dataclass(frozen=True, slots=True)
class WrittenRate:
    """A rate with its interval between its bounds, and how it is written."""

    rate: float | None
    low: float | None
    high: float | None
    instances: int
    bounds: RateBounds = RateBounds()

    @property
    def text(self) -> str:
        """The rate and its interval."""
        return with_interval(self.rate, self.low, self.high)

    @property
    def short(self) -> tuple[str, str]:
        """The rate and, where it is known, its interval, with two decimals."""
        if self.low is None or self.high is None:
            return decimals(self.rate, 2), ""
        return decimals(self.rate, 2), f"{decimals(self.low, 2)} to {decimals(self.high, 2)}"


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A player on a leaderboard."""

    player: str
    label: str
    group: str
    rank: str
    estimate: WrittenRate
    measures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SettingBoard:
    """The leaderboard of a setting: who is ranked, then programs as lines; `more` says what is left out."""

    setting: str
    rows: tuple[BoardRow, ...]
    lines: tuple[BoardRow, ...]
    more: str


def make_boards(
    rows: Sequence[Row],
    settings: Sequence[str],
    floor: Floor | None,
    best_player: str,
    measures: Sequence[Measure] = (),
) -> list[SettingBoard]:
    """Return the leaderboards of an edition, one per setting in this order; its rows are in order."""
    boards = []
    held = [setting for setting in settings if any(row["setting"] == setting for row in rows)]
    most = min(_MOST_ROWS_EACH, max(_MOST_ROWS // max(len(held), 1), 1))
    bounds = find_bounds(rows, best_player, floor)
    for setting in held:
        made = [
            BoardRow(
                row["player"],
                label_player(floor, row),
                row["player_group"] or "",
                rank_text(row),
                estimate_of(row, bounds),
                tuple(
                    with_interval(
                        row[measure.column], row[f"{measure.column}_low"], row[f"{measure.column}_high"]
                    )
                    for measure in measures
                ),
            )
            for row in rows
            if row["setting"] == setting
        ]
        ranked = tuple(row for row in made if row.group not in LINES)
        left_out = max(len(ranked) - most, 0)
        boards.append(
            SettingBoard(
                setting,
                ranked[:most],
                tuple(row for row in made if row.group in LINES),
                f"{left_out:,} more players are in scores.json." if left_out else "",
            )
        )
    return boards


def estimate_of(row: Row, bounds: Mapping[str, RateBounds]) -> WrittenRate:
    """Return the estimate of a row of view `leaderboard`; `bounds` are by setting."""
    low, high = row["success_rate_low"], row["success_rate_high"]
    return WrittenRate(
        row["success_rate"], low, high, row["instances"], bounds.get(row["setting"], RateBounds())
    )


def find_bounds(rows: Iterable[Row], best_player: str, floor: Floor | None) -> dict[str, RateBounds]:
    """Return the bounds of each setting of an edition."""
    listed = list(rows)
    rates = {(row["setting"], row["player"]): row["success_rate"] for row in listed}
    programs = (floor.heuristic if floor else "", best_player)
    return {
        row["setting"]: RateBounds(row["floor"], *(rates.get((row["setting"], name)) for name in programs))
        for row in listed
    }


def describe_rows(rows: Sequence[Row], floor: Floor | None) -> str:
    """Return what readers must know of such rows: whose intervals they are, and what the lines are."""
    note = (
        "n counts instances. Ranks are among models, with those that the data allow in parentheses. "
        f"Programs are lines of reference. {name_populations(rows)}"
    )
    if floor is None:
        return note
    has_heuristic = any(row["player"] == floor.heuristic for row in rows)
    dotted = f" The dotted line is {floor.heuristic}, a program with a quick rule." if has_heuristic else ""
    return f"{note} The dashed line is the floor. {floor.doc}{dotted}"


def natural_key(name: str) -> list[tuple[int, str]]:
    """Return the key by which `4x6` stands before `12x16`."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]


Rates = Mapping[str, Mapping[str, tuple[float, float | None, float | None]]]
"""Rate and interval by player and edition."""


def choose_models(rates: Sequence[Rates], models: Collection[str]) -> list[str]:
    """Return whom the charts of a benchmark show, at most one per color, whatever the setting.

    Those with most points come first, then the best.
    """
    points: dict[str, list[float]] = {}
    for of_setting in rates:
        for player, by in of_setting.items():
            if player in models:
                points.setdefault(player, []).extend(value for value, *_ in by.values())

    def order(player: str) -> tuple[int, float, str]:
        values = points[player]
        return -len(values), -sum(values) / len(values), player

    return sorted(points, key=order)[:MOST_SERIES]


def make_chart(
    title: str,
    editions: Sequence[tuple[str, str]],
    rates: Rates,
    models: Sequence[str],
    floor: Floor | None,
    is_scaled: bool = False,
) -> LineChart | None:
    """Return the chart of these models, None where none of them changed from one edition to another.

    `editions` are name and day, the oldest first; a model has the color of its place among `models`.
    """
    held = [(name, day) for name, day in editions if any(name in rates.get(player, {}) for player in models)][
        -_NEWEST:
    ]
    places = {name: index for index, (name, _) in enumerate(held)}

    def series(player: str, color: int) -> Series:
        by = rates.get(player, {})
        return Series(
            player, tuple(LinePoint(index, *by[name]) for name, index in places.items() if name in by), color
        )

    lines = [line for color, player in enumerate(models) if (line := series(player, color)).points]
    if all(len({point.value for point in line.points}) < 2 for line in lines):
        return None
    lines.sort(key=lambda line: (-line.points[-1].value, line.name))
    programs = {"floor": floor.player, "heuristic": floor.heuristic} if floor else {}
    low = {kind: line for kind, name in programs.items() if (line := series(name, 0)).points}
    return LineChart(
        title, tuple(name for name, _ in held), tuple(day for _, day in held), tuple(lines), low, is_scaled
    )


def order_settings(catalog: Catalog, edition: Edition, rows: list[Row]) -> list[str]:
    """Return the settings of leaderboard rows in the order of the benchmark's report, others by name."""
    order = own_report(find_installed(edition.benchmark)).order
    first: list[str] = []
    if order:
        ordered = query_table(catalog.query, order.name, fill_query(order, edition.name))
        first = [row["setting"] for row in ordered.records()]
    return list(dict.fromkeys((*first, *sorted((row["setting"] for row in rows), key=natural_key))))
