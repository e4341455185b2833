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
from typing import Any

import pytest

from schemas.calls import ModelRequest, Reply
from schemas.errors import UnreadableInput
from tests.warehouse.test_ledger import keep, reply, request
from warehouse.ledger.ledger import CallLedger
from warehouse.ledger.reading import CallFilter, LedgerReader

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


def test_whatever_store_has_returned_for_outlives_kill_9(tmp_path: Path) -> None:
    path, log = tmp_path / "l.sqlite", tmp_path / "log"
    log.touch()
    for life in range(4):
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


def _store_all(path: str, name: str, count: int, start: Any, out: str) -> None:
    """Store the same calls as other processes, under a name of our own, and note which reply was kept."""

    async def one(ledger: CallLedger, gate: asyncio.Semaphore, asked: ModelRequest) -> Reply:
        async with gate:
            return await ledger.store(asked, reply(asked, f"{name} {asked.call_id}"))

    async def everything(ledger: CallLedger) -> list[Reply]:
        gate = asyncio.Semaphore(8)
        return list(await asyncio.gather(*(one(ledger, gate, request(f"call {i}")) for i in range(count))))

    start.wait()
    with CallLedger(Path(path), name, "http://localhost/v1") as ledger:
        kept = asyncio.run(everything(ledger))
    Path(out).write_text(json.dumps({one.call_id: one.content for one in kept}))


def test_two_processes_share_a_ledger_and_agree_on_every_reply(tmp_path: Path) -> None:
    path, count = tmp_path / "l.sqlite", 600
    CallLedger(path, "e1", "http://localhost/v1").close()
    start = SPAWN.Barrier(3)
    outs = [tmp_path / name for name in ("one", "two")]
    processes = [
        SPAWN.Process(target=_store_all, args=(str(path), out.name, count, start, str(out))) for out in outs
    ]
    for process in processes:
        process.start()
    start.wait()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    one, two = (json.loads(out.read_text()) for out in outs)
    assert one == two
    assert len(one) == count
    with CallLedger(path, "one", "http://localhost/v1") as first:
        assert {call_id: found.content for call_id in one if (found := first.find(call_id))} == one
    with LedgerReader(path) as reader:
        paid = [reader.totals(CallFilter(edition=out.name)).calls for out in outs]
    assert sum(paid) == count
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_one_ledger_serves_loop_after_loop(tmp_path: Path) -> None:
    with CallLedger(tmp_path / "l.sqlite", "e1", "http://localhost/v1") as ledger:
        for i in range(5):
            asked = request(str(i))
            assert keep(ledger, (asked, reply(asked))) == [reply(asked)]
        assert ledger.sum_spending().calls == 5


def test_a_ledger_waits_for_another_that_writes(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    asked = request()
    with CallLedger(path, "e1", "http://localhost/v1") as ledger:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")

        async def store_while_it_is_held() -> Reply:
            storing = asyncio.ensure_future(ledger.store(asked, reply(asked)))
            await asyncio.sleep(0.3)
            assert not storing.done()
            assert ledger.find(asked.call_id) is None
            other.execute("COMMIT")
            return await storing

        assert asyncio.run(store_while_it_is_held()) == reply(asked)
        other.close()


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
