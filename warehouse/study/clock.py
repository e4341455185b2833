"""The time of a study: it never goes back, and the machine's date can be set without changing it.

While a machine runs, the time counts with the clock that starts with the machine and cannot be set. Over a
restart of the machine it continues from the last time that was stored, plus what the date says has passed
since, and never less than nothing.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from perennial.warehouse.lock.owner import read_boot_id

# Linux: it counts while the machine sleeps, too.
_SINCE_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


@dataclass(frozen=True, slots=True)
class Clocks:
    """A machine's clocks in seconds: `since_boot`, and `date` since 1970; `boot_id` "" where not known."""

    boot_id: str
    since_boot: float
    date: float


ReadClocks = Callable[[], Clocks]


def read_clocks() -> Clocks:
    """Return what this machine's clocks say."""
    return Clocks(read_boot_id(), time.clock_gettime(_SINCE_BOOT), time.time())


@dataclass(frozen=True, slots=True)
class StudyTime:
    """What is stored of a study's time: it was `at` when the date was `date`.

    In the boot `boot_id` it is `ahead` seconds ahead of the clock that starts with the machine.
    """

    boot_id: str
    ahead: float
    at: float
    date: float

    @classmethod
    def begin(cls, clocks: Clocks) -> "StudyTime":
        """Return the time of a new study, which begins with the date."""
        return cls(clocks.boot_id, clocks.date - clocks.since_boot, clocks.date, clocks.date)

    def resume(self, clocks: Clocks) -> "StudyTime":
        """Return the time as it continues on these clocks."""
        if self.boot_id and self.boot_id == clocks.boot_id:
            return self
        at = self.at + max(0.0, clocks.date - self.date)
        return StudyTime(clocks.boot_id, at - clocks.since_boot, at, clocks.date)

    def now(self, clocks: Clocks) -> float:
        """Return the study's time, in seconds."""
        return max(self.at, self.ahead + clocks.since_boot)

    def note(self, clocks: Clocks) -> "StudyTime":
        """Return the time as it is to be stored now."""
        return StudyTime(self.boot_id, self.ahead, self.now(clocks), clocks.date)
