"""Usage that lies: it is bounded by what prompt and reply can hold, marked, and kept as it was reported."""

import asyncio
import json

import pytest

from perennial.schemas.errors import LimitReached
from perennial.schemas.model_calls import Price
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


@pytest.mark.parametrize(
    ("completion", "reasoning", "total", "tokens_out", "status"),
    [
        (500, 400, 600, 500, "reported"),  # within the completion, as OpenAI counts
        (500, 400, None, 500, "reported"),
        (10, 900, 1010, 910, "derived"),  # beside it, as xAI does
        (10, 900, None, 910, "derived"),
        (10, 900, 110, 910, "derived"),
        (500, 400, 1000, 900, "derived"),
        (5, None, 1000, 900, "derived"),  # in the total alone
        (None, None, 1000, 900, "derived"),
        (500, None, 50, 500, "reported"),  # a total that makes no sense
        (500, None, "many", 500, "reported"),
    ],
)
def test_tokens_out_are_all_that_the_reports_allow(completion, reasoning, total, tokens_out, status):
    counts = {**usage(100, completion, reasoning=reasoning), "total_tokens": total}
    reply, _ = ask(ok("hi", usage=counts), asked=request(max_tokens=50), prices=PRICES)
    if tokens_out > 114 and status == "reported":
        tokens_out, status = 114, "bounded"
    assert (reply.completion_tokens, reply.usage) == (tokens_out, status)
    assert reply.cost_usd == pytest.approx((100 + 2 * tokens_out) / 1e6)
    assert reply.reasoning_tokens is None or reply.reasoning_tokens <= tokens_out
    if status == "derived":
        assert json.loads(reply.usage_reported)["total_tokens"] == total


@pytest.mark.parametrize(
    "counts",
    [
        {"input_tokens": 100, "output_tokens": 7},
        {"prompt_tokens": 100, "completion_tokens": 7, "prompt_cache_hit_tokens": 64, "reasoning_tokens": 5},
    ],
)
def test_counts_have_other_names_at_other_servers(counts):
    reply, _ = ask(ok("hi", usage=counts))
    assert (reply.prompt_tokens, reply.completion_tokens, reply.usage) == (100, 7, "reported")
    assert (reply.cached_tokens, reply.reasoning_tokens) == (
        counts.get("prompt_cache_hit_tokens"),
        counts.get("reasoning_tokens"),
    )


def test_the_limit_of_cost_holds_though_reasoning_is_counted_beside_the_reply():
    counts = {**usage(20, 3, reasoning=900), "total_tokens": 923}

    async def test(server, asker):
        ends = await asyncio.gather(
            *(asker.ask(request(repeat=n, max_tokens=50)) for n in range(64)), return_exceptions=True
        )
        replies = [end for end in ends if not isinstance(end, LimitReached)]
        spent = sum((20 + 2 * 903) / 1e6 for _ in server.seen)
        assert 0 < len(replies) < 64
        assert 0.018 < spent <= 0.02
        assert sum(reply.cost_usd for reply in replies) == pytest.approx(spent)

    against(ok("hi", usage=counts), test=test, prices=PRICES, max_cost=0.02)


def test_a_lie_about_the_total_is_bounded():
    reply, _ = ask(ok("hi", usage={**usage(20, 3), "total_tokens": LIE}), asked=request(max_tokens=50))
    assert (reply.usage, reply.completion_tokens) == ("bounded", 200_066)
