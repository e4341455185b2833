"""The release's table of runs: `trajectories.parquet`, one row per run of most players, without their moves.

Measured on it: the published action count is tests + 2 where a run ends with a prediction, tests + 1 where it
ends with a reply that cannot be read, and the tests alone where the limit of 50 turns ended it. A few players
ran twice on some instances: all of their runs count, and are renumbered.
"""

import glob
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.kumo.things import TURN_LIMIT, Setting
from perennial.schemas.rows import Rejection, Row
from perennial.schemas.tables import TABLES
from perennial.warehouse.kumo.release.layout import Release, RunCell, SettingFile
from perennial.warehouse.kumo.release.trajectories import Boards, outcome_row, read_outcomes
from perennial.warehouse.kumo.rows import episode_id

if TYPE_CHECKING:
    import pyarrow


_WRONG_FORM = "not the release's table of runs"

_RUNS = f"""
    WITH released AS (
        SELECT *, replace(model, 'sft:', 'sft/') AS player,
               CASE WHEN success THEN 'solved' WHEN parse_error THEN 'unparsed'
                    WHEN turns >= {TURN_LIMIT} THEN 'turn_limit' ELSE 'wrong' END AS status
        FROM read_parquet($1) WHERE agent <> 'oracle'
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
    WHERE (len($2) = 0 OR list_contains($2, player) OR is_broken) AND NOT list_contains($3, player)
"""
_PLAYERS = """
    SELECT DISTINCT replace(model, 'sft:', 'sft/') AS player
    FROM read_parquet($1) WHERE agent <> 'oracle' AND model IS NOT NULL ORDER BY 1
"""
_OUTCOMES = """
    SELECT replace(model, 'sft:', 'sft/') AS player, domain, n_truths, n_actions, seed,
           count(*), sum(success::INT)::BIGINT
    FROM read_parquet($1) WHERE agent <> 'oracle' AND list_contains($2, domain)
        AND (len($3) = 0 OR list_contains($3, player))
    GROUP BY ALL ORDER BY ALL
"""
_REVISED = """
    WITH played AS (
        SELECT model, domain, n_truths, n_actions, seed,
               list_sort(list((published_action_count, turns, success, tokens))) AS runs
        FROM read_parquet($1) WHERE agent = 'VanillaAgent' AND list_contains($3, domain) GROUP BY ALL
    )
    SELECT r.domain, r.n_truths, r.n_actions, count(*) FILTER (EXISTS (
               FROM played AS m
               WHERE m.model <> r.model AND starts_with(r.model, m.model) AND m.domain = r.domain
                 AND m.n_truths = r.n_truths AND m.n_actions = r.n_actions AND m.seed = r.seed
                 AND m.runs = r.runs
           )), count(*)
    FROM played AS r WHERE r.model = $2 GROUP BY ALL ORDER BY ALL
"""


def run_table_episodes(
    path: Path,
    boards: Boards,
    files: Iterable[SettingFile],
    players: Collection[str] = (),
    left_out: Collection[str] = (),
) -> dict[str, "pyarrow.Table"]:
    """Return the runs as `episodes` and `kumo_episodes`, without those that the files `known` have.

    Left out are runs on other instances than those of the boards, those of other players than `players`,
    where any are named, and those of the players `left_out`. Raises UnreadableInput, which says only what is
    wrong, where the file is no such table.
    """
    import duckdb
    import pyarrow as pa

    fields = [("domain", pa.string()), ("n_truths", pa.int64()), ("n_actions", pa.int64())]
    ids = [("seed", pa.int64()), ("instance_id", pa.string()), ("book_id", pa.string())]
    keys = [
        {**_place(domain, setting), "seed": seed, "instance_id": board.instance_id, "book_id": board.book_id}
        for (domain, setting), seeds in boards.items()
        for seed, board in seeds.items()
    ]
    played = [{"player": file.player, **_place(file.domain, file.setting)} for file in files]
    with duckdb.connect(":memory:") as connection:
        connection.register("keys", pa.Table.from_pylist(keys, pa.schema(fields + ids)))
        connection.register(
            "known", pa.Table.from_pylist(played, pa.schema([("player", pa.string()), *fields]))
        )
        try:
            runs = connection.sql(
                _RUNS, params=[glob.escape(str(path)), list(players), list(left_out)]
            ).to_arrow_table()
        except duckdb.Error as error:
            raise UnreadableInput(f"{_WRONG_FORM}: {str(error).partition(chr(10))[0]}") from None
    if any(runs["is_broken"].to_pylist()):
        raise UnreadableInput(f"{_WRONG_FORM}: a run without a model or an action count")
    named = (runs[name].to_pylist() for name in ("book_id", "instance_id", "player", "run"))
    columns = {name: runs[name] for name in runs.column_names}
    columns["episode_id"] = pa.array([episode_id(*names) for names in zip(*named, strict=True)], pa.string())
    columns["seconds"] = pa.repeat(0.0, runs.num_rows)
    return {name: _table(name, columns, runs.num_rows) for name in ("episodes", "kumo_episodes")}


def count_outcomes(
    path: Path, domains: Collection[str], players: Collection[str]
) -> list[tuple[str, str, Setting, int, int, int]]:
    """Return player, domain, setting, seed, runs and successes; nothing where the table cannot be read."""
    rows = _read(path, _OUTCOMES, [list(domains), list(players)])
    return [(player, domain, Setting(truths, actions), *n) for player, domain, truths, actions, *n in rows]


def table_players(path: Path) -> list[str]:
    """Return the players of the table, the oracle not; none where it cannot be read."""
    return [player for (player,) in _read(path, _PLAYERS, [])]


def count_revised(path: Path, player: str, domains: Collection[str]) -> list[tuple[str, Setting, int, int]]:
    """Return domain, setting, how many instances of the player have another's runs, and how many it has."""
    rows = _read(path, _REVISED, [player, list(domains)])
    return [(domain, Setting(truths, actions), same, all_) for domain, truths, actions, same, all_ in rows]


def _read(path: Path, sql: str, parameters: list[object]) -> list[tuple[Any, ...]]:
    import duckdb

    try:
        with duckdb.connect(":memory:") as connection:
            return list(connection.execute(sql, [glob.escape(str(path)), *parameters]).fetchall())
    except duckdb.Error:
        return []


def _table(name: str, columns: Mapping[str, "pyarrow.ChunkedArray"], rows: int) -> "pyarrow.Table":
    """The columns that the table has; one that is not there is NULL."""
    import pyarrow as pa

    schema = TABLES[name].arrow_schema()
    return pa.table(
        [columns[f.name].cast(f.type) if f.name in columns else pa.nulls(rows, f.type) for f in schema],
        schema=schema,
    )


def _place(domain: str, setting: Setting) -> dict[str, str | int]:
    return {"domain": domain, "n_truths": setting.n_truths, "n_actions": setting.n_actions}


# What the release has beside its runs: revised books, and outcomes in the run table alone.
#
# A folder `<setting>_revised` has the runs on the books that were revised (the paper's figure 13), and these
# are copies of runs in the main folder of the same model: the published results are those after revision.


def other_outcomes(release: Release, with_instances: Iterable[RunCell], players: Iterable[str]) -> list[Row]:
    """Return the rows of runs without instances that the run table alone has."""
    if release.run_table is None:
        return []
    seen = {(file.player, file.domain, file.setting) for file in release.trajectories}
    places, revised = {*with_instances}, revised_players(release)
    return [
        outcome_row(player, domain, setting, *numbers)
        for player, domain, setting, *numbers in count_outcomes(
            release.run_table.path, release.domains, tuple(players)
        )
        if (domain, setting) not in places and (player, domain, setting) not in seen and player not in revised
    ]


def revised_findings(release: Release) -> list[Rejection]:
    """Return the findings of revised books, in folders of their own or in the run table alone."""
    rows = list(_revised_files(release))
    if release.run_table is None:
        return rows
    path = release.run_table.path
    seen = {(file.domain, file.setting) for file in release.revised}
    for player in sorted(revised_players(release)):
        for domain, setting, same, books in count_revised(path, player, release.domains):
            if (domain, setting) not in seen:
                rows.append(_revised_finding(player, domain, setting, same, books))
    return rows


def revised_players(release: Release) -> frozenset[str]:
    """Return the names under which the release has runs on revised books alone."""
    return frozenset(file.player for file in release.revised) - frozenset(release.players)


def _revised_files(release: Release) -> Iterator[Rejection]:
    for file in release.revised:
        revised = read_outcomes(file)
        mains = [
            read_outcomes(main)
            for main in release.trajectories
            if (main.domain, main.setting) == (file.domain, file.setting)
            and file.player.startswith(main.player)
        ]
        same = sum(
            any(main.get(seed) == runs is not None for main in mains) for seed, runs in revised.items()
        )
        yield _revised_finding(file.player, file.domain, file.setting, same, len(revised))


def _revised_finding(player: str, domain: str, setting: Setting, same: int, books: int) -> Rejection:
    message = (
        f"{same} of {books} revised books have the runs that the main folder has too: "
        "copies, so that the published results are those after revision"
    )
    return Rejection(
        "import",
        f"{player} {domain} {setting.name}",
        "revised-books",
        message,
        player=player,
        domain=domain,
        setting=setting.name,
        amount=books,
    )
