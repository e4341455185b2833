"""A BeyondBench edition in growth: its plan, the batches of its cells, and problems from their rows."""

from perennial.flows.stages.workspace import Workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.beyondbench.things import BeyondBenchPlan, Cell
from perennial.tasks.beyondbench.problem import Problem, Task
from perennial.tasks.beyondbench.registry import TASKS


def batch_of(stage: str, cell: Cell) -> Batch:
    """Return the batch of a stage that works on this cell."""
    return Batch(stage, tuple(cell))


def cell_of(batch: Batch) -> Cell:
    """Return the cell that a batch works on."""
    return Cell(*batch.key)


def plan_of(workspace: Workspace) -> BeyondBenchPlan:
    """Return BeyondBench's own part of the plan of the edition that is staged."""
    return BeyondBenchPlan.from_json(workspace.growth.own)


def problem_of(row: dict[str, object]) -> Problem:
    """Return the problem of a row of `beyondbench_instances`; raise ValueError where its payload is none."""
    task: Task[object] = TASKS[str(row["task"])]
    size = row["size"]
    assert isinstance(size, int)
    return Problem(task, str(row["variation"]), size, task.params_of(str(row["payload"])))
