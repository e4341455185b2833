"""Runs as rows of `episodes` and `turns`, gathered column by column: no dictionary a row.

Beyond what a run says of itself, its rows hold: as observation and state of a test those of the instance
(which never change, and with which the stored ones are compared while reading), no cost, and 0 seconds,
as the release does not tell how long a run took.
"""

from typing import TYPE_CHECKING, Any

from schemas.ids import content_id
from schemas.tables import TABLES
from warehouse.kumo.release.trajectory_lines import Board, Run

if TYPE_CHECKING:
    import pyarrow

TRAJECTORY_TABLES = ("episodes", "turns")
_EPISODE_COLUMNS = (
    "episode_id",
    "instance_id",
    "book_id",
    "player",
    "run",
    "status",
    "success",
    "tests",
    "tokens",
)
_TURN_COLUMNS = ("episode_id", "turn", "kind", "move", "observation", "state", "reply")
_EPISODE_CONSTANTS: dict[str, Any] = {"benchmark": "kumo", "seconds": 0.0}


class TrajectoryColumns:
    """The columns of both tables, filled run by run."""

    def __init__(self) -> None:
        self._episodes: dict[str, list[Any]] = {name: [] for name in _EPISODE_COLUMNS}
        self._turns: dict[str, list[Any]] = {name: [] for name in _TURN_COLUMNS}

    def add(self, board: Board, player: str, number: int, run: Run) -> None:
        """Add the player's run with that number on the board's instance."""
        key = board.key
        episode_id = content_id("ep", key.instance_id, key.book_id, player, number)
        tests = len(run.tests)
        values = (
            episode_id,
            key.instance_id,
            key.book_id,
            player,
            number,
            run.status,
            run.success,
            tests,
            run.tokens,
        )
        for column, value in zip(self._episodes.values(), values, strict=True):
            column.append(value)
        self._add_turns(board, episode_id, run)

    def _add_turns(self, board: Board, episode_id: str, run: Run) -> None:
        turns, tests = self._turns, run.tests
        count = len(run.replies)
        turns["episode_id"] += [episode_id] * count
        turns["turn"] += range(1, count + 1)
        turns["kind"] += ["action"] * len(tests)
        turns["move"] += tests
        turns["observation"] += map(board.observation_of.__getitem__, tests)
        turns["state"] += map(board.state_of.__getitem__, tests)
        turns["reply"] += run.replies
        if run.ending is not None:
            turns["kind"].append(run.ending)
            turns["move"].append(run.truth)
            turns["observation"].append(None)
            turns["state"].append(None)

    def table(self, name: str) -> "pyarrow.Table":
        """Return the rows of the table, sorted by its key, with the columns of `schemas.tables`."""
        if name == "episodes":
            table = _arrow_table(name, self._episodes, _EPISODE_CONSTANTS)
        else:
            table = _arrow_table(name, self._turns, {})
        return sorted_by_key(table, name)


def sorted_by_key(table: "pyarrow.Table", name: str) -> "pyarrow.Table":
    """Return the rows in the order of the key of that table of `schemas.tables`, in one piece."""
    return table.sort_by([(column, "ascending") for column in TABLES[name].key]).combine_chunks()


def _arrow_table(name: str, columns: dict[str, list[Any]], constants: dict[str, Any]) -> "pyarrow.Table":
    """Return the Arrow table; a column that is neither given nor constant is NULL throughout."""
    import pyarrow as pa

    schema = TABLES[name].arrow_schema()
    rows = len(next(iter(columns.values())))

    def filled(field: "pyarrow.Field") -> "pyarrow.Array":
        if field.name in columns:
            return pa.array(columns[field.name], field.type)
        return pa.repeat(pa.scalar(constants.get(field.name), field.type), rows)

    return pa.Table.from_arrays([filled(field) for field in schema], schema=schema)
