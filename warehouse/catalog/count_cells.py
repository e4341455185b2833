"""Count an edition's episodes by player and instance, in columns, with memory that a limit bounds.

Instances are numbered by setting, domain and id once (`number_instances`); from then on a cell is two small
numbers, and texts of single instances are read again only where figures of them are written.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from numpy.typing import NDArray

from perennial.schemas.errors import Damaged, in_one_line
from perennial.schemas.game import EPISODE_STATUSES
from perennial.schemas.people import pool_sql
from perennial.schemas.statistics import THESE_DOMAINS, Population
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.confinement import table_sql
from perennial.warehouse.store.duckdb_files import let_duckdb_read
from perennial.warehouse.store.store import Store

Column = NDArray[Any]

_MEMORY = "400MB"
_ROWS_AT_ONCE = 100_000


@dataclass(frozen=True, slots=True)
class Answers:
    """Where an edition's questions and answers lie, by table, and how a benchmark counts them; picklable.

    `population` is the widest that the benchmark's figures can be of.
    `folder` is a local one for what is made of them: the numbered instances, and what memory cannot hold.
    """

    root: str
    places: Mapping[str, tuple[str, ...]]
    folder: Path
    joins: str = ""
    counts: tuple[tuple[str, str], ...] = ()
    population: Population = THESE_DOMAINS

    @contextmanager
    def open(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection in which each table has its name, and the numbered instances `numbered`.

        All people are one player in its `episodes`, `human`. While one is open, the others of this process
        share its database, as a database of their own would take longer than most of the queries.
        """
        with _damage_in_one_line(self.root), duckdb.connect(f":memory:{self.folder}") as connection:
            self._set_up(connection)
            if self._numbered.exists():
                path = str(self._numbered).replace("'", "''")
                connection.execute(f"CREATE VIEW IF NOT EXISTS numbered AS FROM read_parquet('{path}')")
            yield connection

    def _set_up(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Let a new database know the tables, within limits; leave one that is shared as it is."""
        spilled = str(self.folder / "spilled")
        if connection.execute("SELECT current_setting('temp_directory')").fetchall() == [(spilled,)]:
            return
        connection.execute(f"SET memory_limit = '{_MEMORY}'")
        connection.execute("SET preserve_insertion_order = false")
        let_duckdb_read(connection, Store(self.root))
        for name, places in self.places.items():
            sql = table_sql(TABLES[name], places)
            if name == "episodes":
                # Each person plays a few instances: figures are of all people as one player.
                sql = f"SELECT * REPLACE ({pool_sql('player')} AS player) FROM ({sql})"
            connection.execute(f'CREATE VIEW "{name}" AS {sql}')
        connection.execute("SET temp_directory = $folder", {"folder": spilled})

    @property
    def _numbered(self) -> Path:
        return self.folder / "numbered.parquet"

    def number_instances(self) -> dict[str, dict[str, int]]:
        """Number the instances of each setting by domain and id; return how many there are, sorted."""
        with self.open() as connection:
            path = str(self._numbered).replace("'", "''")
            connection.execute(
                "COPY (SELECT instance_id, setting, domain, row_number() OVER (PARTITION BY setting "
                "ORDER BY domain, instance_id) - 1 AS number, row_number() OVER (PARTITION BY setting "
                "ORDER BY instance_id) - 1 AS rank, dense_rank() OVER (PARTITION BY setting "
                "ORDER BY cluster) - 1 AS cluster FROM instances ORDER BY setting, number) "
                f"TO '{path}' (FORMAT parquet)"
            )
            counts = connection.execute(
                f"SELECT setting, domain, count(*) FROM read_parquet('{path}') GROUP BY ALL ORDER BY ALL"
            ).fetchall()
        settings: dict[str, dict[str, int]] = {}
        for setting, domain, count in counts:
            settings.setdefault(setting, {})[domain] = count
        return settings

    def count_episodes(self) -> list[tuple[str, str, int]]:
        """Each setting and player with the number of its episodes on the usual questions, sorted."""
        with self.open() as connection:
            rows = connection.execute(
                "SELECT n.setting, e.player, count(*) FROM episodes AS e "
                "JOIN numbered AS n USING (instance_id) WHERE e.version IS NULL GROUP BY ALL ORDER BY ALL"
            ).fetchall()
        return [(setting, player, count) for setting, player, count in rows]

    def find_versions(self) -> list[tuple[str, str, str]]:
        """Each setting, player and other version of the questions that it played, sorted."""
        with self.open() as connection:
            versions: list[tuple[str, str, str]] = connection.execute(
                "SELECT DISTINCT n.setting, e.player, e.version FROM episodes AS e "
                "JOIN numbered AS n USING (instance_id) WHERE e.version IS NOT NULL ORDER BY ALL"
            ).fetchall()
            return versions

    def count_cells(
        self, setting: str, players: Sequence[str], version: str | None = None
    ) -> dict[str, Column]:
        """The columns of these players' cells in the setting, sorted by player and instance.

        `version` names another version of the questions than the usual one.
        """
        sql = (files("perennial.warehouse.catalog") / "cells.sql").read_text(encoding="utf-8")
        statuses = [
            (f"status_{status}", f"(count(*) FILTER (e.status = '{status}'))::INTEGER")
            for status in EPISODE_STATUSES
        ]
        counted = ",\n       ".join(f"{sql} AS {name}" for name, sql in (*statuses, *self.counts))
        sql = sql.replace("\nJOINS\n", f"\n{self.joins}\n").replace(
            "\n       COUNTS\n", f"\n       {counted}\n"
        )
        with self.open() as connection:
            params = {"setting": setting, "players": list(players), "version": version}
            return dict(connection.sql(sql, params=params).fetchnumpy())

    def read_split(self, commitment: str, share: float) -> dict[str, dict[str, Column]]:
        """How the secret split the instances of each setting, in their order (`split.sql`).

        `commitment` and `share` are what `editions` says of the edition; no share has no split.
        """
        if not share:
            return {}
        folder = files("perennial.warehouse.catalog")
        private = (folder / "views" / "private_instances.sql").read_text(encoding="utf-8")
        sql = (folder / "split.sql").read_text(encoding="utf-8").replace("PRIVATE_INSTANCES", f"({private})")
        with self.open() as connection:
            columns = connection.sql(sql, params={"commitment": commitment, "share": share}).fetchnumpy()
        settings = columns.pop("setting")
        return {
            str(setting): {name: column[settings == setting] for name, column in columns.items()}
            for setting in dict.fromkeys(settings)
        }

    def instance_ids(self, setting: str) -> Iterator[pa.RecordBatch]:
        """The setting's instances in the order of their numbers: domain and id, so many at a time."""
        with self.open() as connection:
            yield from connection.sql(
                "SELECT domain, instance_id FROM numbered WHERE setting = $setting ORDER BY number",
                params={"setting": setting},
            ).to_arrow_reader(_ROWS_AT_ONCE)


@contextmanager
def _damage_in_one_line(root: str) -> Iterator[None]:
    try:
        yield
    except (duckdb.IOException, duckdb.InvalidInputException, duckdb.SerializationException) as error:
        raise Damaged(
            f"tables in {root} cannot be read ({in_one_line(error)}): restore the file from a copy, as it "
            "cannot be made again (`perennial doctor` names all such files)"
        ) from None
