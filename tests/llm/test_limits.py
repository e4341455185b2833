"""Limits of a run: no more calls are sent than allowed, and every request that is sent counts."""

import asyncio
import json
import socket

import pytest

from perennial.schemas.errors import LimitReached
from perennial.schemas.model_calls import Price, Spent
from tests.llm.http_double import DROPPED, Answer, MemoryLedger, against, client, fault, ok, request

PRICES = {"m": Price(prompt=1.0, completion=1.0)}


async def ask_all(asker, n, **params):
    calls = (asker.ask(request(repeat=i, **params)) for i in range(n))
    return await asyncio.gather(*calls, return_exceptions=True)


# ---- messages


@pytest.mark.parametrize(
    ("spent", "told"),
    [
        (Spent(0), "0 requests sent for $0.000000;"),
        (Spent(1, 0.0, 1), "1 request sent, cost unknown;"),
        (Spent(7, 0.5, 0), "7 requests sent for $0.500000;"),
        (Spent(7, 0.5, 2), "7 requests sent for $0.500000 (2 at an unknown cost);"),
        (
            Spent(7, 0.5, 2, 3),
            "7 requests sent for $0.500000 (estimated for 3 without reported usage, 2 at an unknown cost);",
        ),
    ],
)
def test_an_unknown_cost_is_never_told_as_0(spent, told):
    async def test(server, asker):
        with pytest.raises(LimitReached) as reached:
            await asker.ask(request())
        assert told in str(reached.value)

    against(ok(), test=test, max_calls=spent.requests, spent=spent)


# ---- the number of calls


@pytest.mark.parametrize(
    ("limit", "spent", "made"), [(0, 0, 0), (1, 0, 1), (10, 0, 10), (10, 7, 3), (5, 9, 0), (64, 0, 64)]
)
def test_no_more_calls_than_allowed_with_64_in_flight(limit, spent, made):
    async def test(server, asker):
        ends = await ask_all(asker, 80)
        assert len(server.seen) == made
        assert sum(not isinstance(end, Exception) for end in ends) == made
        errors = [end for end in ends if isinstance(end, LimitReached)]
        assert len(errors) == 80 - made
        assert f"limit of {limit} calls" in str(errors[0])
        assert "--max-calls" in str(errors[0])

    against(ok(delay=0.02), test=test, max_calls=limit, spent=Spent(spent))


CHOICE = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "hi"}}
BILLABLE = {
    "no chat completion": Answer(body='{"choices": "?"}'),
    "cut off": Answer(body='{"choices": [{"message": {"content": "half a'),
    "another content": Answer(body=json.dumps({"choices": [CHOICE | {"message": {"content": 7}}]})),
    "a page": Answer(body="<html>busy</html>"),
    "400": fault(400),
    "408": fault(408),
    "429": fault(429),
    "500": fault(500),
    "connection lost": DROPPED,
    "reset after send": Answer(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"),
    "endless": Answer(data=b" " * 65_536, repeats=40),
    "no answer in time": ok(delay=30),
    "trickle": Answer(trickle=True),
}


@pytest.mark.parametrize("fault_name", BILLABLE)
def test_every_request_that_is_sent_counts_whatever_comes_back(fault_name):
    """The case of the issue: 7 calls, 3 attempts each, 32 in flight."""
    ledger = MemoryLedger()

    async def test(server, asker):
        ends = await ask_all(asker, 40)
        assert len(server.seen) == 7
        assert sum(isinstance(end, LimitReached) for end in ends) >= 40 - 7
        assert ledger.sum_spending() == Spent(7, 0.0, 7)
        assert not any(reply.answered for reply in ledger.stored)

    limits = {"max_calls": 7, "max_attempts": 3, "concurrency": 32}
    # On a busy machine too all 7 reach the server before their time is over.
    timeout_s = 4.0 if fault_name in ("no answer in time", "trickle") else 60.0
    # The breaker would stop before the limit does.
    against(
        BILLABLE[fault_name],
        test=test,
        ledger=ledger,
        timeout_s=timeout_s,
        max_reply_bytes=1_000_000,
        patience=1_000,
        **limits,
    )


def test_what_cannot_have_been_received_counts_for_nothing():
    ledger = MemoryLedger()

    async def test(_server, _asker):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
            async with client(url, ledger, max_calls=2, max_attempts=3) as asker:
                assert (await asker.ask(request())).status == "unavailable"
                assert (await asker.ask(request(repeat=1))).attempts == 3
        assert ledger.attempts == {}
        assert ledger.begun == 6

    against(ok(), test=test)


def test_an_attempt_is_in_the_ledger_before_the_server_sees_it():
    ledger = MemoryLedger()

    def answer(_seen):
        assert ledger.sum_spending().requests == ledger.begun > 0
        return ok()

    async def test(server, asker):
        await ask_all(asker, 9)
        assert len(server.seen) == ledger.begun == 9

    against(by=answer, test=test, ledger=ledger, concurrency=3)


@pytest.mark.slow
def test_a_run_that_was_killed_in_flight_resumes_within_the_limit():
    """The attempts of the run that is gone are those that its ledger has, ended or not."""
    ledger = MemoryLedger()

    async def killed(server, asker):
        tasks = [asyncio.create_task(asker.ask(request(repeat=i))) for i in range(5)]
        while len(server.seen) < 5:
            await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    against(ok(delay=30), test=killed, ledger=ledger, max_calls=7, timeout_s=60)

    async def resumed(server, asker):
        await ask_all(asker, 20)
        assert len(server.seen) == 2

    against(ok(), test=resumed, ledger=ledger, max_calls=7, spent=ledger.sum_spending())


def test_with_a_higher_limit_the_same_calls_go_on():
    ledger = MemoryLedger()

    async def first(server, asker):
        await ask_all(asker, 10)
        assert len(server.seen) == 4

    against(ok(), test=first, ledger=ledger, max_calls=4)

    async def second(server, asker):
        ends = await ask_all(asker, 10)
        assert all(end.status == "ok" for end in ends)
        assert (len(server.seen), asker.replayed) == (6, 4)

    against(ok(), test=second, ledger=ledger, max_calls=10, spent=Spent(4))
