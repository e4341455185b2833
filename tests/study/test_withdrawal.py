"""Withdrawal while others read the ledger, after a kill, beside copies: gone from every file, or pending."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import astuple
from pathlib import Path

import pytest

from perennial.flows.doctor.root import Status, root_looks
from perennial.flows.study.upkeep import keep_up
from perennial.schemas.errors import InvalidOption
from perennial.warehouse.study import schema as erasure
from perennial.warehouse.study.ledger import StudyEvent, StudyLedger
from perennial.warehouse.study.schema import erase_withdrawn, find_pending
from perennial.warehouse.study.search import search
from tests.conftest import REPOSITORY
from tests.flows.hand_made_root import perennial
from tests.study.on_disk import is_on_disk
from tests.study.study_root import Lab

_READER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN")
connection.execute("SELECT count(*) FROM events").fetchall()
print("reading", flush=True)
sys.stdin.read()
"""
_KILLED = """
import json, os, signal, sys
from pathlib import Path
from perennial.warehouse.study import ledger
from perennial.warehouse.study.ledger import Clocks
ledger.erase_withdrawn = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
boot_id, since_boot, date = json.loads(sys.argv[2])
opened = ledger.StudyLedger(Path(sys.argv[1]), clocks=lambda: Clocks(boot_id, since_boot, date))
opened.withdraw(0)
opened.erase()
"""


@pytest.fixture
def lab(small_lab: Lab) -> Lab:
    """The small study."""
    return small_lab


@pytest.fixture(autouse=True)
def _short_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasure, "_ATTEMPT_S", 0.05)
    monkeypatch.setattr("perennial.flows.study.desk._ERASE_S", 0.0)
    monkeypatch.setattr("perennial.flows.cli.people._ERASE_S", 0.0)


@pytest.fixture
def path(lab: Lab) -> Path:
    """The ledger of a study in which two have a profile and a move of their own."""
    desk = lab.desk()
    for number in (0, 1):
        lab.begin(desk, lab.codes[number])
        desk.start(lab.codes[number], "1")
    desk.close()
    path = lab.ledger_file
    with closing(sqlite3.connect(path)) as connection, connection:
        # What is this person's alone, to be searched for.
        connection.execute(
            "UPDATE events SET value = value || ' mark of ' || (SELECT number FROM participants WHERE key = "
            "participant) WHERE kind IN ('profile', 'move')"
        )
    return path


def _is_on_disk(path: Path, number: int) -> bool:
    return is_on_disk(path.parent, f" mark of {number}")


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Let another process read the ledger, as it is now, during the block."""
    command = [sys.executable, "-I", "-S", "-c", _READER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "reading\n"
        yield
        reader.communicate()


@pytest.mark.slow
def test_with_a_reader_it_is_pending_and_done_once_that_has_gone(lab: Lab, path: Path) -> None:
    desk = lab.desk()
    with _reading(path):
        screen = desk.withdraw(lab.codes[0])
        assert "pending until no other program reads" in screen.texts["closed"]
        assert "has been deleted" not in screen.texts["closed"]
        with pytest.raises(InvalidOption, match="pending until no other program reads"):
            desk.screen(lab.codes[0])
        assert _is_on_disk(path, 0)
        pending = find_pending(path)
        assert pending is not None
        assert (pending.participants, str(path) in pending.until) == ((0,), True)
        # Whoever opens it now finds it pending, too.
        again = lab.desk()
        assert _is_on_disk(path, 0)
        assert erase_withdrawn(path) is not None
    assert erase_withdrawn(path) is None
    assert not _is_on_disk(path, 0)
    assert _is_on_disk(path, 1)
    assert find_pending(path) is None
    with pytest.raises(InvalidOption, match="has been deleted"):
        again.screen(lab.codes[0])
    assert again.screen(lab.codes[1]).view is not None


def test_nobody_waits_for_a_deletion_that_is_pending(
    lab: Lab, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "_ATTEMPT_S", 3600.0)
    desk, tried = lab.desk(), threading.Event()
    empty = erasure._is_log_emptied

    def note(connection: sqlite3.Connection) -> bool:
        done = empty(connection)
        tried.set()
        return done

    monkeypatch.setattr(erasure, "_is_log_emptied", note)
    withdrawal = threading.Thread(target=desk.withdraw, args=(lab.codes[0],))
    with _reading(path):
        withdrawal.start()
        assert tried.wait(60)
        # It goes on trying for an hour; meanwhile the same desk plays with another one.
        name = lab.board(desk, lab.codes[1], "1").instance.actions[0]
        assert desk.move(lab.codes[1], "1", 1, name).notice == ""
        assert desk.screen(lab.codes[1]).view is not None
        assert withdrawal.is_alive()
    withdrawal.join(60)
    assert not withdrawal.is_alive()
    assert not _is_on_disk(path, 0)


@pytest.mark.slow
def test_after_a_kill_the_next_start_finishes_it(lab: Lab, path: Path) -> None:
    command = [sys.executable, "-c", _KILLED, str(path), json.dumps(astuple(lab.clock()))]
    killed = subprocess.run(command, cwd=REPOSITORY, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert _is_on_disk(path, 0)
    pending = find_pending(path)
    assert pending is not None
    assert pending.participants == (0,)
    desk = lab.desk()
    assert not _is_on_disk(path, 0)
    assert find_pending(path) is None
    with pytest.raises(InvalidOption, match="has been deleted"):
        desk.screen(lab.codes[0])
    assert desk.screen(lab.codes[1]).view is not None


def test_a_copy_beside_the_ledger_keeps_it_pending_by_name(lab: Lab, path: Path) -> None:
    copy = path.parent / "backups" / "copy.sqlite"
    copy.parent.mkdir()
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    lab.desk().withdraw(lab.codes[0])
    for pending in (find_pending(path), erase_withdrawn(path)):
        assert pending is not None
        assert pending.until == f"you delete {copy}"
    copy.unlink()
    assert erase_withdrawn(path) is None
    assert find_pending(path) is None


@pytest.mark.slow
def test_status_withdraw_and_doctor_say_that_it_is_pending(
    lab: Lab, path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def study(*arguments: str | Path) -> tuple[int, str, str]:
        shown = perennial(monkeypatch, capsys, "study", *arguments, "--root", str(lab.root))
        return shown.code, shown.out, shown.err

    def looked() -> list[tuple[Status, str]]:
        checks = [look.run() for look in root_looks(lab.store) if look.name == "study weather"]
        return [(check.status, check.seen) for check in checks]

    assert looked() == [(Status.ok, "nobody's withdrawal is pending")]
    with _reading(path):
        code, out, err = study("withdraw", lab.file, lab.codes[0], "--yes", "--json")
        assert code == 1
        assert json.loads(out)["pending"] == f"no other process reads {path}"
        assert f"pending until no other process reads {path}" in err
        assert "are deleted" not in err
        code, out, err = study("status", lab.file, "--json")
        assert [row["state"] for row in json.loads(out)][:2] == ["withdrawn, deletion pending", "playing"]
        assert (code, "pending until" in err) == (0, True)
        ((status, seen),) = looked()
        assert (status, "pending until" in seen) == (Status.warning, True)
    code, out, err = study("status", lab.file, "--json")
    assert [row["state"] for row in json.loads(out)][:2] == ["withdrawn", "playing"]
    assert "pending" not in err
    assert looked() == [(Status.ok, "nobody's withdrawal is pending")]
    assert not _is_on_disk(path, 0)
    code, out, err = study("withdraw", lab.file, lab.codes[1], "--yes", "--json")
    assert (code, json.loads(out)["pending"], "are deleted" in err) == (0, None, True)
    assert not _is_on_disk(path, 1)


@pytest.mark.slow
def test_a_running_page_finishes_it_by_itself(lab: Lab, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perennial.flows.study.upkeep._EVERY_S", 0.02)
    with keep_up(path):
        with _reading(path):
            lab.desk().withdraw(lab.codes[0])
            assert _is_on_disk(path, 0)
        done = threading.Event()
        for _ in range(3_000):
            if find_pending(path) is None:
                break
            done.wait(0.02)
        assert find_pending(path) is None
    assert not _is_on_disk(path, 0)


def test_a_page_that_runs_stores_the_time(lab: Lab, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noted = threading.Event()
    monkeypatch.setattr("perennial.flows.study.upkeep._EVERY_S", 0.001)
    monkeypatch.setattr(StudyLedger, "note_time", lambda _: noted.set())
    with keep_up(path):
        assert noted.wait(60)


@pytest.mark.slow
def test_rows_that_sqlite_rearranged_are_gone_too(tmp_path: Path) -> None:
    """With `secure_delete` alone, some of these withdrawals leave rows in the ledger's unused space."""
    ledger = StudyLedger(tmp_path / "ledger.sqlite", create=True)
    for number in range(12):
        ledger.add_participant(number, f"p{number}", f"hash of {number}.")
    with ledger.writing():
        for turn in range(1, 60):
            for number in range(12):
                text = f" mark of {number}." * (1 + (turn * 7 + number * 3) % 40)
                ledger.add_event(number, StudyEvent("move", str(turn % 5), turn, text, float(turn)))
    for number in range(11):
        ledger.withdraw(number)
        assert ledger.erase() is None
        assert not is_on_disk(tmp_path, f"mark of {number}.")
        assert not is_on_disk(tmp_path, f"hash of {number}.")
    assert len(ledger.events(11)) == 59


def test_nothing_is_kept_of_somebody_who_withdrew_in_another_tab(lab: Lab, path: Path) -> None:
    desk = lab.desk()
    lab.desk().withdraw(lab.codes[2])
    with pytest.raises(InvalidOption, match="withdrawn"):
        desk.consent(lab.codes[2], True)
    with pytest.raises(InvalidOption, match="withdrawn"):
        desk.start(lab.codes[2], "tutorial")
    with closing(sqlite3.connect(path)) as connection:
        known = "SELECT key FROM participants WHERE key IS NOT NULL"
        left = connection.execute(f"SELECT count(*) FROM events WHERE participant NOT IN ({known})")
        assert left.fetchall() == [(0,)]


def test_a_search_finds_bytes_over_the_edge_of_a_block_and_counts_what_it_cannot_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * ((1 << 20) - 3) + b"12345678" + b"y" * 10)
    (tmp_path / "b").write_bytes(b"1234567")
    os.mkfifo(tmp_path / "pipe")
    assert search(str(tmp_path), [b"12345678", b"87654321"]) == [[str(tmp_path / "a")], []]
