import asyncio
import time
from itertools import zip_longest

from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.llm.rate_limits import RateLimit
from tests.llm.http_double import against, fault, ok, request, usage


async def ask_all(asker, n, **params):
    calls = (asker.ask(request(repeat=i, **params)) for i in range(n))
    return await asyncio.gather(*calls, return_exceptions=True)


def test_requests_keep_to_their_rate():
    async def test(server, asker):
        # From before the first one: a busy machine stamps arrivals late, never early.
        start = time.monotonic()
        await ask_all(asker, 66)
        assert sum(seen.at - start < 0.2 for seen in server.seen) <= 63
        assert 0.5 < server.seen[-1].at - start < 10

    against(ok(), test=test, requests_per_minute=600)


def test_tries_count_as_requests_too():
    async def test(server, asker):
        start = time.monotonic()
        assert (await asker.ask(request())).status == "ok"
        assert time.monotonic() - start > 0.4

    against(*[fault(500)] * 9, ok(), test=test, requests_per_minute=99, max_attempts=10)


def test_a_call_larger_than_the_bucket_waits_and_does_not_hang():
    async def test(server, asker):
        start = time.monotonic()
        reply = await asyncio.wait_for(asker.ask(request("x" * 400, max_tokens=1000)), 5)
        assert reply.status == "ok"
        assert 0.1 < time.monotonic() - start < 3

    against(ok(), test=test, tokens_per_minute=10_000)


def test_tokens_beyond_the_estimate_are_owed():
    async def test(server, asker):
        await asker.ask(request(repeat=0))
        start = time.monotonic()
        await asker.ask(request(repeat=1))
        assert time.monotonic() - start > 0.3

    against(ok(usage=usage(20, 1050)), test=test, tokens_per_minute=10_000)


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


@given(st.integers(10, 100_000), st.lists(st.integers(0, 10**12), min_size=1, max_size=64))
def test_what_replies_claim_makes_nobody_wait_much_longer_than_a_minute(per_minute, claimed):
    async def run():
        limit = RateLimit(per_minute)
        for amount in claimed:
            limit.owe(amount)
        await limit.take()
        return asyncio.get_running_loop().time()

    assert in_virtual_time(run()) <= 70
