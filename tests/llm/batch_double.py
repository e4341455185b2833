"""A server with a Batch API of which each answer is what a test says, and a ledger in memory."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from aiohttp import web

from perennial.schemas.model_calls import ModelRequest, Reply, Spent, StoredBatch
from perennial.schemas.settings.model_entry import CallPolicy, ModelEntry
from perennial.tasks.llm.client import ModelClient
from perennial.tasks.llm.server_batches.use import InBatches, Pace
from tests.llm.http_double import FAST, KEY, MemoryLedger, request

Asked = list[dict[str, Any]]
PACE = Pace(quiet_s=0.01, first_s=0.005, growth=1.5, most_s=0.01, failures=2)


def line(asked: dict[str, Any], **changes: Any) -> str:
    """Return a right line of output."""
    choice = {"index": 0, "message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}
    body = {"object": "chat.completion", "model": "m", "choices": [choice]}
    return json.dumps(
        {"custom_id": asked["custom_id"], "response": {"status_code": 200, "body": body}} | changes
    )


@dataclass
class BatchDouble:
    """`looks` are the answers to GET /batches/ID, the last one for ever: a status, or an HTTP status."""

    output: Callable[[Asked], str] = lambda asked: "".join(f"{line(one)}\n" for one in asked)
    looks: Sequence[str | int | dict[str, Any]] = ("completed",)
    listed: Sequence[Any] = ()
    batch_id: Any = "batch_1"
    file_id: Any = "file-{}"
    refuses: Mapping[str, int] = field(default_factory=dict)
    url: str = ""
    uploads: list[Asked] = field(default_factory=list)
    created: list[Any] = field(default_factory=list)
    requests: list[web.Request] = field(default_factory=list)

    async def upload(self, request: web.Request) -> web.Response:
        self.requests.append(request)
        form = await request.post()
        assert isinstance(form["file"], web.FileField)
        self.uploads.append([json.loads(one) for one in form["file"].file.read().splitlines()])
        if request.path in self.refuses:
            return web.json_response({"error": {"message": "no"}}, status=self.refuses[request.path])
        file_id = self.file_id
        if isinstance(file_id, str) and "{}" in file_id:
            file_id = file_id.format(len(self.uploads))
        return web.json_response({"id": file_id})

    async def create(self, request: web.Request) -> web.Response:
        self.requests.append(request)
        self.created.append(await request.json())
        if request.path in self.refuses:
            return web.json_response({"error": {"message": "no"}}, status=self.refuses[request.path])
        return web.json_response({"id": self.batch_id, "status": "validating"})

    async def look(self, request: web.Request) -> web.Response:
        self.requests.append(request)
        seen = sum(one.path == request.path for one in self.requests) - 1
        said = self.looks[min(seen, len(self.looks) - 1)]
        if isinstance(said, int):
            return web.json_response({"error": {"message": f"no, {KEY}"}}, status=said)
        if isinstance(said, str):
            said = {"id": self.batch_id, "status": said, "output_file_id": "out"}
        return web.json_response(said)

    async def list(self, request: web.Request) -> web.Response:
        self.requests.append(request)
        return web.json_response({"data": list(self.listed), "has_more": False})

    async def content(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        text = self.output(self.uploads[-1])
        response = web.StreamResponse()
        response.enable_compression()
        await response.prepare(request)
        await response.write(text.encode())
        await response.write_eof()
        return response


@asynccontextmanager
async def serving(server: BatchDouble) -> AsyncIterator[BatchDouble]:
    app = web.Application(client_max_size=2**24)
    app.router.add_post("/v1/files", server.upload)
    app.router.add_get("/v1/files/out/content", server.content)
    app.router.add_post("/v1/batches", server.create)
    app.router.add_get("/v1/batches", server.list)
    app.router.add_get("/v1/batches/{id}", server.look)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield server
    finally:
        await runner.cleanup()


class MemoryBatches:
    """Keeps batches in memory (`perennial.tasks.llm.structured.BatchLedger`)."""

    def __init__(self, replies: MemoryLedger) -> None:
        self.replies = replies
        self.kept: dict[int, tuple[StoredBatch, set[str]]] = {}
        self.attempts: dict[int, list[int]] = {}
        self.begun = 0

    def find_batch(self, _model: str, call_id: str) -> StoredBatch | None:
        batch = next((b for b, calls in reversed(self.kept.values()) if call_id in calls), None)
        stored = {(reply.call_id, reply.batch_id) for reply in self.replies.stored}
        return None if batch is None or (call_id, batch.batch_id) in stored else batch

    def begin_batch(
        self, _model: str, _input_digest: str, file_id: str, calls: Mapping[str, float | None]
    ) -> StoredBatch:
        self.begun += 1
        batch = StoredBatch(self.begun, file_id, len(calls))
        self.kept[batch.number] = batch, set(calls)
        numbers = [self.replies.count_attempt(*call) for call in calls.items()]
        self.attempts[batch.number] = numbers
        return batch

    def calls_of_batch(self, batch: StoredBatch) -> set[str]:
        return self.kept[batch.number][1]

    def keep_batch_id(self, batch: StoredBatch, batch_id: str) -> StoredBatch:
        batch = replace(batch, batch_id=batch_id)
        self.kept[batch.number] = batch, self.kept[batch.number][1]
        return batch

    def forget_batch(self, batch: StoredBatch, *, was_made: bool) -> None:
        del self.kept[batch.number]
        if not was_made:
            for number in self.attempts[batch.number]:
                del self.replies.attempts[number]


def requests(number: int) -> list[ModelRequest]:
    return [request(f"Question {index}?", temperature=0.5) for index in range(number)]


def ask_all(
    server: BatchDouble,
    asked: Sequence[ModelRequest],
    ledger: MemoryBatches | None = None,
    *,
    most_requests: int = 50_000,
    most_bytes: int = 100_000_000,
    pace: Pace = PACE,
    told: list[str] | None = None,
    spent: Spent | None = None,
    **policy: Any,
) -> list[Reply | BaseException]:
    """Ask for all at once, by a client of its own; return each reply, or what was raised."""
    ledger = ledger or MemoryBatches(MemoryLedger())
    tell = lambda text, is_new: told.append(text) if told is not None and is_new else None  # noqa: E731

    async def run() -> list[Reply | BaseException]:
        async with serving(server):
            use = InBatches(ledger, tell, pace, most_requests, most_bytes)
            chosen = CallPolicy(server.url, **{"concurrency": most_requests, "max_attempts": 2} | policy)
            entry = ModelEntry(batch=True)
            client = ModelClient(
                chosen, KEY, ledger.replies, {}, spent or Spent(), FAST, entry=entry, batches=use
            )
            async with client:
                return await asyncio.gather(*map(client.ask, asked), return_exceptions=True)

    return asyncio.run(run())
