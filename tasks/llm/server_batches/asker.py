"""Ask for many calls at once: collect the requests of all coroutines that wait, and submit them as a batch.

To the client a batch is one more way to send a request and to receive a response: the ledger, the budget, the
retry policy and the breaker see each call as if it had been made by itself, and a call that is tried again
goes into another batch. Requests are collected until every call under way waits here and none has come for a
moment. Which calls are in one batch decides nothing, so that a resumed run may collect otherwise.

What is paid for is kept: the ledger has the calls and the input file of a batch before the server is asked to
create it, and its id before it is looked at. A call that is in such a batch waits for it instead of being
submitted again (`watch.py`).
"""

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from perennial.schemas.errors import EndpointFailed
from perennial.schemas.model_calls import ModelRequest, StoredBatch
from perennial.tasks.llm.replies import find_message, one_line
from perennial.tasks.llm.retry_policy import HttpResult, is_retried_status
from perennial.tasks.llm.server_batches.forms import ServerBatch, ServerFile, read_form
from perennial.tasks.llm.server_batches.use import CHAT, BatchApi, InBatches, Waiting, Watch

# Statuses of servers that know Chat Completions and no Batch API.
_NO_SUCH_API = (404, 405, 501)


class BatchAsker:
    """Asks for the calls of one model in batches of its server, which refuses a batch of several.

    `in_flight` counts the calls under way, those included that wait here; `hide` removes secrets from text.
    """

    def __init__(
        self,
        api: BatchApi,
        use: InBatches,
        base_url: str,
        in_flight: Callable[[], int],
        hide: Callable[[str], str],
    ) -> None:
        self._api = api
        self._use = use
        self._base_url = base_url
        self._in_flight = in_flight
        self._hide = hide
        self._open = 0
        self._collected: list[Waiting] = []
        self._bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._watches: dict[int, Watch] = {}
        self._watching: set[asyncio.Task[None]] = set()
        self._submitting: set[asyncio.Task[None]] = set()
        # A call that a batch gave something, and that is tried again, does not wait for that batch again.
        self._given: set[tuple[int, str]] = set()

    def find_submitted(self, request: ModelRequest) -> StoredBatch | None:
        """The batch that the call is in already, and has received nothing of; None: it is in none."""
        stored = self._use.ledger.find_batch(request.model, request.call_id)
        return None if stored is None or (stored.number, request.call_id) in self._given else stored

    async def post(
        self, request: ModelRequest, body: Mapping[str, Any], estimate_usd: float | None = None
    ) -> HttpResult:
        """What the call receives, by a batch that it is in already or by the next one.

        Raises EndpointFailed where the server has no Batch API, or a batch cannot be looked at: it stays in
        the ledger.
        """
        line = {"custom_id": request.call_id, "method": "POST", "url": CHAT, "body": body}
        text = json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"
        received: asyncio.Future[HttpResult] = asyncio.get_running_loop().create_future()
        call = Waiting(request, text.encode("utf-8", "replace"), received, estimate_usd)
        self._open += 1
        try:
            stored = self.find_submitted(request)
            if stored is None:
                self._collect(call)
            else:
                self._watch(stored).add([call])
            return await call.received
        finally:
            self._open -= 1

    async def close(self) -> None:
        """Let a submission under way end, so that the ledger has its batch; stop looking at batches."""
        if self._timer is not None:
            self._timer.cancel()
        await asyncio.gather(*self._submitting, return_exceptions=True)
        for task in self._watching:
            task.cancel()
        await asyncio.gather(*self._watching, return_exceptions=True)

    def _collect(self, call: Waiting) -> None:
        if self._bytes + len(call.line) > self._use.most_bytes:
            self._submit_collected()
        self._collected.append(call)
        self._bytes += len(call.line)
        if len(self._collected) == self._use.most_requests:
            self._submit_collected()
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(self._use.pace.quiet_s, self._on_quiet)

    def _on_quiet(self) -> None:
        if self._open < self._in_flight():
            # A call pauses before its next attempt: it comes too.
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._use.pace.quiet_s, self._on_quiet)
        else:
            self._submit_collected()

    def _submit_collected(self) -> None:
        # By id, so that a file depends on its calls alone.
        waiting = (call for call in self._collected if not call.received.done())
        calls = sorted(waiting, key=lambda call: call.call_id)
        self._collected, self._bytes = [], 0
        if calls:
            self._start(self._submitting, self._submit(calls))

    def _start(self, tasks: set[asyncio.Task[None]], work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    async def _submit(self, calls: list[Waiting]) -> None:
        try:
            stored = await self._make_batch(calls)
        except Exception as error:  # noqa: BLE001  every call that waits raises it
            for call in calls:
                call.fail(error)
            return
        if stored is not None:
            self._watch(stored).add(calls)

    async def _make_batch(self, calls: list[Waiting]) -> StoredBatch | None:
        """Submit the calls; None where that failed, and each has received why."""
        content = b"".join(call.line for call in calls)
        received = await self._api.upload(content)
        file = self._read(ServerFile, received)
        if file is None:
            self._give_failure(calls, replace(received, was_sent=False), "POST /files")
            return None
        digest, ledger = sha256(content).hexdigest(), self._use.ledger
        counted = {call.call_id: call.estimate_usd for call in calls}
        stored = ledger.begin_batch(calls[0].request.model, digest, file.id, counted)
        received = await self._api.create(file.id, digest)
        batch = self._read(ServerBatch, received)
        if batch is not None:
            return ledger.keep_batch_id(stored, batch.id)
        if not received.was_sent or _is_refused(received):
            ledger.forget_batch(stored, was_made=False)
            received = replace(received, was_sent=False)
        # Else the server may have made it: the next attempt looks for it in the server's list.
        self._give_failure(calls, received, "POST /batches")
        return None

    def _give_failure(self, calls: Sequence[Waiting], received: HttpResult, what: str) -> None:
        """Give all calls the answer to a request that did not submit them, as if it were their own."""
        status = received.http_status
        if status in _NO_SUCH_API:
            raise EndpointFailed(
                f"{self._base_url} does not take batches ({what}: HTTP {status}: "
                f"{self._hide(one_line(find_message(received.body)))}): remove batch = true from the entry "
                f"of {calls[0].request.model!r} in models.toml, then run the same command again"
            )
        if status is not None and 200 <= status <= 299:
            answer = one_line(received.body)
            problem = f"the answer to {what} makes no sense: {answer}"
            received = replace(received, http_status=None, problem=problem)
        for call in calls:
            call.give(received)

    def _read(self, form: type[Any], received: HttpResult) -> Any:
        """Parse the server's answer; None if it failed or has another form."""
        if received.http_status is None or not 200 <= received.http_status <= 299:
            return None
        answer = read_form(form, received.body)
        # An id that holds the key could be neither kept nor shown.
        return None if answer is None or self._hide(answer.id) != answer.id else answer

    def _watch(self, stored: StoredBatch) -> Watch:
        if stored.number not in self._watches:
            watch = Watch(self._api, self._use, stored, self._base_url, self._hide)
            self._watches[stored.number] = watch
            self._start(self._watching, self._run(watch, stored.number))
        return self._watches[stored.number]

    async def _run(self, watch: Watch, number: int) -> None:
        """Watch a batch to its end; collect its calls where the server never made it."""
        try:
            is_made = await watch.run(lambda call_id: self._given.add((number, call_id)))
        except Exception as error:  # noqa: BLE001  every call that waits raises it
            is_made = True
            for call in watch.take():
                call.fail(error)
        finally:
            del self._watches[number]
        # Only now: while the watch was listed, its calls would have been put back into it.
        if not is_made:
            for call in watch.take():
                self._collect(call)


def _is_refused(received: HttpResult) -> bool:
    """Whether the server refused the request; otherwise it may have done what was asked."""
    status = received.http_status
    return status is not None and 300 <= status <= 499 and (status == 429 or not is_retried_status(status))
