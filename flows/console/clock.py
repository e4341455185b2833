"""The clock against what is published: a clock that was set back would name and order editions wrongly.

Editions are named by date, and "the last K editions" go by the time of publication.
"""

from datetime import UTC, datetime, timedelta

from schemas.errors import EditionConflict
from warehouse.catalog.catalog import published_editions, table_file
from warehouse.store.store import Store

# Clocks of several machines that write to one root differ by seconds; a summer-time mistake is an hour.
_TOLERANCE = timedelta(minutes=5)


def refuse_clock_set_back(store: Store, now: datetime) -> None:
    """Raise EditionConflict where the latest published edition lies in the future of `now`."""
    published = [(_created_at(store, edition), edition) for edition in published_editions(store)]
    if not published:
        return
    latest, edition = max(published)
    if now < latest - _TOLERANCE:
        raise EditionConflict(
            f"the clock says {_shown(now)}, but edition {edition!r} was published in {store.root} at "
            f"{_shown(latest)}, which is later: set the clock of this machine right, then try again "
            "(editions are named and ordered by time)"
        )


def _created_at(store: Store, edition: str) -> datetime:
    row = store.read_table(table_file("editions", edition), ["created_at"])
    created: datetime = row["created_at"][0].as_py()
    return created


def _shown(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
