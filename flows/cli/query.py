"""`perennial query`: read what is published."""

from typing import Annotated

import typer

from flows.console.root_option import RootOption, data_root
from flows.console.row_formats import Format, FormatOption, JsonOption, choose_format, print_rows
from schemas.errors import InvalidOption
from warehouse.catalog.catalog import open_catalog
from warehouse.editions.selectors import require_any
from warehouse.store.store import Store

_MEMORY = "4GB"


def query(
    sql: Annotated[str, typer.Argument(help="SQL for DuckDB, over the published tables and views.")],
    root: RootOption = None,
    format_: FormatOption = Format.table,
    as_json: JsonOption = False,
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

    In CSV, ' is put before a text that a spreadsheet would run as a formula. JSON holds texts unchanged.

    Example: perennial query "SELECT edition, player, success_rate FROM leaderboard WHERE setting = 'hard'"
    """
    if timeout is not None and not 0.001 <= timeout <= 1e9:
        raise InvalidOption(f"--timeout {timeout:g}: expected at least 0.001 seconds")
    # Without a folder for it DuckDB writes no temporary file.
    settings = {"memory_limit": _memory(memory_limit), "temp_directory": ""}
    limits = {"max_execution_time": int(timeout * 1000)} if timeout else {}
    catalog = open_catalog(existing_root(root), settings={**settings, **limits})
    names, rows = catalog.stream(sql)
    print_rows(names, rows, choose_format(format_, as_json), lambda: catalog.count(sql))


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
        require_any(store, ())
    return store
