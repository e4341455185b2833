"""`perennial import knowlogic`: import questions of KnowLogic's published form."""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perennial.flows.console.input_files import read_text_file, show_path
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import Terminal, json_text
from perennial.schemas.errors import count
from perennial.schemas.ids import content_id
from perennial.schemas.knowlogic.things import DOMAINS, ITEM_VERDICTS, LANGUAGES, KnowLogicPlan

if TYPE_CHECKING:
    from perennial.tasks.knowlogic.published import Imported, ItemFinding
    from perennial.warehouse.store.store import Store

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
        sys.stdout.write(json_text(document) + "\n")
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
