"""Where the ledger's file is, what is kept out of it, and the error for a file that is no ledger."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import Damaged, UnreadableInput
from tests.warehouse.test_ledger import keep, reply, request
from warehouse.ledger.ledger import CallLedger, ledger_file, without_credentials


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://user:secret@host:8443/v1", "https://host:8443/v1"),
        ("https://secret@host/v1?key=secret#secret", "https://host/v1"),
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


def test_a_root_has_its_ledger_in_it_and_a_remote_root_has_one_here(tmp_path: Path) -> None:
    assert ledger_file(str(tmp_path)) == ledger_file(f"file://{tmp_path}") == tmp_path / "ledger.sqlite"
    remote = ledger_file("s3://bucket/root")
    assert remote == ledger_file("s3://bucket/root/") != ledger_file("s3://bucket/other")
    assert remote.parent == Path("warehouse/data/ledgers")


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
        (
            lambda path: path.write_bytes(b"no database " * 500),
            "not a SQLite database, .* or move it away",
        ),
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


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnreadableInput, match=r"file/root: cannot be made"):
        CallLedger(tmp_path / "file" / "root" / "l.sqlite", "e1", "http://localhost/v1")
