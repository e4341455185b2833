"""A benchmark's own figure on leaderboards."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of `statistics` that leaderboards show beside the success rate, and how it is counted.

    `note` says so in a few words, `doc` in a whole sentence.
    """

    statistic: str
    convention: str
    heading: str
    note: str
    doc: str

    @property
    def column(self) -> str:
        """Its column on leaderboards, which names the convention where there are several."""
        named = "" if self.convention == "any" else f"_{self.convention.replace('-', '_')}"
        return f"{self.statistic}{named}"


@dataclass(frozen=True, slots=True)
class Floor:
    """What an answer without the work is worth: a benchmark's program that gives such answers.

    The success rate of `player` is the floor. `effort` is a figure that is 0 for whoever does none of the
    work; leaderboards mark such players, programs or models, with `mark`. `note` says in a few words what the
    program does, `doc` in a whole sentence.
    """

    player: str
    effort: Measure
    mark: str
    note: str
    doc: str


def mark_player(floor: Floor | None, row: Mapping[str, Any]) -> str:
    """Return the mark of the player of a leaderboard's row, where it does none of the work; else ""."""
    return floor.mark if floor is not None and row.get(floor.effort.column) == 0 else ""


def label_player(floor: Floor | None, row: Mapping[str, Any]) -> str:
    """Return the player of a leaderboard's row, with its mark in parentheses where it has one."""
    mark = mark_player(floor, row)
    return f"{row['player']} ({mark})" if mark else str(row["player"])
