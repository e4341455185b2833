"""How models are asked in batches of their server: who keeps them, their limits, and how often to look."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from perennial.schemas.errors import EndpointFailed, count
from perennial.schemas.model_calls import ModelRequest, StoredBatch
from perennial.schemas.settings.model_entry import CallPolicy
from perennial.tasks.llm.listing import describe_problem, receive
from perennial.tasks.llm.replies import find_message, one_line
from perennial.tasks.llm.retry_policy import HttpResult
from perennial.tasks.llm.server_batches.forms import BatchPage, ServerBatch, read_form, read_line
from perennial.tasks.llm.structured import BatchLedger

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI


# OpenAI's limits of one batch; other servers took them over (OpenAI's of bytes has been doubled since).
MOST_REQUESTS = 50_000
MOST_BYTES = 100_000_000
# 50,000 replies of 80 KB: more than models write, and a day's download at 400 kbit/s.
MOST_OUTPUT_BYTES = 4_000_000_000

Tell = Callable[[str, bool], None]


@dataclass(frozen=True, slots=True)
class Pace:
    """Times in seconds.

    A batch is submitted when no request has come for `quiet_s`. It is looked at after `first_s`, then after
    pauses that grow by `growth` up to `most_s`, and given up after `bound_s`: servers promise to end
    a batch within 24 hours, and take some time to write its files. `failures` looks in a row may fail.
    """

    quiet_s: float = 0.5
    first_s: float = 0.5
    growth: float = 1.5
    most_s: float = 60.0
    bound_s: float = 26 * 3600.0
    failures: int = 20


@dataclass(frozen=True, slots=True)
class InBatches:
    """That models whose entry says so are asked in batches.

    `tell` is given a line about a batch, and whether it says something new.
    """

    ledger: BatchLedger
    tell: Tell = lambda _text, _is_new: None
    pace: Pace = field(default_factory=Pace)
    most_requests: int = MOST_REQUESTS
    most_bytes: int = MOST_BYTES


# Speak the Batch API with the protocol's client: one request each, read by others.

# The address of a request within its file: that of Chat Completions, whatever the base URL is.
CHAT: Final = "/v1/chat/completions"
_PAGE = 100


class LostFile(Exception):
    """Why a file could not be read to its end; `http_status` where the server refused it."""

    def __init__(self, why: str, http_status: int | None = None) -> None:
        super().__init__(why)
        self.http_status = http_status


class BatchApi:
    """The requests of the Batch API at one server."""

    def __init__(self, client: "AsyncOpenAI", policy: CallPolicy) -> None:
        self._client = client
        self._policy = policy

    @property
    def max_line_bytes(self) -> int:
        """How many bytes a line of a file may have."""
        return self._policy.max_reply_bytes

    async def upload(self, content: bytes) -> HttpResult:
        """Upload a file of requests."""
        file = ("requests.jsonl", content, "application/jsonl")
        return await self._receive(self._client.files.with_raw_response.create(file=file, purpose="batch"))

    async def create(self, file_id: str, digest: str) -> HttpResult:
        """Create a batch of an uploaded file; the digest of that is kept with it, for people."""
        asked = self._client.batches.with_raw_response.create(
            completion_window="24h",
            endpoint=CHAT,
            input_file_id=file_id,
            metadata={"perennial_input": digest},
        )
        return await self._receive(asked)

    async def retrieve(self, batch_id: str) -> HttpResult:
        """Look at a batch."""
        return await self._receive(self._client.batches.with_raw_response.retrieve(batch_id))

    async def list_batches(self, after: str | None = None) -> HttpResult:
        """List the batches of the account, the newest first."""
        from perennial.tasks.llm.bounded_http import httpx

        options: Any = {"params": {"limit": _PAGE} | ({"after": after} if after else {})}
        listed = self._client.get("/batches", cast_to=httpx.Response, options=options)
        return await receive(lambda: listed, self._policy)

    async def _receive(self, asked: Awaitable[Any]) -> HttpResult:
        async def send() -> "httpx2.Response":
            answer: httpx2.Response = (await asked).http_response
            return answer

        return await receive(send, self._policy)

    async def lines(self, file_id: str) -> AsyncIterator[tuple[bytes, bool]]:
        """The lines of a file as `read_bounded_lines` does; raise LostFile, or what that raises."""
        import aiohttp
        import openai

        from perennial.tasks.llm.bounded_http import httpx, read_bounded_lines

        try:
            async with self._client.files.with_streaming_response.content(file_id) as answer:
                lines = read_bounded_lines(answer.http_response, self.max_line_bytes, MOST_OUTPUT_BYTES)
                async for line in lines:
                    yield line
        except openai.APIStatusError as error:
            raise LostFile(f"HTTP {error.status_code}", error.status_code) from None
        except (openai.APIConnectionError, httpx.HTTPError, aiohttp.ClientError, OSError) as error:
            raise LostFile(describe_problem(error, self._policy)) from None


# How often a batch is looked at, and when looking ends: a look that fails is no reply of any call.

_KEY_STATUSES = (401, 402, 403)
_LOST_STATUSES = (404, 405, 410, 501)


class Patience:
    """Pauses that grow, and the looks that failed in a row. `hide` removes secrets from text."""

    def __init__(self, pace: Pace, stored: StoredBatch, hide: Callable[[str], str]) -> None:
        self._pace = pace
        self._stored = stored
        self._hide = hide
        self._pause_s = pace.first_s
        self._failures = 0

    async def pause(self) -> None:
        """Wait before the next look."""
        await asyncio.sleep(self._pause_s)
        self._pause_s = min(self._pace.most_s, self._pause_s * self._pace.growth)

    def succeed(self) -> None:
        """Note that a look succeeded."""
        self._failures = 0

    def fail(self, what: str, why: str, http_status: int | None) -> None:
        """Note that a look failed; raise EndpointFailed where no further one makes sense."""
        self._failures += 1
        cause = self._hide(one_line(why))
        if http_status in _KEY_STATUSES:
            raise EndpointFailed(
                f"{what} may not be read with this key: {cause}: set the key of the account that made it, "
                "then run the same command again: it looks again, and nothing is lost"
            )
        if http_status in _LOST_STATUSES:
            raise EndpointFailed(
                f"{what} cannot be read: {cause}: is the key of another account? If it is gone, drop it with "
                '`sqlite3 ledger.sqlite "DELETE FROM server_batches WHERE number = '
                f'{self._stored.number}"` in the data root: its calls are then made and paid for again'
            )
        if self._failures > self._pace.failures:
            raise EndpointFailed(
                f"{what} could not be read {self._failures} times in a row, the last time with: {cause}: "
                "the same command looks again; nothing is lost"
            )


# Give the calls of a batch that has ended what its files say, line by line.

_LINES_A_TURN = 100
# Lines that are dropped, by why.
_DROPPED = {
    "unreadable": " that cannot be read",
    "unknown": " with an unknown custom_id",
    "duplicate": " that came again",
}


@dataclass
class BatchResults:
    """What a batch has for its calls.

    `call_ids` are all calls of the batch, `asked` those that wait: each is removed when it is given what it
    receives, and `on_given` gets its id. `name` is the batch in words.
    """

    api: BatchApi
    batch: ServerBatch
    name: str
    call_ids: set[str]
    asked: dict[str, "Waiting"]
    on_given: Callable[[str], None]
    patience: Patience
    counts: Counter[str] = field(default_factory=Counter)

    async def hand_out(self) -> None:
        """Give every call that waits its line, or why it has none.

        Raises EndpointFailed where a file cannot be read: then the rest waits on.
        """
        rest = _without_a_line(self.batch)
        seen: set[str] = set()
        if self.batch.status != "failed":
            for file_id in (self.batch.output_file_id, self.batch.error_file_id):
                if file_id is not None:
                    rest = await self._read_file(file_id, seen) or rest
        for call_id in sorted(self.asked):
            self._give(call_id, rest)

    async def _read_file(self, file_id: str, seen: set[str]) -> HttpResult | None:
        """Read a file whole; return what the rest receives where it is too much to be read."""
        from perennial.tasks.llm.bounded_http import TooMuch

        why = None
        while True:
            counts, in_file = Counter[str](), set(seen)
            try:
                await self._read_lines(file_id, in_file, counts)
            except LostFile as error:
                self.patience.fail(f"the file {file_id} of {self.name}", str(error), error.http_status)
                await self.patience.pause()
                continue
            except TooMuch as error:
                why = f"of {self.name} {error}"
            self.patience.succeed()
            self.counts += counts
            seen |= in_file
            return None if why is None else HttpResult(200, why_cut=why, batch_id=self.batch.id)

    async def _read_lines(self, file_id: str, seen: set[str], counts: Counter[str]) -> None:
        number = 0
        async for text, is_cut in self.api.lines(file_id):
            number += 1
            if number % _LINES_A_TURN == 0:
                # So that replies are stored meanwhile.
                await asyncio.sleep(0)
            if not text.strip():
                continue
            line = read_line(text, is_cut, self.api.max_line_bytes, self.batch)
            call_id = line.call_id
            if call_id is None:
                counts["unreadable"] += 1
            elif call_id not in self.call_ids:
                counts["unknown"] += 1
            elif call_id in seen:
                counts["duplicate"] += 1
            elif call_id in self.asked:
                self._give(call_id, line.received)
            if call_id in self.call_ids:
                seen.add(call_id)

    def _give(self, call_id: str, received: HttpResult) -> None:
        self.on_given(call_id)
        self.asked.pop(call_id).give(received)

    def describe_dropped(self) -> str:
        """The lines that were dropped, in words; "" if there were none."""
        dropped = [(self.counts[why], tail) for why, tail in _DROPPED.items()]
        return ", ".join(count(number, "line") + tail for number, tail in dropped if number)


def _without_a_line(batch: ServerBatch) -> HttpResult:
    if batch.status == "failed":
        body = json.dumps({"error": {"message": f"batch {batch.id} failed: {batch.describe_problems()}"}})
        return HttpResult(429 if batch.waits_for_room else 400, body, batch_id=batch.id)
    problem = f"batch {batch.id} is {batch.status}, and has no line for the call"
    return HttpResult(None, latency_s=batch.seconds, problem=problem, batch_id=batch.id)


# Watch one batch of a server until it has ended, and give each call that waits what the batch has for it.
#
# Nothing that happens before the batch has ended is a reply of a call: where a batch cannot be looked at, the
# calls raise, the ledger keeps that they are in it, and the next run looks again.

# A batch that was made before the process ended is among the newest thousand of the account.
_PAGES = 10
# The list of some servers is a moment behind.
_LOOKS = 2


@dataclass(eq=False, slots=True)
class Waiting:
    """A call that waits: its line in a file of requests, and what it will have received.

    `estimate_usd` is what it counts for in a batch that has not ended.
    """

    request: ModelRequest
    line: bytes
    received: "asyncio.Future[HttpResult]"
    estimate_usd: float | None = None

    @property
    def call_id(self) -> str:
        """The call's id, by which lines name it."""
        return self.request.call_id

    def give(self, received: HttpResult) -> None:
        """Let the call receive this, unless it waits no more."""
        if not self.received.done():
            self.received.set_result(received)

    def fail(self, error: Exception) -> None:
        """Let the call raise this, unless it waits no more."""
        if not self.received.done():
            self.received.set_exception(error)


class Watch:
    """One batch, and the calls that wait for it; `hide` removes secrets from text."""

    def __init__(
        self, api: BatchApi, use: InBatches, stored: StoredBatch, base_url: str, hide: Callable[[str], str]
    ) -> None:
        self._api = api
        self._use = use
        self._stored = stored
        self._host = urlsplit(base_url).netloc
        self._patience = Patience(use.pace, stored, hide)
        self._waiting: dict[str, Waiting] = {}
        self._status = ""

    def add(self, calls: Iterable[Waiting]) -> None:
        """Let these calls wait for the batch."""
        self._waiting.update((call.call_id, call) for call in calls)

    def take(self) -> list[Waiting]:
        """Take all waiting calls out of the queue."""
        calls, self._waiting = list(self._waiting.values()), {}
        return calls

    async def run(self, on_given: Callable[[str], None]) -> bool:
        """Give every call that waits what it receives; return False where the server has no such batch.

        `on_given` gets the id of each call that receives something. Raises EndpointFailed where the batch
        cannot be looked at.
        """
        if self._stored.batch_id is None and not await self._find():
            self._use.ledger.forget_batch(self._stored, was_made=False)
            return False
        while self._waiting:
            batch = await self._wait_for_end()
            await self._hand_out(batch, on_given)
            if batch.status == "failed":
                # Nothing of it was answered, so that no run has anything to look for.
                self._use.ledger.forget_batch(self._stored, was_made=True)
        return True

    async def _find(self) -> bool:
        """Look in the server's list for the batch of the uploaded file; keep its id where it is there."""
        for look in range(_LOOKS):
            if look:
                await self._patience.pause()
            batch_id = await self._find_in_list()
            if batch_id is not None:
                self._stored = self._use.ledger.keep_batch_id(self._stored, batch_id)
                return True
        return False

    async def _find_in_list(self) -> str | None:
        after = None
        for _ in range(_PAGES):
            while (page := self._read_page(await self._api.list_batches(after))) is None:
                await self._patience.pause()
            for batch in page.batches:
                if batch.input_file_id == self._stored.file_id:
                    return batch.id
            if not page.batches or not page.has_more:
                return None
            after = page.batches[-1].id
        return None

    def _read_page(self, received: HttpResult) -> BatchPage | None:
        page = read_form(BatchPage, received.body) if received.http_status == 200 else None
        if page is None:
            self._note_failure(received, f"the list of batches, in which {self._name} may be,")
        return page

    async def _wait_for_end(self) -> ServerBatch:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._use.pace.bound_s
        while True:
            received = await self._api.retrieve(self._stored.batch_id or "")
            batch = read_form(ServerBatch, received.body) if received.http_status == 200 else None
            if batch is None or batch.id != self._stored.batch_id:
                self._note_failure(received, self._name)
            else:
                self._patience.succeed()
                self._tell(batch)
                if batch.has_ended:
                    return batch
            if loop.time() > deadline:
                raise EndpointFailed(
                    f"{self._name} has not ended within {self._use.pace.bound_s / 3600:g} h: the same "
                    "command looks again; if it is cancelled at the server, its answers are used and the "
                    "other calls go into another batch"
                )
            await self._patience.pause()

    def _note_failure(self, received: HttpResult, what: str) -> None:
        status = received.http_status
        why = received.problem or f"HTTP {status}: {find_message(received.body)}"
        self._patience.fail(what, why, status)

    @property
    def _name(self) -> str:
        batch_of = f"of {count(self._stored.requests, 'request')} at {self._host}"
        return f"batch {self._stored.batch_id} {batch_of}" if self._stored.batch_id else f"a batch {batch_of}"

    def _tell(self, batch: ServerBatch) -> None:
        is_new = batch.status != self._status
        self._status = batch.status
        self._use.tell(f"{self._name}: {batch.status}, {batch.done:,} done", is_new)

    async def _hand_out(self, batch: ServerBatch, on_given: Callable[[str], None]) -> None:
        """Give each call that waits now what the batch has for it."""
        # Who comes from here on waits for the next look: its line may have been passed.
        asked, self._waiting = self._waiting, {}

        ids = self._use.ledger.calls_of_batch(self._stored)
        results = BatchResults(self._api, batch, self._name, ids, asked, on_given, self._patience)

        try:
            await results.hand_out()
        finally:
            self._waiting = {**asked, **self._waiting}
        if ignored := results.describe_dropped():
            self._use.tell(f"{self._name}: ignored {ignored}", True)
