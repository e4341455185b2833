"""Files are there whole or not at all; batches count when they are marked."""

import errno
import hashlib
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

from perennial.schemas.errors import Damaged, EditionConflict
from perennial.schemas.ids import content_id
from perennial.schemas.tables import TABLES
from perennial.warehouse.staging import StagedPart, Staging, staged_units
from perennial.warehouse.store.store import Store
from tests.warehouse import tiny_edition
from tests.warehouse.test_manifest import flip, lengthen


@pytest.fixture
def staging(tmp_path: Path) -> Staging:
    return Staging(Store(str(tmp_path)), "e1")


def _write_forever(root: str) -> None:
    number = 0
    while True:
        number += 1
        Store(root).write_bytes("table/file", (str(number % 10) * 3_000_000).encode())


@pytest.mark.slow
def test_a_killed_writer_leaves_the_file_whole(tmp_path: Path) -> None:
    for _ in range(2):
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


@pytest.mark.slow
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
    other = Staging(staging.store, "e2")
    other.write_plan(tiny_edition.plan("e2").growth)
    staging.remove()
    assert staging.read_plan() is None
    assert staged_units(staging.store) == ["e2"]
    other.remove()


def test_a_batch_without_its_mark_does_not_count(staging: Staging, tmp_path: Path) -> None:
    rows = tiny_edition.rows()
    staging.write_batch("one", {"kumo_books": rows["kumo_books"], "episodes": []})
    staging.write_batch("two", {"episodes": rows["episodes"]})
    (tmp_path / "staging/e1/done/two.json").unlink()
    assert staging.is_done("one")
    assert not staging.is_done("two")
    assert staging.done_keys() == ["one"]
    assert staging.read_batch("one", "kumo_books") == rows["kumo_books"]
    with pytest.raises(Damaged, match=r"done/two\.json is missing: "):
        staging.read_batch("two", "episodes")
    assert staged_units(staging.store) == []


def test_a_column_is_read_alone_and_is_empty_where_the_batch_has_no_such_rows(staging: Staging) -> None:
    turns = tiny_edition.rows()["turns"]
    assert staging.write_batch("key", {"turns": turns, "episodes": []}) == {"turns": len(turns)}
    assert staging.counts("key") == {"turns": len(turns)}
    assert staging.read_column("key", "turns", "reply") == [row["reply"] for row in turns]
    assert staging.read_column("key", "episodes", "reply") == staging.read_batch("key", "episodes") == []
    part = staging.parts("key")["turns"]
    assert staging.read_part("key", "turns", part, ["reply"]).column_names == ["reply"]
    assert staging.read_part("key", "turns", part).schema.equals(TABLES["turns"].arrow_schema())


def test_a_plan_that_must_be_there_is_asked_for(staging: Staging, tmp_path: Path) -> None:
    with pytest.raises(EditionConflict) as caught:
        staging.require_plan()
    assert str(caught.value) == (f"nothing is staged for edition 'e1' in {tmp_path}: run `perennial refresh`")
    plan = tiny_edition.plan("e1").growth
    staging.write_plan(plan)
    assert staging.require_plan() == plan


def test_files_on_their_way_lie_beside_what_is_staged_and_go(staging: Staging, tmp_path: Path) -> None:
    staging.write_plan(tiny_edition.plan("e1").growth)
    with staging.scratch_folder() as folder:
        (folder / "large").write_bytes(b"x")
        assert folder.parent == tmp_path / "staging" / "e1"
        assert folder.name.startswith("perennial-")
    assert not folder.exists()
    with Staging(Store("memory://perennial-test"), "e1").scratch_folder() as folder:
        assert folder.is_dir()


def test_a_full_disk_that_names_no_file_is_named(staging: Staging) -> None:
    staging.write_plan(tiny_edition.plan("e1").growth)
    seen = []
    for error in (
        OSError(errno.ENOSPC, "arrow"),
        OSError(errno.ENOSPC, "python", "its file"),
        OSError("no number"),
    ):
        with pytest.raises(OSError) as caught, staging.scratch_folder() as folder:
            raise error
        seen.append((caught.value.strerror, caught.value.filename, caught.value is error))
    named, *as_they_were = seen
    assert (named[0], Path(named[1]).parent, named[2]) == ("No space left on device", folder.parent, False)
    assert as_they_were == [("python", "its file", True), (None, None, True)]


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
def test_a_plan_of_another_version_is_named(staging: Staging, values: dict[str, Any]) -> None:
    content = json.dumps({**values, "digest": content_id("plan", values)})
    staging.store.write_bytes("staging/e1/plan.json", content.encode())
    with pytest.raises(EditionConflict, match=r"staging/e1/plan\.json is not a plan"):
        staging.read_plan()


@pytest.mark.parametrize(
    ("spoilt", "told"),
    [
        (lambda text: "", "cannot be read, as it was cut off or altered"),
        (lambda text: text[:-100], "cannot be read, as it was cut off or altered"),
        (lambda text: "[]", "is no plan"),
        (lambda text: "{}", "was altered: it is not the plan that was written"),
        (
            lambda text: text.replace('"seed": 3', '"seed": 4'),
            "was altered: it is not the plan that was written",
        ),
    ],
    ids=["empty", "cut off", "a list", "nothing", "another seed"],
)
def test_a_damaged_plan_is_named_with_its_remedy(
    staging: Staging, tmp_path: Path, spoilt: Callable[[str], str], told: str
) -> None:
    staging.write_plan(tiny_edition.plan("e1").growth)
    plan = tmp_path / "staging/e1/plan.json"
    plan.write_text(spoilt(plan.read_text()))
    with pytest.raises(Damaged) as caught:
        staging.read_plan()
    assert str(caught.value) == (
        f"{plan} {told}: remove what is staged with `perennial editions prune e1`, then give the "
        "same refresh again (model calls are in the ledger and are not paid for again)"
    )


def _cut(part: Path) -> None:
    part.write_bytes(part.read_bytes()[:100])


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (_cut, r" is truncated: 100 of \d,\d{3} bytes: remove"),
        (lengthen, r" is too long: \d,\d{3} of \d,\d{3} bytes: remove"),
        (flip, r" was altered: its \d,\d{3} bytes are not those written: remove"),
        (Path.unlink, " is missing: remove"),
    ],
)
def test_a_part_that_is_not_what_was_written_is_refused_and_named(
    staging: Staging, tmp_path: Path, spoil: Callable[[Path], None], told: str
) -> None:
    rows = tiny_edition.rows()
    staging.write_batch("key", {"kumo_books": rows["kumo_books"], "turns": rows["turns"]})
    part = tmp_path / "staging/e1/kumo_books/key.parquet"
    spoil(part)
    with pytest.raises(Damaged, match=told) as caught:
        staging.read_batch("key", "kumo_books")
    assert str(caught.value).startswith(f"{part} ")
    assert "perennial editions prune e1" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert staging.read_batch("key", "turns") == rows["turns"]


@pytest.mark.parametrize(
    "content", ["", '{"kumo_books": {"rows": 2, "si', "[]", '{"kumo_books": {"colour": 1}}']
)
def test_a_damaged_mark_is_named(staging: Staging, tmp_path: Path, content: str) -> None:
    staging.write_batch("key", {"kumo_books": tiny_edition.rows()["kumo_books"]})
    (tmp_path / "staging/e1/done/key.json").write_text(content)
    told = r"staging/e1/done/key\.json cannot be read, as it was cut off or altered: remove"
    with pytest.raises(Damaged, match=told):
        staging.counts("key")


@pytest.mark.parametrize("more", [-1, 1])
def test_a_mark_that_counts_other_rows_than_its_part_has_is_refused(
    staging: Staging, tmp_path: Path, more: int
) -> None:
    """The part is whole by size and digest, and the mark's number of rows is not its own."""
    rows = tiny_edition.rows()["turns"]
    staging.write_batch("a", {"turns": rows})
    (mark,) = tmp_path.rglob("done/a.json")
    kept = json.loads(mark.read_bytes())
    kept["turns"]["rows"] += more
    mark.write_text(json.dumps(kept))
    told = rf"turns/a\.parquet holds {len(rows)} of {len(rows) + more} rows: remove what is staged"
    with pytest.raises(Damaged, match=told):
        staging.read_batch("a", "turns")
    with pytest.raises(Damaged, match=told):
        staging.read_column("a", "turns", "reply")


def test_a_part_that_was_written_as_no_table_is_named(staging: Staging, tmp_path: Path) -> None:
    """Its size and digest are those of the mark."""
    staging.write_batch("a", {"turns": tiny_edition.rows()["turns"]})
    part, content = tmp_path / "staging/e1/turns/a.parquet", b"no table"
    part.write_bytes(content)
    damaged = StagedPart(1, len(content), hashlib.sha256(content).hexdigest())
    with pytest.raises(Damaged) as caught:
        staging.read_part("a", "turns", damaged)
    message = str(caught.value)
    assert message.startswith(f"{part} cannot be read (")
    assert "Parquet" in message
    assert "\n" not in message


@pytest.mark.parametrize("column", ["colour", "verdict"])
def test_a_row_with_other_columns_than_its_table_is_never_staged(tmp_path: Path, column: str) -> None:
    staging = Staging(Store(str(tmp_path)), "e")
    row: dict[str, Any] = tiny_edition.rows()["kumo_books"][0]
    if row.pop(column, None) is None:
        row[column] = "red"
    with pytest.raises(ValueError, match=f"a row of kumo_books differs in .'{column}'. from its columns"):
        staging.write_batch("key", {"kumo_books": [row]})
    assert not staging.is_done("key")
