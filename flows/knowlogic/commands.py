"""KnowLogic's commands: `perennial knowledge`, and `perennial import knowlogic`."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perennial.flows.console.input_files import read_text_file, show_path
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import Format, Terminal, print_json, print_rows, prints_rows
from perennial.schemas.errors import InvalidOption, count, quote, suggest
from perennial.schemas.ids import content_id
from perennial.schemas.knowlogic.things import DOMAINS, ITEM_VERDICTS, LANGUAGES, KnowLogicPlan, Question, Row
from perennial.schemas.rows import JsonObject

if TYPE_CHECKING:
    from perennial.tasks.knowlogic.published import Imported, ItemFinding
    from perennial.warehouse.store.store import Store

# `perennial knowledge`: the tables of the knowledge base, their check, and one question to try.

knowledge = typer.Typer(
    name="knowledge",
    help="List and check KnowLogic's knowledge base, or draw a question from it.",
    no_args_is_help=True,
    add_completion=False,
    epilog="Example: perennial knowledge sample space --language en",
)


@knowledge.command(name="list", epilog="Example: perennial knowledge list --format csv")
@prints_rows
def list_tables(format_: Format = Format.table) -> None:
    """List the tables of the knowledge base with their rows and columns."""
    from perennial.warehouse.knowlogic.knowledge import load_knowledge

    tables = load_knowledge().tables
    rows = [(name, len(body), ", ".join(body[0]) if body else "") for name, body in sorted(tables.items())]
    print_rows(["table", "rows", "columns"], rows, format_)


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
        print_json(document)
        return
    console = Terminal(soft_wrap=True)
    for table, rows in selected.items():
        console.print(f"{table}: {count(len(rows), 'row')}")
        for row in rows:
            console.print("  " + "; ".join(f"{column} {cell}" for column, cell in row.items() if cell))


@knowledge.command(epilog="Example: perennial knowledge validate")
@prints_rows
def validate(format_: Format = Format.table) -> None:
    """Check every table by named rules and print what breaks them; the exit code is 1 where anything does."""
    from perennial.warehouse.knowlogic.knowledge import load_knowledge
    from perennial.warehouse.knowlogic.validation import RULES, validate_knowledge

    base = load_knowledge()
    findings = validate_knowledge(base)
    if findings or format_ is not Format.table:
        print_rows(["rule", "table", "row", "message"], [tuple(finding) for finding in findings], format_)
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
        print_json(_as_json(question))
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


# `perennial import knowlogic`: import questions of KnowLogic's published form.

_MAX_BYTES = 200_000_000


def knowlogic(
    file: Annotated[Path, typer.Argument(help="The questions: JSON, or JSON Lines.")],
    edition: Annotated[str, typer.Option(help="Name of the edition.")] = "knowlogic-import",
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was imported as JSON.")] = False,
) -> None:
    """Import questions of KnowLogic's published form as an edition, for models to be evaluated on.

    Each question is an object with id, text, question, options (four texts, or A to D by letter), answer
    (letters such as AC), domain, language (zh, CN or en) and difficulty; questions of one id in both
    languages are a pair. Nothing is repaired: the first thing that is not as expected ends the import.
    Importing the same twice changes nothing. Where our engine can read a text, it says whether its key
    follows: table knowlogic_verdicts.

    Example: perennial import knowlogic questions.jsonl --edition knowlogic-2025
    """
    from perennial.schemas.settings.form import require_edition_name
    from perennial.tasks.knowlogic.published import judge_item, read_questions
    from perennial.warehouse.knowlogic.knowledge import load_knowledge
    from perennial.warehouse.lock import lock_root

    require_edition_name(edition)
    console = Terminal(soft_wrap=True, stderr=as_json)
    store = data_root(root, may_begin=True)
    questions = read_questions(read_text_file(file, _MAX_BYTES), show_path(file))
    with lock_root(store, f"import {edition}", console.print):
        knowledge = load_knowledge()
        findings = [judge_item(question, knowledge) for question in questions]
        is_new = _publish(store, edition, questions, findings)
    pairs = len(questions) - len({question.pair for question in questions})
    if not is_new:
        console.print(f"edition {edition} was imported from the same questions before: nothing to do")
    else:
        console.print(f"published {edition}: {count(len(questions), 'question')}, {pairs:,} in two languages")
    verdicts = Counter(finding.verdict for finding in findings)
    console.print(
        "verdicts of our engine: " + ", ".join(f"{verdicts[name]:,} {name}" for name in ITEM_VERDICTS)
    )
    if as_json:
        document = {"edition": edition, "questions": len(questions), "pairs": pairs, "new": is_new}
        document |= {"verdicts": {verdict: verdicts[verdict] for verdict in ITEM_VERDICTS}}
        print_json(document)
    console.print(f"next: perennial evaluate {edition} --players MODEL")


def _publish(
    store: "Store", edition: str, questions: "Sequence[Imported]", findings: "Sequence[ItemFinding]"
) -> bool:
    """Publish these questions, with a finding for each; False where that was done before with the same ones.

    Raises EditionConflict where the edition is published with others. The caller holds the root's lock.
    """
    from perennial.flows.knowlogic.grow_questions import shared_row
    from perennial.flows.refresh.publish import is_imported, publish_imported

    digest = content_id("knowlogic", sorted(question.instance_id for question in questions))
    if is_imported(store, edition, digest, "questions"):
        return False
    per_domain = Counter(question.domain for question in questions)
    languages = {question.language for question in questions}
    plan = KnowLogicPlan(
        tuple(name for name in DOMAINS if name in per_domain),
        max(per_domain.values()),
        tuple(name for name in LANGUAGES if name in languages),
        knowledge="",
    )
    numbers: Counter[tuple[str, str]] = Counter()
    instances = []
    for question in questions:
        cell = question.domain, question.difficulty
        instances.append(shared_row(question, numbers[cell], None))
        numbers[cell] += 1
    verdicts = (finding._asdict() for finding in findings)
    rows = {
        "instances": instances,
        "knowlogic_questions": [question.row() for question in questions],
        "knowlogic_verdicts": [
            {"instance_id": question.instance_id, **verdict}
            for question, verdict in zip(questions, verdicts, strict=True)
        ],
    }
    publish_imported(store, edition, "knowlogic", plan.as_json(), digest, rows)
    return True
