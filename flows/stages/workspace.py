"""What every stage works in: a staged edition or evaluation, and its plan."""

from dataclasses import dataclass
from typing import Any

from schemas.benchmark import Batch, Rows
from schemas.plan import EditionPlan, EvaluationPlan, Plan
from warehouse.staging.staging import Staging
from warehouse.store.store import Store


@dataclass(frozen=True)
class Workspace:
    """The staging of an edition or evaluation, opened by root and name so that any process can do it."""

    staging: Staging
    plan: Plan

    @property
    def growth(self) -> EditionPlan:
        """The plan of the edition that is staged."""
        assert isinstance(self.plan, EditionPlan)
        return self.plan

    @property
    def evaluation(self) -> EvaluationPlan:
        """The plan of the evaluation that is staged."""
        assert isinstance(self.plan, EvaluationPlan)
        return self.plan

    def key(self, batch: Batch) -> str:
        """Return the key under which a batch is staged: the same plan gives the same key."""
        return self.plan.batch_key(batch.stage, *batch.key)

    def is_done(self, batch: Batch) -> bool:
        """Whether the batch is staged whole."""
        return self.staging.is_done(self.key(batch))

    def rows(self, batch: Batch, table: str) -> Rows:
        """Return the staged rows of a table of a batch; raise Damaged where they are not what was written."""
        return self.staging.read_batch(self.key(batch), table)

    def column(self, batch: Batch, table: str, column: str) -> list[Any]:
        """Return one column of the staged rows of a batch; raise Damaged as `rows` does."""
        return self.staging.read_column(self.key(batch), table, column)


def open_workspace(root: str, unit: str) -> Workspace:
    """Open the staging of an edition or evaluation; raise EditionConflict where there is none."""
    staging = Staging(Store(root), unit)
    return Workspace(staging, staging.require_plan())
