"""How often a batch is looked at, and when looking ends: a look that fails is no reply of any call."""

import asyncio
from collections.abc import Callable

from perennial.schemas.errors import EndpointFailed
from perennial.schemas.model_calls.calls import StoredBatch
from perennial.tasks.llm.replies import one_line
from perennial.tasks.llm.server_batches.use import Pace

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
        said = self._hide(one_line(why))
        if http_status in _KEY_STATUSES:
            raise EndpointFailed(
                f"{what} may not be read with this key: {said}: set the key of the account that made it, "
                "then run the same command again: it looks again, and nothing is lost"
            )
        if http_status in _LOST_STATUSES:
            raise EndpointFailed(
                f"{what} cannot be read: {said}: is the key of another account? If it is gone, drop it with "
                '`sqlite3 ledger.sqlite "DELETE FROM server_batches WHERE number = '
                f'{self._stored.number}"` in the data root: its calls are then made and paid for again'
            )
        if self._failures > self._pace.failures:
            raise EndpointFailed(
                f"{what} could not be read {self._failures} times in a row, the last time with: {said}: "
                "the same command looks again; nothing is lost"
            )
