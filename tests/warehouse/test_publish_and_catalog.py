"""An edition is seen whole or not at all, and its views answer."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq
import pytest

from perennial.schemas.disclosure import METADATA_KEY, canary_line
from perennial.schemas.errors import EditionConflict, QueryFailed, UnreadableInput
from perennial.schemas.table_form import DUCKDB_TYPES
from perennial.schemas.tables import TABLES
from perennial.warehouse.audit.audit import audit
from perennial.warehouse.catalog.catalog import open_catalog, published_editions
from perennial.warehouse.catalog.confinement import FORMAT, row_file, table_file
from perennial.warehouse.catalog.dictionary import question_views
from perennial.warehouse.catalog.later_statistics import analysis_of
from perennial.warehouse.editions.issued_ids import issued_instances
from perennial.warehouse.editions.manifest import manifest_file
from perennial.warehouse.editions.publish import (
    Publication,
    evaluation_plan,
    read_counts,
    read_published_plan,
    unit_plan,
)
from perennial.warehouse.editions.publish import publish as publish_unit
from perennial.warehouse.editions.verify import verify_unit
from perennial.warehouse.lock import find_lock, lock_root
from perennial.warehouse.merge_parts import write_sorted
from perennial.warehouse.store.parquet import with_place
from perennial.warehouse.store.store import Store
from tests.conftest import REPOSITORY
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import publish

NOW = datetime(2026, 1, 2, tzinfo=UTC)


@cache
def _audits() -> list[dict[str, Any]]:
    with TemporaryDirectory() as folder:
        tables = tiny_edition.tables()
        return audit(
            {name: write_sorted(name, [table], Path(folder), "e1") for name, table in tables.items()}
        ).rows


def _publish(store: Store, edition: str) -> None:
    publish(store, tiny_edition.plan(edition), tiny_edition.tables(), _audits(), NOW)


def _hashable(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(tuple(value) if isinstance(value, list) else value for value in values)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(str(tmp_path))
    _publish(store, "e1")
    return store


@pytest.mark.slow
def test_tables_come_back_as_they_were_written(store: Store) -> None:
    catalog = open_catalog(store)
    for name, table in tiny_edition.tables().items():
        place = [column.name for column in TABLES[name].unit_columns]
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
    # Refused before any file: other rows of the same name do not take the place of the published ones.
    with pytest.raises(EditionConflict, match="already published"):
        publish(store, tiny_edition.plan("e1"), tiny_edition.tables(), [], datetime(2026, 1, 3, tzinfo=UTC))
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")} == before


def test_whoever_lost_the_lock_without_knowing_it_does_not_replace_the_row(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another writer publishes the edition after this one has looked whether it is there."""
    row = tmp_path / row_file("e1")
    before = row.read_bytes()
    monkeypatch.setattr(Store, "exists", lambda _store, name: False)
    with pytest.raises(EditionConflict, match="already published"):
        publish(
            store, tiny_edition.plan("e1"), tiny_edition.tables(), _audits(), datetime(2026, 1, 3, tzinfo=UTC)
        )
    assert row.read_bytes() == before


def test_plans_and_counts_are_read_from_what_is_published(store: Store) -> None:
    plan = tiny_edition.plan("e1")
    growth, evaluation = store.read_table(row_file("e1")), store.read_table(row_file("e1@1"))
    assert read_published_plan(store, "e1") == unit_plan(store, "e1") == plan.growth
    assert evaluation_plan(store, "e1@1") == unit_plan(store, "e1@1") == plan.evaluation
    counts = read_counts(store, "e1")
    assert counts["kumo_books"] == len(tiny_edition.rows()["kumo_books"])
    assert counts["audits"] == len(_audits()) > 0
    assert read_counts(store, "e1@1")["turns"] == len(tiny_edition.rows()["turns"])
    (row,), (other,) = growth.to_pylist(), evaluation.to_pylist()
    for made, unit, part in ((row, "e1", plan.growth), (other, "e1@1", plan.evaluation)):
        assert (made["benchmark"], made["created_at"], made["code_version"]) == ("kumo", NOW, "test")
        assert made["settings"] == json.dumps(part.as_json(), sort_keys=True, ensure_ascii=False)
        assert made["counts"] == json.dumps(read_counts(store, unit), sort_keys=True)
        manifest = store.read_bytes(manifest_file(unit))
        assert made["manifest_sha256"] == hashlib.sha256(manifest).hexdigest()
    assert [row[name] for name in ("seed", "seed_commitment", "freshness", "canary")] == [
        plan.growth.seed,
        plan.growth.seed_commitment,
        plan.growth.freshness,
        plan.growth.canary,
    ]
    assert all(row[name] for name in ("seed", "seed_commitment", "freshness", "canary"))
    for table, rows in ((TABLES["editions"], growth), (TABLES["evaluations"], evaluation)):
        own = rows.select([column.name for column in table.columns])
        assert own.schema.equals(table.arrow_schema())
    for name in ("instances", "audits", "editions"):
        metadata = store.read_table(table_file(name, "e1")).schema.metadata
        assert metadata[METADATA_KEY.encode()].decode() == canary_line(plan.growth.canary)


def test_an_edition_is_published_with_its_counts_as_they_are_returned(tmp_path: Path) -> None:
    store, plan = Store(str(tmp_path)), replace(tiny_edition.plan("e1").growth, seed_commitment="", seed=None)
    books = tiny_edition.tables()["kumo_books"]
    file = tmp_path / "books.parquet"
    pq.write_table(with_place(books, TABLES["kumo_books"], "e1", plan.canary), file)
    with lock_root(store, "another edition"):
        done = publish_unit(store, plan, {"instances": tiny_edition.tables()["instances"]}, [], NOW)
    assert done == Publication("e1", {"audits": 0, "instances": len(tiny_edition.rows()["instances"])})
    assert store.read_table(row_file("e1")).to_pylist()[0]["seed_commitment"] is None
    done = publish_unit(store, replace(plan, edition="e2"), {}, [], NOW, {"kumo_books": file})
    assert done == Publication("e2", {"audits": 0, "kumo_books": books.num_rows})
    assert read_counts(store, "e2") == done.counts
    assert store.read_bytes(table_file("kumo_books", "e2")) == file.read_bytes()


def test_statistics_of_an_evaluation_are_those_over_all_that_are_published_with_it(store: Store) -> None:
    assert analysis_of(store, "e1", ["e1@1"]) is not None
    statistics = with_place(tiny_edition.tables()["statistics"], TABLES["statistics"], "e1")
    second = replace(tiny_edition.plan("e1").evaluation, name="2", players=("modèle",))
    publish_unit(store, second, {}, [], NOW)
    # As analysts search for it.
    assert '"modèle"' in store.read_table(row_file("e1@2")).to_pylist()[0]["settings"]
    assert analysis_of(store, "e1", ["e1@1", "e1@2"]) is None
    publish_unit(store, replace(second, name="3"), {}, [], NOW, statistics=statistics)
    kept = analysis_of(store, "e1", ["e1@1", "e1@2", "e1@3"])
    assert kept is not None
    assert store.read_table(kept).equals(statistics.cast(store.read_table(kept).schema))


def test_who_publishes_is_named_to_others_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, seen = Store(str(tmp_path)), []
    write = Store.write_table

    def note(store: Store, *what: Any) -> None:
        found = find_lock(store)
        seen.append(None if found is None else found.record.what)
        write(store, *what)

    monkeypatch.setattr(Store, "write_table", note)
    tables = {"instances": tiny_edition.tables()["instances"]}
    publish_unit(store, tiny_edition.plan("e1").growth, tables, [], NOW)
    assert seen == ["publish e1"]
    assert find_lock(store) is None


@pytest.mark.parametrize(
    ("part", "named", "option"),
    [("growth", "edition 'e1'", "--edition"), ("evaluation", "evaluation 'e1@1'", "--name")],
)
def test_a_name_that_is_taken_is_told_with_the_option(
    store: Store, part: str, named: str, option: str
) -> None:
    with pytest.raises(EditionConflict) as caught:
        publish_unit(store, getattr(tiny_edition.plan("e1"), part), {}, [], NOW)
    assert str(caught.value) == (
        f"{named} is already published in {store.root} and is never changed: choose another {option}"
    )


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


@pytest.mark.slow
def test_an_empty_root_has_every_table_and_view_with_their_types(tmp_path: Path) -> None:
    catalog = open_catalog(Store(str(tmp_path)))
    for name, table in TABLES.items():
        described = catalog.query(f'DESCRIBE "{name}"')[1]
        assert [row[1] for row in described] == [DUCKDB_TYPES[column.type] for column in table.file_columns]
    for name in question_views():
        assert catalog.query(f'FROM "{name}"')[1] == []


@pytest.mark.slow
def test_a_process_that_has_read_a_table_ends_as_it_should(store: Store) -> None:
    program = (
        "import sys\n"
        "from perennial.warehouse.editions.issued_ids import issued_instances\n"
        "from perennial.warehouse.store.store import Store\n"
        "sys.exit(len(issued_instances(Store(sys.argv[1]), ('e1',))) + 6)"
    )
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", program, store.root], cwd=REPOSITORY, check=False)
        assert done.returncode == 7


def test_wrong_sql_is_one_line_that_names_what_there_is(store: Store) -> None:
    catalog = open_catalog(store)
    meant = r"no table or view 'leaderbord'; did you mean leaderboard\? `perennial tables` lists all$"
    with pytest.raises(QueryFailed, match=meant) as caught:
        catalog.query("SELECT * FROM leaderbord")
    assert "\n" not in str(caught.value)
    with pytest.raises(QueryFailed, match=r"episode_answers, episodes_wide have a column 'right_answer'$"):
        catalog.query("SELECT right_answer FROM instances")
    with pytest.raises(QueryFailed, match=r"; episode_answers, episodes_wide, .* have a column 'answer'$"):
        catalog.query("SELECT i.answer FROM instances AS i")
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


def test_a_table_without_rows_has_no_file_and_an_empty_view(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    publish(store, tiny_edition.plan("e1"), tiny_edition.tables({"rejections": []}), _audits(), NOW)
    files = sorted((tmp_path / "tables").rglob("*.parquet"))
    assert all(pq.read_metadata(file).num_rows for file in files)
    assert {"calls", "rejections"} & {file.parts[-3] for file in files} == {"calls"}
    assert open_catalog(store).query("FROM rejections")[1] == []
    assert not [finding for unit in ("e1", "e1@1") for finding in verify_unit(store, unit).findings]
