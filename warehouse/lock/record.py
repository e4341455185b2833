"""What `lock.json` in a data root says: who writes to the root, what, since when, and when last seen."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from perennial.warehouse.lock.owner import Owner

if TYPE_CHECKING:
    from pydantic import TypeAdapter

LOCK_FILE = "lock.json"


@dataclass(frozen=True, slots=True)
class LockRecord:
    """A lock: `token` is another one for each, `since` and `beat` are times in UTC."""

    owner: Owner
    what: str
    since: datetime
    beat: datetime
    token: str

    def as_bytes(self) -> bytes:
        """Return the content of the lock's file."""
        return _form().dump_json(self, indent=1) + b"\n"

    def describe(self, now: datetime) -> str:
        """Return who holds it, for what and since when, as part of one line."""
        return (
            f"{self.owner}: {self.what}, since {format_time(self.since)} ({ago(self.since, now)}), "
            f"last beat {ago(self.beat, now)}"
        )


@cache
def _form() -> "TypeAdapter[LockRecord]":
    # Imported late: commands that only read start without it.
    from pydantic import TypeAdapter

    return TypeAdapter(LockRecord)


def parse_record(content: bytes) -> LockRecord | None:
    """Return the record that the file's content holds; None for anything else."""
    try:
        record = _form().validate_json(content)
    except ValueError:
        return None
    # The times of a lock carry their zone.
    return record if record.since.tzinfo and record.beat.tzinfo else None


def format_time(moment: datetime) -> str:
    """Return the time for people, in UTC."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def ago(moment: datetime, now: datetime) -> str:
    """Return how long ago that was; of a time that lies ahead, as after a clock set back, it says so."""
    age = now - moment
    if age < timedelta(seconds=-1):
        return "by a clock that is ahead of this one"
    seconds = max(0, int(age.total_seconds()))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago"
