"""The ledger when a process is killed, when two processes share it, and when the disk refuses."""

import asyncio
import json
import multiprocessing
import os
import resource
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from perennial.schemas.errors import UnreadableInput
from perennial.warehouse.ledger.ledger import CallLedger
from perennial.warehouse.ledger.reading import CallFilter, LedgerReader
from tests.warehouse.test_ledger import keep, reply, request

SPAWN = multiprocessing.get_context("spawn")


def _store_forever(path: str, log: str, first: int) -> None:
    """Store calls on 16 tasks and note the id of each once `store` has returned."""
    numbers = iter(range(first, first + 10**9))

    async def worker(ledger: CallLedger, noted: int) -> None:
        for number in numbers:
            asked = request(f"call {number}")
            await ledger.store(asked, reply(asked, f"answer {number}"))
            os.write(noted, f"{asked.call_id} {number}\n".encode())

    async def workers(ledger: CallLedger, noted: int) -> None:
        await asyncio.gather(*(worker(ledger, noted) for _ in range(16)))

    with CallLedger(Path(path), "e1", "http://localhost/v1") as ledger:
        asyncio.run(workers(ledger, os.open(log, os.O_CREAT | os.O_WRONLY | os.O_APPEND)))


@pytest.mark.slow
def test_whatever_store_has_returned_for_outlives_kill_9(tmp_path: Path) -> None:
    path, log = tmp_path / "l.sqlite", tmp_path / "log"
    log.touch()
    for life in range(2):
        before = log.stat().st_size
        process = SPAWN.Process(target=_store_forever, args=(str(path), str(log), life * 10**6))
        process.start()
        while log.stat().st_size < before + 20_000 * (life + 1):
            assert process.is_alive()
            time.sleep(0.002)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        with CallLedger(path, "e1", "http://localhost/v1") as ledger:
            for line in log.read_text().splitlines():
                call_id, number = line.split()
                found = ledger.find(call_id)
                assert found is not None
                assert found.content == f"answer {number}"
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def _fill_a_small_disk(path: str, out: str) -> None:
    """Store until a write fails, as on a full disk, then make room and store again."""
    told = ""
    with CallLedger(Path(path), "e1", "http://localhost/v1") as ledger:
        kept = []
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
        for number in range(1000):
            asked = request(f"{number} " * 1000)
            try:
                keep(ledger, (asked, reply(asked)))
            except UnreadableInput as error:
                told = str(error)
                break
            kept.append(asked.call_id)
        found = [ledger.find(call_id) is not None for call_id in kept]
        lost = ledger.find(asked.call_id)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        keep(ledger, (asked, reply(asked)))
        again = ledger.find(asked.call_id)
    Path(out).write_text(json.dumps([told, all(found), len(found), lost is None, again is not None]))


@pytest.mark.slow
def test_a_disk_that_takes_no_more_is_told_and_can_be_gone_on_with(tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = SPAWN.Process(target=_fill_a_small_disk, args=(str(tmp_path / "l.sqlite"), str(out)))
    process.start()
    process.join()
    told, all_found, kept, lost, again = json.loads(out.read_text())
    assert "l.sqlite: " in told
    assert "disk" in told
    assert "\n" not in told
    assert (all_found, lost, again) == (True, True, True)
    assert kept > 5


@pytest.fixture
def read_only(tmp_path: Path) -> Path:
    """A folder with a ledger of one call at rest, which this user may read and not write."""
    if os.geteuid() == 0:
        pytest.skip("root writes wherever it likes")
    folder = tmp_path / "root"
    with CallLedger(folder / "ledger.sqlite", "e1", "http://localhost/v1") as ledger:
        asked = request()
        keep(ledger, (asked, reply(asked)))
    (folder / "ledger.sqlite").chmod(0o444)
    folder.chmod(0o555)
    return folder


def test_a_read_only_folder_is_told_and_can_be_read(read_only: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"ledger\.sqlite: cannot be opened or written"):
        CallLedger(read_only / "ledger.sqlite", "e1", "http://localhost/v1")
    with pytest.raises(UnreadableInput, match=r"cannot be"):
        CallLedger(read_only / "new" / "ledger.sqlite", "e1", "http://localhost/v1")
    with LedgerReader(read_only / "ledger.sqlite") as reader:
        assert reader.totals(CallFilter()).calls == 1
