"""Remove work in progress and leftovers: show first, ask, and remove only what was shown."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime

import typer

from perennial.flows.console.row_formats import Format, Terminal, print_rows
from perennial.schemas.errors import InvalidOption
from perennial.schemas.model_calls import ANSWERED_STATUSES
from perennial.warehouse.editions.prunable import Prunable, prunable, remove
from perennial.warehouse.editions.verify import lost_units
from perennial.warehouse.ledger.reading import CallFilter, LedgerReader
from perennial.warehouse.ledger.schema import ledger_file
from perennial.warehouse.store.store import Store

_COLUMNS = (
    *("what", "edition", "published", "batches", "files", "bytes", "last_change"),
    *("paid_calls", "known_cost_usd"),
)
_WHAT = {
    "staging": "work in progress",
    "tables": "tables without a row",
    "manifest": "manifest without a row",
    "analyses": "analyses without an edition",
    "superseded": "superseded table",
    "draft": "unfinished draft",
}


def prune(store: Store, editions: Sequence[str], *, yes: bool, format_: Format) -> None:
    """Show what may be removed, of these editions or in all, and remove it where that is agreed to.

    Raises InvalidOption for an edition of which there is nothing, RootLocked where somebody writes.
    """
    listed = prunable(store, datetime.now(UTC), editions)
    missing = sorted(set(editions) - {entry.edition for entry in listed})
    if missing:
        raise InvalidOption(f"nothing is left over of {', '.join(missing)} in {store.root}")
    print_rows(list(_COLUMNS), [_row(store, entry) for entry in listed], format_)
    if not editions:
        _print_kept(store)
    console = Terminal(stderr=format_ is not Format.table, soft_wrap=True)
    if not listed:
        console.print(f"nothing to remove in {store.root}")
    elif yes or _confirm(console):
        _remove(store, listed, console)


def _print_kept(store: Store) -> None:
    """Say what looks like an edition whose row was lost: that is only removed where it is named."""
    console = Terminal(stderr=True, soft_wrap=True)
    for edition in lost_units(store):
        console.print(
            f"warning: {edition} has a manifest but no row, as something published whose row was "
            f"lost: see `perennial verify {edition}`; `perennial editions prune {edition}` would remove it"
        )


def _confirm(console: Terminal) -> bool:
    """Ask on a terminal; elsewhere say which option confirms it."""
    console.print("model calls stay in the ledger: nothing that was paid for is lost")
    if not sys.stdin.isatty():
        console.print("nothing was removed: give --yes to remove all of it")
        return False
    if typer.confirm("Remove all of it?"):
        return True
    console.print("nothing was removed")
    return False


def _remove(store: Store, listed: Sequence[Prunable], console: Terminal) -> None:
    from perennial.warehouse.lock import lock_root

    with lock_root(store, "editions prune"):
        # Looked at again, as a refresh may have resumed it before the lock was taken.
        unchanged = set(prunable(store, datetime.now(UTC), {entry.edition for entry in listed}))
        for entry in listed:
            if entry in unchanged:
                remove(store, entry)
                console.print(
                    f"removed {entry.files:,} files, {entry.bytes:,} bytes: {_name_editions(entry)}"
                )
            else:
                console.print(f"left as it is, as it changed meanwhile: {_name_editions(entry)}")


def _name_editions(entry: Prunable) -> str:
    return f"{_WHAT[entry.kind]}{f' of {entry.edition}' if entry.edition else ''}"


def _row(store: Store, entry: Prunable) -> tuple[object, ...]:
    is_staging = entry.kind == "staging"
    paid = _sum_paid_calls(store, entry.edition) if is_staging else (None, None)
    return (
        _WHAT[entry.kind],
        entry.edition,
        entry.is_published if entry.edition else None,
        entry.batches if is_staging else None,
        entry.files,
        entry.bytes,
        entry.changed,
        *paid,
    )


def _sum_paid_calls(store: Store, edition: str) -> tuple[int, float]:
    """How many answered calls the ledger keeps for the edition, and their known cost in US dollars."""
    path = ledger_file(store.root)
    if not path.exists():
        return 0, 0.0
    with LedgerReader(path) as ledger:
        totals = [ledger.totals(CallFilter(edition=edition, status=status)) for status in ANSWERED_STATUSES]
    return sum(total.calls for total in totals), sum(total.cost_usd for total in totals)
