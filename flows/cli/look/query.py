"""`perennial query` and `perennial tables`: read what is published, and what there is to read."""

import sys
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Annotated, Any

import typer

from perennial.flows.console.root_option import RootOption, data_root, whole_path
from perennial.flows.console.row_formats import (
    Format,
    TableForm,
    Terminal,
    choose_columns,
    print_rows,
    prints_rows,
)
from perennial.schemas.errors import InvalidOption, count, suggest
from perennial.schemas.tables import TABLES
from perennial.schemas.units import PLAYED
from perennial.warehouse.catalog.catalog import Catalog, list_contents, open_catalog, visible_editions
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.catalog.dictionary import (
    ColumnEntry,
    SavedQuestion,
    describe_columns,
    describe_relations,
    draw_tables,
    saved_questions,
    words_of,
)
from perennial.warehouse.confined_sql.process import QueryLimits, open_confined
from perennial.warehouse.editions.selectors import require_any, select_unit
from perennial.warehouse.store.store import Store

_MEMORY = "4GB"
_UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_TABLE_ROWS = 100
_LIST = ("name", "kind", "description")


@prints_rows
def query(
    sql: Annotated[
        str | None, typer.Argument(help="SQL for DuckDB, over the published tables and views.")
    ] = None,
    root: RootOption = None,
    format_: Annotated[
        Format, typer.Option("--format", help=f"Format of the rows; a table shows {_TABLE_ROWS}, or --limit.")
    ] = Format.table,
    limit: Annotated[
        int | None, typer.Option(min=1, max=10**12, metavar="ROWS", help="Maximum number of rows to print.")
    ] = None,
    columns: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="Print these columns of the result, in this order.")
    ] = None,
    emit_sql: Annotated[
        bool,
        typer.Option("--emit-sql", help="Print SQL that creates all tables, views and macros in any DuckDB."),
    ] = False,
    timeout: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Stop the query after this many seconds. Default: never."),
    ] = None,
    memory_limit: Annotated[
        str,
        typer.Option(
            metavar="SIZE",
            envvar="PERENNIAL_QUERY_MEMORY_LIMIT",
            help="Maximum memory for DuckDB, such as 512MB or 16GB.",
        ),
    ] = _MEMORY,
) -> None:
    """Run SQL over the published editions.

    Give one statement that reads: SELECT, FROM, WITH, VALUES, DESCRIBE, SHOW, SUMMARIZE or EXPLAIN. It reads
    what is published and nothing else, and writes nothing, not even a temporary file.

    On a terminal, rows that are too long for its width are printed one column below the other.

    In CSV, a text that a spreadsheet would run as a formula gets a leading '. JSON holds texts unchanged.

    `perennial query --emit-sql > perennial.sql` writes a script for DuckDB's own shell, dbt or a notebook.
    It names the files that are published now: write it again after another refresh.

    Example: perennial query "SELECT edition, player, success_rate FROM leaderboard WHERE setting = 'hard'"
    """
    if emit_sql:
        sys.stdout.write(_emit_sql(existing_root(root), sql or ""))
        return
    if sql is None:
        raise InvalidOption("SQL: missing; give one statement, or --emit-sql (see `perennial query --help`)")
    if timeout is not None and not 0.001 <= timeout <= 1e9:
        raise InvalidOption(f"--timeout {timeout:g}: expected at least 0.001 seconds")
    limits = QueryLimits(_memory_bytes(memory_limit), timeout or inf)
    with open_confined(existing_root(root, sql), limits) as catalog:
        form = TableForm(
            limit or _TABLE_ROWS,
            "--limit ROWS shows more, --format csv or json prints all",
            "--columns NAME,... chooses what stands side by side",
            lambda: catalog.count(sql),
        )
        # One more than a table shows says that there are more.
        names, rows = catalog.stream(sql, form.rows + 1 if format_ is Format.table else limit)
        if columns is not None:
            chosen = choose_columns(names, rows, [name.strip() for name in columns.split(",")])
            print_rows(*chosen, format_, form)
            return
        print_rows(names, rows, format_, form)


@prints_rows
def tables(
    name: Annotated[str | None, typer.Argument(help="Show the columns of this table or view.")] = None,
    picture: Annotated[
        bool,
        typer.Option("--picture", help="Print a diagram (Mermaid) of the tables, their keys and references."),
    ] = False,
    format_: Format = Format.table,
) -> None:
    """List all tables and views with what they hold, or the columns of one with what they mean.

    Tables are the published files; each view answers a question from them. `perennial query` reads both.

    Example: perennial tables leaderboard
    """
    texts = describe_relations()
    if picture and (name is None or name in TABLES):
        sys.stdout.write(draw_tables(name or "") + "\n")
        return
    if name is None:
        # Of a view the question alone; what it counts comes after that.
        heads = {name: text if name in TABLES else f"{text.split('?')[0]}?" for name, text in texts.items()}
        rows = [(name, "table" if name in TABLES else "view", text) for name, text in heads.items()]
        print_entries(_LIST, rows, format_)
        return
    if name not in texts:
        meant = suggest(name, texts) or ";"
        raise InvalidOption(f"there is no table or view {name!r}{meant} `perennial tables` lists all")
    if picture:
        raise InvalidOption(f"--picture: {name} is a view: name a table, or none for all tables")
    if format_ is Format.table:
        Terminal().print(f"{name}: {texts[name]}\n")
    print_entries(ColumnEntry._fields, describe_columns(name), format_)


def print_entries(names: Sequence[str], rows: Sequence[tuple[str, ...]], format_: Format) -> None:
    """Print the rows; in a table the last column, which is text, goes on below itself."""
    if format_ is not Format.table:
        print_rows(names, rows, format_)
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    *short, text = names
    for heading in (*short, text):
        table.add_column(heading, overflow="fold")
    for *cells, description in rows:
        table.add_row(*cells, " ".join(description.split()))
    console = Terminal()
    console.print(table)
    console.print(count(len(rows), "row"))


def _memory_bytes(text: str) -> int:
    """Parse a size such as `4GB`; raise InvalidOption for what is not one, `unlimited` included."""
    size = text.strip().upper().replace(" ", "")
    unit = next((unit for unit in _UNITS if size.endswith(unit)), "")
    number = size.removesuffix(unit)
    if not unit or not number.isascii() or not number.isdigit() or len(number) > 9 or int(number) == 0:
        raise InvalidOption(f"--memory-limit {text!r}: expected a size such as 512MB or 16GB")
    return int(number) * _UNITS[unit]


def _emit_sql(store: Store, sql: str) -> str:
    """The script of the root's tables and views; paths below this folder are relative, as it may be moved."""
    here, folder = Path.cwd(), store.local_folder
    if folder is None or not folder.is_relative_to(here):
        return list_contents(Store(whole_path(store))).script(sql)
    relative = list_contents(Store(str(folder.relative_to(here)))).script(sql)
    return f"-- Paths are relative to this folder.\nSET file_search_path = {quote(str(here))}\n;\n{relative}"


def existing_root(root: str | None, sql: str = "") -> Store:
    """Open the data root; raise UnreadableInput if nothing is published in it.

    SQL that reads nothing but tables which no edition holds, such as `published_scores`, needs no edition.
    """
    store = data_root(root)
    if not store.names("tables") and not _needs_no_edition(sql):
        require_any(store, ())
    return store


def _needs_no_edition(sql: str) -> bool:
    relations = describe_relations()
    read = [name for name in words_of(sql) if name in relations]
    return bool(read) and all(name in TABLES and not TABLES[name].of_editions for name in read)


# `perennial ask`: saved questions of analysts, each with the SQL that answers it.

_LIST_ASK = ("question", "parameters", "what it answers")
_ANY = "%"
_MOST_NAMES = 6
_TABLE_OF = {"player": "episodes", "benchmark": "editions", "edition": "editions"}


@prints_rows
def ask(
    question: Annotated[
        str | None, typer.Argument(help="Name of a saved question; without one all are listed.")
    ] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME=VALUE...",
            help="Parameters: a name, or a pattern (% is any text); edition=latest is the newest.",
        ),
    ] = None,
    root: RootOption = None,
    format_: Annotated[Format, typer.Option("--format", help="Format of the rows.")] = Format.table,
    sql: Annotated[bool, typer.Option("--sql", help="Print only the SQL.")] = False,
) -> None:
    """Answer a saved question about what is published, and show its SQL.

    Change the SQL and give it to `perennial query` for a question of your own.

    Example: perennial ask worst_episodes player=greedy
    """
    saved = saved_questions()
    if question is None:
        rows = [(name, " ".join(entry.defaults), entry.text) for name, entry in sorted(saved.items())]
        print_entries(_LIST_ASK, rows, format_)
        return
    if question not in saved:
        if "=" in question:
            raise InvalidOption(f"{question!r}: name a question first: perennial ask QUESTION {question}")
        meant = suggest(question, saved) or ";"
        raise InvalidOption(f"there is no saved question {question!r}{meant} `perennial ask` lists all")
    chosen = saved[question]
    values = _read_parameters(chosen, parameters or [])
    if sql:
        sys.stdout.write(f"{chosen.ask(values)}\n")
        return
    store = existing_root(root)
    if _is_name(values.get("edition", _ANY)):
        values["edition"] = select_unit(store, values["edition"], visible_editions(store))
    catalog = open_catalog(store)
    asked = chosen.ask(values)
    names, rows_ = catalog.query(asked)
    names, rows_ = _mark_answers(catalog, names, rows_)
    reason = "" if rows_ else _explain_nothing(catalog, chosen, values)
    # Rows alone go where another program reads them.
    beside = Terminal(stderr=format_ is not Format.table, soft_wrap=True)
    beside.print(f"{chosen.text}\n\n{asked}\n")
    print_rows(names, rows_, format_)
    if reason:
        beside.print(f"no row: {reason}")


def _mark_answers(
    catalog: Catalog, names: list[str], rows: list[tuple[Any, ...]]
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Add the column `answers` to rows of players, if a log says what some of them answered."""
    if "player" not in names or "answers" in names or not rows:
        return names, rows
    keys = [names.index(name) for name in ("edition", "player") if name in names]
    listed = ", ".join(names[key] for key in keys)
    logged = catalog.query(
        f"SELECT {listed}, max(answers) FROM player_answers WHERE answers <> 'played' GROUP BY ALL"
    )[1]
    marks = {tuple(key): answers for *key, answers in logged}
    marked = [marks.get(tuple(row[key] for key in keys)) for row in rows]
    if not any(marked):
        return names, rows
    return [*names, "answers"], [(*row, mark or PLAYED) for row, mark in zip(rows, marked, strict=True)]


def _is_name(value: str) -> bool:
    """Whether the value of a parameter is a name, and no pattern."""
    return _ANY not in value


def _is_number(text: str) -> bool:
    return text.isascii() and text.replace(".", "", 1).isdecimal()


def _explain_nothing(catalog: Catalog, question: SavedQuestion, values: Mapping[str, str]) -> str:
    """Say why a question has no row: nothing fits a pattern, or the question's own reason.

    Raises InvalidOption where a player or a benchmark is named that the root does not have.
    """
    for parameter, name in values.items():
        if parameter not in _TABLE_OF:
            continue
        listed = f"SELECT DISTINCT {parameter} FROM {_TABLE_OF[parameter]}"
        names = [str(row[0]) for row in catalog.query(f"{listed} ORDER BY 1")[1]]
        if _is_name(name) and name not in names:
            raise InvalidOption(
                f"{parameter}={name}: no {parameter} of that name is in the data root{suggest(name, names)}"
            )
        if not catalog.query(f"{listed} WHERE {parameter} LIKE {quote(name)}")[1]:
            there = ", ".join(names[:_MOST_NAMES]) + (", ..." if len(names) > _MOST_NAMES else "")
            return f"{parameter}={name} fits no {parameter} of the data root, which has {there or 'none'}"
    scope = ", ".join(f"{parameter}={name}" for parameter, name in values.items())
    return question.no_row + (f" ({scope})" if scope else "")


def _read_parameters(question: SavedQuestion, pairs: list[str]) -> dict[str, str]:
    values = {}
    for pair in pairs:
        name, is_there, value = pair.partition("=")
        if not is_there or name not in question.defaults:
            expected = ", ".join(f"{parameter}=VALUE" for parameter in question.defaults)
            raise InvalidOption(
                f"parameter {pair!r} of question {question.name}: expected {expected or 'none'}"
                f"{suggest(name, question.defaults)}"
            )
        # DuckDB would refuse such a text in several lines, in the midst of the SQL.
        if _is_number(default := question.defaults[name]) and not _is_number(value):
            raise InvalidOption(
                f"parameter {pair!r} of question {question.name}: expected a number, such as {name}={default}"
            )
        values[name] = value
    return values
