"""Looks at the data root: is it writable, who holds its lock, is the ledger whole, are withdrawals done?"""

import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from uuid import uuid4

from perennial.flows.console.clock import refuse_clock_set_back
from perennial.flows.doctor.check import UNREADABLE, Check, Look, fail, fail_by, warn
from perennial.schemas.errors import Damaged, PerennialError, RootLocked, UnreadableInput, count
from perennial.schemas.units import describe_unit
from perennial.warehouse.catalog.catalog import published_call_ids, refuse_other_format
from perennial.warehouse.catalog.confinement import FORMAT
from perennial.warehouse.ledger.ledger import ledger_file
from perennial.warehouse.ledger.reading import check_ledger, find_missing_calls
from perennial.warehouse.lock import Life, find_lock
from perennial.warehouse.store.store import Store, find_root_id
from perennial.warehouse.study.ledger import study_files
from perennial.warehouse.study.schema import find_pending

_LITTLE_SPACE = 1 << 30  # bytes

_WRITABLE = "name another --root, or make this one writable for this user"
_CONDITIONS = "move the root before the next refresh"
_LOCK = "see who holds it; if that process is gone, run `perennial unlock`"
_CLOCK = "set the clock of this machine right"
_LEDGER = (
    "restore the ledger from a copy, or drop what is damaged (`perennial calls CALL_ID` says how): it is "
    "then asked for and paid for again"
)

_STUDY = "restore the study's ledger from a copy, or check its permissions"
_PENDING = "do that, then `perennial study status FILE` finishes it and says so"
_LOST = (
    "restore the ledger from a copy: calls that it lacks are paid for again if they are repeated; the "
    "published editions are complete"
)
_FOREIGN = (
    'put this root\'s own ledger back, or make that one its own with `sqlite3 {path} "DROP TABLE root"`'
)


def root_look(store: Store) -> Look:
    """Return the look at the root itself; one that is not there yet is a healthy one."""
    return Look("root", _WRITABLE, partial(_root, store))


def is_readable(store: Store) -> bool:
    """Whether what is in the root can be listed: where not, the look at the root says why."""
    try:
        store.names("tables")
    except (PerennialError, OSError):
        return False
    return True


def format_look(store: Store) -> Look:
    """Return the look at the format: what a version cannot read, it cannot check either."""
    return Look("format", "", partial(_format, store))


def has_our_format(store: Store) -> bool:
    """Whether this version can check what the root holds: where not, the look at the format says why."""
    try:
        refuse_other_format(store)
    except UnreadableInput:
        return False
    return True


def _format(store: Store) -> str:
    refuse_other_format(store)
    return f"format {FORMAT}, which this version reads and writes"


def root_looks(store: Store) -> Iterator[Look]:
    """Yield the looks at an object store's conditional writes, and at lock, clock and ledger of a root."""
    if store.local_folder is None:
        yield Look("conditional writes", _CONDITIONS, partial(_conditions, store))
    yield Look("lock", _LOCK, partial(_lock, store))
    yield Look("clock", _CLOCK, partial(_clock, store))
    yield Look("ledger", _LEDGER, partial(_ledger, store))
    for path in study_files(store):
        yield Look(f"study {path.parent.name}", _STUDY, partial(_study, path))


def _study(path: Path) -> str | Check:
    pending = find_pending(path)
    if pending is None:
        return "nobody's withdrawal is pending"
    whose = count(len(pending.participants), "participant")
    return warn(
        f"the deletion from the disk of what {whose} did, who withdrew, is pending until {pending.until}",
        _PENDING,
    )


def can_be_made(path: Path) -> bool:
    """Whether the folder, or the nearest one above it that exists, can be written to."""
    above = next(parent for parent in (path, *path.parents) if parent.exists())
    return above.is_dir() and os.access(above, os.W_OK | os.X_OK)


def _root(store: Store) -> str | Check:
    folder = store.local_folder
    if folder is not None and not folder.exists():
        if can_be_made(folder):
            return f"{folder} is not there yet and can be made"
        return fail(f"{folder} cannot be made: no folder above it is writable", _WRITABLE, UNREADABLE)
    _write_probe(store)
    if folder is None:
        return f"{store.root} can be read and written"
    free = shutil.disk_usage(folder).free
    seen = f"{store.root} can be read and written, {free / 1e9:,.1f} GB free"
    return warn(seen, "free some space before the next refresh") if free < _LITTLE_SPACE else seen


def _write_probe(store: Store) -> None:
    """Write a file of our own, read it back and remove it."""
    name, content = f".doctor-{uuid4().hex}", b"perennial doctor was here\n"
    store.write_bytes(name, content)
    try:
        store.read_bytes(name)
    finally:
        store.remove_bytes(name, content)


def _conditions(store: Store) -> str:
    store.require_conditional_writes()
    return "two writers at the same instant are kept apart"


def _lock(store: Store) -> str | Check:
    found = find_lock(store)
    if found is None:
        return "nobody writes to the root"
    if found.life is Life.gone:
        return f"left behind by {found.description}; the next writer takes it over"
    if found.life is Life.alive:
        return warn(f"held by {found.description}", "wait until that has ended: what is staged is moving")
    raise RootLocked(f"held by {found.description}, of which nothing is known here")


def _clock(store: Store) -> str:
    now = datetime.now(UTC)
    refuse_clock_set_back(store, now)
    return f"{now:%Y-%m-%d %H:%M:%S} UTC, not before any published edition"


def _ledger(store: Store) -> str | Check:
    path = ledger_file(store.root)
    if not path.exists():
        return _absent_ledger(store, path)
    state = check_ledger(path)
    if state.flaws:
        return fail_by([f"{path}: {flaw}" for flaw in state.flaws], _LEDGER)
    missing = find_missing_calls(path, published_call_ids(store))
    own_id = find_root_id(store)
    is_foreign = state.root_id is not None and state.root_id != own_id
    if missing:
        whose = "the ledger of another data root, and " if is_foreign else ""
        flaws = [
            f"{path}: {whose}{lost.missing:,} of the {lost.calls:,} published calls of "
            f"{describe_unit(lost.edition)} are missing, such as {lost.example}"
            for lost in missing
        ]
        return fail_by(flaws, _LOST)
    if is_foreign:
        seen = f"{path} is the ledger of another data root ({state.root_id}; this one is {own_id or 'new'})"
        return warn(seen, _FOREIGN.format(path=path))
    return (
        f"{state.calls:,} calls, {state.answered:,} of them answered, {state.messages:,} messages, "
        "each one as it was kept"
    )


def _absent_ledger(store: Store, path: Path) -> str | Check:
    published = sum(len(call_ids) for _, call_ids in published_call_ids(store))
    if not published:
        return "no model call has been kept yet"
    seen = f"{path} is missing, and {published:,} published model calls were kept in it"
    if store.local_folder is None:
        return warn(seen, "copy it from the machine that runs the refreshes of this root")
    return fail(seen, _LOST, Damaged.exit_code)
