"""Files are there whole or not at all; batches count when they are marked."""

import errno
import json
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import Damaged, EditionConflict
from schemas.ids import content_id
from tests.warehouse import tiny_edition
from warehouse.staging.staging import Staging, staged_units
from warehouse.store.store import Store


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


def _write_more_than_allowed(root: str, out: str) -> None:
    """Write files when a file may have no more than 1 MB, as on a full disk, and note what is reported."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY))
    large = Path(root) / "large"
    store = Store(root)
    told = []
    for write in (
        lambda: store.write_bytes("table/bytes", b"x" * 2_000_000),
        lambda: store.write_file("table/file", large),
    ):
        try:
            write()
        except OSError as error:
            told.append([error.errno, error.filename])
    Path(out).write_text(json.dumps(told))


def test_a_write_that_fails_names_the_file_and_leaves_the_old_one_and_no_draft(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    (tmp_path / "large").write_bytes(b"x" * 2_000_000)
    names = ("bytes", "file")
    for name in names:
        store.write_bytes(f"table/{name}", b"before")
    writer = multiprocessing.get_context("spawn").Process(
        target=_write_more_than_allowed, args=(str(tmp_path), str(tmp_path / "out"))
    )
    writer.start()
    writer.join()
    told = json.loads((tmp_path / "out").read_text())
    assert told == [[errno.EFBIG, str(tmp_path / "table" / name)] for name in names]
    assert {path.name: path.read_bytes() for path in (tmp_path / "table").iterdir()} == dict.fromkeys(
        names, b"before"
    )


def test_a_memory_file_system_serves_as_root() -> None:
    staging = Staging(Store("memory://perennial-test"), "e1")
    staging.write_plan(tiny_edition.plan("e1").growth)
    staging.write_batch("k", {"kumo_books": tiny_edition.rows()["kumo_books"]})
    assert staging.read_batch("k", "kumo_books") == tiny_edition.rows()["kumo_books"]
    staging.remove()
    assert staging.read_plan() is None


def test_a_batch_without_its_mark_does_not_count(tmp_path: Path) -> None:
    staging = Staging(Store(str(tmp_path)), "e1")
    rows = tiny_edition.rows()
    staging.write_batch("one", {"kumo_books": rows["kumo_books"], "episodes": []})
    staging.write_batch("two", {"episodes": rows["episodes"]})
    (tmp_path / "staging/e1/done/two.json").unlink()
    assert staging.is_done("one")
    assert not staging.is_done("two")
    assert staging.done_keys() == ["one"]
    assert staging.read_batch("one", "kumo_books") == rows["kumo_books"]
    with pytest.raises(Damaged, match=r"done/two\.json is missing"):
        staging.read_batch("two", "episodes")


def test_plans_survive_the_round_trip(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    plan = tiny_edition.plan("e1", known=("e0",))
    for part in (plan.growth, plan.evaluation):
        staging = Staging(store, part.unit)
        assert staging.read_plan() is None
        staging.write_plan(part)
        assert staging.read_plan() == part
    assert staged_units(store) == ["e1", "e1@1"]


@pytest.mark.parametrize("values", [{}, {"settings": ["easy"]}])
def test_a_plan_of_another_version_is_named(tmp_path: Path, values: dict[str, Any]) -> None:
    staging = Staging(Store(str(tmp_path)), "e1")
    content = json.dumps({**values, "digest": content_id("plan", values)})
    staging.store.write_bytes("staging/e1/plan.json", content.encode())
    with pytest.raises(EditionConflict, match=r"staging/e1/plan\.json is not a plan"):
        staging.read_plan()


@pytest.mark.parametrize(
    ("spoilt", "told"),
    [
        (lambda text: "", "cut off or altered"),
        (lambda text: text[:-100], "cut off or altered"),
        (lambda text: "[]", "is no plan"),
        (lambda text: text.replace('"seed": 3', '"seed": 4'), "not the plan that was written"),
    ],
    ids=["empty", "cut off", "a list", "another seed"],
)
def test_a_damaged_plan_is_named_with_its_remedy(
    tmp_path: Path, spoilt: Callable[[str], str], told: str
) -> None:
    staging = Staging(Store(str(tmp_path)), "e1")
    staging.write_plan(tiny_edition.plan("e1").growth)
    plan = tmp_path / "staging/e1/plan.json"
    plan.write_text(spoilt(plan.read_text()))
    with pytest.raises(Damaged) as caught:
        staging.read_plan()
    assert str(caught.value).startswith(f"{plan} ")
    assert told in str(caught.value)
    assert "perennial editions --prune-staging e1" in str(caught.value)


def _cut(part: Path) -> None:
    part.write_bytes(part.read_bytes()[:100])


def _lengthen(part: Path) -> None:
    part.write_bytes(part.read_bytes() + b"x")


def _flip(part: Path) -> None:
    content = bytearray(part.read_bytes())
    content[len(content) // 2] ^= 1
    part.write_bytes(content)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (_cut, r"truncated: 100 of \d,\d{3} bytes"),
        (_lengthen, r"too long: \d,\d{3} of \d,\d{3} bytes"),
        (_flip, r"was altered: its \d,\d{3} bytes are not those written"),
        (Path.unlink, "is missing"),
    ],
)
def test_a_part_that_is_not_what_was_written_is_refused_and_named(
    tmp_path: Path, spoil: Callable[[Path], None], told: str
) -> None:
    staging = Staging(Store(str(tmp_path)), "e1")
    rows = tiny_edition.rows()
    staging.write_batch("key", {"kumo_books": rows["kumo_books"], "turns": rows["turns"]})
    part = tmp_path / "staging/e1/kumo_books/key.parquet"
    spoil(part)
    with pytest.raises(Damaged, match=told) as caught:
        staging.read_batch("key", "kumo_books")
    assert str(caught.value).startswith(f"{part} ")
    assert "perennial editions --prune-staging e1" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert staging.read_batch("key", "turns") == rows["turns"]


@pytest.mark.parametrize(
    "content", ["", '{"kumo_books": {"rows": 2, "si', "[]", '{"kumo_books": {"colour": 1}}']
)
def test_a_damaged_mark_is_named(tmp_path: Path, content: str) -> None:
    staging = Staging(Store(str(tmp_path)), "e1")
    staging.write_batch("key", {"kumo_books": tiny_edition.rows()["kumo_books"]})
    (tmp_path / "staging/e1/done/key.json").write_text(content)
    with pytest.raises(Damaged, match=r"staging/e1/done/key\.json cannot be read"):
        staging.counts("key")


@pytest.mark.parametrize("column", ["colour", "verdict"])
def test_a_row_with_other_columns_than_its_table_is_never_staged(tmp_path: Path, column: str) -> None:
    staging = Staging(Store(str(tmp_path)), "e")
    row: dict[str, Any] = tiny_edition.rows()["kumo_books"][0]
    if row.pop(column, None) is None:
        row[column] = "red"
    with pytest.raises(ValueError, match=f"a row of kumo_books differs in .'{column}'. from its columns"):
        staging.write_batch("key", {"kumo_books": [row]})
    assert not staging.is_done("key")
