import asyncio
import gc
import logging
import traceback
import warnings

import pytest

from perennial.schemas.errors import EndpointFailed, InvalidOption
from perennial.schemas.model_calls import Price
from tests.llm.http_double import (
    KEY,
    Answer,
    MemoryLedger,
    against,
    ask,
    client,
    completion,
    double,
    fault,
    ok,
    request,
    usage,
)


def test_what_is_sent_and_what_comes_back():
    asked = request("Which?", temperature=0.5, top_p=0.9, max_tokens=50, seed=7, reasoning_effort="low")
    reply, server = ask(ok("Swab", usage=usage(10, 4)), asked=asked, prices={"m": Price(1.0, 2.0)})
    assert (reply.call_id, reply.status, reply.content, reply.attempts) == (asked.call_id, "ok", "Swab", 1)
    assert reply.cost_usd == pytest.approx(18e-6)
    assert 0 < reply.latency_s < 5
    (seen,) = server.seen
    assert seen.headers["Authorization"] == f"Bearer {KEY}"
    assert seen.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "You play."}, {"role": "user", "content": "Which?"}],
        "temperature": 0.5,
        "top_p": 0.9,
        "max_tokens": 50,
        "seed": 7,
        "reasoning_effort": "low",
    }


def test_a_kept_answer_makes_no_request():
    ledger = MemoryLedger()

    async def test(server, asker):
        first = await asker.ask(request())
        assert await asker.ask(request()) == first
        assert await asker.ask(request(repeat=1)) != first
        assert len(server.seen) == 2
        assert (asker.answered, asker.replayed, asker.failed) == (2, 1, 0)

    against(ok(), test=test, ledger=ledger)
    assert len(ledger.stored) == 2

    async def again(server, asker):
        assert (await asker.ask(request())).content == "hi"
        assert server.seen == []

    against(ok(), test=again, ledger=ledger, max_calls=0)


def test_the_same_call_asked_at_once_is_paid_for_once():
    async def test(server, asker):
        replies = await asyncio.gather(*(asker.ask(request()) for _ in range(10)))
        assert len({id(reply) for reply in replies}) == 1
        assert (len(server.seen), asker.answered, asker.replayed) == (1, 1, 9)

    against(ok(delay=0.05), test=test)


@pytest.mark.slow
def test_when_the_first_of_the_same_calls_is_cancelled_the_next_one_asks():
    async def test(server, asker):
        first, second = (asyncio.create_task(asker.ask(request())) for _ in range(2))
        while not server.seen:
            await asyncio.sleep(0.01)
        first.cancel()
        assert (await second).status == "ok"
        assert len(server.seen) == 2

    against(ok(delay=30), ok(), test=test)


@pytest.mark.slow
def test_a_reply_is_stored_before_it_is_returned_failed_ones_too():
    class Slow(MemoryLedger):
        async def store(self, request, reply):
            await asyncio.sleep(0.05)
            return await super().store(request, reply)

    ledger = Slow()

    async def test(server, asker):
        good = await asker.ask(request())
        assert ledger.stored == [good]
        bad = await asker.ask(request(repeat=1))
        assert ledger.stored == [good, bad]
        assert (bad.status, asker.failed) == ("rejected", 1)
        assert (await asker.ask(request(repeat=1))).status == "ok"

    against(ok(), fault(400), ok(), test=test, ledger=ledger)


def test_what_another_process_kept_meanwhile_wins():
    class Taken(MemoryLedger):
        async def store(self, request, reply):
            return await super().store(request, other)

    other = ask(ok("theirs"))[0]

    async def test(server, asker):
        assert (await asker.ask(request())).content == "theirs"

    against(ok("ours"), test=test, ledger=Taken())


@pytest.mark.slow
def test_a_cancelled_call_stores_nothing_and_counts_where_it_was_sent():
    ledger = MemoryLedger()

    async def test(server, asker):
        tasks = [asyncio.create_task(asker.ask(request(repeat=n))) for n in range(3)]
        await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(end, asyncio.CancelledError) for end in ended)
        assert ledger.stored == []
        assert (await asyncio.wait_for(asker.ask(request(repeat=9)), 5)).status == "ok"
        assert ledger.sum_spending().requests == len(server.seen) == 2

    answers = iter([ok(delay=9)])
    against(
        test=test,
        by=lambda seen: next(answers, ok()),
        ledger=ledger,
        concurrency=1,
        max_calls=2,
        timeout_s=30,
    )


@pytest.mark.slow
def test_no_more_calls_than_the_limit_are_in_flight():
    async def test(server, asker):
        replies = await asyncio.gather(*(asker.ask(request(repeat=n)) for n in range(40)))
        assert [reply.status for reply in replies] == ["ok"] * 40
        assert server.most_in_flight == 8

    against(ok(delay=0.03), test=test, concurrency=8)


@pytest.mark.slow
def test_more_than_a_hundred_can_be_in_flight():
    async def test(server, asker):
        await asyncio.gather(*(asker.ask(request(repeat=n)) for n in range(150)))
        assert server.most_in_flight == 150

    against(ok(delay=0.6), test=test, concurrency=150)


def test_max_tokens_takes_its_newer_name_where_the_model_wants_it():
    def by(seen):
        if "max_tokens" in seen.body and seen.body["model"] == "new":
            return fault(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        return ok()

    async def test(server, asker):
        asked = [request(repeat=n, model="new", max_tokens=9) for n in range(5)]
        replies = await asyncio.gather(*map(asker.ask, asked))
        assert [(r.call_id, r.status, r.attempts) for r in replies] == [(a.call_id, "ok", 1) for a in asked]
        assert len(server.seen) == 10
        await asker.ask(request(repeat=5, model="new", max_tokens=9))
        assert (len(server.seen), server.seen[-1].body["max_completion_tokens"]) == (11, 9)
        await asker.ask(request(model="old", max_tokens=9))
        assert server.seen[-1].body["max_tokens"] == 9

    against(test=test, by=by)


def test_another_400_is_not_asked_again_under_another_name():
    reply, server = ask(fault(400, "max_completion_tokens must be positive"), asked=request())
    assert (reply.status, len(server.seen)) == ("rejected", 1)
    reply, server = ask(fault(400, "use max_completion_tokens"), asked=request(max_tokens=1))
    assert (reply.status, len(server.seen)) == ("rejected", 2)


# ---- the key


def test_the_key_is_nowhere(caplog):
    caplog.set_level(logging.DEBUG)
    ledger = MemoryLedger()
    echo = f"key {KEY} " + "y" * 235 + KEY  # the end of a shortened error falls into it
    answers = (fault(500, echo), fault(400, echo), ok(f"you sent {KEY}", reasoning=KEY), fault(401, echo))

    async def test(server, asker):
        for n in range(2):
            await asker.ask(request(repeat=n))
        with pytest.raises(EndpointFailed) as failed:
            await asker.ask(request(repeat=3))
        shown = "".join(traceback.format_exception(failed.value)) + repr(asker) + str(failed.value)
        assert "[key]" in shown
        for text in (shown, repr(ledger.stored), caplog.text):
            assert "0123456789" not in text

    against(*answers, test=test, ledger=ledger)
    assert [reply.status for reply in ledger.stored] == ["rejected", "ok", "rejected"]


def test_no_key_sends_a_placeholder():
    reply, server = ask(ok("none of them"), key="")
    assert reply.content == "none of them"
    assert server.seen[0].headers["Authorization"] == "Bearer none"


@pytest.mark.parametrize(
    "key",
    [
        "two\nlines",
        "sm\u00f6rg\u00e5s-key",
        '"sk-quoted"',
        "'sk-quoted'",
        "\u201csk-quoted\u201d",
        "Bearer sk-1",
        "bearer sk-1",
        "Authorization: Bearer sk-1",
        "OPENAI_API_KEY=sk-1",
        "sk-1 and more",
    ],
)
def test_a_key_that_no_request_can_carry_is_refused_unseen(key):
    with pytest.raises(InvalidOption, match="PERENNIAL_API_KEY") as refused:
        client("http://127.0.0.1:1/v1", key=key)
    assert key not in str(refused.value)


@pytest.mark.parametrize("url", ["http://user:hunter2@host/v1", "https://host/v1?key=hunter2"])
def test_a_url_with_credentials_is_refused_unseen(url):
    with pytest.raises(InvalidOption, match="PERENNIAL_API_KEY") as refused:
        client(url)
    assert "hunter2" not in str(refused.value)


# ---- the URL, the network, the end


@pytest.mark.slow
@pytest.mark.parametrize("slash", ["", "/"])
def test_the_url_with_and_without_a_slash_past_a_proxy(slash, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    async def run(host):
        async with double(ok()) as server, client(server.url.replace("127.0.0.1", host) + slash) as asker:
            return await asker.ask(request())

    for host in ("127.0.0.1", "localhost"):
        assert asyncio.run(run(host)).status == "ok"


def test_a_proxy_of_the_environment_serves_other_hosts(monkeypatch):
    async def run():
        async with double(ok()) as server:
            monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
            async with client("http://models.invalid/v1") as asker:
                reply = await asker.ask(request())
                assert (reply.status, server.seen[0].headers["Host"]) == ("ok", "models.invalid")

    asyncio.run(run())


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8000/v1",
        "ftp://host/v1",
        "http:///v1",
        "http://h:99999/v1",
        "http://h/v1/chat/completions",
        "http://h/v1/Chat/Completions/",
        "http://h/v1/models",
    ],
)
def test_a_url_that_cannot_be_asked_is_refused(url):
    with pytest.raises(InvalidOption, match=r"OPENAI_BASE_URL.* such as http://127\.0\.0\.1:8000/v1"):
        client(url)


def test_a_redirect_is_not_followed():
    async def run():
        async with double(ok()) as target:
            moved = Answer(307, "", {"Location": f"{target.url}/chat/completions"})
            async with double(moved) as server, client(server.url) as asker:
                reply = await asker.ask(request())
                assert reply.status == "rejected"
                assert target.seen == []

    asyncio.run(run())


@pytest.mark.slow
def test_closing_leaves_nothing_open():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ask(ok())
        gc.collect()
    assert [str(w.message) for w in caught if issubclass(w.category, ResourceWarning)] == []


def test_a_client_serves_one_event_loop_after_the_other():
    for _ in range(2):
        assert ask(ok())[0].status == "ok"


def test_compressed_and_marked_bodies_are_read():
    body = "\ufeff" + completion("h\u00e9")
    reply, _ = ask(Answer(body=body))
    assert reply.content == "h\u00e9"
