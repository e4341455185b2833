"""What every stage works in: a staged edition or evaluation, and its plan."""

from dataclasses import dataclass, field
from typing import Any

from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import Damaged
from perennial.schemas.plan import EditionPlan, EvaluationPlan, Plan
from perennial.schemas.rows import Rows
from perennial.warehouse.disclosure import find_seed, seed_file
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store


@dataclass(frozen=True)
class Workspace:
    """The staging of an edition or evaluation, opened by root and name so that any process can do it.

    `edition_seed` is the edition's, None for an evaluation, which has a public seed, and where it is lost.
    """

    staging: Staging
    plan: Plan
    edition_seed: int | None = field(default=None, repr=False)

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

    @property
    def seed(self) -> int:
        """The seed of all that the edition's questions are drawn with: for its stages, and for no table."""
        if self.edition_seed is None:
            file = seed_file(self.staging.store.root, self.growth.seed_commitment)
            raise Damaged(
                f"{file}, the seed of edition {self.growth.edition!r}, is missing: restore it from a copy, "
                f"or begin another edition after `perennial editions --prune-staging {self.growth.edition}`"
            )
        return self.edition_seed

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


def open_workspace(root: str, unit: str, edition_seed: int | None = None) -> Workspace:
    """Open the staging of an edition or evaluation; raise EditionConflict where there is none.

    An edition's seed is looked up where it is kept, unless it is given.
    """
    staging = Staging(Store(root), unit)
    plan = staging.require_plan()
    if edition_seed is None and isinstance(plan, EditionPlan):
        edition_seed = find_seed(staging.store, plan)
    return Workspace(staging, plan, edition_seed)
