"""`perennial import knowlogic`: import questions of KnowLogic's published form."""

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from perennial.flows.console.input_files import read_text_file, show_path
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import Terminal, json_text
from perennial.schemas.errors import count
from perennial.schemas.knowlogic.things import ITEM_VERDICTS

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
    from perennial.flows.knowlogic.import_questions import publish_questions
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
