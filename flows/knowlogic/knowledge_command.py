"""`perennial knowledge`: the tables of KnowLogic's knowledge base, their check, and one question to try."""

import json
import sys
from typing import Annotated

import typer

from perennial.flows.console.row_formats import (
    Format,
    FormatOption,
    JsonOption,
    Terminal,
    choose_format,
    json_text,
    print_rows,
)
from perennial.schemas.errors import InvalidOption, count, quote, suggest
from perennial.schemas.knowlogic.things import Question, Row
from perennial.schemas.rows import JsonObject

knowledge = typer.Typer(
    name="knowledge",
    help="List and check KnowLogic's knowledge base, or draw a question from it.",
    no_args_is_help=True,
    add_completion=False,
    epilog="Example: perennial knowledge sample space --language en",
)


@knowledge.command(name="list", epilog="Example: perennial knowledge list --format csv")
def list_tables(format_: FormatOption = Format.table, as_json: JsonOption = False) -> None:
    """List the tables of the knowledge base with their rows and columns."""
    from perennial.warehouse.knowlogic.knowledge import load_knowledge

    tables = load_knowledge().tables
    rows = [(name, len(body), ", ".join(body[0]) if body else "") for name, body in sorted(tables.items())]
    print_rows(["table", "rows", "columns"], rows, choose_format(format_, as_json))


@knowledge.command(epilog="Example: perennial knowledge show nature/entities")
def show(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A table, or any cell: an id or a name in either language.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
) -> None:
    """Print the rows of a table, or the rows of all tables with a cell of this value."""
    from perennial.warehouse.knowlogic.knowledge import load_knowledge

    tables = load_knowledge().tables
    selected = (
        {name: tables[name]}
        if name in tables
        else {table: rows for table in sorted(tables) if (rows := _rows_with(tables[table], name))}
    )
    if not selected:
        cells = {cell for rows in tables.values() for row in rows for cell in row.values()}
        raise InvalidOption(
            f"{quote(name)} is not a table, and no cell of one has this value"
            f"{suggest(name, sorted({*tables, *cells}))} (see `perennial knowledge list`)"
        )
    if as_json:
        document = {table: [dict(row) for row in rows] for table, rows in selected.items()}
        sys.stdout.write(json_text(document) + "\n")
        return
    console = Terminal(soft_wrap=True)
    for table, rows in selected.items():
        console.print(f"{table}: {count(len(rows), 'row')}")
        for row in rows:
            console.print("  " + "; ".join(f"{column} {cell}" for column, cell in row.items() if cell))


@knowledge.command(epilog="Example: perennial knowledge validate")
def validate(format_: FormatOption = Format.table, as_json: JsonOption = False) -> None:
    """Check every table by named rules and print what breaks them; the exit code is 1 where anything does."""
    from perennial.warehouse.knowlogic.knowledge import load_knowledge
    from perennial.warehouse.knowlogic.validation import RULES, validate_knowledge

    base = load_knowledge()
    findings = validate_knowledge(base)
    form = choose_format(format_, as_json)
    if findings or form is not Format.table:
        print_rows(["rule", "table", "row", "message"], [tuple(finding) for finding in findings], form)
    cells = sum(len(row) for rows in base.tables.values() for row in rows)
    Terminal(stderr=True, soft_wrap=True).print(
        f"{count(len(findings), 'finding')} of {len(RULES)} rules in {len(base.tables)} tables, "
        f"{sum(map(len, base.tables.values())):,} rows, {cells:,} cells; knowledge base {base.content_id}"
    )
    if findings:
        raise SystemExit(1)


@knowledge.command(epilog="Example: perennial knowledge sample space --difficulty hard --language en")
def sample(
    domain: Annotated[str, typer.Argument(metavar="DOMAIN", help="space, time, social, nature or mix.")],
    scenario: Annotated[str, typer.Option(help="Default: drawn by the seed.")] = "",
    difficulty: Annotated[str, typer.Option(help="easy, medium or hard. Default: drawn by the seed.")] = "",
    language: Annotated[str, typer.Option(help="zh (Chinese) or en (English).")] = "zh",
    seed: Annotated[int, typer.Option(min=0, help="Seed; the same one gives the same question.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Draw a question and print it with its labels and right letters."""
    from perennial.flows.knowlogic.grow_questions import draw_question

    question = draw_question(domain, seed, scenario=scenario, difficulty=difficulty, language=language)
    if as_json:
        sys.stdout.write(json_text(_as_json(question)) + "\n")
        return
    console = Terminal(soft_wrap=True)
    console.print(question.prompt)
    console.print()
    for name, value in _labels(question).items():
        console.print(f"{name}: {value}")


def _rows_with(rows: tuple[Row, ...], cell: str) -> tuple[Row, ...]:
    return tuple(row for row in rows if cell in row.values())


def _as_json(question: Question) -> JsonObject:
    from dataclasses import asdict

    document = asdict(question)
    return document | {name: json.loads(document[name]) for name in ("payload", "variables")}


def _labels(question: Question) -> dict[str, object]:
    variables = json.loads(question.variables)
    return {
        "right letters": question.letters,
        "domain": f"{question.domain}, scenario {question.scenario}",
        "type": f"{question.type}, {question.precision}",
        "difficulty": f"{question.difficulty}, level {question.level:g} "
        f"({', '.join(f'{name} {value:g}' for name, value in variables.items())})",
        "chain length": question.chain_length,
        "properties": ", ".join(question.properties) or "none",
        "relations": ", ".join(question.relations) or "none",
        "rules": ", ".join(question.rules) or "none",
    }
