"""Withdraw an edition or an evaluation: readers no longer see it, and nothing of it is deleted.

`withdrawals/<name>.json` holds all that happened to it, oldest first; the last event counts. A
withdrawn edition keeps its name, and its instances are never issued again.

Its files are moved from `tables/` to `withdrawn/tables/`, so that programs which read Parquet files and know
no records see the same. The record is written first and the unit's row is moved last: a row that does not lie
where the record says shows that a move was cut off, and `finish_moves` finishes it.
"""

import json
from collections.abc import Container
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Literal

from perennial.schemas.errors import Damaged, EditionConflict, quote
from perennial.schemas.json_text import read_json
from perennial.schemas.units import describe_unit, split_unit
from perennial.warehouse.catalog.confinement import row_file, unit_of
from perennial.warehouse.store.store import WITHDRAWN, Store

FORMAT = 1
_FOLDER = "withdrawals"


@dataclass(frozen=True, slots=True)
class WithdrawalEvent:
    """An edition was withdrawn or reinstated: why, when (UTC, ISO 8601) and by whom (user@host)."""

    event: Literal["withdrawn", "reinstated"]
    why: str
    at: str
    by: str


def withdrawn_units(store: Store) -> dict[str, WithdrawalEvent]:
    """The withdrawn editions and evaluations, each with the event that withdrew it.

    Raises Damaged where a record is unreadable: it is unknown then what readers may see.
    """
    last = {unit: history(store, unit)[-1:] for unit in _recorded(store)}
    return {
        edition: events[0] for edition, events in last.items() if events and events[0].event == "withdrawn"
    }


def _recorded(store: Store) -> list[str]:
    names = [name for name in store.names(_FOLDER) if name.endswith(".json") and name[0] != "."]
    return [name.removesuffix(".json") for name in names]


def history(store: Store, edition: str) -> tuple[WithdrawalEvent, ...]:
    """What happened to the edition, oldest first; nothing where it was never withdrawn.

    Raises Damaged where its record is unreadable.
    """
    name = _file(edition)
    try:
        record = read_json(store.read_bytes(name))
        if record["format"] != FORMAT:
            raise ValueError(f"format {quote(record['format'])}, expected {FORMAT}")
        return tuple(WithdrawalEvent(**event) for event in record["events"])
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
            f"`perennial editions reinstate {edition} --why TEXT` undoes that"
        )
    _write(store, edition, (*events, WithdrawalEvent("withdrawn", why, at, by)))
    _move_files(store, edition)


def reinstate(store: Store, edition: str, why: str, at: str, by: str) -> None:
    """Show a withdrawn edition again; raise EditionConflict where it is not withdrawn."""
    events = history(store, edition)
    if not events or events[-1].event != "withdrawn":
        raise EditionConflict(f"{describe_unit(edition)} is not withdrawn: there is nothing to undo")
    _write(store, edition, (*events, WithdrawalEvent("reinstated", why, at, by)))
    _move_files(store, edition)


def finish_moves(store: Store) -> None:
    """Move what a command that was cut off has left where the records no longer say."""
    hidden = withdrawn_units(store)
    for unit in _recorded(store):
        row = row_file(unit)
        if store.has_file(row if is_hidden(hidden, unit) else WITHDRAWN + row):
            _move_files(store, unit)


def is_hidden(withdrawn: Container[str], unit: str) -> bool:
    """Whether readers see nothing of the unit: it, or its edition, is withdrawn."""
    return unit in withdrawn or split_unit(unit)[0] in withdrawn


def _move_files(store: Store, moved: str) -> None:
    """Move each file of the unit, and of an edition's evaluations, to where the records say that it lies."""
    hidden = withdrawn_units(store)
    folder = f"edition={split_unit(moved)[0]}"
    files = [
        f"tables/{table}/{folder}/{name}"
        for table in store.names("tables")
        for name in store.names(f"tables/{table}/{folder}")
        if name.endswith(".parquet") and name[0] != "."
    ]
    files.sort(key=lambda file: file == row_file(moved))
    for file in files:
        unit = unit_of(file)
        if moved in (unit, split_unit(unit)[0]):
            places = file, WITHDRAWN + file
            source, target = places if is_hidden(hidden, unit) else places[::-1]
            with suppress(FileNotFoundError):  # it lies there, or another command moves it too
                store.move(source, target)
    if withdrawn_units(store) != hidden:
        _move_files(store, moved)


def _file(edition: str) -> str:
    return f"{_FOLDER}/{edition}.json"


def _write(store: Store, edition: str, events: tuple[WithdrawalEvent, ...]) -> None:
    record = {"format": FORMAT, "edition": edition, "events": [asdict(event) for event in events]}
    store.write_bytes(_file(edition), json.dumps(record, indent=1).encode())
