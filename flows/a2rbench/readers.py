"""Models that read answers in an evaluation of A2RBench: what analysts are shown, and what a judge costs."""

from collections.abc import Sequence
from typing import Any

from perennial.flows.stages.analyse_answers import AnswerReading
from perennial.flows.stages.estimates import estimate_asking
from perennial.flows.stages.workspace import Workspace
from perennial.schemas.a2rbench.things import ANALYSIS, ReadingPlan
from perennial.schemas.model_calls import Prices, StageEstimate
from perennial.schemas.plan import EvaluationPlan
from perennial.tasks.a2rbench.players import PLAYERS
from perennial.warehouse.catalog.catalog import rows_with

_SHOWN = ("instance_id", "prompt", "description", "code", "answer")
# Tokens of what a judge is shown and of its reply, at least and at most.
_JUDGED, _QUOTE, _LONG_QUOTE = (600, 5_000), 150, 4_000


def describe_items(workspace: Workspace, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the items with rule, code and right output, by id."""
    edition = workspace.evaluation.edition
    rows = rows_with(
        workspace.staging.store, "a2rbench_items", edition, "instance_id", list(ids), columns=_SHOWN
    )
    return {row["instance_id"]: row for row in rows}


READING = AnswerReading(
    ANALYSIS,
    PLAYERS,
    questions="a2rbench_items",
    answers="a2rbench_answers",
    answer="answer",
    describe=describe_items,
    prompt_tokens=(2_500, 15_000),
)


def estimate_reading(items: int, plan: EvaluationPlan, prices: Prices) -> list[StageEstimate]:
    """Return the estimate of each reader: the judge from no reply to all, then analysts."""
    players = sum(name not in PLAYERS for name in plan.players)
    calls = (0, players * items * plan.runs)
    judged = [
        estimate_asking(
            "episodes", choice, prices, calls=calls, prompt=_JUDGED, reply=_QUOTE, long_reply=_LONG_QUOTE
        )
        for choice in ReadingPlan.from_protocol(plan.protocol).judges()
    ]
    return [*judged, *READING.estimate(items, plan, prices)]
