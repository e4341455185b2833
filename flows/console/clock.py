"""The clock against what is published: a clock that was set back would name and order editions wrongly.

Editions are named by date, and "the last K editions" go by the time of publication.
"""

from datetime import UTC, datetime, timedelta

from perennial.schemas.errors import EditionConflict
from perennial.schemas.units import describe_unit
from perennial.warehouse.catalog.catalog import published_units
from perennial.warehouse.editions.selectors import read_publication_time
from perennial.warehouse.store.store import Store

# Clocks of several machines that write to one root differ by seconds; a summer-time mistake is an hour.
_TOLERANCE = timedelta(minutes=5)


def refuse_clock_set_back(store: Store, now: datetime) -> None:
    """Raise EditionConflict where the latest published edition lies in the future of `now`."""
    published = [(read_publication_time(store, edition), edition) for edition in published_units(store)]
    if not published:
        return
    latest, edition = max(published)
    if now < latest - _TOLERANCE:
        raise EditionConflict(
            f"the clock says {_format(now)}, but {describe_unit(edition)} was published in {store.root} at "
            f"{_format(latest)}, which is later: set the clock of this machine right, then try again "
            "(editions are named and ordered by time)"
        )


def _format(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
