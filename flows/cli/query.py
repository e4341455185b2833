"""`perennial query`: read what is published."""

from typing import Annotated

import typer

from flows.console.root_option import RootOption, data_root
from flows.console.row_formats import Format, TableForm, choose_columns, print_rows
from schemas.errors import InvalidOption, UnreadableInput
from warehouse.catalog.catalog import open_catalog
from warehouse.store.store import Store

_MEMORY = "4GB"
_TABLE_ROWS = 100


def query(
    sql: Annotated[str, typer.Argument(help="SQL for DuckDB, over the published tables and views.")],
    root: RootOption = None,
    format_: Annotated[
        Format,
        typer.Option("--format", help=f"Format of the rows; a table shows {_TABLE_ROWS}, or --limit."),
    ] = Format.table,
    limit: Annotated[
        int | None,
        typer.Option(min=1, metavar="ROWS", help="Print at most so many rows."),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(metavar="NAME,...", help="Print these columns of the result, in this order."),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Stop the query after this many seconds. Default: never."),
    ] = None,
    memory_limit: Annotated[
        str,
        typer.Option(
            metavar="SIZE",
            envvar="PERENNIAL_QUERY_MEMORY_LIMIT",
            help="Largest memory that DuckDB uses, such as 512MB or 16GB.",
        ),
    ] = _MEMORY,
) -> None:
    """Run SQL over the published editions.

    Give one statement that reads: SELECT, FROM, WITH, VALUES, DESCRIBE, SHOW, SUMMARIZE or EXPLAIN. It reads
    what is published and nothing else, and writes nothing, not even a temporary file.

    On a terminal, rows that are too long for its width are printed one column below the other.

    In CSV, ' is put before a text that a spreadsheet would run as a formula. JSON holds texts unchanged.

    Example: perennial query "SELECT edition, player, success_rate FROM leaderboard WHERE setting = 'hard'"
    """
    if timeout is not None and not 0.001 <= timeout <= 1e9:
        raise InvalidOption(f"--timeout {timeout:g}: expected at least 0.001 seconds")
    # Without a folder for it DuckDB writes no temporary file.
    settings = {"memory_limit": _memory(memory_limit), "temp_directory": ""}
    limits = {"max_execution_time": int(timeout * 1000)} if timeout else {}
    catalog = open_catalog(existing_root(root), settings={**settings, **limits})
    form = TableForm(
        limit or _TABLE_ROWS,
        "--limit ROWS shows more, --format csv or json prints all",
        "--columns NAME,... chooses what stands side by side",
        lambda: catalog.count(sql),
    )
    # One more than a table shows says that there are more.
    names, rows = catalog.stream(sql, form.rows + 1 if format_ is Format.table else limit)
    if columns is not None:
        names, rows = choose_columns(names, rows, [name.strip() for name in columns.split(",")])
    print_rows(names, rows, format_, form)


def _memory(text: str) -> str:
    """Return the size as DuckDB reads it; raise InvalidOption for any other text, `unlimited` among them."""
    size = text.strip().upper().replace(" ", "")
    unit = next((unit for unit in ("KB", "MB", "GB", "TB") if size.endswith(unit)), "")
    number = size.removesuffix(unit)
    if not unit or not number.isascii() or not number.isdigit() or int(number) == 0:
        raise InvalidOption(f"--memory-limit {text!r}: expected a size such as 512MB or 16GB")
    return size


def existing_root(root: str | None) -> Store:
    """Return the data root; raise UnreadableInput where nothing is published in it."""
    store = data_root(root)
    if not store.names("tables"):
        raise UnreadableInput(
            f"no edition is published in {store.root!r}: "
            "run `perennial refresh` first, or name another --root"
        )
    return store
