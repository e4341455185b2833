"""An edition is seen whole or not at all, and its views answer."""

import json
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq
import pytest

from schemas.errors import EditionConflict, QueryFailed, UnreadableInput
from schemas.table_form import DUCKDB_TYPES
from schemas.tables import TABLES
from tests.conftest import REPOSITORY
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import publish
from warehouse.audit.audit import audit
from warehouse.catalog.catalog import FORMAT, open_catalog, published_editions, table_file
from warehouse.catalog.question_views import question_views
from warehouse.editions.issued_ids import issued_instances
from warehouse.staging.merge_parts import write_sorted
from warehouse.store.store import Store

NOW = datetime(2026, 1, 2, tzinfo=UTC)


@cache
def _audits() -> list[dict[str, Any]]:
    with TemporaryDirectory() as folder:
        tables = tiny_edition.tables()
        return audit(
            {name: write_sorted(name, [table], Path(folder), "e1") for name, table in tables.items()}
        )


def _publish(store: Store, edition: str) -> None:
    publish(store, tiny_edition.plan(edition), tiny_edition.tables(), _audits(), NOW)


def _hashable(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(tuple(value) if isinstance(value, list) else value for value in values)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(str(tmp_path))
    _publish(store, "e1")
    return store


def test_tables_come_back_as_they_were_written(store: Store) -> None:
    catalog = open_catalog(store)
    for name, table in tiny_edition.tables().items():
        place = [column.name for column in TABLES[name].place]
        columns, rows = catalog.query(f'FROM "{name}"')
        assert columns == [*place, *table.column_names]
        # A text that both authors and players were sent belongs to either's calls.
        assert {row[len(place) :] for row in map(_hashable, rows)} == {
            _hashable(row.values()) for row in table.to_pylist()
        }
        assert all(row[0] == "e1" for row in rows)
        if "evaluation" in place:
            answers = TABLES[name].kind == "answers"
            assert {row[1] for row in rows} <= ({"1"} if answers else {"", "1"})


def test_an_edition_without_its_row_is_not_seen(store: Store, tmp_path: Path) -> None:
    _publish(store, "e2")
    assert published_editions(store) == ("e1", "e2")
    (tmp_path / table_file("editions", "e2")).unlink()
    assert published_editions(store) == ("e1",)
    catalog = open_catalog(store)
    for name in (table.name for table in TABLES.values() if table.of_editions):
        assert catalog.query(f'SELECT DISTINCT edition FROM "{name}"')[1] in ([("e1",)], [])
    issued = issued_instances(store, ("e1",))
    assert tiny_edition.CONTENT_HASH in issued
    assert len(issued) == 1


def test_a_snapshot_does_not_see_what_is_published_later(store: Store) -> None:
    catalog = open_catalog(store)
    _publish(store, "e2")
    assert catalog.query("SELECT DISTINCT edition FROM episodes")[1] == [("e1",)]


def test_an_edition_is_never_published_twice(store: Store, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")}
    with pytest.raises(EditionConflict, match="already published"):
        _publish(store, "e1")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")} == before


def test_edition_names_that_look_like_dates_and_numbers_stay_text(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    for edition in ("2026-11-20", "17", "o'clock"):
        _publish(store, edition)
    rows = open_catalog(store).query("SELECT DISTINCT edition FROM episodes ORDER BY 1")[1]
    assert rows == [("17",), ("2026-11-20",), ("o'clock",)]


def test_any_parquet_reader_reads_a_file(store: Store, tmp_path: Path) -> None:
    own = [column.name for column in TABLES["episodes"].columns]
    table = pq.read_table(tmp_path / table_file("episodes", "e1@1"))
    assert table.select(own).schema.equals(TABLES["episodes"].arrow_schema())
    assert pq.read_table(tmp_path / "tables/episodes").to_pylist() == table.to_pylist()
    assert (
        pq.ParquetFile(tmp_path / table_file("turns", "e1@1")).metadata.row_group(0).column(0).compression
        == "ZSTD"
    )


def test_an_empty_root_has_every_table_and_view_with_their_types(tmp_path: Path) -> None:
    catalog = open_catalog(Store(str(tmp_path)))
    for name, table in TABLES.items():
        described = catalog.query(f'DESCRIBE "{name}"')[1]
        assert [row[1] for row in described] == [DUCKDB_TYPES[column.type] for column in table.file_columns]
    for name in question_views():
        assert catalog.query(f'FROM "{name}"')[1] == []


def test_a_process_that_has_read_a_table_ends_as_it_should(store: Store) -> None:
    program = (
        "import sys\n"
        "from warehouse.editions.issued_ids import issued_instances\n"
        "from warehouse.store.store import Store\n"
        "sys.exit(len(issued_instances(Store(sys.argv[1]), ('e1',))) + 6)"
    )
    for _ in range(10):
        done = subprocess.run([sys.executable, "-c", program, store.root], cwd=REPOSITORY, check=False)
        assert done.returncode == 7


def test_wrong_sql_is_one_line_that_names_what_there_is(store: Store) -> None:
    catalog = open_catalog(store)
    with pytest.raises(QueryFailed, match=r"leaderbord.*tables and views:.*leaderboard") as caught:
        catalog.query("SELECT * FROM leaderbord")
    assert "\n" not in str(caught.value)
    with pytest.raises(QueryFailed, match="syntax error"):
        catalog.query("SELEC 1")


@pytest.mark.parametrize("number", [FORMAT - 1, FORMAT + 1])
def test_a_root_of_another_format_is_refused_by_name(store: Store, number: int) -> None:
    name = next(name for name in store.names("manifests") if name.endswith(".json"))
    manifest = json.loads(store.read_bytes(f"manifests/{name}"))
    store.write_bytes(f"manifests/{name}", json.dumps({**manifest, "format": number}).encode())
    told = rf"was written in format {number} by another version .*, expected format {FORMAT}: name another"
    for use in (published_editions, open_catalog):
        with pytest.raises(UnreadableInput, match=told):
            use(store)
