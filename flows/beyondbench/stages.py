"""The stages by which an edition of BeyondBench grows, declared once."""

from collections.abc import Sequence

from perennial.flows.benchmark import Stage, always
from perennial.flows.beyondbench import check_problems, draw_problems
from perennial.flows.beyondbench.edition import batch_of, plan_of
from perennial.flows.stages.workspace import Workspace
from perennial.schemas.benchmark import Batch


def _cells(workspace: Workspace) -> Sequence[Batch]:
    return [batch_of("problems", cell) for cell in plan_of(workspace).cells]


def _task(batch: Batch) -> object:
    """Return what the batches of one task run share: all variations of a task."""
    return batch.key[0]


STAGES = (
    Stage(
        "problems",
        "Draws problems that no earlier edition holds, within the budget of tokens, and solves each one.",
        _cells,
        draw_problems.draw,
        writes=("instances", "beyondbench_instances", "rejections"),
        earlier=("instances",),
        spreads=always,
        chain=_task,
    ),
    Stage(
        "gate",
        "Tests each problem: solutions, uniqueness, text, and at least 20 changed answers.",
        check_problems.gate_batches,
        check_problems.check_cell,
        reads=("beyondbench_instances",),
        writes=("beyondbench_gate",),
        spreads=always,
        chain=_task,
    ),
)
