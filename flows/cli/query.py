"""`perennial query`: read what is published."""

import csv
import json
import sys
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from flows.console.root_option import RootOption, data_root
from schemas.errors import UnreadableInput
from warehouse.catalog.catalog import open_catalog
from warehouse.store.store import Store

_LONGEST_LINE = 240


class Format(StrEnum):
    """How rows are printed."""

    table = "table"
    csv = "csv"
    json = "json"


FormatOption = Annotated[Format, typer.Option("--format", help="How to print the rows.")]


def query(
    sql: Annotated[str, typer.Argument(help="SQL for DuckDB, over the published tables and views.")],
    root: RootOption = None,
    format_: FormatOption = Format.table,
) -> None:
    """Run SQL over the published editions.

    Example: perennial query "SELECT edition, player, success_rate FROM leaderboard WHERE setting = 'hard'"
    """
    names, rows = open_catalog(existing_root(root)).query(sql)
    print_rows(names, rows, format_)


def existing_root(root: str | None) -> Store:
    """Return the data root; raise UnreadableInput where nothing is published in it."""
    store = data_root(root)
    if not store.names("tables"):
        raise UnreadableInput(
            f"no edition is published in {store.root!r}: "
            "run `perennial refresh` first, or name another --root"
        )
    return store


def print_rows(names: list[str], rows: list[tuple[Any, ...]], format_: Format) -> None:
    """Print the rows on standard output, under their names."""
    if format_ is Format.csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([_plain(value) for value in row] for row in rows)
    elif format_ is Format.json:
        records = [dict(zip(names, row, strict=True)) for row in rows]
        sys.stdout.write(json.dumps(records, indent=1, default=str, ensure_ascii=False) + "\n")
    else:
        _print_table(names, rows)


def _print_table(names: list[str], rows: list[tuple[Any, ...]]) -> None:
    """Print a table on lines as long as it needs; rows too long for that one below the other."""
    shown = [[_shown(value) for value in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(names, *shown, strict=True)]
    width = sum(widths) + 3 * len(widths) + 1
    console = Console(highlight=False, markup=False)
    if width > max(console.width, _LONGEST_LINE):
        _print_records(console, names, shown)
    else:
        table = Table()
        for i, name in enumerate(names):
            numeric = all(isinstance(row[i], int | float) or row[i] is None for row in rows)
            table.add_column(name, justify="right" if numeric else "left", no_wrap=True)
        for cells in shown:
            table.add_row(*(escape(cell) for cell in cells))
        Console(highlight=False, width=max(console.width, width)).print(table)
    console.print(f"{len(rows)} row{'' if len(rows) == 1 else 's'}")


def _print_records(console: Console, names: list[str], shown: list[list[str]]) -> None:
    longest = max(map(cell_len, names))
    for number, cells in enumerate(shown, start=1):
        console.rule(f"row {number}", align="left")
        for name, cell in zip(names, cells, strict=True):
            console.print(f"{name:<{longest}}  {cell}", soft_wrap=True)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return str(_plain(value))


def _plain(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | dict) else value
