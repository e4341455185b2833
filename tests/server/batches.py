"""The Batch API: files of requests are uploaded, answered as a batch, and read as files of answers."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from aiohttp import web
from pydantic_core import to_json

from perennial.schemas.ids import content_id
from tests.server.answering import Answering
from tests.server.batch_faults import HALVED, LINE_FAULTS, BatchDraws, change_line
from tests.server.options import ServerOptions
from tests.server.script import Script
from tests.server.transport import bad_reply, json_reply
from tests.server.wire import CREATED, Call, Refused, error_body, read_call

_STEPS = ("validating", "in_progress")
_EXPIRED = {
    "code": "batch_expired",
    "message": "This request could not be executed before the batch expired.",
}
_FAILURES = {
    "batch_failed": {"code": "invalid_model", "message": "The model does not take batches.", "line": 1},
    "batch_full": {"code": "token_limit_exceeded", "message": "Enqueued token limit reached."},
}


@dataclass
class _Batch:
    """A batch as it is described, the number of times that it was looked at, and how it ends."""

    id: str
    input_file_id: str
    metadata: Any
    total: int
    end: str
    files: dict[str, str] = field(default_factory=dict)
    error: dict[str, Any] | None = None
    looks: int = 0

    def describe(self) -> dict[str, Any]:
        has_ended = self.looks >= len(_STEPS)
        status = self.end if has_ended else _STEPS[min(self.looks, 1)]
        done = self.total if has_ended else self.total // 2 * min(self.looks, 1)
        value = {
            "id": self.id,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "input_file_id": self.input_file_id,
            "status": status,
            "metadata": self.metadata,
            "created_at": CREATED,
            "completed_at": CREATED + 60 if has_ended else None,
            "request_counts": {"total": self.total, "completed": done, "failed": 0},
            "errors": {"object": "list", "data": [self.error]} if self.error and has_ended else None,
        }
        return value | (self.files if has_ended else {})


class Batches:
    """Files and batches of one server; its methods are handlers of requests."""

    def __init__(
        self,
        options: ServerOptions,
        answering: Answering,
        check_key: Callable[[web.Request], None],
        role_for: Callable[[Call], Script],
    ) -> None:
        self._options = options
        self._answering = answering
        self._check_key = check_key
        self._role_for = role_for
        self._draws = BatchDraws(options.seed, options.rate, options.max_transport_faults)
        self._files: dict[str, str] = {}
        self._batches: dict[str, _Batch] = {}
        self._numbers = count(1)
        self._held = options.hold_batch
        self._released = asyncio.Event()

    def add_to(self, application: web.Application) -> None:
        """Let the application serve the addresses of files and batches."""
        router = application.router
        router.add_post("/v1/files", self._checked(self.upload))
        router.add_get("/v1/files/{id}/content", self._checked(self.content))
        router.add_post("/v1/batches", self._checked(self.create))
        router.add_get("/v1/batches", self._checked(self.list))
        router.add_get("/v1/batches/{id}", self._checked(self.retrieve))

    def hold_next(self, point: str | None) -> None:
        """Let go what is held, and hold what comes to this point."""
        self._held = point
        self._released.set()
        self._released = asyncio.Event()

    def _checked(self, handler: Callable[[web.Request], Any]) -> Callable[[web.Request], Any]:
        async def handle(request: web.Request) -> web.StreamResponse:
            try:
                self._check_key(request)
                if not self._options.has_batches:
                    raise Refused(404, "not_found", f"Unknown address {request.path}", "not_found")
                return await handler(request)
            except Refused as refused:
                self._answering.log.add(refused.outcome)
                return json_reply(refused.status, refused.body)

        return handle

    async def _hold(self, point: str) -> None:
        if self._held == point:
            self._answering.log.add(f"held_{point}")
            await self._released.wait()

    async def upload(self, request: web.Request) -> web.StreamResponse:
        """Answer POST /v1/files."""
        form = await request.post()
        file = form["file"]
        assert isinstance(file, web.FileField)
        assert form["purpose"] == "batch"
        text = file.file.read().decode("utf-8")
        fault = self._draws.first(("batch_upload_429", "batch_upload_500"), content_id("file", text))
        if fault is not None:
            self._answering.log.add(fault)
            return bad_reply(fault.rpartition("_")[2], self._options.retry_after_s)
        file_id = f"file-{next(self._numbers)}"
        self._files[file_id] = text
        if self._draws.strikes("batch_bad_file", content_id("file", text)):
            file_id = "../../admin"
        self._answering.log.add("uploaded")
        await self._hold("upload")
        return json_reply(200, to_json({"id": file_id, "object": "file", "purpose": "batch"}))

    async def create(self, request: web.Request) -> web.StreamResponse:
        """Answer POST /v1/batches: all of it is answered at once."""
        asked = await request.json()
        assert (asked["completion_window"], asked["endpoint"]) == ("24h", "/v1/chat/completions")
        text = self._files.get(asked["input_file_id"])
        if text is None:
            raise Refused(400, "invalid_request_error", "There is no such input file.")
        batch = self._make(asked["input_file_id"], asked.get("metadata"), text)
        self._batches[batch.id] = batch
        self._answering.log.add("batch_created")
        await self._hold("created")
        if self._draws.strikes("batch_create_lost", content_id("file", text)):
            return json_reply(500, error_body(500, "server_error", "The answer is lost."))
        if self._draws.strikes("batch_bad_id", content_id("file", text)):
            renamed = f"{batch.id}-renamed"
            self._batches[renamed] = batch
            return json_reply(200, to_json(batch.describe() | {"id": renamed}))
        if self._draws.strikes("batch_bad_output", content_id("file", text)):
            batch.files["output_file_id"] = "../../admin"
        return json_reply(200, to_json(batch.describe()))

    async def retrieve(self, request: web.Request) -> web.StreamResponse:
        """Answer GET /v1/batches/ID: each look moves it on."""
        batch = self._batches.get(request.match_info["id"])
        if batch is None:
            raise Refused(404, "not_found", "No such batch.", "unknown_batch")
        self._answering.log.add("held_polled" if self._held == "polled" else "batch_looked")
        batch.looks += self._held != "polled"
        return json_reply(200, to_json(batch.describe()))

    async def list(self, request: web.Request) -> web.StreamResponse:
        """Answer GET /v1/batches: the newest first, after the one that is named."""
        batches = [batch.describe() for batch in reversed(self._batches.values())]
        ids = [batch["id"] for batch in batches]
        start = ids.index(request.query["after"]) + 1 if "after" in request.query else 0
        end = start + int(request.query.get("limit", "20"))
        self._answering.log.add("batch_listed")
        page = {"object": "list", "data": batches[start:end], "has_more": end < len(batches)}
        return json_reply(200, to_json(page))

    async def content(self, request: web.Request) -> web.StreamResponse:
        """Answer GET /v1/files/ID/content."""
        text = self._files.get(request.match_info["id"])
        if text is None:
            raise Refused(404, "not_found", "No such file.", "unknown_file")
        lines = text.encode().splitlines(keepends=True)
        response = web.StreamResponse()
        await response.prepare(request)
        half = len(lines) // 2
        await response.write(b"".join(lines[:half]))
        await self._hold("output")
        await response.write(b"".join(lines[half:]))
        await response.write_eof()
        self._answering.log.add("file_read")
        return response

    def _make(self, file_id: str, metadata: Any, text: str) -> _Batch:
        lines = [json.loads(line) for line in text.splitlines()]
        digest = content_id("file", text)
        batch = _Batch(f"batch_{next(self._numbers)}", file_id, metadata, len(lines), "completed")
        fault = self._draws.first(_FAILURES, digest)
        if fault is not None:
            batch.end, batch.error = "failed", _FAILURES[fault]
            return batch
        batch.end = next((end for end in HALVED if self._draws.strikes(f"batch_{end}", "any")), "completed")
        answered = lines if batch.end == "completed" else lines[: len(lines) // 2]
        output: list[str] = []
        errors = (
            [] if batch.end != "expired" else [_line(one, error=_EXPIRED) for one in lines[len(answered) :]]
        )
        for one in answered:
            status, body = self._answer(one)
            line = _line(one, {"status_code": status, "request_id": "r", "body": body})
            if status == 200:
                fault = self._draws.first(LINE_FAULTS, one["custom_id"])
                output += change_line(fault, json.loads(line))
            else:
                errors.append(line)
        for name, kept in (("output_file_id", output), ("error_file_id", errors)):
            if kept:
                batch.files[name] = f"file-{next(self._numbers)}"
                self._files[batch.files[name]] = "".join(f"{line}\n" for line in kept)
        return batch

    def _answer(self, line: dict[str, Any]) -> tuple[int, Any]:
        try:
            call = read_call(to_json(line["body"]))
            script = self._role_for(call)
        except Refused as refused:
            self._answering.log.add(refused.outcome)
            return refused.status, json.loads(refused.body)
        return 200, json.loads(self._answering.answer_in_batch(call, script))


def _line(asked: dict[str, Any], response: Any = None, error: Any = None) -> str:
    line = {"id": "batch_req", "custom_id": asked["custom_id"], "response": response, "error": error}
    return json.dumps(line)
