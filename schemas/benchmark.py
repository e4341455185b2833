"""The seam: what a benchmark declares, so that shared code can grow, play and publish it without knowing it.

Order, batch keys, completeness, lineage jobs and progress all derive from a benchmark's list of stages.
Benchmarks are found by entry point (group `perennial.benchmarks`), so that another package can add one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any

from schemas.errors import InvalidOption
from schemas.game import Playing
from schemas.measure import Measure
from schemas.table_form import Table

GROUP = "perennial.benchmarks"
Rows = list[dict[str, Any]]
# A workspace (`flows.stages.workspace`) and policies (`flows.stages.policies`) lie above this room.
Workspace = Any
Policies = Any


@dataclass(frozen=True, slots=True, order=True)
class Batch:
    """A unit of work and of staging: a stage's name, and what tells its batches apart."""

    stage: str
    key: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.stage, *self.key))


def never(_workspace: Workspace, _batch: Batch) -> bool:
    """Return False for every batch."""
    return False


def always(_workspace: Workspace, _batch: Batch) -> bool:
    """Return True for every batch."""
    return True


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: its batches in order, and what produces the rows of a batch.

    `reads` and `writes` are tables of the edition (read: `external_scores` too, where the data root has any),
    `earlier` tables of earlier editions that it reads.
    `batches` lists what the plan asks for, as far as it is known from what is staged. `spreads` says whether
    a batch needs no model and may run in any process that sees the data root. Batches of one `chain` run one
    after the other, in order. A stage that `repeats` runs again in each refresh, staged or not.
    """

    name: str
    doc: str
    batches: Callable[[Workspace], Sequence[Batch]]
    run: Callable[[Workspace, Batch, Policies], Mapping[str, Rows]]
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    spreads: Callable[[Workspace, Batch], bool] = never
    chain: Callable[[Batch], object] | None = None
    repeats: bool = False


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What a benchmark is: its name, its own tables, the stages by which its editions grow, and its games.

    `analysis` returns what it adds to the statistics (`tasks.statistics.analysis`), `measures` are shown
    beside the success rate. `sql` names the package whose folders `views` and `rules` hold its views and its
    rules of the audit. `report` returns its own sections of the report (`tasks.report.content.Report`).
    """

    name: str
    tables: tuple[Table, ...]
    growing: Callable[[], tuple[Stage, ...]]
    playing: Callable[[], Playing]
    analysis: Callable[[], Any]
    sql: str = ""
    measures: tuple[Measure, ...] = ()
    report: Callable[[], Any] | None = None


@lru_cache(maxsize=1)
def benchmarks() -> dict[str, Benchmark]:
    """Return the installed benchmarks by name, sorted."""
    found = (entry.load() for entry in entry_points(group=GROUP))
    return {benchmark.name: benchmark for benchmark in sorted(found, key=lambda benchmark: benchmark.name)}


def find_benchmark(name: str) -> Benchmark:
    """Return the benchmark of that name; raise InvalidOption where none is installed."""
    known = benchmarks()
    if name not in known:
        raise InvalidOption(f"benchmark {name!r} is not installed; installed: {', '.join(known) or 'none'}")
    return known[name]
