"""`perennial ask`: saved questions of analysts, each with the SQL that answers it."""

import sys
from difflib import get_close_matches
from typing import Annotated

import typer

from flows.cli.look.query import existing_root, print_entries
from flows.console.root_option import RootOption
from flows.console.row_formats import Format, JsonOption, choose_format, print_rows
from flows.console.terminal import Terminal
from schemas.errors import InvalidOption
from warehouse.catalog.catalog import open_catalog
from warehouse.catalog.questions import Question, saved_questions

_LIST = ("question", "parameters", "what it answers")


def ask(
    question: Annotated[
        str | None, typer.Argument(help="Name of a saved question; without one all are listed.")
    ] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=VALUE...", help="Parameters: a name, or a pattern (% is any text)."),
    ] = None,
    root: RootOption = None,
    format_: Annotated[Format, typer.Option("--format", help="Format of the rows.")] = Format.table,
    as_json: JsonOption = False,
    sql: Annotated[bool, typer.Option("--sql", help="Print the SQL alone.")] = False,
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
    asked = chosen.ask(_read_parameters(chosen, parameters or []))
    if sql:
        sys.stdout.write(f"{asked}\n")
        return
    names, rows_ = open_catalog(existing_root(root)).query(asked)
    # Rows alone go where another program reads them.
    Terminal(stderr=format_ is not Format.table).print(f"{chosen.text}\n\n{asked}\n", soft_wrap=True)
    print_rows(names, rows_, format_)


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
