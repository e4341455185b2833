"""A year of editions, made from one small edition of each benchmark by copying rows under other ids.

Every instance is copied until an edition has enough of them, and every copy has an answer of each player and
run. Whether it is right is drawn by player, domain, edition and instance, so that these differ; what a player
wrote stays that of the small edition. Statistics are computed for one edition of each benchmark and copied:
their shape counts here, not their values. No calls of models are made up.
"""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from perennial.flows.stages.compute_statistics import analyse_edition
from perennial.schemas.plan import EvaluationPlan
from perennial.schemas.table_form import DUCKDB_TYPES, Table
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.catalog import visible_editions
from perennial.warehouse.catalog.confinement import quote, table_file
from perennial.warehouse.catalog.later_statistics import analysis_of, keep_analysis
from perennial.warehouse.editions.publish import publish, read_published_plan, unit_plan
from perennial.warehouse.store.parquet import with_place
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    import duckdb

# Columns that differ between the copies of a row.
IDS = (
    "instance_id",
    "episode_id",
    "book_id",
    "question_id",
    "cluster",
    "origin",
    "content_hash",
    "pair",
    "seed_item",
    "of",
)
MADE_OF_PLANS = ("editions", "evaluations", "audits")
BEGAN = datetime(2025, 1, 6, tzinfo=UTC)
# What an episode's success is drawn from: a chance by player, domain, player in the domain, edition and
# instance.
SOLVED = """hash(episode_id) / 18446744073709551615 < greatest(0.03, least(0.97,
    0.15 + 0.7 * ability / {players} + 0.3 * spread(domain) + 0.15 * spread(domain || player) + 0.1 *
    spread(domain || edition) + 0.3 * spread(instance_id)))"""
EPISODE = {
    "success": "solved",
    "score": "solved::DOUBLE",
    "status": "if(solved, 'solved', 'wrong')",
    "tokens": "200 + hash(episode_id)::UHUGEINT % 4000",
    "cost_usd": "0.000002 * (200 + hash(episode_id)::UHUGEINT % 4000)",
}


@dataclass(frozen=True, slots=True)
class Size:
    """How much to make; all players play each edition, each instance `runs` times."""

    editions: int = 48
    players: int = 100
    runs: int = 5
    episodes: int = 20_000_000

    @property
    def instances(self) -> float:
        """Instances per edition."""
        return self.episodes / self.editions / self.players / self.runs


def grow_year(folder: Path, size: Size) -> Iterator[str]:
    """Make the data root `folder`/root, and yield a line per edition; what is there already stays."""
    import duckdb

    source, target = Store(str(folder / "source")), Store(str(folder / "root"))
    if not visible_editions(source):
        options = ["--benchmark", "all", "--size", "small", "--players", "guesser", "--seed", "1", "--root"]
        command = [str(Path(sys.executable).with_name("perennial")), "refresh", *options, source.root]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    connection = duckdb.connect()
    connection.execute("CREATE MACRO spread(text) AS hash(text) / 18446744073709551615 - 0.5")
    smalls = visible_editions(source)
    for number in range(size.editions):
        small = smalls[number % len(smalls)]
        name = f"{read_published_plan(source, small).benchmark}-{number // len(smalls) + 1:02}"
        if name in visible_editions(target):
            continue
        counts = _copy_edition(connection, source, target, small, name, size, BEGAN + timedelta(weeks=number))
        yield f"{name}: {counts['instances']:,} instances, {counts['episodes']:,} episodes"


def _copy_edition(
    connection: "duckdb.DuckDBPyConnection",
    source: Store,
    target: Store,
    small: str,
    name: str,
    size: Size,
    at: datetime,
) -> dict[str, int]:
    """Publish the multiplied small edition and its evaluation under this name; return the rows by table."""
    instances = source.location(table_file("instances", small))
    (held,) = connection.sql(f"SELECT count(*) FROM read_parquet({quote(instances)})").fetchall()[0]
    copies = max(1, round(size.instances / held))
    counts: dict[str, int] = {}
    for unit in (small, f"{small}@1"):
        plan = unit_plan(source, unit)
        plan = replace(plan, edition=name)
        if isinstance(plan, EvaluationPlan):
            players = tuple(f"model-{number:03}" for number in range(size.players))
            plan = replace(plan, players=players, runs=size.runs)
        with TemporaryDirectory(dir=Path(source.root).parent) as scratch:
            files = {}
            for table in TABLES.values():
                file = source.location(table_file(table.name, unit))
                if Path(file).exists() and table.name not in MADE_OF_PLANS:
                    files[table.name] = Path(scratch) / f"{table.name}.parquet"
                    rows = _rows_of(table, file, instances, name, copies, size)
                    place = quote(str(files[table.name]))
                    connection.execute(f"COPY ({rows}) TO {place} (COMPRESSION zstd, ROW_GROUP_SIZE 65536)")
            counts |= publish(target, plan, {}, [], at, files).counts
    _keep_statistics(target, name, plan.benchmark)
    return counts


def _rows_of(table: Table, file: str, instances: str, edition: str, copies: int, size: Size) -> str:
    """Return the SQL of the edition's rows of the table, in the order of its key."""
    names = {column.name for column in table.columns}
    copy = f"{quote(edition)} || copy"
    answer = f"{copy} || '/' || ability || '/' || run_number"
    made = {"edition": quote(edition)} | {
        name: f"""regexp_extract("{name}", '^([a-z0-9]+_)?') || md5("{name}" || {salt})"""
        for name in names & {*IDS}
        for salt in [answer if name == "episode_id" else copy]
    }
    rows = f"read_parquet({quote(file)}, hive_partitioning = false)"
    if table.name == "episodes":
        made |= {"player": "'model-' || lpad(ability::VARCHAR, 3, '0')", "run": "run_number"}
        asked = f"read_parquet({quote(instances)}, hive_partitioning = false)"
        rows = f"(SELECT e.*, i.domain FROM {rows} AS e JOIN {asked} AS i USING (instance_id))"
    if names & {*IDS}:
        rows += f", range({copies}) AS copies(copy)"
    if "episode_id" in names:
        rows += f", range({size.players}) AS players(ability), range({size.runs}) AS runs(run_number)"
    replaced = ", ".join(f'{sql} AS "{name}"' for name, sql in made.items())
    copied = f"SELECT * REPLACE ({replaced}) FROM {rows}"
    if table.name == "episodes":
        copied = f"SELECT *, {SOLVED.format(players=size.players)} AS solved FROM ({copied})"
    figures = EPISODE if table.name == "episodes" else {}
    columns = (
        f'({figures.get(name, _quote_name(name))})::{kind} AS "{name}"'
        for name, kind in ((column.name, DUCKDB_TYPES[column.type]) for column in table.file_columns)
    )
    return f"SELECT {', '.join(columns)} FROM ({copied}) ORDER BY {', '.join(map(_quote_name, table.key))}"


def _quote_name(name: str) -> str:
    return f'"{name}"'


def _keep_statistics(store: Store, edition: str, benchmark: str) -> None:
    """Keep the statistics of the benchmark's first edition as those of this one; compute them first."""
    first = next(name for name in visible_editions(store) if name.startswith(f"{benchmark}-"))
    made = analysis_of(store, first, [f"{first}@1"])
    if made is None:
        keep_analysis(store, first, [f"{first}@1"], analyse_edition(store, first, [f"{first}@1"]))
        return
    form, canary = TABLES["statistics"], read_published_plan(store, edition).canary
    rows = store.read_table(made).select([column.name for column in form.columns])
    keep_analysis(store, edition, [f"{edition}@1"], with_place(rows, form, edition, canary))
