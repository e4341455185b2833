"""A small HTTP server of a test's own, and a ledger in memory."""

import asyncio
import json
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from perennial.schemas.model_calls import AttemptEnd, ModelRequest, Reply, Spent
from perennial.schemas.settings.model_entry import CallPolicy
from perennial.tasks.llm.breaker import Breaker
from perennial.tasks.llm.client import ModelClient
from perennial.tasks.llm.retry_policy import RetryPolicy

KEY = "sk-test-0123456789abcdef/+"
FAST = RetryPolicy(base_delay_s=0.001, max_delay_s=0.01)


@dataclass(frozen=True)
class Answer:
    """What the double sends after `delay` seconds.

    `drop` closes the connection instead, `raw` sends these bytes first, `trickle` a space ever and again.
    `data` is a body as it goes over the wire, sent `repeats` times with so long a pause.
    """

    status: int = 200
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drop: bool = False
    raw: bytes | None = None
    trickle: bool = False
    data: bytes | None = None
    repeats: int = 1
    pause: float = 0.0


@dataclass(frozen=True)
class Seen:
    """A request that came: when (monotonic seconds), its headers, its JSON body and its query."""

    at: float
    headers: dict[str, str]
    body: dict[str, Any]
    query: str = ""


def completion(
    content: Any = "hi",
    finish: str | None = "stop",
    usage: Any = None,
    *,
    ensure_ascii: bool = True,
    **message: Any,
) -> str:
    body: dict[str, Any] = {
        "id": "c1",
        "object": "chat.completion",
        "model": "served-1",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content}}
        ],
    }
    body["choices"][0]["message"].update(message)
    if usage is not None:
        body["usage"] = usage
    return json.dumps(body, ensure_ascii=ensure_ascii)


def usage(prompt: Any, completion: Any, cached: Any = None, reasoning: Any = None) -> dict[str, Any]:
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    }


def ok(content: Any = "hi", delay: float = 0.0, **more: Any) -> Answer:
    return Answer(body=completion(content, **more), delay=delay)


def fault(status: int, message: str = "bad", code: str | None = None, **headers: str) -> Answer:
    body = json.dumps({"error": {"message": message, "code": code}})
    return Answer(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


DROPPED = Answer(drop=True)


class Double:
    """Answers the n-th request with the n-th answer, later ones with the last; or by a function."""

    def __init__(self, answers: tuple[Answer, ...], by: Callable[[Seen], Answer] | None) -> None:
        self.answers, self.by = answers, by
        self.seen: list[Seen] = []
        self.in_flight = self.most_in_flight = 0
        self.most_sent = 0
        self.url = ""
        self.listed: tuple[str, ...] | None = None
        self.look_ups = 0

    def answer(self, seen: Seen) -> Answer:
        if self.by is not None:
            return self.by(seen)
        return self.answers[min(len(self.seen), len(self.answers)) - 1]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        seen = Seen(time.monotonic(), dict(request.headers), await request.json(), request.query_string)
        self.seen.append(seen)
        answer = self.answer(seen)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(answer.delay)
        finally:
            self.in_flight -= 1
        if answer.trickle:
            return await self.trickle(request)
        if answer.data is not None:
            return await self.send_data(request, answer)
        if request.transport is None or not (answer.drop or answer.raw):
            kind = "text/html" if answer.body.startswith("<") else "application/json"
            return web.Response(
                text=answer.body, status=answer.status, headers=answer.headers, content_type=kind
            )
        request.transport.write(answer.raw or b"")
        request.transport.close()
        return web.Response()

    async def models(self, _request: web.Request) -> web.Response:
        self.look_ups += 1
        if self.listed is None:
            return web.Response(status=404)
        return web.json_response({"data": [{"id": name} for name in self.listed]})

    async def send_data(self, request: web.Request, answer: Answer) -> web.StreamResponse:
        assert answer.data is not None
        response = web.StreamResponse(status=answer.status, headers=answer.headers)
        response.content_type = "application/json"
        await response.prepare(request)
        sent = 0
        try:
            for _ in range(answer.repeats):
                await response.write(answer.data)
                sent += len(answer.data)
                await asyncio.sleep(answer.pause)
        except ConnectionError:
            pass
        finally:
            self.most_sent = max(self.most_sent, sent)
        return response

    async def trickle(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b" ")
            await asyncio.sleep(0.03)


@asynccontextmanager
async def double(
    *answers: Answer,
    by: Callable[[Seen], Answer] | None = None,
    tls: ssl.SSLContext | None = None,
    path: str = "/v1/chat/completions",
) -> AsyncIterator[Double]:
    server = Double(answers, by)
    app = web.Application(client_max_size=2**24)
    app.router.add_post(path, server.handle)
    app.router.add_get("/v1/models", server.models)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=512, ssl_context=tls).start()
    server.url = f"http{'s' if tls else ''}://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield server
    finally:
        await runner.cleanup()


class MemoryLedger:
    """Keeps replies in memory: `stored` lists all of them in order, answered ones are found."""

    def __init__(self) -> None:
        self.answers: dict[str, Reply] = {}
        self.stored: list[Reply] = []
        self.attempts: dict[int, tuple[str, float | None, float | None]] = {}
        self.begun = 0

    def find(self, call_id: str) -> Reply | None:
        return self.answers.get(call_id)

    def has_answered(self, model: str) -> bool:
        return any(reply.answered for reply in self.stored)

    async def store(self, request: ModelRequest, reply: Reply) -> Reply:
        await asyncio.sleep(0)
        self.stored.append(reply)
        return self.answers.setdefault(request.call_id, reply) if reply.answered else reply

    async def begin_attempt(self, request: ModelRequest, estimate_usd: float | None) -> int:
        await asyncio.sleep(0)
        return self.count_attempt(request.call_id, estimate_usd)

    def count_attempt(self, call_id: str, estimate_usd: float | None) -> int:
        self.begun += 1
        self.attempts[self.begun] = call_id, None, estimate_usd
        return self.begun

    async def end_attempt(self, end: AttemptEnd) -> None:
        await asyncio.sleep(0)
        call_id = self.attempts.pop(end.number)[0]
        if end.was_sent:
            self.attempts[end.number] = call_id, end.cost_usd, end.estimate_usd

    def find_last_attempt(self, call_id: str) -> tuple[int, float | None] | None:
        found = [(number, estimate) for number, (one, _, estimate) in self.attempts.items() if one == call_id]
        return max(found, default=None)

    def sum_spending(self) -> Spent:
        rows = [(cost, estimate) for _, cost, estimate in self.attempts.values()]
        known = [estimate if cost is None else cost for cost, estimate in rows]
        return Spent(
            len(rows),
            sum(one for one in known if one is not None),
            sum(one is None for one in known),
            sum(cost is None and estimate is not None for cost, estimate in rows),
        )


def request(text: str = "Which?", repeat: int = 0, model: str = "m", **params: Any) -> ModelRequest:
    messages = ({"role": "system", "content": "You play."}, {"role": "user", "content": text})
    return ModelRequest("player", model, messages, params, "kumo/turn", "0" * 16, repeat)


def client(url: str, ledger: MemoryLedger | None = None, **changes: Any) -> ModelClient:
    names = ("key", "prices", "spent", "retries", "patience")
    own = {name: changes.pop(name) for name in names if name in changes}
    asker = ModelClient(
        CallPolicy(url, **changes),
        own.get("key", KEY),
        ledger or MemoryLedger(),
        own.get("prices", {}),
        own.get("spent", Spent()),
        own.get("retries", FAST),
    )
    if "patience" in own:
        asker._breaker = Breaker(url, own["patience"])
    return asker


def ask(*answers: Answer, asked: ModelRequest | None = None, **changes: Any) -> tuple[Reply, Double]:
    """Ask once, with a client of its own; return the reply and the server with what it saw."""

    async def run() -> tuple[Reply, Double]:
        async with double(*answers) as server, client(server.url, **changes) as asker:
            return await asker.ask(asked or request()), server

    return asyncio.run(run())


def against(
    *answers: Answer,
    test: Callable[[Double, ModelClient], Awaitable[None]],
    by: Callable[[Seen], Answer] | None = None,
    **changes: Any,
) -> None:
    """Run the test against a server and a client of its own."""

    async def run() -> None:
        async with double(*answers, by=by) as server, client(server.url, **changes) as asker:
            await test(server, asker)

    asyncio.run(run())
