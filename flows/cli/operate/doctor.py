"""`perennial doctor`: is everything as it should be, and what is to be done where it is not?"""

import socket
import sys
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Annotated

import typer

from perennial.flows.cli.look.query import print_entries
from perennial.flows.console.progress import show_steps
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import Format, Terminal, print_json, printable, prints_rows
from perennial.schemas.benchmark import GROUP, benchmarks
from perennial.schemas.errors import InvalidOption, RootLocked, count
from perennial.warehouse.lock import LOCK_FILE, FoundLock, Life, ago, find_lock, format_time, remove_lock

if TYPE_CHECKING:
    from perennial.flows.doctor.root import Check


# `perennial benchmarks`: what is installed, from which package, and whether it keeps to the contract.

_BROKEN = 1
_COLUMNS = ("benchmark", "package", "version", "entry point")


@prints_rows
def list_benchmarks(
    check: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Check this benchmark: grow, play, report, export, reproduce."),
    ] = None,
    format_: Format = Format.table,
) -> None:
    """List the installed benchmarks with their packages, or check one against the contract.

    The check works on a small edition in a temporary folder, without a model; its exit code is 1 where
    something is broken.

    Example: perennial benchmarks --check kumo
    """
    if check is None:
        print_entries(_COLUMNS, _read_packages(), format_)
        return
    if format_ is Format.csv:
        raise InvalidOption("--format csv: --check prints a table or JSON")
    _check(check, as_json=format_ is Format.json)


def _read_packages() -> list[tuple[str, ...]]:
    declared = benchmarks()
    packages: list[tuple[str, ...]] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: list(declared).index(entry.name)):
        package = ("", "") if entry.dist is None else (entry.dist.name, entry.dist.version)
        packages.append((entry.name, *package, entry.value))
    return packages


def _check(name: str, *, as_json: bool) -> None:
    from perennial.flows.contract import check_benchmark

    console = Terminal(stderr=as_json, soft_wrap=True)
    outcomes = []
    with show_steps("benchmarks") as step:
        for outcome in check_benchmark(name, lambda check: step(f"checking {check}")):
            outcomes.append(outcome)
            verdict = outcome.error and f"FAILED: {outcome.error}"
            console.print(f"{outcome.check:<14} {verdict or 'ok'}")
    broken = [outcome for outcome in outcomes if outcome.error]
    if as_json:
        document = {"benchmark": name, "checks": [asdict(outcome) for outcome in outcomes]}
        print_json(document)
    counted = f"breaks {count(len(broken), 'check')}" if broken else f"passes {count(len(outcomes), 'check')}"
    console.print(f"benchmark {name} {counted}")
    if broken:
        raise typer.Exit(_BROKEN)


_STYLES = {"ok": "green", "warning": "yellow", "failed": "bold red"}
_WIDTH = 7  # of the longest status


def doctor(
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the checks as JSON.")] = False,
    deep: Annotated[
        bool, typer.Option("--deep", help="Also start an embedded Prefect server, as a test.")
    ] = False,
) -> None:
    """Check versions, Prefect, model endpoint, root, ledger, and all published and staged data.

    Nothing is changed. Each check prints one line: ok, warning or failed, what was found, and what to do.

    Exit code: 0 if nothing failed, else the code of the most severe failure, in this order:

    8: data is damaged.

    2: something cannot be read or written, or the root that --root names does not exist.

    9: the root is locked.

    6: the model endpoint does not work.

    5: the clock is behind what is published.

    1: versions, or Prefect.

    Example: perennial doctor --root warehouse/data
    """
    from perennial.flows.doctor.checks import looks
    from perennial.flows.doctor.root import exit_code_of
    from perennial.schemas.settings import load_settings

    settings = load_settings({"root": root}, "doctor")
    lines = Terminal(soft_wrap=True)
    checks = []
    with show_steps("doctor") as step:
        for look in looks(settings, deep=deep, is_named=root is not None):
            step(f"checking {look.name}")
            checks.append(look.run())
            if not as_json:
                _print(lines, checks[-1])
    code = exit_code_of(checks)
    if as_json:
        document = {"root": settings.root, "exit_code": code, "checks": [asdict(check) for check in checks]}
        print_json(document)
    raise typer.Exit(code)


def _print(lines: Terminal, check: "Check") -> None:
    from rich.text import Text

    remedy = f"; to do: {check.remedy}" if check.remedy else ""
    lines.print(
        Text(f"{check.status:<{_WIDTH}}  ", style=_STYLES[check.status])
        + Text(printable(f"{check.name}: {check.seen}{remedy}"))
    )


# `perennial unlock`: remove the lock that a writer left in a data root, after showing who held it.

_DANGER = (
    "If that writer is still running, a second one may overwrite its batches and pay for the same model "
    "calls again; the one whose lock was removed ends before it publishes."
)
_SAFE = "The next writer takes this lock over by itself; removing it is safe."
_LIVES = {
    Life.alive: "yes, that process runs on this machine",
    Life.gone: "no, that process is gone",
    Life.unknown: "unknown from this machine: look there, or judge by the last beat",
}


def unlock(
    root: RootOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Remove the lock without asking.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Remove the lock even if its process runs on this machine.")
    ] = False,
) -> None:
    """Remove the lock of a data root whose writer is gone, after showing who held it.

    A lock whose process is known to be gone needs no unlocking: the next writer takes it over. Exit codes: 0
    no lock, or removed; 9 still locked.

    Example: perennial unlock --root s3://bucket/prefix
    """
    store = data_root(root)
    console = Terminal(soft_wrap=True)
    lock = find_lock(store)
    if lock is None:
        console.print(f"no lock: nobody is writing to {store.root}")
        return
    console.print(f"lock:      {store.location(LOCK_FILE)}")
    for line in _describe(lock):
        console.print(line)
    stays = f"the data root {store.root} stays locked"
    if lock.life is Life.alive and not force:
        ending = f"kill {lock.record.owner.pid}" if lock.record else "see which one has .lock open"
        raise RootLocked(
            f"{stays}: its process lives on this machine: wait for it, or end it ({ending}) and give its "
            "command again, which resumes; --force removes the lock anyway"
        )
    if not yes and not (sys.stdin.isatty() and typer.confirm(f"Remove the lock of {store.root}?")):
        raise RootLocked(f"{stays}: give --yes to remove the lock, if that process is gone")
    if not remove_lock(store, lock, by_force=force):
        raise RootLocked(
            f"{stays}: the lock was renewed, or taken by another process, meanwhile; run `perennial unlock` "
            "again to see by which"
        )
    console.print(f"removed: {store.root} is free")


def _describe(lock: FoundLock) -> Iterator[str]:
    if lock.record is None:
        yield "holder:    cannot be read: this version did not write the lock"
    else:
        now, record, owner = datetime.now(UTC), lock.record, lock.record.owner
        yield f"what:      {record.what}"
        yield f"holder:    {owner.user}"
        yield f"host:      {owner.host}{' (this machine)' if owner.host == socket.gethostname() else ''}"
        yield f"process:   {owner.pid}"
        yield f"since:     {format_time(record.since)} ({ago(record.since, now)})"
        yield f"last beat: {format_time(record.beat)} ({ago(record.beat, now)}; renewed every minute)"
    yield f"lives:     {_LIVES[lock.life]}"
    yield _SAFE if lock.life is Life.gone else _DANGER
