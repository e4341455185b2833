"""Watch one batch of a server until it has ended, and give each call that waits what the batch has for it.

Nothing that happens before the batch has ended is a reply of a call: where a batch cannot be looked at, the
calls raise, the ledger keeps that they are in it, and the next run looks again.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from perennial.schemas.errors import EndpointFailed, count
from perennial.schemas.model_calls.calls import ModelRequest, StoredBatch
from perennial.tasks.llm.replies import find_message
from perennial.tasks.llm.retry_policy import Received
from perennial.tasks.llm.server_batches.api import BatchApi
from perennial.tasks.llm.server_batches.forms import BatchPage, ServerBatch, read_form
from perennial.tasks.llm.server_batches.patience import Patience
from perennial.tasks.llm.server_batches.results import Results
from perennial.tasks.llm.server_batches.use import InBatches

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
    received: "asyncio.Future[Received]"
    estimate_usd: float | None = None

    @property
    def call_id(self) -> str:
        """The call's id, by which lines name it."""
        return self.request.call_id

    def give(self, received: Received) -> None:
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
        """Return the calls that wait; they wait here no more."""
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

    def _read_page(self, received: Received) -> BatchPage | None:
        page = read_form(BatchPage, received.body) if received.http_status == 200 else None
        if page is None:
            self._note_failure(received, f"the list of batches, in which {self._name} may be,")
        return page

    async def _wait_for_end(self) -> ServerBatch:
        """Return the batch once it has ended."""
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

    def _note_failure(self, received: Received, what: str) -> None:
        status = received.http_status
        why = received.problem or f"HTTP {status}: {find_message(received.body)}"
        self._patience.fail(what, why, status)

    @property
    def _name(self) -> str:
        of = f"of {count(self._stored.requests, 'request')} at {self._host}"
        return f"batch {self._stored.batch_id} {of}" if self._stored.batch_id else f"a batch {of}"

    def _tell(self, batch: ServerBatch) -> None:
        is_new = batch.status != self._status
        self._status = batch.status
        self._use.tell(f"{self._name}: {batch.status}, {batch.done:,} done", is_new)

    async def _hand_out(self, batch: ServerBatch, on_given: Callable[[str], None]) -> None:
        """Give each call that waits now what the batch has for it."""
        # Who comes from here on waits for the next look: its line may have been passed.
        asked, self._waiting = self._waiting, {}

        def give(call_id: str, received: Received) -> None:
            on_given(call_id)
            asked.pop(call_id).give(received)

        known = self._use.ledger.calls_of_batch(self._stored)
        results = Results(self._api, batch, self._name, known, set(asked), give, self._patience)
        try:
            await results.hand_out()
        finally:
            self._waiting = {**asked, **self._waiting}
        ignored = results.counts.describe()
        if ignored:
            self._use.tell(f"{self._name}: ignored {ignored}", True)
