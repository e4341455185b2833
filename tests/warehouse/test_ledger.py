"""What the ledger keeps of a model call, which reply wins, and what it tells when it cannot keep one."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.model_calls import (
    ANSWERED_STATUSES,
    CALL_STATUSES,
    AttemptEnd,
    ModelRequest,
    Reply,
    Spent,
)
from perennial.schemas.tables import CALLS
from perennial.warehouse.ledger.ledger import CallLedger

FAILED_STATUSES = tuple(status for status in CALL_STATUSES if status not in ANSWERED_STATUSES)
BOOK = "A book. " * 1000
ESTIMATES = (1.0, 1.0, 2.0, 4.0, None)


def request(text: str = "Go on.", repeat: int = 0, **params: Any) -> ModelRequest:
    messages = ({"role": "system", "content": BOOK}, {"role": "user", "content": text})
    return ModelRequest("player", "m", messages, params, "kumo/player_turn", "tpl_1", repeat)


def reply(asked: ModelRequest, content: str = "<ANSWER>rain</ANSWER>", **fields: Any) -> Reply:
    return Reply(asked.call_id, **{"status": "ok", "content": content, **fields})


def keep(ledger: CallLedger, *calls: tuple[ModelRequest, Reply]) -> list[Reply]:
    async def all_at_once() -> list[Reply]:
        return list(await asyncio.gather(*(ledger.store(*call) for call in calls)))

    return asyncio.run(all_at_once())


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[CallLedger]:
    with CallLedger(tmp_path / "ledger.sqlite", "e1", "http://localhost:8000/v1") as opened:
        yield opened


@pytest.fixture(scope="module")
def shared_ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CallLedger]:
    with CallLedger(tmp_path_factory.mktemp("ledger") / "l.sqlite", "e1", "http://localhost/v1") as opened:
        yield opened


def test_a_kept_reply_is_found_whole_by_this_ledger_and_a_later_one(tmp_path: Path) -> None:
    asked = request(temperature=0.5)
    whole = Reply(
        asked.call_id,
        status="truncated",
        content="I think",
        reasoning="hm",
        reasoning_source="think_tags",
        finish_reason="length",
        served_model="m-2",
        prompt_tokens=10,
        completion_tokens=20,
        reasoning_tokens=5,
        cached_tokens=0,
        usage="reported",
        cost_usd=0.25,
        latency_s=1.5,
        attempts=3,
        raw='{"choices": []}',
    )
    path = tmp_path / "new" / "folder" / "l.sqlite"
    with CallLedger(path, "e1", "http://localhost/v1") as ledger:
        assert ledger.find(asked.call_id) is None
        assert keep(ledger, (asked, whole)) == [whole]
        assert ledger.find(asked.call_id) == whole
    with CallLedger(path, "e2", "http://localhost/v1") as ledger:
        assert ledger.find(asked.call_id) == whole


@pytest.mark.parametrize("status", ANSWERED_STATUSES)
def test_the_first_answer_is_kept_for_good(tmp_path: Path, status: str) -> None:
    asked = request()
    path = tmp_path / "l.sqlite"
    with CallLedger(path, "e1", "http://a/v1") as one, CallLedger(path, "e2", "http://b/v1") as other:
        first = reply(asked, "first", status=status, cost_usd=1.0)
        keep(one, (asked, first))
        for later in (reply(asked, "second"), reply(asked, "", status="unavailable", error="503")):
            assert keep(other, (asked, later)) == [first]
        assert one.find(asked.call_id) == other.find(asked.call_id) == first


@pytest.mark.parametrize("status", FAILED_STATUSES)
def test_a_failed_call_is_not_found_and_gives_way_to_any_other(ledger: CallLedger, status: str) -> None:
    asked = request()
    failed = reply(asked, "", status=status, error="first")
    again = reply(asked, "", status="rejected", error="second")
    assert keep(ledger, (asked, failed)) == [failed]
    assert ledger.find(asked.call_id) is None
    assert keep(ledger, (asked, again)) == [again]
    assert [(row["status"], row["error"], row["reply"]) for row in ledger.rows([asked.call_id])["calls"]] == [
        ("rejected", "second", None)
    ]
    answer = reply(asked)
    assert keep(ledger, (asked, answer)) == [answer]
    assert ledger.find(asked.call_id) == answer


def test_the_same_call_twice_in_one_group_has_one_winner(ledger: CallLedger) -> None:
    asked, other = request("a"), request("b")
    texts = ("one", "two", "three")
    kept = keep(ledger, *((asked, reply(asked, text)) for text in texts), (other, reply(other, "other")))
    assert [one.content for one in kept] == ["one", "one", "one", "other"]
    failed = request("c")
    kept = keep(ledger, (failed, reply(failed, "", status="rejected")), (failed, reply(failed, "answer")))
    assert kept[1] == ledger.find(failed.call_id) == reply(failed, "answer")


def test_spending_is_what_was_sent_with_its_cost_or_an_estimate(ledger: CallLedger) -> None:
    async def spend() -> None:
        numbers = await asyncio.gather(
            *(ledger.begin_attempt(request(str(i)), estimate) for i, estimate in enumerate(ESTIMATES))
        )
        assert sorted(numbers) == [1, 2, 3, 4, 5]
        for number, cost, was_sent in ((1, 0.5, True), (2, None, False), (3, 0.25, True)):
            await ledger.end_attempt(AttemptEnd(number, cost, None, was_sent))

    asyncio.run(spend())
    # The third is known, the fourth has an estimate, the fifth neither; the second was not sent.
    assert ledger.sum_spending() == Spent(3 + 1, 0.5 + 0.25 + 4.0, 1, 1)
    assert ledger.sum_spending(["e2"]) == Spent()
    # A reply that is kept counts for nothing: what was sent does.
    keep(ledger, (request("later"), reply(request("later"), cost_usd=8.0)))
    assert ledger.sum_spending().requests == 4


@pytest.mark.slow
def test_an_attempt_that_the_process_did_not_live_to_end_counts_with_its_estimate(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    script = (
        "import asyncio, os, sys; from pathlib import Path; "
        "from tests.warehouse.test_ledger import request; "
        "from perennial.warehouse.ledger.ledger import CallLedger\n"
        "async def begin():\n"
        "    ledger = CallLedger(Path(sys.argv[1]), 'e1', 'http://localhost/v1')\n"
        "    await asyncio.gather(*(ledger.begin_attempt(request(str(i)), 0.5) for i in range(7)))\n"
        "    os.kill(os.getpid(), 9)\n"
        "asyncio.run(begin())"
    )
    assert subprocess.run([sys.executable, "-c", script, str(path)]).returncode == -9
    with CallLedger(path, "e1", "http://localhost/v1") as ledger:
        assert ledger.sum_spending() == Spent(7, 3.5, 0, 7)


def test_many_stores_at_once_are_few_transactions(ledger: CallLedger) -> None:
    asked = [request(str(i)) for i in range(400)]
    keep(ledger, *((one, reply(one)) for one in asked))
    assert ledger.commits <= 40
    before = ledger.commits

    async def begin() -> None:
        await asyncio.gather(*(ledger.begin_attempt(one, None) for one in asked))

    asyncio.run(begin())
    assert ledger.commits - before <= 40
    assert ledger.sum_spending() == Spent(400, 0.0, 400)


def test_closing_keeps_what_waits_and_takes_no_more(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    asked = [request(str(i)) for i in range(50)]

    async def close_while_they_wait() -> list[Reply]:
        ledger = CallLedger(path, "e1", "http://localhost/v1")
        waiting = [asyncio.ensure_future(ledger.store(one, reply(one))) for one in asked]
        await asyncio.sleep(0)
        ledger.close()
        ledger.close()
        with pytest.raises(RuntimeError, match="closed"):
            await ledger.store(asked[0], reply(asked[0]))
        return list(await asyncio.gather(*waiting))

    assert len(asyncio.run(close_while_they_wait())) == 50
    with CallLedger(path, "e1", "http://localhost/v1") as ledger:
        assert all(ledger.find(one.call_id) for one in asked)


def test_a_task_that_gave_up_waiting_harms_nobody(ledger: CallLedger) -> None:
    first, second = request("1"), request("2")

    async def give_up() -> Reply:
        impatient = asyncio.ensure_future(ledger.store(first, reply(first)))
        await asyncio.sleep(0)
        impatient.cancel()
        return await ledger.store(second, reply(second))

    assert asyncio.run(give_up()) == reply(second)
    assert ledger.find(first.call_id) == reply(first)


@pytest.mark.parametrize("values", [{"prompt_tokens": 10**30}, {"reasoning": "half \ud83d of a pair"}])
def test_a_reply_that_cannot_be_kept_is_told_and_the_others_are_kept(
    ledger: CallLedger, values: dict[str, Any]
) -> None:
    asked = [request(str(i)) for i in range(5)]

    async def all_at_once() -> list[Any]:
        replies = [reply(one, **values if i == 2 else {}) for i, one in enumerate(asked)]
        stores = (ledger.store(*call) for call in zip(asked, replies, strict=True))
        return list(await asyncio.gather(*stores, return_exceptions=True))

    outcomes = asyncio.run(all_at_once())
    assert isinstance(outcomes[2], UnreadableInput)
    assert asked[2].call_id in str(outcomes[2])
    assert [ledger.find(one.call_id) is not None for one in asked] == [True, True, False, True, True]


def test_a_reply_of_another_call_is_refused(ledger: CallLedger) -> None:
    asked, other = request("a"), request("b")
    with pytest.raises(UnreadableInput, match=f"{other.call_id} was given for call {asked.call_id}"):
        keep(ledger, (asked, reply(other)))


MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "user", "assistant"]), "content": st.text()},
        optional={"name": st.text()},
    ),
    max_size=6,
)


@given(messages=MESSAGES, repeat=st.integers(0, 3))
@example(messages=[{"role": "user", "content": "a\x00b"}, {"role": "user", "content": ""}], repeat=0)
@settings(max_examples=60)
def test_rows_give_back_the_messages_sent(
    shared_ledger: CallLedger, messages: list[dict[str, str]], repeat: int
) -> None:
    asked = ModelRequest("writer", "m", tuple(messages), {"seed": 1}, "t", "h", repeat)
    keep(shared_ledger, (asked, reply(asked)))
    tables = shared_ledger.rows([asked.call_id])
    sent = json.loads(tables["calls"][0]["request"])
    contents = {row["message_id"]: row["content"] for row in tables["messages"]}
    told = [{"content": contents[one.pop("message_id")], **one} for one in sent.pop("messages")]
    assert sent == {"model": "m", "params": {"seed": 1}}
    assert told == messages
    assert len(contents) == len({message["content"] for message in messages})


@given(text=st.text())
@example(text="a\x00b")
@settings(max_examples=40)
def test_any_text_of_a_server_comes_back_unchanged(shared_ledger: CallLedger, text: str) -> None:
    asked = request(repr(text))
    sent = reply(asked, text, reasoning=text, raw=text, served_model=text)
    assert keep(shared_ledger, (asked, sent)) == [sent]
    assert shared_ledger.find(asked.call_id) == sent
    table = pa.Table.from_pylist(shared_ledger.rows([asked.call_id])["calls"], schema=CALLS.arrow_schema())
    assert table["reply"][0].as_py() == text


def test_rows_are_in_the_order_given_each_once(ledger: CallLedger) -> None:
    asked = [request(str(i)) for i in range(1200)]
    keep(ledger, *((one, reply(one)) for one in asked))
    ids = [one.call_id for one in reversed(asked)]
    rows = ledger.rows([*ids, *ids[:7]])["calls"]
    assert [row["call_id"] for row in rows] == ids
    assert list(rows[0]) == [column.name for column in CALLS.columns]
    with pytest.raises(UnreadableInput, match="no model call 'call_x'"):
        ledger.rows([ids[0], "call_x"])


def test_a_message_is_kept_once_however_often_it_is_sent(tmp_path: Path) -> None:
    path, empty = tmp_path / "l.sqlite", tmp_path / "empty.sqlite"
    CallLedger(empty, "e1", "http://localhost/v1").close()
    with CallLedger(path, "e1", "http://localhost/v1") as ledger:
        asked = [request(str(i)) for i in range(200)]
        keep(ledger, *((one, reply(one)) for one in asked))
    assert path.stat().st_size - empty.stat().st_size < 20 * len(BOOK)
