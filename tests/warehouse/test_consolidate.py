"""Parts in any order become one sorted file, whose bytes depend on the rows alone."""

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from perennial.schemas.tables import TABLES, staged_tables
from perennial.warehouse import merge_parts as consolidating
from perennial.warehouse.merge_parts import consolidate, write_sorted
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.parquet import with_place
from perennial.warehouse.store.store import Store
from tests.warehouse import tiny_edition


def _turns(count: int) -> pa.Table:
    row = tiny_edition.rows()["turns"][0]
    rows = [
        {**row, "episode_id": f"ep_{number // 7:04}", "turn": number % 7 + 1, "reply": "so " * (number % 40)}
        for number in range(count)
    ]
    return pa.Table.from_pylist(rows, schema=TABLES["turns"].arrow_schema())


def _dealt(table: pa.Table, parts: int, seed: int) -> list[pa.Table]:
    order = list(range(table.num_rows))
    random.Random(seed).shuffle(order)
    return [table.take(pa.array(order[part::parts], pa.int64())) for part in range(parts)]


@pytest.mark.parametrize("run_bytes", [2_000, 50_000, 64 << 20])
@pytest.mark.parametrize("parts", [1, 3, 50])
@pytest.mark.slow
def test_the_bytes_depend_on_the_rows_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: int, run_bytes: int
) -> None:
    turns = _turns(5_000)
    (tmp_path / "plain").mkdir()
    plain = write_sorted("turns", [turns], tmp_path / "plain", "e1")
    monkeypatch.setattr(consolidating, "RUN_BYTES", run_bytes)
    monkeypatch.setattr(consolidating, "_BLOCK_BYTES", 1_000)
    file = write_sorted("turns", _dealt(turns, parts, seed=run_bytes), tmp_path, "e1")
    assert file.read_bytes() == plain.read_bytes()
    assert pq.read_table(file).select(turns.schema.names).equals(turns)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plain", "turns.parquet"]


def test_row_groups_are_cut_by_rows_and_by_letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = _turns(5_000)
    monkeypatch.setattr(consolidating, "_GROUP_ROWS", 2_048)
    by_rows = pq.read_metadata(write_sorted("turns", [turns], tmp_path, "e1"))
    assert [by_rows.row_group(n).num_rows for n in range(by_rows.num_row_groups)] == [2_048, 2_048, 904]
    monkeypatch.setattr(consolidating, "_GROUP_LETTERS", 1)
    by_letters = pq.read_metadata(write_sorted("turns", [turns], tmp_path, "e1"))
    assert [by_letters.row_group(n).num_rows for n in range(by_letters.num_row_groups)] == [1_024] * 4 + [904]


def test_keys_with_null_come_after_the_others(tmp_path: Path) -> None:
    row = {"stage": "books", "subject": "s", "rule": "r", "message": "m"}
    rows = [{**row, "call_id": call_id} for call_id in (None, "call_b", "call_a")]
    schema = TABLES["rejections"].arrow_schema()
    parts = [pa.Table.from_pylist([one], schema=schema) for one in rows]
    found = pq.read_table(write_sorted("rejections", parts, tmp_path, "e1"))["call_id"].to_pylist()
    assert found == ["call_a", "call_b", None]


@pytest.mark.parametrize("run_bytes", [1, 64 << 20])
def test_a_shared_table_keeps_each_key_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_bytes: int
) -> None:
    monkeypatch.setattr(consolidating, "RUN_BYTES", run_bytes)
    texts = [{"message_id": f"msg_{number}", "content": str(number)} for number in range(5)]
    schema = TABLES["messages"].arrow_schema()
    parts = [
        pa.Table.from_pylist(part, schema=schema) for part in (texts[:3], texts[1:], texts[4:], texts[2:3])
    ]
    merged = pq.read_table(write_sorted("messages", parts, tmp_path, "e1"))
    assert merged.select(["message_id", "content"]).to_pylist() == texts


def test_a_null_against_the_schema_is_left_to_the_audit(tmp_path: Path) -> None:
    sound = tiny_edition.tables()["episodes"]
    rows: list[dict[str, Any]] = tiny_edition.rows()["episodes"]
    rows[0]["player"] = None
    broken = tiny_edition.tables({"episodes": rows})["episodes"]
    schema = pq.read_schema(write_sorted("episodes", [sound], tmp_path, "e1@1"))
    assert schema.equals(with_place(sound, TABLES["episodes"], "e1@1").schema)
    assert pq.read_table(write_sorted("episodes", [broken], tmp_path, "e1"))["player"].null_count == 1


@pytest.mark.parametrize("unit", ["e", "e@1"])
def test_every_staged_table_becomes_a_file_that_says_whose_it_is(tmp_path: Path, unit: str) -> None:
    staging = Staging(Store(str(tmp_path / "root")), unit)
    plan = tiny_edition.plan("e")
    answers = unit != "e"
    staging.write_plan(plan.evaluation if answers else plan.growth)
    staged = "turns" if answers else "kumo_books"
    staging.write_batch("one", {staged: tiny_edition.rows()[staged]})
    folder = tmp_path / "files"
    folder.mkdir()
    files = consolidate(staging, folder)
    assert tuple(files) == staged_tables("kumo", answers=answers)
    rows = {name: pq.read_table(file) for name, file in files.items()}
    assert rows[staged].num_rows == len(tiny_edition.rows()[staged])
    assert rows["rejections"].num_rows == 0
    for name, table in rows.items():
        assert table.schema.names == [column.name for column in TABLES[name].file_columns]
        own = [column.name for column in TABLES[name].columns]
        assert table.select(own).schema.equals(TABLES[name].arrow_schema())
    assert set(rows[staged]["edition"].to_pylist()) == {"e"}
    if answers:
        assert set(rows[staged]["evaluation"].to_pylist()) == {"1"}


def test_a_footer_says_how_rows_are_sorted_and_helps_to_find_ids(tmp_path: Path) -> None:
    rows = tiny_edition.tables()["episodes"]
    file = write_sorted("episodes", [rows], tmp_path, "e1@1")
    group = pq.read_metadata(file).row_group(0)
    order = [(group.column(column.column_index).path_in_schema) for column in group.sorting_columns]
    assert order == ["edition", "evaluation", *TABLES["episodes"].key]
    columns = {
        group.column(number).path_in_schema: group.column(number) for number in range(group.num_columns)
    }
    assert all(column.has_column_index and column.has_offset_index for column in columns.values())
    filtered = {name for name, column in columns.items() if column.bloom_filter_length}
    assert filtered == {name for name in columns if name.endswith("_id")} - {TABLES["episodes"].key[0]}
