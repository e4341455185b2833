"""What authors and players need of a model client, and what the client needs of a ledger."""

from typing import Protocol

from schemas.calls import ModelRequest, Reply


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

    async def store(self, request: ModelRequest, reply: Reply) -> Reply:
        """Keep the reply and return, once it would survive a crash, the one that is kept.

        An answered call that another process has kept meanwhile wins over this one.
        """
        ...
