"""What analysts of an evaluation of KnowLogic are shown of a question: its text, proof and knowledge."""

from collections.abc import Sequence
from typing import Any

from perennial.flows.knowlogic.edition import load_domain
from perennial.flows.stages.analyse_answers import AnswerReading
from perennial.flows.stages.workspace import Workspace
from perennial.schemas.knowlogic.things import ANALYSIS, KnowLogicPlan
from perennial.schemas.rows import Row
from perennial.tasks.knowlogic.closure import list_knowledge, write_proof
from perennial.tasks.knowlogic.players import PLAYERS
from perennial.tasks.knowlogic.problem import problem_of
from perennial.warehouse.catalog.catalog import rows_with
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.knowlogic.knowledge import load_knowledge

_LABELS = ("chain_length", "properties", "relations", "rules")
_SHOWN = ("instance_id", "domain", "language", "prompt", "letters", "payload", *_LABELS)


def describe_questions(workspace: Workspace, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the questions with their right letters, proof and rows of the knowledge base, by id."""
    store, edition = workspace.staging.store, workspace.evaluation.edition
    rows = rows_with(store, "knowlogic_questions", edition, "instance_id", list(ids), columns=_SHOWN)
    grown_with = KnowLogicPlan.from_json(dict(read_published_plan(store, edition).own)).knowledge
    is_known = grown_with == load_knowledge().content_id
    return {row["instance_id"]: _describe(row, is_known=is_known) for row in rows}


def _describe(row: Row, *, is_known: bool) -> dict[str, Any]:
    """Without proof and knowledge where the question is imported, or drawn from other knowledge."""
    if not is_known:
        return {**row, "proof": (), "knowledge": ()}
    problem = problem_of(row["payload"])
    names = {*row["properties"], *row["relations"], *row["rules"]}
    proof = write_proof(load_domain(row["domain"]), problem)
    return {**row, "proof": proof, "knowledge": list_knowledge(load_knowledge(), problem, names)}


READING = AnswerReading(
    ANALYSIS,
    PLAYERS,
    questions="knowlogic_questions",
    answers="knowlogic_answers",
    answer="letters",
    describe=describe_questions,
    prompt_tokens=(1_500, 8_000),
)
