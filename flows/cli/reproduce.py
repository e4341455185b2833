"""`perennial reproduce`: rebuild an edition from seeds and stored replies, and say whether it is the same."""

import json
import sys
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from flows.console.output_places import require_folder
from flows.console.root_option import RootOption, data_root
from flows.console.steps import show_steps
from flows.console.terminal import Terminal
from schemas.errors import InvalidOption

if TYPE_CHECKING:
    from flows.editions.reproduce import Reproduction

_DIFFERS = 1
_WIDTH = 120


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
    from flows.editions.reproduce import reproduce_unit

    store = data_root(root)
    console = Terminal(stderr=True, soft_wrap=True)
    with _folder(keep) as folder, show_steps("reproduce") as step:
        step("rebuilding and comparing")
        result = reproduce_unit(store, edition, Path(folder), console.print)
    if as_json:
        sys.stdout.write(json.dumps({**asdict(result), "same": result.same}, indent=1) + "\n")
    else:
        _print(result)
    if not result.same:
        raise typer.Exit(_DIFFERS)


def _folder(keep: Path | None) -> "TemporaryDirectory[str] | nullcontext[str]":
    if keep is None:
        return TemporaryDirectory(prefix="perennial-reproduce-", ignore_cleanup_errors=True)
    require_folder("--keep", keep)
    if keep.exists() and any(keep.iterdir()):
        raise InvalidOption(f"--keep {keep}: the folder is not empty; name an empty or a new one")
    keep.mkdir(parents=True, exist_ok=True)
    return nullcontext(str(keep))


def _print(result: "Reproduction") -> None:
    plain = Terminal(soft_wrap=True)
    console = plain if plain.is_terminal else Terminal(width=_WIDTH)
    shown = Table("table", "published", "rebuilt", "rows", "bytes of the file")
    for table in result.tables:
        shown.add_row(
            table.table,
            f"{table.published:,}",
            f"{table.rebuilt:,}",
            "equal" if table.same_rows else "DIFFER",
            _bytes_text(table.same_bytes, table.clock_columns),
        )
    console.print(shown)
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
