"""Where the ledger's file is, what is kept out of it, and the error for a file that is no ledger."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from perennial.schemas.errors import Damaged, UnreadableInput
from perennial.schemas.model_calls import StoredBatch
from perennial.warehouse.ledger.ledger import CallLedger, without_credentials
from perennial.warehouse.ledger.reading import check_ledger
from perennial.warehouse.ledger.schema import ledger_file, open_for_reading
from perennial.warehouse.study.schema import find_pending
from tests.warehouse.test_ledger import keep, reply, request


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://user:secret@host:8443/v1", "https://host:8443/v1"),
        ("https://secret@host/v1?key=secret#secret", "https://host/v1"),
        ("HTTPS://user:secret@host/v1", "HTTPS://host/v1"),
        ("https://host/v1#key=secret", "https://host/v1"),
        ("https://host/v1#/?key=secret", "https://host/v1"),
        ("https://host/v1?key=secret", "https://host/v1"),
        ("user:secret@host/v1", "host/v1"),
        ("https://a:secret@b@host/v1", "https://host/v1"),
        ("http://[::1]:11434/v1", "http://[::1]:11434/v1"),
        ("http://localhost:8000/v1/@x", "http://localhost:8000/v1/@x"),
    ],
)
def test_an_endpoint_is_kept_without_credentials(tmp_path: Path, url: str, kept: str) -> None:
    assert without_credentials(url) == kept
    with CallLedger(tmp_path / "l.sqlite", "e1", url) as ledger:
        asked = request()
        keep(ledger, (asked, reply(asked)))
        assert ledger.rows([asked.call_id])["calls"][0]["endpoint"] == kept
    assert all(b"secret" not in file.read_bytes() for file in tmp_path.iterdir())


def test_a_model_that_is_asked_elsewhere_has_its_endpoint(tmp_path: Path) -> None:
    elsewhere = {"m": "http://user:secret@other/v1"}
    with CallLedger(tmp_path / "l.sqlite", "e1", "http://host/v1", endpoints=elsewhere) as ledger:
        asked = request()
        keep(ledger, (asked, reply(asked)))
        assert ledger.rows([asked.call_id])["calls"][0]["endpoint"] == "http://other/v1"


def test_a_ledger_belongs_to_the_first_root_that_it_is_opened_for(tmp_path: Path) -> None:
    path, url = tmp_path / "l.sqlite", "http://localhost/v1"
    CallLedger(path, "e1", url).close()
    assert check_ledger(path).root_id is None
    for root_id in ("first", "second"):
        CallLedger(path, "e1", url, root_id).close()
        assert check_ledger(path).root_id == "first"


def test_a_root_has_its_ledger_in_it_and_a_remote_root_has_one_here(tmp_path: Path) -> None:
    assert ledger_file(str(tmp_path)) == ledger_file(f"file://{tmp_path}") == tmp_path / "ledger.sqlite"
    remote = ledger_file("s3://bucket/root")
    assert remote == ledger_file("s3://bucket/root/") != ledger_file("s3://bucket/other")
    assert ledger_file("s3://bucket/X") != ledger_file("s3://bucket/")
    # It is found again by later versions.
    assert remote == Path("warehouse/data/ledgers/root_bc5997b59ad2e18ec5d413a9c653240d.sqlite")


def _other_program(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE notes (text)")


def _newer_version(path: Path) -> None:
    CallLedger(path, "e1", "http://localhost/v1").close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda path: path.write_bytes(b"no database " * 500), "not a SQLite database, .* or move it away"),
        (_other_program, "another program's SQLite database, .*; move it away"),
        (_newer_version, "a ledger of version 99, .*; use the perennial that wrote it"),
        (lambda path: path.mkdir(), "cannot be opened"),
    ],
)
def test_a_file_that_is_no_ledger_is_named_and_left_alone(tmp_path: Path, spoil: Any, told: str) -> None:
    path = tmp_path / "l.sqlite"
    spoil(path)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises((UnreadableInput, Damaged), match=f"l.sqlite: {told}") as caught:
        CallLedger(path, "e1", "http://localhost/v1")
    assert "\n" not in str(caught.value)
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_an_empty_file_is_named_by_who_only_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    path.touch()
    for read, told in ((open_for_reading, "an empty file"), (find_pending, "no study in it")):
        with pytest.raises(UnreadableInput, match=f"l.sqlite: .*{told}"):
            read(path)
    assert [(file.name, file.stat().st_size) for file in tmp_path.iterdir()] == [("l.sqlite", 0)]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnreadableInput, match=r"file/root: cannot be made"):
        CallLedger(tmp_path / "file" / "root" / "l.sqlite", "e1", "http://localhost/v1")


USES: dict[str, Callable[[CallLedger, StoredBatch, str], Any]] = {
    "find": lambda ledger, _, call: ledger.find(call),
    "rows": lambda ledger, _, call: ledger.rows([call]),
    "last attempt": lambda ledger, _, call: ledger.find_last_attempt(call),
    "find batch": lambda ledger, _, call: ledger.find_batch("m", call),
    "begin batch": lambda ledger, _, call: ledger.begin_batch("m", "digest", "file", {call: None}),
    "calls of batch": lambda ledger, batch, _: ledger.calls_of_batch(batch),
    "keep batch id": lambda ledger, batch, _: ledger.keep_batch_id(batch, "id"),
    "forget batch": lambda ledger, batch, _: ledger.forget_batch(batch, was_made=False),
    "spending": lambda ledger, *_: ledger.sum_spending(),
}


@pytest.mark.parametrize("use", USES)
def test_whatever_meets_a_ledger_that_lost_its_tables_names_it(tmp_path: Path, use: str) -> None:
    path, asked = tmp_path / "l.sqlite", request()
    with CallLedger(path, "e1", "http://localhost/v1") as ledger:
        keep(ledger, (asked, reply(asked)))
        batch = ledger.begin_batch("m", "digest", "file", {asked.call_id: None})
        with closing(sqlite3.connect(path)) as other:
            for (table,) in other.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                if not table.startswith("sqlite_"):
                    other.execute(f'DROP TABLE "{table}"')
        with pytest.raises(UnreadableInput) as caught:
            USES[use](ledger, batch, asked.call_id)
    assert str(caught.value).startswith(f"{path}: ")
    assert "no such table" in str(caught.value)
