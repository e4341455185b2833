"""Limits of a run: cost never passes its limit, whatever servers report and whoever gives up."""

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.schemas.errors import InvalidOption, LimitReached
from perennial.schemas.model_calls import ModelChoice, Price, Spent
from perennial.schemas.settings.model_entry import CallPolicy
from perennial.tasks.llm.limits import Budget, check_budget, cost_at_most, prompt_bytes
from perennial.tasks.llm.replies import read_attempt
from perennial.tasks.llm.retry_policy import HttpResult
from tests.llm.http_double import (
    DROPPED,
    Answer,
    MemoryLedger,
    against,
    completion,
    fault,
    ok,
    request,
    usage,
)
from tests.llm.test_limits import CHOICE, ask_all

PRICES = {"m": Price(prompt=1.0, completion=1.0)}


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


@pytest.mark.slow
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
            received = HttpResult(500 if end == "failed" else 200, body)
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
        # The first attempt of a model goes alone.
        budget.settle(await budget.reserve(small), 0.0, None)
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
