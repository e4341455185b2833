"""One writer a data root: who is refused, what is taken over, and what a crash leaves behind."""

import getpass
import json
import os
import re
import shutil
import signal
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from perennial.schemas.errors import Damaged, RootLocked
from perennial.warehouse import lock as root_lock
from perennial.warehouse.lock import Life, find_lock, lock_root, refuse_locked, remove_lock, sole_writer
from perennial.warehouse.store.store import Store
from tests.flows.prefect_harness import wait_until
from tests.warehouse.lock_holding import Holder, holding, leave_lock, record
from tests.warehouse.s3_server import S3, s3

__all__ = ["record", "s3"]
LOCK = "lock.json"


@pytest.fixture(params=["local", "s3"])
def root(request: pytest.FixtureRequest, tmp_path: Path, s3: S3) -> str:
    """An empty data root, on the disk and on S3."""
    return str(tmp_path / "data") if request.param == "local" else s3.new_root()


@pytest.mark.slow
def test_a_second_writer_is_told_who_writes_and_what_to_do(root: str) -> None:
    store = Store(root)
    with holding(root, "refresh kumo-2026-11-20") as holder:
        with pytest.raises(RootLocked) as refused, lock_root(store, "import kumo"):
            pass
        with pytest.raises(RootLocked, match=re.escape(str(refused.value)[:60])):
            refuse_locked(store)
        told = str(refused.value)
        who = f"{getpass.getuser()}@{socket.gethostname()}, process {holder.process.pid}"
        assert f"{root} is being written to by {who}: refresh kumo-2026-11-20, since 20" in told
        assert re.search(r"UTC \(\d+ s ago\), last beat \d+ s ago: wait .* `perennial unlock --root ", told)
        assert "\n" not in told
        assert refused.value.exit_code == 9
        holder.go()
        assert holder.line() == "released"
    refuse_locked(store)
    with lock_root(store, "import kumo"):
        assert json.loads(store.read_bytes(LOCK))["what"] == "import kumo"
    assert not store.exists(LOCK)


@pytest.mark.slow
def test_the_lock_of_a_killed_process_is_taken_over_with_a_note(root: str) -> None:
    with holding(root) as holder:
        os.kill(holder.process.pid, signal.SIGKILL)
        # Nobody has waited for it: the system still lists it.
        stat = Path(f"/proc/{holder.process.pid}/stat")
        wait_until(lambda: stat.read_text().rsplit(")", 1)[1].split()[0] == "Z")
        store = Store(root)
        assert store.exists(LOCK)
        # Its other threads, and what they hold open, may end a moment later.
        wait_until(lambda: _may_write(store))
        notes: list[str] = []
        with lock_root(store, "refresh e1", notes.append):
            assert json.loads(store.read_bytes(LOCK))["owner"]["pid"] == os.getpid()
        (note,) = notes
        assert f"process {holder.process.pid}: refresh e1" in note
        assert not store.exists(LOCK)


def _may_write(store: Store) -> bool:
    try:
        refuse_locked(store)
    except RootLocked:
        return False
    return True


@pytest.mark.slow
def test_of_several_takers_at_once_exactly_one_gets_it(root: str) -> None:
    with holding(root):
        pass
    assert Store(root).exists(LOCK)
    takers = [Holder(root, f"taker {number}") for number in range(3)]
    try:
        for taker in takers:
            taker.go()
        lines = [taker.line() for taker in takers]
        noted = [
            taker for taker, line in zip(takers, lines, strict=True) if line.startswith("note: took over")
        ]
        assert len(noted) == 1, lines
        assert sorted(line.split()[0] for line in lines) == ["RootLocked"] * 2 + ["note:"]
        assert noted[0].line() == "held"
        assert json.loads(Store(root).read_bytes(LOCK))["owner"]["pid"] == noted[0].process.pid
    finally:
        for taker in takers:
            taker.kill()


@pytest.mark.parametrize("minutes", [59, 61, 3 * 24 * 60])
@pytest.mark.slow
def test_a_lock_of_another_machine_stays_but_on_s3_only_an_hour_after_its_last_beat(
    root: str, record: dict[str, Any], minutes: int
) -> None:
    before = (datetime.now(UTC) - timedelta(minutes=minutes)).isoformat()
    store = leave_lock(
        root, record, owner_host="elsewhere", owner_boot_id="another", since=before, beat=before
    )
    if root.startswith("s3:") and minutes > 60:
        with lock_root(store, "x"):
            assert json.loads(store.read_bytes(LOCK))["what"] == "x"
        return
    left = store.read_bytes(LOCK)
    told = r"@elsewhere.*\((\d+) (min|d) ago\), last beat \1 \2 ago"
    with pytest.raises(RootLocked, match=told), lock_root(store, "x"):
        pass
    assert store.read_bytes(LOCK) == left


@pytest.mark.slow
def test_locking_twice_in_a_process_is_a_bug(root: str) -> None:
    store = Store(root)
    with (
        lock_root(store, "refresh e1"),
        pytest.raises(RuntimeError, match="by this process already, for refresh e1"),
        lock_root(Store(f"{root}/"), "import kumo"),
    ):
        pass
    with lock_root(store, "refresh e1"):
        pass


def test_a_failing_block_releases_the_lock(root: str) -> None:
    store = Store(root)
    with pytest.raises(ValueError, match="within"), lock_root(store, "refresh e1"):
        raise ValueError("within")
    assert not store.exists(LOCK)


def test_a_holder_that_lost_the_lock_notices_and_leaves_the_other_alone(
    root: str, record: dict[str, Any]
) -> None:
    store = Store(root)
    notes: list[str] = []
    with lock_root(store, "refresh e1", notes.append) as lock:
        lock.require_held()
        leave_lock(root, record, owner_host="elsewhere", token="another", what="refresh e2")
        theirs = store.read_bytes(LOCK)
        lock.renew()
        assert "was taken from this refresh e1" in notes[0]
        with pytest.raises(RootLocked, match=r"taken from this refresh e1.*@elsewhere.*refresh e2"):
            lock.require_held()
        with pytest.raises(RootLocked), sole_writer(store, "publish e1"):
            pass
    assert store.read_bytes(LOCK) == theirs


@pytest.mark.slow
def test_a_holder_does_not_renew_a_lock_that_was_removed(root: str) -> None:
    store = Store(root)
    with lock_root(store, "refresh e1") as lock:
        found = find_lock(store)
        assert found is not None
        assert found.life is Life.alive
        assert remove_lock(store, found, by_force=True)
        lock.renew()
        assert not store.exists(LOCK)
        with holding(root, "refresh e2"), pytest.raises(RootLocked, match="taken from this refresh e1"):
            lock.require_held()


def test_the_beat_goes_on_while_the_block_runs(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(root_lock, "BEAT_S", 0.05)
    store = Store(root)

    def beat() -> str:
        return str(json.loads(store.read_bytes(LOCK))["beat"])

    with lock_root(store, "refresh e1"):
        first = beat()
        since = json.loads(store.read_bytes(LOCK))["since"]
        wait_until(lambda: beat() > first)
        assert json.loads(store.read_bytes(LOCK))["since"] == since
    assert not store.exists(LOCK)


def test_one_look_changes_nothing(tmp_path: Path) -> None:
    refuse_locked(Store(str(tmp_path / "data")))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("is_made_again", [False, True])
def test_a_root_that_goes_during_the_block_is_named_whatever_failed(
    tmp_path: Path, is_made_again: bool
) -> None:
    store = Store(str(tmp_path / "root"))

    def write() -> None:
        with lock_root(store, "x"):
            shutil.rmtree(store.root)
            if is_made_again:
                store.write_bytes("staging/e/plan.json", b"{}")
            raise ValueError("of whoever wrote there")

    with pytest.raises(Damaged, match=f"{tmp_path}/root was removed, or its disk taken"):
        write()


@pytest.mark.parametrize(("path", "kind"), [("file/data", NotADirectoryError), ("/proc/x", PermissionError)])
def test_a_root_that_cannot_be_written_to_is_named(tmp_path: Path, path: str, kind: type[OSError]) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(kind, match=path), lock_root(Store(str(tmp_path / path)), "refresh e1"):
        pass
    assert not root_lock._held


@pytest.fixture(autouse=True)
def _nothing_held() -> Iterator[None]:
    yield
    assert not root_lock._held
