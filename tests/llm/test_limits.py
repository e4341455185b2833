import asyncio
import json
import socket

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import InvalidOption, LimitReached
from schemas.model_calls.calls import CallPolicy, ModelChoice, Spent
from schemas.model_calls.price import Price
from tasks.llm.limits.budget import Budget, check_budget, cost_at_most
from tasks.llm.limits.rate_limits import prompt_bytes
from tasks.llm.replies import read_attempt
from tasks.llm.retry_policy import Received
from tests.llm.http_double import (
    DROPPED,
    Answer,
    MemoryLedger,
    against,
    client,
    completion,
    fault,
    ok,
    request,
    usage,
)

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


def test_calls_without_a_price_are_counted_as_such():
    async def test(server, asker):
        await ask_all(asker, 3)
        with pytest.raises(LimitReached, match="3 requests sent, cost unknown"):
            await asker.ask(request(repeat=9))

    against(ok(usage=usage(5, 5)), test=test, max_calls=3)


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
    # The breaker would stop before the limit does.
    against(
        BILLABLE[fault_name],
        test=test,
        ledger=ledger,
        timeout_s=0.3,
        max_reply_bytes=1_000_000,
        patience=1_000,
        **limits,
    )


def test_half_of_all_answers_http_500_leaves_the_limit_where_it_is():
    ledger = MemoryLedger()

    async def test(server, asker):
        ends = await ask_all(asker, 40)
        assert len(server.seen) == 7
        answered = [end for end in ends if not isinstance(end, Exception) and end.answered]
        assert len(answered) == 4
        # What failed before the limit was reached is kept, for `perennial calls`.
        assert all(reply.answered or reply.status == "unavailable" for reply in ledger.stored)

    answers = [ok(), fault(500)] * 10
    against(*answers, test=test, ledger=ledger, max_calls=7, max_attempts=3, concurrency=32, patience=1_000)


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


# ---- cost


def test_cost_never_passes_its_limit_with_64_in_flight():
    asked = request(max_tokens=100)
    most = cost_at_most(asked, PRICES)
    limit = 10.5 * most

    async def test(server, asker):
        ends = await ask_all(asker, 80, max_tokens=100)
        paid = [end for end in ends if not isinstance(end, Exception)]
        assert server.most_in_flight <= 10
        cost = sum(reply.cost_usd for reply in paid)
        assert limit - most < cost <= limit
        errors = [end for end in ends if isinstance(end, LimitReached)]
        assert len(paid) + len(errors) == 80
        for word in ("--max-cost", "nothing is lost", f"${limit:.6f}", f"{len(paid)} requests"):
            assert word in str(errors[0])

    cheap = ok(delay=0.01, usage=usage(20, 50))
    against(cheap, test=test, max_cost=limit, prices=PRICES)


def test_an_answer_of_unknown_cost_counts_with_its_bound():
    most = cost_at_most(request(max_tokens=100), PRICES)

    async def test(server, asker):
        await ask_all(asker, 20, max_tokens=100)
        assert len(server.seen) == 3

    against(ok(), test=test, max_cost=3.5 * most, prices=PRICES)


USED = usage(20, 50)
FAILED_WITH_USAGE = {
    "unreadable": Answer(body=json.dumps({"choices": "?", "usage": USED})),
    "no content": Answer(body=json.dumps({"choices": [CHOICE | {"message": {"content": 7}}], "usage": USED})),
    "broken off": Answer(body=json.dumps({"choices": [CHOICE | {"finish_reason": "error"}], "usage": USED})),
    "500": Answer(500, json.dumps({"error": {"message": "late"}, "usage": USED})),
    "400": Answer(400, json.dumps({"error": {"message": "filtered"}, "usage": USED})),
}


@pytest.mark.parametrize("name", FAILED_WITH_USAGE)
def test_reported_usage_of_a_failed_reply_is_its_cost(name):
    ledger = MemoryLedger()

    async def test(server, asker):
        reply = await asker.ask(request(max_tokens=100))
        assert not reply.answered
        assert (reply.prompt_tokens, reply.completion_tokens, reply.cost_usd) == (20, 50, 70e-6)
        assert ledger.sum_spending() == Spent(len(server.seen), pytest.approx(70e-6 * len(server.seen)))

    against(FAILED_WITH_USAGE[name], test=test, ledger=ledger, prices=PRICES, max_attempts=3)


@pytest.mark.parametrize(
    ("answer", "is_whole"), [(fault(500), True), (DROPPED, True), (fault(400), False), (fault(429), False)]
)
def test_a_failed_reply_without_usage_counts_with_an_estimate(answer, is_whole):
    """The greatest cost, or that of the prompt alone where the server refused the request."""
    ledger, asked = MemoryLedger(), request(max_tokens=100)
    estimate = cost_at_most(asked, PRICES) - (0 if is_whole else 100e-6)

    async def test(server, asker):
        await asker.ask(asked)
        assert ledger.sum_spending() == Spent(1, pytest.approx(estimate), 0, 1)

    against(answer, test=test, ledger=ledger, prices=PRICES, max_attempts=1)


def test_failed_replies_never_pass_the_limit_of_cost():
    ledger, most = MemoryLedger(), cost_at_most(request(max_tokens=100), PRICES)

    async def test(server, asker):
        ends = await ask_all(asker, 40, max_tokens=100)
        assert len(server.seen) == 3
        assert "estimated for 3 without reported usage" in str(ends[-1])

    limits = {"max_cost": 3.5 * most, "max_attempts": 3, "concurrency": 32, "patience": 1_000}
    against(Answer(body="{}"), test=test, ledger=ledger, prices=PRICES, **limits)


def test_what_was_spent_before_counts():
    async def test(server, asker):
        (end,) = await ask_all(asker, 1, max_tokens=100)
        assert isinstance(end, LimitReached)
        assert "7 requests sent for $0.999990" in str(end)
        assert server.seen == []

    against(ok(), test=test, max_cost=1.0, prices=PRICES, spent=Spent(7, 0.99999))


@pytest.mark.parametrize(
    ("price", "params", "word"),
    [
        (None, {"max_tokens": 5}, "add its price"),
        (Price(None, 1.0), {"max_tokens": 5}, "add its price"),
        (Price(1.0, None), {"max_tokens": 5}, "add its price"),
        (Price(1.0, 1.0), {}, "set --max-tokens"),
        (Price(1.0, 1.0), {"max_tokens": 0}, "set --max-tokens"),
    ],
)
def test_a_limit_that_cannot_be_kept_is_refused(price, params, word):
    prices = {} if price is None else {"m": price}
    policy = CallPolicy("http://127.0.0.1:1/v1", max_cost=1.0)
    with pytest.raises(InvalidOption, match=f"'m'.*{word}"):
        check_budget(policy, [ModelChoice("m", params)], prices)
    check_budget(CallPolicy("http://127.0.0.1:1/v1", max_calls=3), [ModelChoice("m", params)], prices)

    async def test(server, asker):
        with pytest.raises(InvalidOption, match=word):
            await asker.ask(request(**params))
        assert server.seen == []

    against(ok(), test=test, max_cost=1.0, prices=prices)


def test_a_limit_that_can_be_kept_passes():
    policy = CallPolicy("http://127.0.0.1:1/v1", max_cost=1.0)
    check_budget(policy, [ModelChoice("m", {"max_tokens": 5})], PRICES)
    check_budget(policy, [ModelChoice("m", {"max_completion_tokens": 5})], PRICES)


def test_the_bound_counts_bytes_so_that_other_scripts_are_not_cheaper():
    latin, chinese = request("a" * 300, max_tokens=1), request("\u4e2d" * 300, max_tokens=1)
    assert cost_at_most(chinese, PRICES) - cost_at_most(latin, PRICES) == pytest.approx(200e-6)
    assert prompt_bytes(request("ab")) == len("You play.") + 2


ENDS = st.tuples(
    st.integers(0, 4), st.sampled_from(["answered", "unknown", "failed", "cancelled"]), st.integers(1, 60)
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(ENDS, max_size=70),
    st.integers(0, 30) | st.none(),
    st.integers(0, 3000) | st.none(),
    st.integers(0, 9),
)
def test_settled_and_held_never_pass_a_limit_and_nobody_waits_for_ever(ends, max_calls, max_tokens, before):
    """Tasks of all kinds against a budget; the double counts by itself."""
    per_token = 1e-6
    max_cost = None if max_tokens is None else max_tokens * per_token
    policy = CallPolicy("http://127.0.0.1:1/v1", max_calls=max_calls, max_cost=max_cost)
    budget = Budget(policy, PRICES, Spent(before, before * 10 * per_token))
    paid = {"calls": before, "cost": before * 10 * per_token}
    held: list[float] = []

    def check():
        assert max_calls is None or not held or paid["calls"] + len(held) <= max_calls
        assert max_cost is None or not held or paid["cost"] + sum(held) <= max_cost + 1e-9

    async def one(steps, end, tokens):
        asked = request(max_tokens=tokens)
        reservation = await budget.reserve(asked)
        most = cost_at_most(asked, PRICES) if max_cost is not None else 0.0
        held.append(most)
        reply = None
        try:
            check()
            for _ in range(steps):
                await asyncio.sleep(0)
            body = completion(usage=usage(1, tokens) if end == "answered" else None)
            received = Received(500 if end == "failed" else 200, body)
            reply = read_attempt(asked, received, PRICES["m"]).reply if end != "cancelled" else None
        finally:
            held.remove(most)
            if reply is None:
                budget.cancel(reservation)
            else:
                paid["calls"] += 1
                paid["cost"] += most if reply.cost_usd is None else reply.cost_usd
                budget.settle(reservation, reply.cost_usd, most)

    async def run():
        tasks = [asyncio.create_task(one(*end)) for end in ends]
        for i, task in enumerate(tasks):
            if i % 7 == 3:
                await asyncio.sleep(0)
                task.cancel()
        ended = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 10)
        assert {type(end) for end in ended} <= {type(None), LimitReached, asyncio.CancelledError}
        if any(isinstance(end, LimitReached) for end in ended) and max_cost is None:
            assert paid["calls"] >= max_calls
        if max_calls is None and max_cost is None:
            assert not any(isinstance(end, LimitReached) for end in ended)

    asyncio.run(run())


def test_a_cancelled_call_makes_way_for_the_next_in_the_queue():
    async def run():
        small, large = request(max_tokens=1), request(max_tokens=900)
        limit = cost_at_most(large, PRICES) + cost_at_most(small, PRICES) / 2
        budget = Budget(CallPolicy("http://127.0.0.1:1/v1", max_cost=limit), PRICES, Spent())
        await budget.reserve(small)
        first, second = (asyncio.create_task(budget.reserve(asked)) for asked in (large, small))
        await asyncio.sleep(0)
        assert not second.done()
        first.cancel()
        await asyncio.wait_for(second, 5)

    asyncio.run(run())


def test_a_call_cancelled_just_when_it_was_granted_gives_its_place_back():
    async def run():
        budget = Budget(CallPolicy("http://127.0.0.1:1/v1", max_calls=1), {}, Spent())
        held = await budget.reserve(request())
        waiting = asyncio.create_task(budget.reserve(request()))
        await asyncio.sleep(0)
        budget.cancel(held)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert waiting.cancelled()
        await asyncio.wait_for(budget.reserve(request()), 5)

    asyncio.run(run())
