"""The release's table of runs: `trajectories.parquet`, one row a run of most players, without their moves.

Measured on it: the published action count is tests + 2 where a run ends with a prediction, tests + 1 where it
ends with a reply that cannot be read, and the tests alone where the limit of 50 turns ended it. A few players
ran twice on some instances: all of their runs count, and are renumbered.
"""

import glob
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.errors import UnreadableInput
from schemas.ids import content_id
from schemas.kumo.things import TURN_LIMIT
from warehouse.kumo.release.trajectory_columns import sort_table

if TYPE_CHECKING:
    import pyarrow

ORACLE_AGENT = "oracle"
_WRONG_FORM = "not the release's table of runs"
Place = tuple[str, int, int]

_RUNS = f"""
    WITH released AS (
        SELECT *, replace(model, 'sft:', 'sft/') AS player,
               CASE WHEN success THEN 'solved' WHEN parse_error THEN 'unparsed'
                    WHEN turns >= {TURN_LIMIT} THEN 'turn_limit' ELSE 'wrong' END AS status
        FROM read_parquet(?) WHERE agent <> '{ORACLE_AGENT}'
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
    path: Path,
    keys: Mapping[Place, Mapping[int, tuple[str, str | None]]],
    known: Collection[tuple[str, str, int, int]],
    players: Collection[str] = (),
) -> dict[str, "pyarrow.Table"]:
    """Return the runs as `episodes` and `kumo_episodes`, sorted by key, without those of `known` files.

    `keys` gives, by (domain, truths, actions) and then seed, the ids of instance and book; runs on other
    instances are left out, and those of others than `players`, where any are named. `known` are the
    (player, domain, truths, actions) whose own files are read. Raises UnreadableInput, which says only what
    is wrong, where the file is no such table.
    """
    import duckdb

    places = [(*place, seed, *ids) for place, seeds in keys.items() for seed, ids in seeds.items()]
    with duckdb.connect(":memory:") as connection:
        connection.register("keys", _table("domain n_truths n_actions seed instance_id book_id", places))
        connection.register("known", _table("player domain n_truths n_actions", known))
        try:
            found = connection.execute(_RUNS, [glob.escape(str(path)), list(players)])
            names, runs = [name for name, *_ in found.description], found.fetchall()
        except duckdb.Error as error:
            raise UnreadableInput(f"{_WRONG_FORM}: {str(error).partition(chr(10))[0]}") from None
    columns = {name: [run[place] for run in runs] for place, name in enumerate(names)}
    if any(columns["is_broken"]):
        raise UnreadableInput(f"{_WRONG_FORM}: a run without a model or an action count")
    ids = (columns[name] for name in ("instance_id", "book_id", "player", "run"))
    columns["episode_id"] = [content_id("ep", *run) for run in zip(*ids, strict=True)]
    columns["seconds"] = [0.0] * len(runs)
    return {name: sort_table(name, columns) for name in ("episodes", "kumo_episodes")}


def _table(names: str, rows: Collection[tuple[str | int | None, ...]]) -> "pyarrow.Table":
    import pyarrow as pa

    fields = [
        (name, pa.int64() if name in ("n_truths", "n_actions", "seed") else pa.string())
        for name in names.split()
    ]
    columns = list(zip(*rows, strict=True)) or [()] * len(fields)
    return pa.table(
        [pa.array(column, type_) for column, (_, type_) in zip(columns, fields, strict=True)],
        pa.schema(fields),
    )
