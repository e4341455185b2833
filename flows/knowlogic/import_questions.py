"""Publish questions of the published form as an edition, which models can be evaluated on."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

import pyarrow as pa

from perennial.flows.knowlogic.grow_questions import shared_row
from perennial.flows.refresh.publish import template_hashes
from perennial.flows.run.code_version import code_version
from perennial.schemas.errors import EditionConflict
from perennial.schemas.ids import content_id
from perennial.schemas.knowlogic.things import DOMAINS, LANGUAGES, KnowLogicPlan
from perennial.schemas.plan import EditionPlan
from perennial.schemas.rows import Row
from perennial.schemas.tables import TABLES, staged_tables
from perennial.tasks.knowlogic.published import Imported, ItemFinding
from perennial.warehouse.catalog.catalog import published_editions
from perennial.warehouse.editions.publish import Publication, publish, read_published_plan
from perennial.warehouse.store.parquet import sort_by_key
from perennial.warehouse.store.store import Store

# `perennial import knowlogic`: import questions of KnowLogic's published form.


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
