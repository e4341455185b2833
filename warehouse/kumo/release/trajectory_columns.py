"""Runs as rows of the tables of episodes and turns, gathered column by column: no dictionary a row.

Beyond what a run says of itself, its rows hold: as observation and state of a test those of the instance
(which never change, and with which the stored ones are compared while reading), no cost, and 0 seconds,
as the release does not say how long a run took.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from schemas.ids import content_id
from schemas.tables import TABLES
from warehouse.kumo.release.trajectory_lines import Board, Run
from warehouse.store.parquet import sort_by_key

if TYPE_CHECKING:
    import pyarrow

TRAJECTORY_TABLES = ("episodes", "turns", "kumo_episodes", "kumo_moves")
_COLUMNS = {
    "episodes": (
        *("episode_id", "instance_id", "player", "run", "status", "success", "score", "turns", "tokens"),
    ),
    "turns": ("episode_id", "turn", "reply", "feedback"),
    "kumo_episodes": ("episode_id", "book_id", "tests"),
    "kumo_moves": ("episode_id", "turn", "kind", "move", "state"),
}


class TrajectoryColumns:
    """The columns of all these tables, filled run by run."""

    def __init__(self) -> None:
        self._columns: dict[str, dict[str, list[Any]]] = {
            table: {name: [] for name in names} for table, names in _COLUMNS.items()
        }

    def add(self, board: Board, player: str, number: int, run: Run) -> None:
        """Add the player's run with that number on the board's instance."""
        key = board.key
        episode_id = content_id("ep", key.instance_id, key.book_id, player, number)
        score, replies = float(run.success), len(run.replies)
        episode = (
            episode_id, key.instance_id, player, number, run.status, run.success, score, replies, run.tokens,
        )  # fmt: skip
        self._add("episodes", episode)
        self._add("kumo_episodes", (episode_id, key.book_id, len(run.tests)))
        self._add_turns(board, episode_id, run)

    def _add(self, table: str, values: tuple[Any, ...]) -> None:
        for column, value in zip(self._columns[table].values(), values, strict=True):
            column.append(value)

    def _add_turns(self, board: Board, episode_id: str, run: Run) -> None:
        turns, moves, tests = self._columns["turns"], self._columns["kumo_moves"], run.tests
        count = len(run.replies)
        for table in (turns, moves):
            table["episode_id"] += [episode_id] * count
            table["turn"] += range(1, count + 1)
        turns["reply"] += run.replies
        turns["feedback"] += map(board.observation_of.__getitem__, tests)
        moves["kind"] += ["action"] * len(tests)
        moves["move"] += tests
        moves["state"] += map(board.state_of.__getitem__, tests)
        if run.ending is not None:
            turns["feedback"].append(None)
            moves["kind"].append(run.ending)
            moves["move"].append(run.truth)
            moves["state"].append(None)

    def table(self, name: str) -> "pyarrow.Table":
        """Return the rows of the table, sorted by its key, with the columns of its contract."""
        columns = self._columns[name]
        if name == "episodes":
            columns["seconds"] = [0.0] * len(columns["run"])
        return sort_table(name, columns)


def sort_table(name: str, columns: Mapping[str, Sequence[Any]]) -> "pyarrow.Table":
    """Return a table of `schemas.tables` in the order of its key; a column that is not given is NULL."""
    import pyarrow as pa

    rows = len(columns[TABLES[name].key[0]])
    schema = TABLES[name].arrow_schema()
    filled = [
        pa.array(columns[field.name], field.type) if field.name in columns else pa.nulls(rows, field.type)
        for field in schema
    ]
    return sort_by_key(pa.Table.from_arrays(filled, schema=schema), TABLES[name]).combine_chunks()
