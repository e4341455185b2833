"""Answer from stored replies alone: no endpoint, no key, no cost."""

from collections.abc import Callable

from perennial.schemas.model_calls.calls import ModelRequest, Reply

NOT_STORED = "not among the stored replies"


class ReplayClient:
    """Asks nobody. `missing` counts the requests, by call id, that no stored reply answers.

    A request without a stored reply counts as rejected: so was, for instance, a first try of structured
    output that the server refused and of which an edition keeps nothing.
    """

    def __init__(self, find: Callable[[str], Reply | None]) -> None:
        self._find = find
        self.missing: set[str] = set()

    async def ask(self, request: ModelRequest) -> Reply:
        """Return the stored reply, an answer or not, or a rejection that says that there is none."""
        stored = self._find(request.call_id)
        if stored is not None:
            return stored
        self.missing.add(request.call_id)
        return Reply(request.call_id, "rejected", error=NOT_STORED)

    def stop(self, reason: str) -> None:
        """Nothing is in flight: there is nothing to stop."""
