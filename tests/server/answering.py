"""What becomes of a request that makes sense: a fault strikes it or a role answers it, and the log tells."""

import asyncio
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import partial

from aiohttp import web

from perennial.schemas.ids import derive_rng
from tests.server.faults import Completion, with_faults, within
from tests.server.foreign import FOREIGN_FAULTS, foreign_reply
from tests.server.hold import Hold
from tests.server.hostile import HOSTILE_FAULTS, send_hostile
from tests.server.log import ABANDONED, ANSWERED, AnswerLog
from tests.server.options import ServerOptions
from tests.server.schedule import UNHARMED, Schedule, Struck
from tests.server.script import Script
from tests.server.transport import bad_reply, drop, json_reply, send_half, send_whole
from tests.server.wire import Call, completion_body, error_body

_PERFECT = "-perfect"

Note = Callable[..., None]


class Answering:
    """Replies to requests, one at a time or many, and keeps the log and the gate."""

    def __init__(self, options: ServerOptions, roles: Sequence[Script]) -> None:
        self._options = options
        self._schedule = Schedule(options, roles)
        self.hold = Hold(options.hold_after)
        self.log = AnswerLog(options.log)

    async def reply(self, request: web.Request, call: Call, script: Script, due: float) -> web.StreamResponse:
        """Send the reply, not before the loop's time `due`, and log what became of it."""
        attempt, fault = self._schedule.next_attempt(call.digest)
        note = partial(
            self.log.add, digest=call.digest, attempt=attempt, role=script.role, model=call.asked.model
        )
        try:
            if fault is None:
                return await self._answer(request, call, script, due, note)
            if fault == "slow":
                note(fault)
                return await self._answer(request, call, script, due + self._options.slow_s, note)
            return await self._fail(request, call, script, due, fault, note)
        except asyncio.CancelledError:
            note(ABANDONED)
            raise
        except ConnectionError:
            note(ABANDONED)
            return web.Response()

    async def _answer(
        self, request: web.Request, call: Call, script: Script, due: float, note: Note
    ) -> web.StreamResponse:
        try:
            body, struck = self._compose(call, script)
        except Exception as error:  # noqa: BLE001
            return _fail_role(script, error, note)
        await sleep_until(due)
        await self.hold.take()
        response = json_reply(200, body)
        answered = False
        try:
            await send_whole(request, response)
            answered = True
        finally:
            self.hold.settle(answered)
        note(ANSWERED, faults=struck.names(script.role))
        return response

    async def _fail(
        self, request: web.Request, call: Call, script: Script, due: float, fault: str, note: Note
    ) -> web.StreamResponse:
        await sleep_until(due)
        await self.hold.pass_by()
        note(fault)
        if fault == "drop":
            return drop(request)
        if fault not in ("drop_midway", "invalid_json", *HOSTILE_FAULTS, *FOREIGN_FAULTS):
            return bad_reply(fault, self._options.retry_after_s)
        try:
            body, _ = self._compose(call, script)
        except Exception as error:  # noqa: BLE001
            return _fail_role(script, error, note)
        if fault == "drop_midway":
            return await send_half(request, body)
        if fault in HOSTILE_FAULTS:
            return await send_hostile(request, fault, body)
        if fault in FOREIGN_FAULTS:
            return foreign_reply(fault, body)
        return json_reply(200, body[: len(body) // 2])

    def answer_in_batch(self, call: Call, script: Script) -> bytes:
        """Return the body of the answer to a request of a batch, and log it as answered."""
        attempt, _ = self._schedule.next_attempt(call.digest)
        body, struck = self._compose(call, script)
        self.log.add(ANSWERED, call.digest, attempt, script.role, call.asked.model, struck.names(script.role))
        return body

    def _compose(self, call: Call, script: Script) -> tuple[bytes, Struck]:
        """Return the body of the answer, and the faults in it."""
        seed = self._options.seed
        is_perfect = call.asked.model.endswith(_PERFECT)
        struck = UNHARMED if is_perfect else self._schedule.content_faults(script.role, call.digest)
        own = struck.substance if struck.is_own else None
        reply = script.reply(call.asked, own, derive_rng(seed, f"reply/{call.digest}", 0))
        generic = None if struck.is_own else struck.substance
        if isinstance(reply, Completion):
            return completion_body(call, within(reply, call.max_tokens), seed), struck
        completion = with_faults(reply, generic, struck.extras, derive_rng(seed, f"fault/{call.digest}", 0))
        return completion_body(call, within(completion, call.max_tokens), seed), struck


async def sleep_until(due: float) -> None:
    """Sleep until the loop's time is `due`."""
    left = due - asyncio.get_running_loop().time()
    if left > 0:
        await asyncio.sleep(left)


def _fail_role(script: Script, error: Exception, note: Note) -> web.Response:
    traceback.print_exception(error, file=sys.stderr)
    note("role_failed")
    message = f"The role {script.role} failed: {type(error).__name__}: {error}"
    return json_reply(500, error_body(500, "role_failed", message))
