"""What every stage works in: a staged edition or evaluation, and its plan."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Generic

from typing_extensions import TypeVar

from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import AuditFailed, Damaged
from perennial.schemas.plan import EditionPlan, EvaluationPlan, Plan
from perennial.schemas.rows import Rows
from perennial.schemas.settings import RefreshSettings
from perennial.schemas.settings.model_entry import CallPolicy
from perennial.warehouse.editions.seeds import find_seed, seed_file
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store

# How a gate refuses what it found unsound.

_SHOWN = 3


def refuse_faults(subject: str, faults: Sequence[str], questions: int, noun: str) -> None:
    """Raise AuditFailed, naming the first faults, where the gate found any in these questions."""
    if faults:
        more = f" and {len(faults) - _SHOWN:,} more" if len(faults) > _SHOWN else ""
        raise AuditFailed(
            f"{subject}: the gate found {len(faults):,} faults in {questions:,} {noun}, nothing was "
            f"published: {'; '.join(faults[:_SHOWN])}{more}"
        )


# How stages go about their work; nothing here decides what an edition holds.

# What a stage that takes bare policies is given, it cannot look into.
InputsT_co = TypeVar("InputsT_co", covariant=True, default=object)
GivenT = TypeVar("GivenT")


@dataclass(frozen=True, slots=True)
class Policies(Generic[InputsT_co]):
    """How calls are made, and what a benchmark's stages are given beside the plan.

    `own_policy`: see `RefreshSettings.own_policy`; None where nothing is to stop it; `inputs` are the
    benchmark's (`perennial.flows.benchmark.Preparation`), which batches that run elsewhere do not get.
    `smoke`: each model plays one instance before the rest.
    """

    calls: CallPolicy
    accept_api_errors: bool
    own_policy: object = None
    inputs: InputsT_co | None = None
    smoke: bool = False

    @staticmethod
    def read(
        settings: RefreshSettings, inputs: GivenT | None = None, units: tuple[str, ...] = ()
    ) -> "Policies[GivenT]":
        """Return what the settings say; the limits are of these editions and evaluations together."""
        return Policies(
            replace(settings.call_policy(), units=units),
            settings.accept_api_errors,
            settings.own_policy(),
            inputs,
            settings.smoke,
        )

    def without_inputs(self) -> "Policies[InputsT_co]":
        """Return the policies as batches elsewhere get them."""
        return replace(self, inputs=None)


# How many threads a batch may take: all cores, or this worker's share of them.

_threads: ContextVar[int | None] = ContextVar("threads", default=None)


def available_threads() -> int:
    """Return how many threads a batch may take here."""
    return _threads.get() or os.cpu_count() or 1


@contextmanager
def limit_threads(threads: int) -> Iterator[None]:
    """Let batches take so many threads while the block runs."""
    token = _threads.set(threads)
    try:
        yield
    finally:
        _threads.reset(token)


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
                f"or begin another edition after `perennial editions prune {self.growth.edition}`"
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
