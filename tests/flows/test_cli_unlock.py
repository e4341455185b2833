"""`perennial unlock`: it explains before it acts, and never takes the lock of a process that lives here."""

import json
import os
import pty
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from perennial.warehouse.lock import lock_root
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run, perennial
from tests.flows.prefect_harness import clean_environment
from tests.warehouse.lock_holding import holding, replace_values

LOCK = "lock.json"


@pytest.fixture
def unlock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`perennial unlock` in this process, without a terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    return lambda root, *options: perennial(monkeypatch, capsys, "unlock", "--root", root, *options)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A root that a process of another machine holds."""
    store = Store(str(tmp_path / "data"))
    with lock_root(store, "refresh e1"):
        record: dict[str, Any] = json.loads(store.read_bytes(LOCK))
    now = datetime.now(UTC).isoformat()
    record = replace_values(
        record, owner_host="elsewhere", owner_boot_id="another", owner_user="ann", beat=now
    )
    store.write_bytes(LOCK, json.dumps(record).encode())
    return tmp_path / "data"


def test_without_a_lock_it_says_so(tmp_path: Path, unlock: Run) -> None:
    done = unlock(tmp_path, "--yes")
    assert (done.code, done.err) == (0, "")
    assert "no lock: nobody is writing to" in done.out


@pytest.mark.slow
def test_the_lock_of_a_living_process_stays_unless_forced(tmp_path: Path, unlock: Run) -> None:
    root = tmp_path / "data"
    with holding(str(root), "refresh kumo-2026-11-20") as holder:
        done = unlock(root, "--yes")
        assert done.code == 9
        for line in ("what:      refresh kumo-2026-11-20", f"process:   {holder.process.pid}"):
            assert line in done.out
        assert "lives:     yes, that process runs on this machine" in done.out
        assert "(this machine)" in done.out
        assert "pay for the same model calls again" in done.out
        assert done.err.count("\n") == 1
        assert f"kill {holder.process.pid}" in done.err
        assert (root / LOCK).exists()
        forced = unlock(root, "--yes", "--force")
        assert forced.code == 0, forced.err
        assert "removed" in forced.out
        # Another one writes now, and the first takes nothing of that back.
        with holding(str(root), "refresh e2") as second:
            holder.go()
            assert holder.line() == "released"
            assert json.loads((root / LOCK).read_bytes())["owner"]["pid"] == second.process.pid


def test_the_lock_of_a_process_that_is_gone_is_removed(tmp_path: Path, unlock: Run) -> None:
    root = tmp_path / "data"
    with holding(str(root)):
        pass
    done = unlock(root, "--yes")
    assert done.code == 0, done.err
    assert "lives:     no, that process is gone" in done.out
    assert "The next writer takes this lock over by itself" in done.out
    assert not (root / LOCK).exists()


def test_another_machines_lock_needs_a_yes(elsewhere: Path, unlock: Run) -> None:
    done = unlock(elsewhere)
    assert done.code == 9
    assert "stays locked: give --yes" in done.err
    assert "host:      elsewhere\n" in done.out
    assert "lives:     unknown from this machine" in done.out
    assert (elsewhere / LOCK).exists()
    assert unlock(elsewhere, "--yes").code == 0
    assert not (elsewhere / LOCK).exists()


def test_a_lock_that_cannot_be_read_is_told_and_removed(tmp_path: Path, unlock: Run) -> None:
    (tmp_path / LOCK).write_bytes(b"{")
    done = unlock(tmp_path, "--yes")
    assert done.code == 0, done.err
    assert "cannot be read" in done.out
    assert not (tmp_path / LOCK).exists()


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "code"), [("n\n", 9), ("y\n", 0)])
def test_on_a_terminal_it_asks(elsewhere: Path, answer: str, code: int) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "perennial.flows.cli.app", "unlock", "--root", str(elsewhere)],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=clean_environment(),
        text=True,
    )
    os.close(theirs)
    os.write(ours, answer.encode())
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == code, out
    assert "Remove the lock of" in out
    assert (elsewhere / LOCK).exists() is (code == 9)
