"""What authors and players need of a model client, and what the client needs of a ledger."""

from collections.abc import Mapping
from typing import Protocol

from perennial.schemas.model_calls.calls import AttemptEnd, ModelRequest, Reply, StoredBatch


class Ask(Protocol):
    """Ask a model: the stored reply where the ledger has one, otherwise a new one, stored before use."""

    async def __call__(self, request: ModelRequest) -> Reply:
        """Return the reply; one that is no answer has a status and an `error` that say so.

        Raises EndpointFailed or LimitReached where no further call makes sense: let it pass through.
        """
        ...


class Ledger(Protocol):
    """Where every reply is kept."""

    def find(self, call_id: str) -> Reply | None:
        """Return the kept reply of an answered call, or None; failed calls are not found."""
        ...

    def has_answered(self, model: str) -> bool:
        """Return whether the model's server has ever answered a call of it."""
        ...

    async def store(self, request: ModelRequest, reply: Reply) -> Reply:
        """Keep the reply and return, once it would survive a crash, the one that is kept.

        An answered call that another process has kept meanwhile wins over this one.
        """
        ...

    async def begin_attempt(self, request: ModelRequest, estimate_usd: float | None) -> int:
        """Count a request that is about to be sent, and return its number once that would survive a crash.

        `estimate_usd` is what it counts for as long as its cost is not known, None where it has no bound.
        """
        ...

    async def end_attempt(self, end: AttemptEnd) -> None:
        """Keep what an attempt came to; one that was not sent is counted no more."""
        ...

    def find_last_attempt(self, call_id: str) -> tuple[int, float | None] | None:
        """Return number and estimate of the call's last attempt, None where it has none."""
        ...


class BatchLedger(Protocol):
    """Where the batches of a server are kept that calls were submitted in."""

    def find_batch(self, model: str, call_id: str) -> StoredBatch | None:
        """Return the batch that a call of the model waits for, None where it is in none."""
        ...

    def begin_batch(
        self, model: str, input_digest: str, file_id: str, calls: Mapping[str, float | None]
    ) -> StoredBatch:
        """Keep which calls are in a batch, and count an attempt of each, before the server creates it.

        `calls` gives for each what it counts for as long as its cost is not known.
        """
        ...

    def calls_of_batch(self, batch: StoredBatch) -> set[str]:
        """Return the ids of the calls that a batch was made of."""
        ...

    def keep_batch_id(self, batch: StoredBatch, batch_id: str) -> StoredBatch:
        """Keep the id that the server gave a batch, and return the batch with it."""
        ...

    def forget_batch(self, batch: StoredBatch, *, was_made: bool) -> None:
        """Remove a batch that has no answers; where it was never made, its attempts are counted no more."""
        ...
