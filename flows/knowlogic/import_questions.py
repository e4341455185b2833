"""Publish questions of the published form as an edition, which models can be evaluated on."""

import re
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer

from perennial.flows.console.input_files import read_text_file, show_path
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import Terminal, json_text
from perennial.flows.knowlogic.grow_questions import shared_row
from perennial.flows.refresh.publish import template_hashes
from perennial.flows.run.code_version import code_version
from perennial.schemas.errors import EditionConflict, InvalidOption, count
from perennial.schemas.ids import content_id
from perennial.schemas.knowlogic.things import DOMAINS, ITEM_VERDICTS, LANGUAGES, KnowLogicPlan
from perennial.schemas.plan import EditionPlan
from perennial.schemas.rows import Row
from perennial.schemas.tables import TABLES, staged_tables
from perennial.tasks.knowlogic.published import Imported, ItemFinding
from perennial.warehouse.catalog.catalog import published_editions
from perennial.warehouse.editions.publish import Publication, publish, read_published_plan
from perennial.warehouse.store.parquet import sort_by_key
from perennial.warehouse.store.store import Store

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
    from perennial.schemas.settings.form import EDITION_PATTERN, NAME_WORDS
    from perennial.tasks.knowlogic.published import judge_item, read_questions
    from perennial.warehouse.knowlogic.knowledge import load_knowledge
    from perennial.warehouse.lock import lock_root

    if not edition or not re.fullmatch(EDITION_PATTERN, edition):
        raise InvalidOption(f"--edition {edition!r}: expected {NAME_WORDS}")
    console = Terminal(soft_wrap=True, stderr=as_json)
    store = data_root(root)
    questions = read_questions(read_text_file(file, _MAX_BYTES), show_path(file))
    with lock_root(store, f"import {edition}", console.print):
        knowledge = load_knowledge()
        findings = [judge_item(question, knowledge) for question in questions]
        done = publish_questions(store, edition, questions, findings)
    pairs = len(questions) - len({question.pair for question in questions})
    if done is None:
        console.print(f"edition {edition} was imported from the same questions before: nothing to do")
    else:
        console.print(f"published {edition}: {count(len(questions), 'question')}, {pairs:,} in two languages")
    verdicts = Counter(finding.verdict for finding in findings)
    console.print(
        "verdicts of our engine: " + ", ".join(f"{verdicts[name]:,} {name}" for name in ITEM_VERDICTS)
    )
    if as_json:
        document = {"edition": edition, "questions": len(questions), "pairs": pairs, "new": done is not None}
        document |= {"verdicts": {verdict: verdicts[verdict] for verdict in ITEM_VERDICTS}}
        sys.stdout.write(json_text(document) + "\n")
    console.print(f"next: perennial evaluate {edition} --players MODEL")


def publish_questions(
    store: Store, edition: str, questions: Sequence[Imported], findings: Sequence[ItemFinding]
) -> Publication | None:
    """Publish these questions, with a finding for each, as the edition.

    None where that was done before with the same ones.

    Raises EditionConflict where the edition is published with others. The caller holds the root's lock.
    """
    digest = content_id("knowlogic", sorted(question.instance_id for question in questions))
    if edition in published_editions(store):
        if read_published_plan(store, edition).imported_from == digest:
            return None
        raise EditionConflict(
            f"edition {edition!r} is already published in {store.root}, with other questions, and is never "
            "changed: choose another --edition"
        )
    per_domain = Counter(question.domain for question in questions)
    languages = {question.language for question in questions}
    knowlogic_plan = KnowLogicPlan(
        tuple(name for name in DOMAINS if name in per_domain),
        max(per_domain.values()),
        tuple(name for name in LANGUAGES if name in languages),
        knowledge="",
    )
    plan = EditionPlan(
        edition,
        benchmark="knowlogic",
        own=knowlogic_plan.as_json(),
        seed=0,
        known_editions=(),
        code_version=code_version(),
        imported_from=digest,
    )
    rows = {
        "instances": _shared_rows(questions),
        "knowlogic_questions": [question.row() for question in questions],
        "knowlogic_verdicts": [
            {"instance_id": question.instance_id, **finding._asdict()}
            for question, finding in zip(questions, findings, strict=True)
        ],
    }
    tables = {}
    for name in staged_tables("knowlogic", answers=False):
        table = pa.Table.from_pylist(rows.get(name, []), schema=TABLES[name].arrow_schema())
        tables[name] = sort_by_key(table, TABLES[name])
    return publish(store, plan, tables, [], datetime.now(UTC), templates=template_hashes())


def _shared_rows(questions: Sequence[Imported]) -> list[Row]:
    numbers: Counter[tuple[str, str]] = Counter()
    rows = []
    for question in questions:
        cell = question.domain, question.difficulty
        rows.append(shared_row(question, numbers[cell], None))
        numbers[cell] += 1
    return rows
