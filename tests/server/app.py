"""The server's addresses: it admits requests for completions, lists models, and lets a test steer it."""

import asyncio
from collections.abc import Sequence

from aiohttp import web
from pydantic_core import from_json, to_json

from tests.server.answering import Answering, sleep_until
from tests.server.batches import Batches
from tests.server.foreign import FOREIGN_FAULTS, foreign_reply
from tests.server.look_up import answer_look_up, is_look_up
from tests.server.options import ServerOptions
from tests.server.script import Script
from tests.server.transport import json_reply
from tests.server.wire import Call, Refused, completion_body, models_body, read_call

_LARGEST_BODY = 64 * 2**20
_QUOTED = 200


class ScriptedServer:
    """One server; its methods are handlers of requests."""

    def __init__(self, options: ServerOptions, roles: Sequence[Script]) -> None:
        self._options = options
        self._roles = tuple(roles)
        self._credentials = frozenset(f"Bearer {key}" for key in options.keys)
        self._answering = Answering(options, roles)
        self._log = self._answering.log
        self._hold = self._answering.hold
        self._batches = Batches(options, self._answering, self._check_key, self._role_for)

    def application(self) -> web.Application:
        """Return the application that serves this server's addresses."""
        application = web.Application(client_max_size=_LARGEST_BODY)
        application.router.add_post("/v1/chat/completions", self.chat_completions)
        application.router.add_get("/v1/models", self.models)
        self._batches.add_to(application)
        application.router.add_get("/control/status", self.control_status)
        application.router.add_get("/control/log", self.control_log)
        application.router.add_post("/control/release", self.control_release)
        return application

    async def chat_completions(self, request: web.Request) -> web.StreamResponse:
        """Answer POST /v1/chat/completions."""
        due = asyncio.get_running_loop().time() + self._options.latency_s
        sent = await request.read()
        try:
            self._check_key(request)
            call = read_call(sent, has_tools=self._options.has_tools)
            self._check_asked(call)
            if is_look_up(call.asked):
                await sleep_until(due)
                body = completion_body(call, answer_look_up(call.asked), self._options.seed)
                certain = (fault for fault in FOREIGN_FAULTS if self._options.rate(fault) == 1)
                fault = next(certain, None)
                return json_reply(200, body) if fault is None else foreign_reply(fault, body)
            script = self._role_for(call)
        except Refused as refused:
            self._log.add(refused.outcome)
            await sleep_until(due)
            return json_reply(refused.status, refused.body)
        return await self._answering.reply(request, call, script, due)

    async def models(self, request: web.Request) -> web.StreamResponse:
        """Answer GET /v1/models."""
        try:
            self._check_key(request)
        except Refused as refused:
            return json_reply(refused.status, refused.body)
        return json_reply(200, models_body(self._options.models))

    async def control_status(self, request: web.Request) -> web.StreamResponse:
        """Answer GET /control/status: answers so far, whether all else is held, and how many replies wait."""
        status = {"answered": self._log.answered, "held": self._hold.held, "waiting": self._hold.waiting}
        return json_reply(200, to_json(status))

    async def control_release(self, request: web.Request) -> web.StreamResponse:
        """Answer POST /control/release: let go what is held, or only `hold_after` more answers."""
        body = await request.read()
        asked = from_json(body) if body else {}
        self._batches.hold_next(asked.get("hold_batch"))
        self._hold.release(asked.get("hold_after"))
        return await self.control_status(request)

    async def control_log(self, request: web.Request) -> web.StreamResponse:
        """Answer GET /control/log with the log as JSON Lines."""
        return web.Response(text=self._log.text(), content_type="application/x-ndjson")

    def _check_key(self, request: web.Request) -> None:
        if self._credentials and request.headers.get("Authorization") not in self._credentials:
            message = "Incorrect API key provided, or none."
            raise Refused(401, "invalid_api_key", message, "unauthorised")

    def _check_asked(self, call: Call) -> None:
        asked = call.asked
        if asked.model not in self._options.models:
            served = ", ".join(self._options.models)
            message = f"The model {asked.model!r} does not exist: this server has {served}."
            raise Refused(404, "model_not_found", message, "unknown_model")
        for name in self._options.refuse:
            if name in asked.params:
                raise Refused(400, "unsupported_parameter", f"Parameter {name!r} is not supported here.")

    def _role_for(self, call: Call) -> Script:
        self._check_asked(call)
        asked = call.asked
        for script in self._roles:
            if script.recognises(asked):
                return script
        names = ", ".join(script.role for script in self._roles) or "none"
        begin = asked.system[:_QUOTED]
        message = f"No role recognises this prompt (roles: {names}). It begins: {begin!r}"
        raise Refused(400, "unrecognised_prompt", message, "unrecognised")
