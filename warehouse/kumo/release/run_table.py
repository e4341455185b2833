"""The release's table of runs: `trajectories.parquet`, one row a run of most players, without their moves.

Measured on it: the published action count is tests + 2 where a run ends with a prediction, tests + 1 where it
ends with a reply that cannot be read, and the tests alone where the limit of 50 turns ended it. A few players
ran twice on some instances: all of their runs count, and are renumbered.
"""

import glob
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemas.errors import UnreadableInput
from schemas.ids import content_id
from schemas.kumo.things import TURN_LIMIT
from schemas.tables import TABLES
from warehouse.kumo.release.trajectory_columns import sorted_by_key

if TYPE_CHECKING:
    import pyarrow

ORACLE_AGENT = "oracle"
_BEYOND_TESTS = {"solved": 2, "wrong": 2, "unparsed": 1, "turn_limit": 0}
Place = tuple[str, int, int]

_RUNS = f"""
    SELECT replace(r.model, 'sft:', 'sft/') AS player, r.domain, r.n_truths, r.n_actions,
           row_number() OVER (
               PARTITION BY k.instance_id, r.model ORDER BY r.run, r.turns, r.tokens, r.success
           ) - 1 AS run, r.published_action_count AS actions,
           CASE WHEN r.success THEN 'solved' WHEN r.parse_error THEN 'unparsed'
                WHEN r.turns >= {TURN_LIMIT} THEN 'turn_limit' ELSE 'wrong' END AS status,
           r.tokens::BIGINT AS tokens, k.instance_id, k.book_id
    FROM read_parquet(?) AS r
    JOIN keys AS k USING (domain, n_truths, n_actions, seed)
    WHERE r.agent <> '{ORACLE_AGENT}'
    ORDER BY k.instance_id, player, run
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
    import pyarrow as pa

    connection = duckdb.connect(":memory:")
    connection.register("keys", _key_table(keys))
    try:
        found = connection.execute(_RUNS, [glob.escape(str(path))]).fetchall()
    except duckdb.Error as error:
        reason = str(error).partition("\n")[0]
        raise UnreadableInput(f"not the release's table of runs: {reason}") from None
    finally:
        connection.close()
    if any(player is None or count is None for player, _, _, _, _, count, *_ in found):
        raise UnreadableInput("not the release's table of runs: a run without a model or an action count")
    rows = [
        _episode(player, run, count, status, tokens, instance_id, book_id)
        for player, domain, truths, actions, run, count, status, tokens, instance_id, book_id in found
        if (player, domain, truths, actions) not in known and (not players or player in players)
    ]
    return {
        name: sorted_by_key(
            pa.Table.from_pylist([row[name] for row in rows], schema=TABLES[name].arrow_schema()), name
        )
        for name in ("episodes", "kumo_episodes")
    }


def _key_table(keys: Mapping[Place, Mapping[int, tuple[str, str | None]]]) -> "pyarrow.Table":
    import pyarrow as pa

    names = ("domain", "n_truths", "n_actions", "seed", "instance_id", "book_id")
    types = (pa.string(), pa.int64(), pa.int64(), pa.int64(), pa.string(), pa.string())
    rows = [
        dict(zip(names, (*place, seed, *ids), strict=True))
        for place, seeds in keys.items()
        for seed, ids in seeds.items()
    ]
    return pa.Table.from_pylist(rows, schema=pa.schema(zip(names, types, strict=True)))


def _episode(
    player: str, run: int, count: int, status: str, tokens: int | None, instance_id: str, book_id: str | None
) -> dict[str, dict[str, Any]]:
    episode_id = content_id("ep", instance_id, book_id, player, run)
    tests = max(0, count - _BEYOND_TESTS[status])
    episode = {
        "episode_id": episode_id,
        "instance_id": instance_id,
        "player": player,
        "run": run,
        "status": status,
        "success": status == "solved",
        "score": float(status == "solved"),
        "turns": None,
        "tokens": tokens,
        "cost_usd": None,
        "seconds": 0.0,
    }
    return {
        "episodes": episode,
        "kumo_episodes": {"episode_id": episode_id, "book_id": book_id, "tests": tests},
    }
