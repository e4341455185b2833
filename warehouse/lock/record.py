"""What `lock.json` in a data root says: who writes to the root, what, since when, and when last seen."""

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta

from warehouse.lock.owner import Life, Owner, life_of

LOCK_FILE = "lock.json"


@dataclass(frozen=True, slots=True)
class LockRecord:
    """A lock: `token` is drawn anew for each, `since` and `beat` are times in UTC."""

    owner: Owner
    what: str
    since: datetime
    beat: datetime
    token: str

    @property
    def life(self) -> Life:
        """Whether the owner lives, as far as this machine can know."""
        return life_of(self.owner, self.beat.timestamp())

    def as_bytes(self) -> bytes:
        """Return the content of the lock's file."""
        shown = {
            **asdict(self),
            "since": self.since.isoformat(timespec="seconds"),
            "beat": self.beat.isoformat(timespec="seconds"),
        }
        return json.dumps(shown, indent=1).encode() + b"\n"

    def told(self, now: datetime) -> str:
        """Return who holds it, for what and since when, as part of one line."""
        return (
            f"{self.owner}: {self.what}, since {shown_time(self.since)} ({ago(self.since, now)}), "
            f"last beat {ago(self.beat, now)}"
        )


def parse_record(content: bytes) -> LockRecord:
    """Return the record that the file's content holds; raise ValueError for anything else."""
    try:
        fields = json.loads(content)
        fields["owner"] = Owner(**fields["owner"])
        fields["since"] = _time(fields["since"])
        fields["beat"] = _time(fields["beat"])
        return LockRecord(**fields)
    except (KeyError, TypeError, AttributeError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"no lock of this version ({error!r})") from None


def shown_time(moment: datetime) -> str:
    """Return the time for people, in UTC."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def ago(moment: datetime, now: datetime) -> str:
    """Return how long ago that was; a time that lies ahead, as after a clock set back, is told as such."""
    age = now - moment
    if age < timedelta(seconds=-1):
        return "by a clock that is ahead of this one"
    seconds = max(0, int(age.total_seconds()))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago"


def _time(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
