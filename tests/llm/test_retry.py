import asyncio
import itertools
import socket
import time
from datetime import UTC, datetime
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.tasks.llm.retry_policy import (
    RETRIED_STATUSES,
    HttpResult,
    RetryPolicy,
    is_retried_status,
    retry_after_s,
)
from tests.llm.http_double import DROPPED, Answer, against, ask, client, fault, ok, request


class NotedWaits(RetryPolicy):
    """Notes how long it would wait, and does not."""

    waits = property(lambda self: self.__dict__.setdefault("noted", []))

    def wait_s(self, attempt, asked_s, jitter):
        self.waits.append(super().wait_s(attempt, asked_s, jitter))
        return 0.0


RETRIED = (*RETRIED_STATUSES, 500, 502, 503, 504, 529)
NEVER_RETRIED = (301, 307, 400, 402, 405, 415, 422, 431, 451)


@pytest.mark.parametrize("status", RETRIED)
def test_a_passing_trouble_is_tried_again(status):
    reply, server = ask(fault(status), fault(status), ok("there"))
    assert (reply.status, reply.content, reply.attempts) == ("ok", "there", 3)
    assert len(server.seen) == 3


@pytest.mark.parametrize("status", [s for s in NEVER_RETRIED if s != 402])
def test_a_wrong_request_is_sent_once(status):
    reply, server = ask(fault(status, "no such thing"), ok())
    assert (reply.status, reply.attempts, len(server.seen)) == ("rejected", 1, 1)
    assert f"HTTP {status}: " in reply.error
    assert status < 400 or "no such thing" in reply.error


def test_the_named_set_is_what_the_policy_says():
    assert {status for status in range(200, 700) if is_retried_status(status)} == {
        408,
        409,
        425,
        429,
        498,
        *range(500, 600),
    }
    assert not any(is_retried_status(status) for status in (400, 401, 403, 404))


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (fault(503, "overloaded"), "unavailable", "HTTP 503: overloaded"),
        (Answer(502, "<html><title>Bad Gateway</title></html>"), "unavailable", "HTTP 502: Bad Gateway"),
        (DROPPED, "unavailable", "the connection was lost"),
        (
            Answer(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{}"),
            "unavailable",
            "connection was lost",
        ),
        (Answer(raw=b"gopher nonsense\r\n\r\n"), "unavailable", "connection was lost"),
        (Answer(body="<!DOCTYPE html><html><title>Log in</title>"), "html_body", "HTML page: Log in"),
        (Answer(body='{"choices": ['), "invalid_body", "no JSON object"),
        (Answer(body='{"error": {"message": "engine died"}}'), "invalid_body", "engine died"),
        (Answer(body=""), "invalid_body", "no JSON object"),
    ],
)
def test_a_call_is_given_up_after_max_attempts(answer, status, words):
    reply, server = ask(answer, max_attempts=3)
    assert (reply.status, reply.attempts, len(server.seen)) == (status, 3, 3)
    assert words in reply.error
    assert reply.error.endswith("(given up after 3 of 3 attempts)")
    assert "\n" not in reply.error


@pytest.mark.slow
@pytest.mark.parametrize("answer", [DROPPED, Answer(body="<html>proxy"), Answer(body="{"), ok(delay=5)])
def test_what_is_no_answer_is_asked_again(answer):
    reply, server = ask(answer, ok("there"), timeout_s=1)
    assert (reply.status, reply.content, len(server.seen)) == ("ok", "there", 2)


@pytest.mark.parametrize("slow", [ok(delay=30), Answer(trickle=True)])
@pytest.mark.slow
def test_a_slow_reply_ends_at_the_time_out_of_ours(slow):
    # Long enough for a busy machine to take up the request; the replies themselves come after it, or never.
    reply, server = ask(slow, timeout_s=1, max_attempts=2)
    assert (reply.status, reply.attempts, len(server.seen)) == ("unavailable", 2, 2)
    assert "no whole response within 1 s: if the server answers one call at a time, set" in reply.error
    assert reply.latency_s >= 1


def test_nobody_there_is_said_so():
    async def run(port):
        async with client(f"http://127.0.0.1:{port}/v1", max_attempts=2) as asker:
            return await asker.ask(request())

    # Bound and not listening: nobody else can take the port meanwhile.
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        reply = asyncio.run(run(unused.getsockname()[1]))
    assert (reply.status, reply.attempts) == ("unavailable", 2)
    assert "no connection: " in reply.error


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (429, {"Retry_After": "1"}),
        (503, {"Retry_After": "0.5"}),
        (429, {"retry_after_ms": "400", "Retry_After": "50"}),
    ],
)
def test_retry_after_is_obeyed(status, headers):
    retries = NotedWaits(base_delay_s=0.25)
    reply, _ = ask(fault(status, **headers), ok(), retries=retries)
    asked_s = 0.4 if "retry_after_ms" in headers else float(headers["Retry_After"])
    assert reply.status == "ok"
    (wait,) = retries.waits
    assert asked_s < wait <= asked_s + 0.25


def test_retry_after_means_nothing_elsewhere():
    retries = NotedWaits(base_delay_s=0.25)
    reply, _ = ask(fault(500, Retry_After="60"), ok(), retries=retries)
    assert reply.status == "ok"
    (wait,) = retries.waits
    assert wait <= 0.25


def test_a_call_that_is_asked_to_wait_as_long_as_a_call_may_waits():
    policy = RetryPolicy(max_retry_after_s=600)
    assert not policy.asks_too_long(HttpResult(429, retry_after_s=600.0))
    assert policy.asks_too_long(HttpResult(429, retry_after_s=600.001))
    assert not policy.asks_too_long(HttpResult(429))
    retries = NotedWaits(base_delay_s=0, max_retry_after_s=600)
    reply, server = ask(fault(429, Retry_After="600"), ok(), retries=retries)
    assert (reply.status, len(server.seen), retries.waits) == ("ok", 2, [600.0])


def test_calls_that_are_asked_to_wait_equally_long_do_not_come_back_all_at_once():
    policy, jitter = RetryPolicy(base_delay_s=0.5), Random(1)
    waits = [policy.wait_s(1, 7.0, jitter) for _ in range(100)]
    assert len(set(waits)) == 100
    assert min(waits) < 7.05
    assert 7.45 < max(waits) <= 7.5


def test_a_day_is_not_waited_for():
    reply, server = ask(fault(429, "come back", Retry_After="86400"))
    assert (reply.status, reply.attempts, len(server.seen)) == ("unavailable", 1, 1)
    assert "come back (given up after 1 of 6 attempts, as the server asks to wait 86400 s" in reply.error


NOW = datetime(2025, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "Sat, 01 Mar 2025 12:00:30 GMT"}, 30),
        ({"retry-after": "Sat, 01 Mar 2025 13:00:30 +0100"}, 30),
        ({"retry-after": "Sat, 01 Mar 2025 11:00:00 GMT"}, 0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9),
        ({"retry-after": "inf"}, float("inf")),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "tomorrow"}, None),
        ({"retry-after": "Sat, 99 Mar 2025 12:00:30 GMT"}, None),
        ({}, None),
    ],
)
def test_retry_after_in_all_its_forms(headers, seconds):
    assert retry_after_s(429, headers, NOW) == seconds
    assert retry_after_s(500, headers, NOW) is None


def test_a_date_without_a_zone_is_in_utc_wherever_this_machine_is(monkeypatch):
    with monkeypatch.context() as moved:
        moved.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        assert retry_after_s(429, {"retry-after": "Sat, 01 Mar 2025 12:00:30 -0000"}, NOW) == 30
    time.tzset()


@given(st.text(max_size=40))
def test_any_header_is_read_as_a_wait_or_as_nothing(text):
    seconds = retry_after_s(503, {"retry-after": text}, NOW)
    assert seconds is None or seconds >= 0


@given(st.integers(1, 10_000), st.integers(0, 2**32), st.none() | st.floats(0, 600))
def test_waits_are_jittered_and_bounded(attempt, seed, asked_s):
    policy = RetryPolicy(base_delay_s=0.5, max_delay_s=60)
    wait = policy.wait_s(attempt, asked_s, Random(seed))
    if asked_s is None:
        assert 0 <= wait <= min(60, 0.5 * 2 ** min(attempt - 1, 60))
    else:
        assert asked_s <= wait <= asked_s + 0.5


class Shortest(Random):
    def uniform(self, a, b):
        return a


class Longest(Random):
    """Draws the greatest number that may be drawn."""

    def uniform(self, a, b):
        return b


def test_the_longest_wait_doubles_from_attempt_to_attempt_up_to_a_minute():
    waits = [RetryPolicy().wait_s(attempt, None, Longest()) for attempt in range(1, 10)]
    assert waits == [0.5, 1, 2, 4, 8, 16, 32, 60, 60]


def test_a_server_that_is_not_there_is_waited_for_up_to_two_minutes():
    waits = [RetryPolicy().outage_wait_s(attempt, Longest()) for attempt in range(1, 6)]
    assert waits == [0.5, 2, 8, 32, 60]
    shortest = sum(RetryPolicy().outage_wait_s(attempt, Shortest()) for attempt in range(1, 6))
    assert 75 < shortest < sum(waits) <= 120


@pytest.mark.parametrize("answer", [fault(503, "Loading model"), fault(502), fault(529)])
def test_a_server_that_is_starting_is_asked_again_after_longer_waits(answer):
    class Outage(RetryPolicy):
        def wait_s(self, attempt, asked_s, jitter):
            raise AssertionError("a server that is not there needs longer")

        def outage_wait_s(self, attempt, jitter):
            return 0.0

    reply, server = ask(answer, answer, answer, answer, answer, ok("there"), retries=Outage())
    assert (reply.content, len(server.seen)) == ("there", 6)


def test_the_back_off_grows_and_differs_from_call_to_call():
    policy, jitter = RetryPolicy(), Random(1)
    means = [sum(policy.wait_s(n, None, jitter) for _ in range(400)) / 400 for n in (1, 2, 3, 4)]
    assert means == sorted(means)
    assert means[3] > 5 * means[0]
    assert len({policy.wait_s(3, None, jitter) for _ in range(10)}) == 10


def test_calls_that_a_serial_server_answers_one_by_one_are_all_sent_once():
    order = itertools.count(1)

    async def run(server, asker):
        replies = await asyncio.gather(*(asker.ask(request(f"{n}")) for n in range(32)))
        assert {reply.status for reply in replies} == {"ok"}
        assert len(server.seen) == 32

    against(test=run, by=lambda _: ok(delay=0.005 * next(order)), concurrency=32)
