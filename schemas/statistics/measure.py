"""A benchmark's own figure on leaderboards."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from perennial.schemas.rows import Row


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of `statistics` that leaderboards show beside the success rate, and how it is counted.

    `note` says so in a few words, `doc` in a whole sentence. `is_optional`: an edition may have it
    of no player, and then its leaderboards have no such column.
    """

    statistic: str
    convention: str
    heading: str
    note: str
    doc: str
    is_optional: bool = False

    @property
    def column(self) -> str:
        """Its column on leaderboards, which names the convention where there are several."""
        named = "" if self.convention == "any" else f"_{self.convention.replace('-', '_')}"
        return f"{self.statistic}{named}"


def shown_measures(measures: Iterable[Measure], rows: Sequence[Row]) -> tuple[Measure, ...]:
    """Return the measures that a leaderboard of these rows has columns for."""
    return tuple(
        one for one in measures if not one.is_optional or any(row[one.column] is not None for row in rows)
    )


@dataclass(frozen=True, slots=True)
class Floor:
    """What an answer without the work is worth: a benchmark's program that gives such answers.

    The success rate of `player` is the floor. `note` says in a few words what the program does, `doc` in a
    whole sentence. `effort` is a figure that is 0 for whoever does none of the work, where there is one;
    leaderboards mark such players, programs or models, with `mark`.
    """

    player: str
    note: str
    doc: str
    effort: Measure | None = None
    mark: str = ""


def mark_player(floor: Floor | None, row: Row) -> str:
    """Return the mark of the player of a leaderboard's row, where it does none of the work; else ""."""
    effort = floor and floor.effort
    return floor.mark if floor and effort and row.get(effort.column) == 0 else ""


def label_player(floor: Floor | None, row: Row) -> str:
    """Return the player of a leaderboard's row, with its mark in parentheses where it has one."""
    mark = mark_player(floor, row)
    return f"{row['player']} ({mark})" if mark else str(row["player"])


ABOVE_FLOOR = "above the floor"
ABOVE_FLOOR_DOC = (
    "Above the floor is (rate − floor) / (1 − floor): 0 for what answers without the work are worth, 1 for a "
    "player who solves all."
)


def rate_above_floor(floor: Floor | None, rows: Sequence[Row]) -> list[float | None]:
    """Return of each row of leaderboards (rate - floor) / (1 - floor), by the floor of its setting.

    None where the setting's floor is not known, or is 1.
    """
    floors = {
        row.get("setting"): row["success_rate"]
        for row in rows
        if floor is not None and row["player"] == floor.player
    }
    return [_above(row["success_rate"], floors.get(row.get("setting"))) for row in rows]


def _above(rate: float | None, floor: float | None) -> float | None:
    return None if rate is None or floor is None or floor >= 1 else (rate - floor) / (1 - floor)
