import asyncio
import time

import pytest

from perennial.schemas.errors import EndpointFailed
from perennial.schemas.model_calls import Reply
from perennial.tasks.llm.breaker import Breaker
from perennial.tasks.llm.retry_policy import CallAttempt, HttpResult
from tests.llm.http_double import KEY, Answer, MemoryLedger, against, client, double, fault, ok, request


async def ask_all(asker, n, model="m", start=0):
    calls = (asker.ask(request(repeat=start + i, model=model)) for i in range(n))
    return await asyncio.gather(*calls, return_exceptions=True)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (fault(401, f"Incorrect key {KEY}"), ["refused", "PERENNIAL_API_KEY or OPENAI_API_KEY", "HTTP 401"]),
        (fault(403, "not yours"), ["may not be used", "PERENNIAL_API_KEY or OPENAI_API_KEY", "not yours"]),
        (fault(429, "no money", "insufficient_quota"), ["no quota left", "no money"]),
        (fault(402, "Insufficient Balance"), ["no quota left", "Insufficient Balance"]),
    ],
)
def test_a_wrong_key_stops_everything_after_one_call(answer, words):
    ledger = MemoryLedger()

    async def test(server, asker):
        with pytest.raises(EndpointFailed) as failed:
            await asker.ask(request())
        later = await ask_all(asker, 50, "another", 1)
        assert {str(error) for error in later} == {str(failed.value)}
        assert (len(server.seen), asker.failed) == (1, 1)
        assert "\n" not in str(failed.value)
        assert KEY not in str(failed.value)
        for word in [*words, "'m'", server.url, "run the same command again"]:
            assert word in str(failed.value)

    against(answer, test=test, ledger=ledger)
    assert [reply.status for reply in ledger.stored] == ["rejected"]


def test_an_unknown_model_stops_that_model_only():
    def by(seen):
        return fault(404, "model gone") if seen.body["model"] == "m" else ok()

    async def test(server, asker):
        errors = await ask_all(asker, 20)
        assert all(isinstance(error, EndpointFailed) for error in errors)
        assert len(server.seen) == 1
        for word in ("model 'm'", "model gone", f"GET {server.url}/models"):
            assert word in str(errors[0])
        assert (await asker.ask(request(model="other"))).status == "ok"
        assert isinstance((await ask_all(asker, 1, start=99))[0], EndpointFailed)
        assert len(server.seen) == 2

    against(test=test, by=by, concurrency=1)


@pytest.mark.parametrize(
    ("answer", "requests", "word"),
    [
        (fault(400, "too long"), 5, "too long"),
        (fault(500, "out of memory"), 10, "out of memory"),
        (Answer(body="<html><title>Sign in</title>"), 10, "Sign in"),
        (Answer(body="{}"), 10, "no chat completion"),
    ],
)
def test_five_failed_calls_in_a_row_stop_a_model(answer, requests, word):
    async def test(server, asker):
        ends = await ask_all(asker, 30)
        assert sum(isinstance(end, EndpointFailed) for end in ends) == 26
        assert len(server.seen) == requests
        error = next(end for end in ends if isinstance(end, EndpointFailed))
        for part in ("5 calls in a row", "model 'm'", server.url, word):
            assert part in str(error)

    against(answer, test=test, concurrency=1, max_attempts=2)


def test_an_answer_in_between_starts_the_count_anew():
    answers = [fault(400)] * 4 + [ok()] + [fault(400)] * 4 + [ok("", finish="length")] + [fault(400)] * 9

    async def test(server, asker):
        ends = [(await ask_all(asker, 1, start=n))[0] for n in range(20)]
        assert [isinstance(end, EndpointFailed) for end in ends] == [False] * 14 + [True] * 6
        assert len(server.seen) == 15

    against(*answers, test=test)


def test_failures_of_one_model_do_not_count_for_another():
    async def test(server, asker):
        for n in range(3):
            for model in ("a", "b", "c"):
                assert (await asker.ask(request(repeat=n, model=model))).status == "rejected"

    against(fault(400), test=test)


def test_nobody_there_asks_whether_the_server_runs():
    async def run():
        async with client("http://127.0.0.1:9/v1/", max_attempts=2) as asker:
            return await ask_all(asker, 5)

    *first, last = asyncio.run(run())
    errors = [end for end in (*first, last) if isinstance(end, EndpointFailed)]
    assert errors
    assert "is the server running at http://127.0.0.1:9/v1?" in str(errors[0])


@pytest.mark.slow
def test_calls_in_flight_finish_and_are_stored():
    ledger = MemoryLedger()

    def by(seen):
        return fault(401) if "bad" in seen.body["messages"][1]["content"] else ok("paid", delay=0.3)

    async def test(server, asker):
        flying = [asyncio.create_task(asker.ask(request("good", n))) for n in range(5)]
        await asyncio.sleep(0.1)
        with pytest.raises(EndpointFailed):
            await asker.ask(request("bad"))
        waiting = await ask_all(asker, 10)
        assert all(isinstance(end, EndpointFailed) for end in waiting)
        assert [(await call).content for call in flying] == ["paid"] * 5
        assert len(server.seen) == 6

    against(test=test, by=by, ledger=ledger)
    assert sorted(reply.status for reply in ledger.stored) == ["ok"] * 5 + ["rejected"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "limits", [{"concurrency": 2}, {"requests_per_minute": 10}, {"tokens_per_minute": 100}, {"max_calls": 2}]
)
def test_waiting_calls_stop_at_once(limits):
    async def test(server, asker):
        start = time.monotonic()
        ends = await ask_all(asker, 30)
        assert all(isinstance(end, EndpointFailed) for end in ends)
        # Under either limit by the minute, 30 calls would take minutes.
        assert time.monotonic() - start < 30
        assert len(server.seen) <= 2

    against(Answer(401, "{}", delay=0.1), test=test, **limits)


@pytest.mark.slow
def test_calls_asleep_between_attempts_wake_up():
    ledger = MemoryLedger()

    def by(seen):
        if "bad" in seen.body["messages"][1]["content"]:
            return fault(401)
        return fault(503, Retry_After="60")

    async def test(server, asker):
        asleep = [asyncio.create_task(asker.ask(request("slow", n))) for n in range(10)]
        await asyncio.sleep(0.2)
        start = time.monotonic()
        with pytest.raises(EndpointFailed):
            await asker.ask(request("bad"))
        ends = await asyncio.gather(*asleep, return_exceptions=True)
        assert time.monotonic() - start < 30  # and not the 60 s of Retry-After
        assert all(isinstance(end, EndpointFailed) for end in ends)
        assert len(server.seen) == 11

    against(test=test, by=by, ledger=ledger)
    assert len(ledger.stored) == 1


def test_failures_of_calls_that_began_before_an_answer_do_not_open_it():
    failed = CallAttempt(HttpResult(500, "down"), Reply("call_1", "unavailable", error="HTTP 500"))
    answered = CallAttempt(HttpResult(200, "{}"), Reply("call_2", "ok", "yes"))

    async def run():
        breaker = Breaker("http://h/v1")
        before = asyncio.get_running_loop().time()
        breaker.note("m", answered, before)
        for _ in range(20):
            breaker.note("m", failed, before - 1)
        breaker.check("m")
        for _ in range(4):
            breaker.note("m", failed, asyncio.get_running_loop().time())
        breaker.check("m")
        breaker.note("m", failed, asyncio.get_running_loop().time())
        with pytest.raises(EndpointFailed, match="5 calls in a row"):
            breaker.check("m")

    asyncio.run(run())


@pytest.mark.parametrize("answer", [fault(404, "page not found"), Answer(body="<html><title>UI</title>")])
def test_a_base_url_without_v1_is_named(answer):
    async def run():
        async with double(answer, path="/chat/completions") as server:
            bare = server.url.removesuffix("/v1")
            async with client(bare, max_attempts=1) as asker:
                return bare, (await ask_all(asker, 5))[-1]

    bare, error = asyncio.run(run())
    assert f"{bare} has no /v1: try {bare}/v1" in str(error)
