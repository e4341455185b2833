"""The ledger knows which batch a call waits for: from before it is made until its reply is kept."""

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from perennial.schemas.errors import Damaged
from perennial.schemas.model_calls import AttemptEnd, ModelRequest, Reply, Spent
from perennial.warehouse.ledger.ledger import CallLedger
from perennial.warehouse.ledger.schema import one_ledger

URL = "http://localhost:8000/v1"
MESSAGE = ({"role": "user", "content": "Which?"},)
REQUESTS = [ModelRequest("player", "m", MESSAGE, {}, "t", "h", number) for number in range(3)]
IDS = [request.call_id for request in REQUESTS]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[CallLedger]:
    with CallLedger(tmp_path / "ledger.sqlite", "e1", URL) as opened:
        yield opened


def store(ledger: CallLedger, place: int, status: str, batch_id: str | None) -> None:
    reply = Reply(IDS[place], status, "yes", batch_id=batch_id)  # type: ignore[arg-type]
    asyncio.run(ledger.store(REQUESTS[place], reply))


def test_a_call_waits_for_its_last_batch_until_that_gave_a_reply(ledger: CallLedger) -> None:
    assert ledger.find_batch("m", IDS[0]) is None
    first = ledger.begin_batch("m", "digest", "file-1", dict.fromkeys(IDS[:2], 0.5))
    assert (first.requests, first.batch_id) == (2, None)
    assert ledger.find_batch("m", IDS[0]) == first
    first = ledger.keep_batch_id(first, "batch_1")
    assert ledger.find_batch("m", IDS[1]) == first
    assert ledger.find_batch("m", IDS[2]) is None
    assert ledger.calls_of_batch(first) == set(IDS[:2])
    # A failed reply of that batch is a reply; one that came another way is none of it.
    store(ledger, 0, "unavailable", "batch_1")
    store(ledger, 1, "unavailable", None)
    assert ledger.find_batch("m", IDS[0]) is None
    assert ledger.find_batch("m", IDS[1]) == first
    second = ledger.keep_batch_id(
        ledger.begin_batch("m", "digest", "file-2", dict.fromkeys(IDS, 0.25)), "batch_2"
    )
    assert [ledger.find_batch("m", call_id) for call_id in IDS] == [second] * 3
    store(ledger, 0, "ok", "batch_2")
    kept = ledger.find(IDS[0])
    assert kept is not None
    assert kept.batch_id == "batch_2"
    # The last batch gave its reply: an earlier one is not waited for.
    store(ledger, 1, "rejected", "batch_2")
    assert ledger.find_batch("m", IDS[1]) is None
    assert ledger.sum_spending() == Spent(5, 2 * 0.5 + 3 * 0.25, 0, 5)
    # A batch that the server had is counted though it is forgotten, one that was never made is not.
    ledger.forget_batch(second, was_made=True)
    assert ledger.find_batch("m", IDS[2]) is None
    third = ledger.begin_batch("m", "digest", "file-3", dict.fromkeys(IDS, 9.0))
    assert third.number not in (first.number, second.number)
    assert ledger.sum_spending().requests == 8
    ledger.forget_batch(third, was_made=False)
    assert ledger.sum_spending() == Spent(5, 1.75, 0, 5)
    number, estimate = ledger.find_last_attempt(IDS[2]) or (0, None)
    assert estimate == 0.25
    asyncio.run(ledger.end_attempt(AttemptEnd(number, 0.125, 0.25)))
    assert ledger.sum_spending() == Spent(5, 1.625, 0, 4)
    assert ledger.rows([IDS[0]])["calls"][0]["batch_id"] == "batch_2"


def test_a_batch_belongs_to_the_server_at_which_it_was_made(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with CallLedger(path, "e1", URL, endpoints={"m": "http://user:secret@other/v1?key=1"}) as ledger:
        batch = ledger.begin_batch("m", "digest", "file-1", dict.fromkeys(IDS))
        assert ledger.find_batch("other", IDS[0]) is None
        assert ledger.find_batch("m", IDS[0]) == batch
    with CallLedger(path, "e2", "http://other/v1") as ledger:
        assert ledger.find_batch("m", IDS[0]) == batch
    with CallLedger(path, "e2", URL) as ledger:
        assert ledger.find_batch("m", IDS[0]) is None
    with sqlite3.connect(path) as connection:
        kept = connection.execute(
            "SELECT edition, model, endpoint, input_digest FROM server_batches"
        ).fetchall()
    assert kept == [("e1", "m", "http://other/v1", "digest")]


def test_no_batch_is_begun_in_a_ledger_that_was_deleted(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with pytest.raises(Damaged, match="deleted"), one_ledger(path):
        _begin_in_a_deleted_ledger(path)


def _begin_in_a_deleted_ledger(path: Path) -> None:
    with CallLedger(path, "e1", URL) as ledger:
        path.unlink()
        ledger.begin_batch("m", "digest", "file-1", dict.fromkeys(IDS))
        pytest.fail("a batch was begun")
