"""The gate before every reply: it lets so many answers out and then holds all else until it is opened."""

import asyncio


class Hold:
    """A count of answers that may still go out; None: no end."""

    def __init__(self, after: int | None) -> None:
        self._left = after
        self._leaving = 0
        self._moved = asyncio.Event()
        self.waiting = 0

    @property
    def held(self) -> bool:
        """Whether all answers that may go out are out, so that nothing moves any more."""
        return self._left == 0 and self._leaving == 0

    async def take(self) -> None:
        """Wait for leave to send one answer; `settle` must follow."""
        await self.pass_by()
        self._leaving += 1
        if self._left is not None:
            self._left -= 1

    def settle(self, answered: bool) -> None:
        """Say what became of an answer that had leave; another takes the place of one that never went out."""
        self._leaving -= 1
        if not answered and self._left is not None:
            self._left += 1
            self._wake()

    async def pass_by(self) -> None:
        """Wait until something may go out, taking nobody's place: for replies that are no answers."""
        while self._left == 0:
            self.waiting += 1
            try:
                await self._moved.wait()
            finally:
                self.waiting -= 1

    def release(self, after: int | None) -> None:
        """Let everything out, or as many more answers as `after` says."""
        self._left = after
        self._wake()

    def _wake(self) -> None:
        # Who waits is woken and looks again; who comes later waits again.
        self._moved.set()
        self._moved.clear()
