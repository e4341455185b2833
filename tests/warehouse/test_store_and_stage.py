"""Files are there whole or not at all; batches count when they are marked."""

import json
import multiprocessing
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import EditionConflict
from tests.warehouse import tiny_edition
from warehouse.stage import Staging, staged_editions
from warehouse.store import Store


def _write_forever(root: str) -> None:
    number = 0
    while True:
        number += 1
        Store(root).write_bytes("table/file", (str(number % 10) * 3_000_000).encode())


def test_a_killed_writer_leaves_the_file_whole(tmp_path: Path) -> None:
    for _ in range(5):
        writer = multiprocessing.get_context("spawn").Process(target=_write_forever, args=(str(tmp_path),))
        writer.start()
        while not (tmp_path / "table" / "file").exists():
            time.sleep(0.01)
        time.sleep(0.05)
        assert writer.pid is not None
        os.kill(writer.pid, signal.SIGKILL)
        writer.join()
        content = Store(str(tmp_path)).read_bytes("table/file")
        assert len(content) == 3_000_000
        assert len(set(content)) == 1


def test_store_lists_sorted_names_and_nothing_for_an_absent_folder(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    for name in ("b", "a", "c"):
        store.write_bytes(f"folder/{name}", b"x")
    assert store.names("folder") == ["a", "b", "c"]
    assert store.names("elsewhere") == []
    assert store.exists("folder/a")
    assert not store.exists("folder/d")


def test_a_memory_file_system_serves_as_root() -> None:
    staging = Staging(Store("memory://perennial-test"), "e1")
    staging.write_plan(tiny_edition.plan("e1"))
    staging.write_batch("k", {"books": tiny_edition.rows()["books"]})
    assert staging.read_batch("k", "books") == tiny_edition.rows()["books"]
    staging.remove()
    assert staging.read_plan() is None


def test_a_batch_without_its_mark_does_not_count(tmp_path: Path) -> None:
    staging = Staging(Store(str(tmp_path)), "e1")
    rows = tiny_edition.rows()
    staging.write_batch("one", {"books": rows["books"], "episodes": []})
    staging.write_batch("two", {"episodes": rows["episodes"]})
    (tmp_path / "staging/e1/done/two.json").unlink()
    assert staging.is_done("one")
    assert not staging.is_done("two")
    assert staging.read_all("episodes").num_rows == 0
    assert staging.read_all("books").num_rows == len(rows["books"])


def test_read_all_sorts_by_the_key_whatever_the_order_of_staging(tmp_path: Path) -> None:
    turns = tiny_edition.rows()["turns"]
    one, other = Staging(Store(str(tmp_path)), "e1"), Staging(Store(str(tmp_path)), "e2")
    one.write_batch("a", {"turns": turns})
    for number, row in enumerate(reversed(turns)):
        other.write_batch(f"b{number}", {"turns": [row]})
    assert one.read_all("turns").equals(other.read_all("turns"))


def test_plan_survives_the_round_trip(tmp_path: Path) -> None:
    staging = Staging(Store(str(tmp_path)), "e1")
    plan = tiny_edition.plan("e1", known=("e0",))
    assert staging.read_plan() is None
    staging.write_plan(plan)
    assert staging.read_plan() == plan
    assert staged_editions(staging.store) == ["e1"]


@pytest.mark.parametrize("content", ["", "{}", "[]", json.dumps({"settings": ["easy"]})])
def test_a_damaged_plan_is_named(tmp_path: Path, content: str) -> None:
    staging = Staging(Store(str(tmp_path)), "e1")
    staging.store.write_bytes("staging/e1/plan.json", content.encode())
    with pytest.raises(EditionConflict, match=r"staging/e1/plan\.json is not a plan"):
        staging.read_plan()


def test_a_row_that_several_batches_share_is_kept_once(tmp_path: Path) -> None:
    staging = Staging(Store(str(tmp_path)), "e")
    texts = [{"message_id": f"msg_{number}", "content": str(number)} for number in range(4)]
    staging.write_batch("a", {"messages": texts[:3]})
    staging.write_batch("b", {"messages": texts[1:]})
    assert staging.read_all("messages").to_pylist() == texts


@pytest.mark.parametrize("column", ["colour", "verdict"])
def test_a_row_with_other_columns_than_its_table_is_never_staged(tmp_path: Path, column: str) -> None:
    staging = Staging(Store(str(tmp_path)), "e")
    row: dict[str, Any] = tiny_edition.rows()["books"][0]
    if row.pop(column, None) is None:
        row[column] = "red"
    with pytest.raises(ValueError, match=f"a row of books differs in .'{column}'. from its columns"):
        staging.write_batch("key", {"books": [row]})
    assert not staging.is_done("key")
