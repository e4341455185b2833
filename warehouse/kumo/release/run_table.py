"""The release's table of runs: `trajectories.parquet`, one row a run of most players, without their moves.

Measured on it: the published action count is tests + 2 where a run ends with a prediction, tests + 1 where it
ends with a reply that cannot be read, and the tests alone where the limit of 50 turns ended it. A few players
ran twice on some instances: all of their runs count, and are renumbered.
"""

import glob
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.errors import UnreadableInput
from schemas.kumo.things import TURN_LIMIT, Setting
from schemas.tables import TABLES
from warehouse.kumo.release.layout import SettingFile
from warehouse.kumo.release.trajectories import Boards
from warehouse.kumo.rows import episode_id

if TYPE_CHECKING:
    import pyarrow

_WRONG_FORM = "not the release's table of runs"

_RUNS = f"""
    WITH released AS (
        SELECT *, replace(model, 'sft:', 'sft/') AS player,
               CASE WHEN success THEN 'solved' WHEN parse_error THEN 'unparsed'
                    WHEN turns >= {TURN_LIMIT} THEN 'turn_limit' ELSE 'wrong' END AS status
        FROM read_parquet(?) WHERE agent <> 'oracle'
    )
    SELECT instance_id, player, status, status = 'solved' AS success, success::DOUBLE AS score,
           row_number() OVER (
               PARTITION BY instance_id, model ORDER BY run, turns, tokens, success
           ) - 1 AS run,
           tokens::BIGINT AS tokens, book_id,
           greatest(0, published_action_count - CASE status
               WHEN 'turn_limit' THEN 0 WHEN 'unparsed' THEN 1 ELSE 2 END) AS tests,
           player IS NULL OR published_action_count IS NULL AS is_broken
    FROM released JOIN keys USING (domain, n_truths, n_actions, seed)
    ANTI JOIN known USING (player, domain, n_truths, n_actions)
    WHERE len($2) = 0 OR list_contains($2, player) OR is_broken
"""


def run_table_episodes(
    path: Path, boards: Boards, known: Iterable[SettingFile], players: Collection[str] = ()
) -> dict[str, "pyarrow.Table"]:
    """Return the runs as `episodes` and `kumo_episodes`, without those that the files `known` have.

    Runs on other instances than those of the boards are left out, and those of others than `players`, where
    any are named. Raises UnreadableInput, which says only what is wrong, where the file is no such table.
    """
    import duckdb
    import pyarrow as pa

    place = [("domain", pa.string()), ("n_truths", pa.int64()), ("n_actions", pa.int64())]
    ids = [("seed", pa.int64()), ("instance_id", pa.string()), ("book_id", pa.string())]
    keys = [
        {**_place(domain, setting), "seed": seed, "instance_id": board.instance_id, "book_id": board.book_id}
        for (domain, setting), seeds in boards.items()
        for seed, board in seeds.items()
    ]
    played = [{"player": file.player, **_place(file.domain, file.setting)} for file in known]
    with duckdb.connect(":memory:") as connection:
        connection.register("keys", pa.Table.from_pylist(keys, pa.schema(place + ids)))
        connection.register(
            "known", pa.Table.from_pylist(played, pa.schema([("player", pa.string()), *place]))
        )
        try:
            runs = connection.sql(_RUNS, params=[glob.escape(str(path)), list(players)]).to_arrow_table()
        except duckdb.Error as error:
            raise UnreadableInput(f"{_WRONG_FORM}: {str(error).partition(chr(10))[0]}") from None
    if any(runs["is_broken"].to_pylist()):
        raise UnreadableInput(f"{_WRONG_FORM}: a run without a model or an action count")
    named = (runs[name].to_pylist() for name in ("book_id", "instance_id", "player", "run"))
    columns = {name: runs[name] for name in runs.column_names}
    columns["episode_id"] = pa.array([episode_id(*names) for names in zip(*named, strict=True)], pa.string())
    columns["seconds"] = pa.repeat(0.0, runs.num_rows)
    return {name: _table(name, columns, runs.num_rows) for name in ("episodes", "kumo_episodes")}


def _table(name: str, columns: Mapping[str, "pyarrow.ChunkedArray"], rows: int) -> "pyarrow.Table":
    """Return the columns that the table has; one that is not there is NULL."""
    import pyarrow as pa

    schema = TABLES[name].arrow_schema()
    return pa.table(
        [columns[f.name].cast(f.type) if f.name in columns else pa.nulls(rows, f.type) for f in schema],
        schema=schema,
    )


def _place(domain: str, setting: Setting) -> dict[str, str | int]:
    return {"domain": domain, "n_truths": setting.n_truths, "n_actions": setting.n_actions}
