"""Looks at the data root: is it writable, who holds its lock, is the ledger whole, are withdrawals done?"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from pathlib import Path
from uuid import uuid4

from perennial.flows.console.errors import describe_os_error
from perennial.flows.console.input_files import refuse_clock_set_back
from perennial.flows.run.code_version import code_version
from perennial.flows.stages.grow import progress_of
from perennial.flows.stages.workspace import Workspace
from perennial.schemas.errors import (
    Damaged,
    EditionConflict,
    PerennialError,
    RootLocked,
    UnreadableInput,
    count,
)
from perennial.schemas.units import describe_unit, is_evaluation, split_unit
from perennial.warehouse.catalog.catalog import published_call_ids, published_units, refuse_other_format
from perennial.warehouse.catalog.confinement import FORMAT
from perennial.warehouse.catalog.withdrawals import withdrawn_units
from perennial.warehouse.editions.integrity import beside_flaws, relation_flaws, staged_state
from perennial.warehouse.editions.verify import verifiable_units, verify_unit
from perennial.warehouse.ledger.reading import check_ledger, find_missing_calls
from perennial.warehouse.ledger.schema import ledger_file
from perennial.warehouse.lock import Life, find_lock
from perennial.warehouse.staging import Staging, staged_units
from perennial.warehouse.store.store import Store, find_root_id
from perennial.warehouse.study.ledger import study_files
from perennial.warehouse.study.schema import find_pending

# What a check of `perennial doctor` is, and what exit code several of them come to.

UNREADABLE = 2
_SHOWN = 3
# Damage first, then what cannot be read or written: nothing else works without.
_BY_SEVERITY = (8, 2, 9, 6, 5)


class Status(StrEnum):
    """What came of a check."""

    ok = "ok"
    warning = "warning"
    failed = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: what was seen, and where it is not ok, what to do about it.

    `exit_code` is 0 unless the check failed; `flaws` are all that were found, where `seen` names some.
    """

    name: str
    status: Status
    seen: str
    remedy: str = ""
    exit_code: int = 0
    flaws: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Look:
    """A check to be carried out: its action returns what it saw, where that is ok, or the check.

    `remedy` is for the errors that the action raises.
    """

    name: str
    remedy: str
    action: Callable[[], str | Check]

    def run(self) -> Check:
        """Run the look's action; an error becomes a failed check with the error's exit code."""
        try:
            state = self.action()
        except PerennialError as error:
            state = fail(str(error), self.remedy, error.exit_code)
        except OSError as error:
            state = fail(describe_os_error(error), self.remedy, UNREADABLE)
        return (
            Check(self.name, Status.ok, state) if isinstance(state, str) else replace(state, name=self.name)
        )


def warn(seen: str, remedy: str) -> Check:
    """A check that found something worth a look, but nothing that stops the work."""
    return Check("", Status.warning, seen, remedy)


def fail(seen: str, remedy: str, exit_code: int) -> Check:
    """A failed check."""
    return Check("", Status.failed, seen, remedy, exit_code)


def fail_by(flaws: Sequence[str], remedy: str, exit_code: int = Damaged.exit_code) -> Check:
    """A failed check whose line names the first of these flaws."""
    more = f"; and {len(flaws) - _SHOWN} more" if len(flaws) > _SHOWN else ""
    return replace(fail("; ".join(flaws[:_SHOWN]) + more, remedy, exit_code), flaws=tuple(flaws))


def exit_code_of(checks: Iterable[Check]) -> int:
    """0 if no check failed, else the exit code of the most severe failure."""
    codes = {check.exit_code for check in checks if check.status is Status.failed}
    return next((code for code in _BY_SEVERITY if code in codes), max(codes, default=0))


# Looks at what is published, what is staged, and the files beside them.

_RESTORE = "restore the named files from a copy"
_LISTED = "make the folders of the root readable"


def edition_looks(store: Store) -> Iterator[Look]:
    """A look at each published and each staged edition, and at the files beside them."""
    editions = verifiable_units(store)
    staged = [name for name in store.names("staging") if not name.startswith(".")]
    if not editions:
        yield Look("editions", _LISTED, lambda: "none is published yet")
    for edition in editions:
        kind = "evaluation" if is_evaluation(edition) else "edition"
        yield Look(f"{kind} {edition}", _RESTORE, partial(_edition, store, edition))
    yield Look("withdrawals", _RESTORE, partial(_withdrawals, store))
    yield Look("other files", _RESTORE, partial(_other_files, store))
    if not staged:
        yield Look("staging", _LISTED, lambda: "nothing is staged")
    for edition in staged:
        staging = Staging(store, edition)
        yield Look(f"staging {edition}", staging.remedy, partial(_check_staged, staging))


def _edition(store: Store, edition: str) -> str | Check:
    verification = verify_unit(store, edition)
    damage = [f"{finding.file}: {finding.message}" for finding in verification.findings if finding.is_damage]
    if edition in published_units(store):
        damage += relation_flaws(store, edition)
    if damage:
        remedy = (
            f"restore the named files from a copy; until then `perennial editions withdraw {edition} "
            "--why TEXT` hides it from readers"
        )
        return fail_by(damage, remedy)
    unlisted = [finding.file for finding in verification.findings if finding.problem == "unlisted"]
    if unlisted:
        return warn(f"{unlisted[0]} does not belong to it", "move such files away")
    return (
        f"{verification.files:,} files of {verification.bytes:,} bytes, {verification.rows:,} rows as they "
        "were published; keys and references hold"
    )


def _withdrawals(store: Store) -> str:
    withdrawn = withdrawn_units(store)
    return f"withdrawn: {', '.join(withdrawn)}" if withdrawn else "none is withdrawn"


def _other_files(store: Store) -> str | Check:
    count, flaws = beside_flaws(store)
    if flaws:
        remedy = (
            "move the named files away, then make them again: `perennial analyse EDITION` for analyses, "
            "`perennial import scores` for scores"
        )
        return fail_by(flaws, remedy)
    return f"{count:,} files of later analyses and other scores, all readable"


def _check_staged(staging: Staging) -> str | Check:
    store, unit = staging.store, staging.unit
    try:
        plan = staging.read_plan()
    except EditionConflict as error:
        return warn(str(error), staging.remedy)
    if plan is None:
        lock = find_lock(store)
        if lock is not None and lock.life is Life.alive:
            return f"its plan is about to be written by {lock.description}"
        return fail_by([f"{staging.folder} has no plan.json"], staging.remedy)
    state = staged_state(staging)
    if state.flaws:
        return fail_by(state.flaws, staging.remedy)
    published = published_units(store)
    remedy = f"remove it with `perennial editions prune {unit}`"
    if unit in published:
        return warn("left over: it is published", remedy)
    edition, name = split_unit(unit)
    if name and edition not in published:
        if edition in staged_units(store):
            return f"begins when {edition} is published"
        return warn(f"left over: {edition} is neither published nor staged", remedy)
    try:
        progress = progress_of(Workspace(staging, plan))
    except Damaged as error:
        return fail_by([str(error).removesuffix(f": {staging.remedy}")], staging.remedy)
    if progress.unasked:
        return fail_by([f"batch {key} is not in the plan" for key in progress.unasked], staging.remedy)
    done = len(progress.asked) - len(progress.missing)
    staged = (
        f"{done:,} of {len(progress.asked):,} batches known so far are staged, {state.parts:,} parts as they "
        "were written"
    )
    if plan.code_version != code_version():
        return warn(
            f"{staged}; perennial {plan.code_version} began it, and {code_version()} does not resume it",
            remedy,
        )
    return f"{staged}; the same command with the same settings resumes it"


_LITTLE_SPACE = 1 << 30  # bytes

WRITABLE = "name another --root, or make this one writable for this user"
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


def is_missing(store: Store) -> bool:
    """Whether the root is a folder of this machine that is not there."""
    return store.local_folder is not None and not store.local_folder.exists()


def is_readable(store: Store) -> bool:
    """Whether what is in the root can be listed: where not, the look at the root says why."""
    try:
        store.names("tables")
    except (PerennialError, OSError):
        return False
    return True


def has_our_format(store: Store) -> bool:
    """Whether this version can check what the root holds: where not, the look at the format says why."""
    try:
        refuse_other_format(store)
    except UnreadableInput:
        return False
    return True


def check_format(store: Store) -> str:
    """Look at the root's format: a version cannot check what it cannot read."""
    refuse_other_format(store)
    return f"format {FORMAT}, which this version reads and writes"


def root_looks(store: Store) -> Iterator[Look]:
    """Looks at an object store's conditional writes, and at a root's lock, clock and ledger."""
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


def check_root(store: Store, *, is_named: bool) -> str | Check:
    """Look at the root itself; one that does not exist yet is healthy unless somebody named it."""
    folder = store.local_folder
    if folder is not None and is_missing(store):
        if is_named:
            return fail(f"{folder} does not exist", "correct --root, or make it by a refresh", UNREADABLE)
        if can_be_made(folder):
            return f"{folder} is not there yet and can be made"
        return fail(f"{folder} cannot be made: no folder above it is writable", WRITABLE, UNREADABLE)
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
    lock = find_lock(store)
    if lock is None:
        return "nobody writes to the root"
    if lock.life is Life.gone:
        return f"left behind by {lock.description}; the next writer takes it over"
    if lock.life is Life.alive:
        return warn(f"held by {lock.description}", "wait until that has ended: what is staged is moving")
    raise RootLocked(f"held by {lock.description}, of which nothing is known here")


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
