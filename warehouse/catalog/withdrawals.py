"""Withdraw an edition or an evaluation: readers no longer see it, and nothing of it is deleted.

`withdrawals/<name>.json` holds all that happened to it, oldest first; the last event counts. A
withdrawn edition keeps its name, and its instances are never issued again.
"""

import json
from dataclasses import asdict, dataclass
from typing import Literal

from perennial.schemas.errors import Damaged, EditionConflict
from perennial.schemas.units import describe_unit
from perennial.warehouse.store.store import Store

FORMAT = 1
_FOLDER = "withdrawals"


@dataclass(frozen=True, slots=True)
class Event:
    """An edition was withdrawn or reinstated: why, when (UTC, ISO 8601) and by whom (user@host)."""

    event: Literal["withdrawn", "reinstated"]
    why: str
    at: str
    by: str


def withdrawn_units(store: Store) -> dict[str, Event]:
    """Return the withdrawn editions and evaluations, each with the event that withdrew it.

    Raises Damaged where a record is unreadable: it is unknown then what readers may see.
    """
    names = [name for name in store.names(_FOLDER) if name.endswith(".json") and name[0] != "."]
    last = {name.removesuffix(".json"): history(store, name.removesuffix(".json"))[-1:] for name in names}
    return {
        edition: events[0] for edition, events in last.items() if events and events[0].event == "withdrawn"
    }


def history(store: Store, edition: str) -> tuple[Event, ...]:
    """Return what happened to the edition, oldest first; nothing where it was never withdrawn.

    Raises Damaged where its record is unreadable.
    """
    name = _file(edition)
    try:
        record = json.loads(store.read_bytes(name))
        if record["format"] != FORMAT:
            raise ValueError(f"format {record['format']!r}, expected {FORMAT}")
        return tuple(Event(**event) for event in record["events"])
    except FileNotFoundError:
        return ()
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(
            f"{store.location(name)}: no record of withdrawals ({' '.join(str(error).split())}); "
            "it is unknown whether the edition is withdrawn: restore the file from a copy, or remove it and "
            "withdraw the edition again"
        ) from None


def withdraw(store: Store, edition: str, why: str, at: str, by: str) -> None:
    """Hide a published edition from all readers; raise EditionConflict where it is withdrawn already."""
    events = history(store, edition)
    if events and events[-1].event == "withdrawn":
        raise EditionConflict(
            f"{describe_unit(edition)} is withdrawn already, since {events[-1].at}: {events[-1].why}; "
            "--reinstate undoes that"
        )
    _write(store, edition, (*events, Event("withdrawn", why, at, by)))


def reinstate(store: Store, edition: str, why: str, at: str, by: str) -> None:
    """Show a withdrawn edition again; raise EditionConflict where it is not withdrawn."""
    events = history(store, edition)
    if not events or events[-1].event != "withdrawn":
        raise EditionConflict(f"{describe_unit(edition)} is not withdrawn: there is nothing to undo")
    _write(store, edition, (*events, Event("reinstated", why, at, by)))


def _file(edition: str) -> str:
    return f"{_FOLDER}/{edition}.json"


def _write(store: Store, edition: str, events: tuple[Event, ...]) -> None:
    record = {"format": FORMAT, "edition": edition, "events": [asdict(event) for event in events]}
    store.write_bytes(_file(edition), json.dumps(record, indent=1).encode())
