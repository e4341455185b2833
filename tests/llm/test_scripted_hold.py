import asyncio
import signal
import subprocess
import sys
import time

import aiohttp
import pytest

from tests.llm.scripted_asking import ECHO, body_of, post
from tests.server.hold import Hold
from tests.server.log import ANSWERED, answers_by_digest
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server

pytestmark = pytest.mark.slow


def test_replies_are_held_after_so_many_answers_until_released():
    async def main(server: RunningServer):
        async with aiohttp.ClientSession() as session:
            asked = [asyncio.create_task(post(session, server, body_of(str(i)))) for i in range(10)]
            status = await asyncio.to_thread(server.wait_held, 7)
            assert (status.answered, status.held, status.waiting) == (3, True, 7)
            # Those seven wait at the server: no other than the three that it answered can end.
            while sum(task.done() for task in asked) < 3:
                await asyncio.wait([task for task in asked if not task.done()], return_when="FIRST_COMPLETED")
            assert sum(task.done() for task in asked) == 3
            # Those who go away while held are abandoned, and take nobody's place.
            for task in [task for task in asked if not task.done()][:2]:
                task.cancel()
            while server.status().waiting > 5:
                await asyncio.sleep(0.01)
            server.release(hold_after=1)
            status = await asyncio.to_thread(server.wait_held, 4)
            assert (status.answered, status.waiting) == (4, 4)
            server.release()
            done = await asyncio.gather(*asked, return_exceptions=True)
            return [reply for reply in done if isinstance(reply, tuple)]

    with running_server(ServerOptions(roles=ECHO, hold_after=3)) as server:
        replies = asyncio.run(main(server))
        status = server.status()
        log = server.log()
    assert [reply[0] for reply in replies] == [200] * 8
    assert (status.answered, status.held, status.waiting) == (8, False, 0)
    assert sorted(line.outcome for line in log) == ["abandoned"] * 2 + [ANSWERED] * 8
    assert max(answers_by_digest(log).values()) == 1


def test_an_answer_that_never_went_out_leaves_its_place_to_another():
    async def main():
        hold = Hold(1)
        await hold.take()
        other = asyncio.create_task(hold.take())
        await asyncio.sleep(0)
        assert (hold.held, hold.waiting) == (False, 1)
        hold.settle(answered=False)
        await other
        hold.settle(answered=True)
        assert (hold.held, hold.waiting) == (True, 0)

    asyncio.run(main())


CLIENT = """
import asyncio, sys, aiohttp
async def main():
    async with aiohttp.ClientSession() as session:
        async def one(i):
            messages = [{"role": "user", "content": f"ECHO {i}"}]
            body = {"model": "scripted", "messages": messages}
            async with session.post(sys.argv[1] + "/chat/completions", json=body) as reply:
                await reply.read()
        await asyncio.gather(*(one(i) for i in range(20)))
asyncio.run(main())
"""


def test_what_a_killed_client_had_not_been_answered_is_abandoned():
    with running_server(ServerOptions(roles=ECHO, hold_after=5)) as server:
        client = subprocess.Popen([sys.executable, "-c", CLIENT, server.url])
        server.wait_held(waiting=15)
        client.send_signal(signal.SIGKILL)
        client.wait()
        # At once: the server must notice by itself that nobody is there for what it lets go.
        server.release()
        deadline = time.monotonic() + 60
        while len(server.log()) < 20 and time.monotonic() < deadline:
            time.sleep(0.01)
        outcomes = [line.outcome for line in server.log()]
    assert sorted(outcomes) == ["abandoned"] * 15 + [ANSWERED] * 5


def test_a_client_that_gives_up_on_a_slow_answer_is_abandoned():
    async def main(server: RunningServer):
        async with aiohttp.ClientSession() as session:
            slow = asyncio.create_task(post(session, server, body_of("a")))
            while not server.log():
                await asyncio.sleep(0.01)
            slow.cancel()
            await asyncio.gather(slow, return_exceptions=True)
            return await post(session, server, body_of("a"))

    options = ServerOptions(roles=ECHO, faults={"slow": 1.0}, slow_s=600, max_transport_faults=1)
    with running_server(options) as server:
        assert asyncio.run(main(server))[0] == 200
        lines = [(line.attempt, line.outcome) for line in server.log()]
    assert lines == [(1, "slow"), (1, "abandoned"), (2, ANSWERED)]


def test_replies_that_wait_do_so_at_the_same_time():
    async def main(server: RunningServer):
        async with aiohttp.ClientSession() as session:
            begin = time.perf_counter()
            replies = await asyncio.gather(*(post(session, server, body_of(str(i))) for i in range(100)))
            return time.perf_counter() - begin, {reply[0] for reply in replies}

    with running_server(ServerOptions(roles=ECHO, latency_s=1.0)) as server:
        seconds, statuses = asyncio.run(main(server))
    assert statuses == {200}
    # One after the other they would take 100 s.
    assert 1.0 <= seconds < 50
