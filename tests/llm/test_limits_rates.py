import asyncio
from itertools import zip_longest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.schemas.model_calls import Reply
from perennial.tasks.llm.limits import RateLimit, RateLimits
from tests.llm.http_double import against, fault, ok, request, usage


def in_virtual_time(coroutine):
    """Run the coroutine in an event loop whose clock jumps to the next timer."""
    loop, now = asyncio.new_event_loop(), [0.0]

    def jump(timeout):
        now[0] += (timeout or 0.0) + 1e-7
        return []

    loop.time, loop._selector.select = lambda: now[0], jump
    try:
        return loop.run_until_complete(coroutine)
    finally:
        loop.close()


def times_of(limits, *asked, used=None):
    """Return when each request may start, in seconds; `used` is what the reply to each says."""

    async def run():
        times = []
        for one in asked:
            await limits.take(one)
            times.append(asyncio.get_running_loop().time())
            if used is not None:
                limits.correct(one, Reply(one.call_id, "ok", prompt_tokens=used, completion_tokens=0))
        return times

    return in_virtual_time(run())


def test_requests_keep_to_their_rate():
    times = times_of(RateLimits(600, None), *[request(repeat=i) for i in range(66)])
    # A tenth at once, the rest as they flow: 9 a second.
    assert sum(at < 0.1 for at in times) == 60
    assert 0.5 < times[-1] < 0.8


def test_each_attempt_takes_its_share_of_the_limits():
    class Noted(RateLimits):
        def __init__(self):
            super().__init__(None, None)
            self.taken, self.corrected = [], []

        async def take(self, asked):
            self.taken.append(asked.call_id)

        def correct(self, asked, reply):
            self.corrected.append(reply.tokens)

    async def test(server, asker):
        asker._limits = limits = Noted()
        reply = await asker.ask(request())
        assert limits.taken == [reply.call_id] * 10
        assert limits.corrected == [None] * 9 + [70]
        assert len(server.seen) == 10

    against(*[fault(500)] * 9, ok(usage=usage(20, 50)), test=test, max_attempts=10)


def test_a_call_larger_than_the_bucket_waits_and_does_not_hang():
    large = request("x" * 400, max_tokens=1000)
    (at,) = times_of(RateLimits(None, 10_000), large)
    assert 0.1 < at < 3
    (at,) = times_of(RateLimits(None, 10_000), request("x" * 400, max_tokens=800))
    assert at < 0.01


def test_tokens_beyond_the_estimate_are_owed():
    asked = [request(repeat=i) for i in range(2)]
    assert times_of(RateLimits(None, 10_000), *asked, used=1070)[1] > 0.3
    assert times_of(RateLimits(None, 10_000), *asked, used=10)[1] < 0.01


@pytest.mark.slow
def test_large_amounts_are_not_overtaken():
    async def run():
        limit = RateLimit(60_000)
        order = []

        async def take(amount):
            await limit.take(amount)
            order.append(amount)

        await asyncio.gather(*(take(amount) for amount in (6000, 500, 50, 5, 400)))
        return order

    assert asyncio.run(run()) == [6000, 500, 50, 5, 400]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 500), st.lists(st.integers(1, 120), min_size=1, max_size=80), st.lists(st.integers(0, 40))
)
def test_no_minute_holds_more_than_its_limit_and_long_runs_reach_it(per_minute, amounts, owed):
    async def run():
        limit, taken = RateLimit(per_minute), []
        for amount, debt in zip_longest(amounts, owed, fillvalue=0):
            await limit.take(amount)
            taken.append((asyncio.get_running_loop().time(), amount))
            limit.owe(debt)
        return taken

    taken = in_virtual_time(run())
    largest = max(amounts) + max(owed, default=0)
    for start, _ in taken:
        inside = [amount for at, amount in taken if start <= at < start + 59.999]
        # A call that alone takes longer than a minute's allowance ends its wait in the window.
        assert sum(inside) <= per_minute + largest
    units = sum(amounts) + sum(owed)
    assert taken[-1][0] <= 60 * units / (0.89 * per_minute) + 1


@pytest.mark.slow
@given(st.integers(1, 500))
def test_requests_in_any_minute(per_minute):
    async def run():
        limit, times = RateLimit(per_minute), []
        for _ in range(3 * per_minute):
            await limit.take()
            times.append(asyncio.get_running_loop().time())
        return times

    times = in_virtual_time(run())
    assert all(later - earlier >= 59.999 for earlier, later in zip(times, times[per_minute:], strict=False))
    assert times[-1] <= 60 * 3 / 0.89


@pytest.mark.slow
@given(st.integers(10, 100_000), st.lists(st.integers(0, 10**12), min_size=1, max_size=64))
def test_what_replies_claim_makes_nobody_wait_much_longer_than_a_minute(per_minute, claimed):
    async def run():
        limit = RateLimit(per_minute)
        for amount in claimed:
            limit.owe(amount)
        await limit.take()
        return asyncio.get_running_loop().time()

    assert in_virtual_time(run()) <= 70
