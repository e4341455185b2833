"""Usage that lies: it is bounded by what prompt and reply can hold, marked, and kept as it was reported."""

import json

import pytest

from schemas.model_calls.price import Price
from tests.llm.http_double import against, ask, ok, request, usage

LIE = 10**12
PRICES = {"m": Price(1.0, 2.0)}
# "You play." and "Which?" are 15 bytes; two messages, and what a server may put before them.
PROMPT_BOUND = 15 + 2 * 64 + 4_096


@pytest.mark.parametrize("lie", [LIE, 10**30, 10**4_200])
def test_a_count_beyond_what_can_be_is_bounded_marked_and_kept(lie):
    reply, _ = ask(ok("hi", usage=usage(lie, lie, lie, lie)), asked=request(max_tokens=50), prices=PRICES)
    assert (reply.status, reply.usage) == ("ok", "bounded")
    assert (reply.prompt_tokens, reply.completion_tokens) == (PROMPT_BOUND, 50 + 64)
    assert (reply.reasoning_tokens, reply.cached_tokens) == (50 + 64, PROMPT_BOUND)
    assert reply.cost_usd == pytest.approx((PROMPT_BOUND + 2 * 114) / 1e6)
    reported = json.loads(reply.usage_reported)
    assert str(reported["prompt_tokens"]) == str(lie)[:40]
    assert str(lie) in reply.raw


def test_what_can_be_is_believed():
    for counts in (usage(PROMPT_BOUND, 200_066, 0, 200_000), usage(0, 0), usage(20, 3)):
        reply, _ = ask(ok("hi", usage=counts))
        assert (reply.usage, reply.usage_reported) == ("reported", None)
        assert reply.completion_tokens == counts["completion_tokens"]
    reply, _ = ask(ok("hi", usage=usage(20, 200_067)))
    assert (reply.usage, reply.completion_tokens) == ("bounded", 200_066)


def test_a_reply_longer_than_max_tokens_counts_as_long_as_it_is():
    text = "word " * 100
    reply, _ = ask(ok(text, usage=usage(20, 400)), asked=request(max_tokens=5))
    assert (reply.usage, reply.completion_tokens) == ("reported", 400)


@pytest.mark.parametrize("senseless", [-1, 2.5, "7", True, [1], {"n": 1}])
def test_what_is_no_count_is_unknown_and_kept(senseless):
    reply, _ = ask(ok("hi", usage=usage(senseless, 3)))
    assert (reply.usage, reply.prompt_tokens, reply.cost_usd) == ("missing", None, None)
    assert json.loads(reply.usage_reported)["completion_tokens"] == 3
    assert json.loads(reply.usage_reported)["prompt_tokens"] is not None


def test_no_usage_is_no_report():
    assert ask(ok("hi"))[0].usage_reported is None


def test_a_lie_does_not_exhaust_the_limit_of_cost():
    async def test(server, asker):
        for n in range(5):
            reply = await asker.ask(request(repeat=n, max_tokens=50))
            assert reply.cost_usd < 0.005

    against(ok("hi", usage=usage(LIE, LIE)), test=test, prices=PRICES, max_cost=1.0)
