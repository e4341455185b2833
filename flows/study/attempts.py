"""How often somebody may enter a code that is not right: by origin, and in total."""

import threading
from collections import deque
from collections.abc import Callable

from perennial.schemas.errors import LimitReached

WINDOW_S = 600.0
MOST_OF_AN_ORIGIN = 20
MOST_IN_TOTAL = 500


class Attempts:
    """The failed attempts of the last ten minutes; none is kept longer, and nothing is written."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._failed: deque[tuple[float, str]] = deque()

    def refuse_too_many(self, origin: str) -> None:
        """Raise LimitReached where too many attempts failed, from this origin or in total."""
        with self._lock:
            self._forget_old()
            own = sum(of == origin for _, of in self._failed)
            if own >= MOST_OF_AN_ORIGIN or len(self._failed) >= MOST_IN_TOTAL:
                raise LimitReached(
                    f"too many codes that were not right in the last {WINDOW_S / 60:.0f} minutes: wait as "
                    "long, then try again"
                )

    def note_failure(self, origin: str) -> None:
        """Note that an attempt failed."""
        with self._lock:
            self._forget_old()
            self._failed.append((self._now(), origin))

    def _forget_old(self) -> None:
        oldest = self._now() - WINDOW_S
        while self._failed and self._failed[0][0] < oldest:
            self._failed.popleft()
