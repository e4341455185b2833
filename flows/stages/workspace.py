"""What every stage of a refresh works in: the staged edition and its plan."""

from dataclasses import dataclass
from typing import Any

from schemas.benchmark import Batch, Rows, Stage, find_benchmark
from schemas.plan import RefreshPlan
from warehouse.staging.staging import Staging
from warehouse.store.store import Store


@dataclass(frozen=True)
class Workspace:
    """The staging of one edition, opened by root and name so that any process can do it."""

    staging: Staging
    plan: RefreshPlan

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages by which the edition grows, in order."""
        return find_benchmark(self.plan.benchmark).growing()

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


def open_workspace(root: str, edition: str) -> Workspace:
    """Open the staging of an edition; raise EditionConflict where there is none."""
    staging = Staging(Store(root), edition)
    return Workspace(staging, staging.required_plan())
