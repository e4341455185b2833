"""A BeyondBench edition in growth: its cells, chunks of them, and what is staged of each."""

from dataclasses import dataclass
from functools import cached_property

from flows.stages.workspace import Workspace
from schemas.benchmark import Batch, Rows
from schemas.beyondbench.plan import BeyondBenchPlan, Cell
from tasks.beyondbench.problem import Problem
from tasks.beyondbench.registry import TASKS
from tasks.beyondbench.task import Task


def batch_of(stage: str, cell: Cell) -> Batch:
    """Return the batch of a stage that works on this cell."""
    return Batch(stage, tuple(cell))


def cell_of(batch: Batch) -> Cell:
    """Return the cell that a batch works on."""
    return Cell(*batch.key)


@dataclass(frozen=True)
class BeyondBenchEdition:
    """An edition of BeyondBench over its workspace."""

    workspace: Workspace

    @cached_property
    def plan(self) -> BeyondBenchPlan:
        """BeyondBench's own part of the edition's plan."""
        return BeyondBenchPlan.from_json(self.workspace.growth.own)

    def rows(self, cell: Cell) -> Rows:
        """Return the staged rows of `beyondbench_instances` of a cell."""
        return self.workspace.rows(batch_of("problems", cell), "beyondbench_instances")

    def problems(self, cell: Cell) -> list[tuple[str, Problem]]:
        """Return the staged problems of a cell with their ids, made again from what is staged."""
        return [(row["instance_id"], problem_of(row)) for row in self.rows(cell)]


def problem_of(row: dict[str, object]) -> Problem:
    """Return the problem of a row of `beyondbench_instances`; raise ValueError where its payload is none."""
    task: Task[object] = TASKS[str(row["task"])]
    size = row["size"]
    assert isinstance(size, int)
    return Problem(task, str(row["variation"]), size, task.params_of(str(row["payload"])))
