"""Runs as rows of `episodes` and `turns`, gathered column by column: no dictionary a row.

Beyond what a run says of itself, its rows hold: as observation and state of a test those of the instance
(which never change, and with which the stored ones are compared while reading), no cost, and 0 seconds,
as the release does not tell how long a run took.
"""

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from schemas.ids import content_id
from schemas.tables import TABLES
from warehouse.kumo.release.trajectory_lines import Board, Run

if TYPE_CHECKING:
    import pyarrow

TRAJECTORY_TABLES = ("episodes", "turns")
_CONSTANTS: dict[str, Any] = {"benchmark": "kumo", "seconds": 0.0}
_EPISODE = ("episode_id", "instance_id", "book_id", "player", "run", "status", "success", "tests", "tokens")


class TrajectoryColumns:
    """The columns of both tables, filled run by run."""

    def __init__(self) -> None:
        self._episodes: list[tuple[Any, ...]] = []
        self._turns: defaultdict[str, list[Any]] = defaultdict(list)

    def add(self, board: Board, player: str, number: int, run: Run) -> None:
        """Add the player's run with that number on the board's instance."""
        key, turns, tests = board.key, self._turns, run.tests
        episode_id = content_id("ep", key.instance_id, key.book_id, player, number)
        ids = (episode_id, key.instance_id, key.book_id)
        self._episodes.append((*ids, player, number, run.status, run.success, len(tests), run.tokens))
        count = len(run.replies)
        turns["episode_id"] += [episode_id] * count
        turns["turn"] += range(1, count + 1)
        turns["reply"] += run.replies
        turns["kind"] += ["action"] * len(tests)
        turns["move"] += tests
        turns["observation"] += map(board.observation_of.__getitem__, tests)
        turns["state"] += map(board.state_of.__getitem__, tests)
        if run.ending is not None:
            turns["kind"].append(run.ending)
            turns["move"].append(run.truth)
            turns["observation"].append(None)
            turns["state"].append(None)

    def table(self, name: str) -> "pyarrow.Table":
        """Return the rows with the columns of `schemas.tables`; a column that is not filled is NULL."""
        import pyarrow as pa

        episodes = dict(zip(_EPISODE, zip(*self._episodes, strict=True), strict=False))
        columns = self._turns if name == "turns" else episodes
        rows = len(columns["episode_id"]) if columns else 0
        schema = TABLES[name].arrow_schema()
        return pa.Table.from_arrays(
            [
                pa.array(columns[field.name], field.type)
                if field.name in columns
                else pa.repeat(pa.scalar(_CONSTANTS.get(field.name), field.type), rows)
                for field in schema
            ],
            schema=schema,
        )
