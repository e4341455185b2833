"""`perennial verify`, `audit` and `reproduce`: check or rebuild what is published."""

import json
import sys
import time
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Column, Table

from perennial.flows.console import progress
from perennial.flows.console.input_files import require_folder
from perennial.flows.console.progress import show_steps
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import Terminal, print_json
from perennial.schemas.errors import Damaged, InvalidOption, count
from perennial.warehouse.catalog.catalog import published_units
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    from perennial.flows.editions.reproduce import Reproduction
    from perennial.warehouse.editions.verify import Verification


# `perennial analyse`: compute an edition's statistics again, without any model call.


def analyse(
    edition: Annotated[
        str | None, typer.Argument(help="The edition. Default: all that are not withdrawn.")
    ] = None,
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was computed as JSON.")] = False,
) -> None:
    """Compute statistics again: after new external scores, or with a newer perennial.

    The published files are not changed; the new figures are stored separately, and the views show them.

    Example: perennial analyse kumo-2026-11-20
    """
    from perennial.flows.editions.audit import analyse_editions

    console = Terminal(soft_wrap=True, stderr=as_json)
    with show_steps("analyse") as step:
        statistics = analyse_editions(data_root(root), edition, console.print, step)
    if as_json:
        print_json({"statistics": statistics})


_DIFFERS = 1
_WIDTH = 120


def verify(
    edition: Annotated[
        str | None,
        typer.Argument(help="The edition with its evaluations, or one EDITION@NAME. Default: the newest."),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Every published edition and evaluation.")] = False,
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Check every file of an edition and its evaluations against their manifests: size, SHA-256, rows.

    Exit code 8 if a file is missing or differs from what was published; each is named on its own line.

    Example: perennial verify kumo-2026-11-20
    """
    from perennial.warehouse.editions.verify import verify_unit

    store = data_root(root)
    console = Terminal(soft_wrap=True, stderr=as_json)
    checked = []
    with show_steps("verify") as step:
        for name in _choose_editions(store, edition, all_):
            step(name)
            started = time.perf_counter()
            verification = verify_unit(store, name)
            _print(console, verification, time.perf_counter() - started)
            checked.append(verification)
    if as_json:
        editions = [{**asdict(verification), "whole": verification.is_whole} for verification in checked]
        document = {"root": store.root, "editions": editions}
        sys.stdout.write(json.dumps(document, indent=1) + "\n")
    _refuse_damage(store, checked)


def audit(
    edition: Annotated[
        str | None, typer.Argument(help="The edition with its evaluations, or one of them. Default: all.")
    ] = None,
    root: RootOption = None,
    docs: Annotated[
        Path | None,
        typer.Option(
            help="Empty folder for Data Docs: a page per validation, with rows that break expectations."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Audit published tables again; exit code 4 where an expectation no longer holds.

    Example: perennial audit kumo-2026-11-20 --docs data-docs
    """
    from perennial.flows.editions.audit import audit_unit, require_expectations, units_to_audit
    from perennial.warehouse.audit.great_expectations import CheckpointRunner

    store = data_root(root)
    console = Terminal(stderr=as_json, soft_wrap=True)
    if docs is not None:
        _require_empty("--docs", docs)
    results = {}
    with show_steps("audit") as step:
        units = units_to_audit(store, edition)
        runner = CheckpointRunner(docs)
        for name in units:
            step(name)
            summary, broken = audit_unit(store, name, runner)
            results[name] = {"summary": summary, "broken": broken}
            console.print(f"{name}: {summary}")
        if docs is not None:
            step("writing Data Docs")
            console.print(f"Data Docs: {runner.build_docs()}")
    if as_json:
        sys.stdout.write(json.dumps({"editions": results}, indent=1) + "\n")
    require_expectations({name: tuple(result["broken"]) for name, result in results.items()}, store)


def _choose_editions(store: Store, edition: str | None, all_: bool) -> tuple[str, ...]:
    from perennial.warehouse.editions.selectors import require_any, select_units
    from perennial.warehouse.editions.verify import verifiable_units

    units = verifiable_units(store)
    if not all_:
        return select_units(store, edition, units)
    if edition is not None:
        raise InvalidOption("name one EDITION, or give --all")
    require_any(store, units)
    return units


def _print(console: Terminal, verification: "Verification", seconds: float) -> None:
    name = verification.edition
    for finding in verification.findings:
        console.print(f"{name}: {finding.file}: {finding.message}")
    if verification.is_whole:
        console.print(
            f"{name}: as it was published: {verification.files:,} files, {verification.bytes:,} bytes, "
            f"{verification.rows:,} rows, {seconds:.1f} s"
        )


def _way_out(store: Store, edition: str) -> str:
    """What is left to do if an edition is damaged and there is no copy."""
    if edition in published_units(store):
        return f"hide it with `perennial editions withdraw {edition} --why TEXT`"
    return f"remove what is left of it with `perennial editions prune {edition}`"


def _refuse_damage(store: Store, checked: "list[Verification]") -> None:
    damaged = {finding.edition: None for check in checked for finding in check.findings if finding.is_damage}
    if damaged:
        files = {finding.file for check in checked for finding in check.findings if finding.is_damage}
        raise Damaged(
            f"{count(len(files), 'file')} of {', '.join(damaged)} not as published: "
            f"restore from a copy of the data root what is named, or {_way_out(store, next(iter(damaged)))}"
        )


def reproduce(
    edition: Annotated[
        str | None,
        typer.Argument(help="An edition (questions) or EDITION@NAME (answers). Default: the newest edition."),
    ] = None,
    root: RootOption = None,
    keep: Annotated[
        Path | None,
        typer.Option(help="Empty folder to rebuild in, which is not deleted. Default: a temporary one."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Rebuild an edition, or an evaluation, from its seed and its stored replies, and compare.

    No model is called, and nothing in the data root changes. Wall-clock columns are not compared, nor are
    `editions`, `evaluations` and `audits`, which describe publishing. Exit code 1 if a row differs.

    Example: perennial reproduce kumo-2026-11-20
    """
    from perennial.flows.editions.reproduce import reproduce_unit

    store = data_root(root)
    with _folder(keep) as folder, progress.show_on(Terminal(stderr=True, soft_wrap=True)):
        result = reproduce_unit(store, edition, Path(folder))
    if as_json:
        sys.stdout.write(json.dumps({**asdict(result), "same": result.same}, indent=1) + "\n")
    else:
        _print_reproduction(result)
    if not result.same:
        raise typer.Exit(_DIFFERS)


def _folder(keep: Path | None) -> "TemporaryDirectory[str] | nullcontext[str]":
    if keep is None:
        return TemporaryDirectory(prefix="perennial-reproduce-", ignore_cleanup_errors=True)
    _require_empty("--keep", keep)
    return nullcontext(str(keep))


def _require_empty(option: str, folder: Path) -> None:
    """Make the folder that the option names; raise InvalidOption where something is in it."""
    require_folder(option, folder)
    if folder.exists() and any(folder.iterdir()):
        raise InvalidOption(f"{option} {folder}: the folder is not empty; name an empty or a new one")
    folder.mkdir(parents=True, exist_ok=True)


def _print_reproduction(result: "Reproduction") -> None:
    plain = Terminal(soft_wrap=True)
    console = plain if plain.is_terminal else Terminal(width=_WIDTH)
    headings = ("table", "published", "rebuilt", "rows", "bytes of the file")
    grid = Table(*(Column(heading, overflow="fold") for heading in headings))
    for table in result.tables:
        grid.add_row(
            table.table,
            f"{table.published:,}",
            f"{table.rebuilt:,}",
            "equal" if table.same_rows else "DIFFER",
            _bytes_text(table.same_bytes, table.clock_columns),
        )
    console.print(grid)
    for table in result.tables:
        if table.difference:
            plain.print(f"{table.table}: {table.difference}")
    if result.published_by != result.rebuilt_by:
        plain.print(f"published by perennial {result.published_by}, rebuilt by {result.rebuilt_by}")
    plain.print(_verdict(result))


def _bytes_text(same: bool | None, clock_columns: tuple[str, ...]) -> str:
    if same is None:
        return f"not compared: {', '.join(clock_columns)} by the clock"
    return "equal" if same else "other bytes"


def _verdict(result: "Reproduction") -> str:
    if not result.same:
        return f"{result.unit} was not reproduced: rows differ"
    if all(table.same_bytes is not False for table in result.tables):
        return f"{result.unit} is reproduced, byte for byte where no clock is involved"
    return f"{result.unit} is reproduced: the same rows, some files in other bytes"
