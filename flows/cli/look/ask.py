"""`perennial ask`: saved questions of analysts, each with the SQL that answers it."""

import sys
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated

import typer

from perennial.flows.cli.look.query import existing_root, print_entries
from perennial.flows.console.root_option import RootOption
from perennial.flows.console.row_formats import Format, JsonOption, choose_format, print_rows
from perennial.flows.console.terminal import Terminal
from perennial.schemas.errors import InvalidOption, suggest
from perennial.warehouse.catalog.catalog import Catalog, open_catalog, visible_editions
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.catalog.dictionary import Question, saved_questions
from perennial.warehouse.editions.selectors import select_unit

_LIST = ("question", "parameters", "what it answers")
_ANY = "%"
_MOST_NAMES = 6
_TABLE_OF = {"player": "episodes", "benchmark": "editions", "edition": "editions"}


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
    as_json: JsonOption = False,
    sql: Annotated[bool, typer.Option("--sql", help="Print only the SQL.")] = False,
) -> None:
    """Answer a saved question about what is published, and show its SQL.

    Change the SQL and give it to `perennial query` for a question of your own.

    Example: perennial ask worst_episodes player=greedy
    """
    format_ = choose_format(format_, as_json)
    known = saved_questions()
    if question is None:
        rows = [(one.name, " ".join(one.defaults), one.text) for one in sorted(known.values(), key=_name)]
        print_entries(_LIST, rows, format_)
        return
    if question not in known:
        close = get_close_matches(question, known, 1)
        meant = f": did you mean {close[0]!r}? " if close else ": "
        raise InvalidOption(f"there is no saved question {question!r}{meant}`perennial ask` lists all")
    chosen = known[question]
    given = _read_parameters(chosen, parameters or [])
    if sql:
        sys.stdout.write(f"{chosen.ask(given)}\n")
        return
    store = existing_root(root)
    if _is_name(given.get("edition", _ANY)):
        given["edition"] = select_unit(store, given["edition"], visible_editions(store))
    catalog = open_catalog(store)
    asked = chosen.ask(given)
    names, rows_ = catalog.query(asked)
    reason = "" if rows_ else _explain_nothing(catalog, chosen, given)
    # Rows alone go where another program reads them.
    beside = Terminal(stderr=format_ is not Format.table, soft_wrap=True)
    beside.print(f"{chosen.text}\n\n{asked}\n")
    print_rows(names, rows_, format_)
    if reason:
        beside.print(f"no row: {reason}")


def _is_name(value: str) -> bool:
    """Whether the value of a parameter is a name, and no pattern."""
    return _ANY not in value


def _explain_nothing(catalog: Catalog, question: Question, given: Mapping[str, str]) -> str:
    """Say why a question has no row: nothing fits a pattern, or the question's own reason.

    Raises InvalidOption where a player or a benchmark is named that the root does not have.
    """
    for parameter, name in given.items():
        listed = f"SELECT DISTINCT {parameter} FROM {_TABLE_OF[parameter]}"
        known = [str(row[0]) for row in catalog.query(f"{listed} ORDER BY 1")[1]]
        if _is_name(name) and name not in known:
            raise InvalidOption(
                f"{parameter}={name}: no {parameter} of that name is in the data root{suggest(name, known)}"
            )
        if not catalog.query(f"{listed} WHERE {parameter} LIKE {quote(name)}")[1]:
            there = ", ".join(known[:_MOST_NAMES]) + (", ..." if len(known) > _MOST_NAMES else "")
            return f"{parameter}={name} fits no {parameter} of the data root, which has {there or 'none'}"
    scope = ", ".join(f"{parameter}={name}" for parameter, name in given.items())
    return question.no_row + (f" ({scope})" if scope else "")


def _name(question: Question) -> str:
    return question.name


def _read_parameters(question: Question, given: list[str]) -> dict[str, str]:
    values = {}
    for pair in given:
        name, is_there, value = pair.partition("=")
        if not is_there or name not in question.defaults:
            known = ", ".join(f"{one}=VALUE" for one in question.defaults)
            raise InvalidOption(f"parameter {pair!r} of question {question.name}: expected {known}")
        values[name] = value
    return values
