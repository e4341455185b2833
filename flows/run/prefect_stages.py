"""Run stages as the graph that they declare: a task run per batch, and one that ends each stage.

A batch waits for the stages that made the tables which its stage reads: Prefect's pages draw these edges. The
task run that ends a stage waits for its batches, and makes its artifact.
"""

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from prefect import State, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import StateDetails
from prefect.context import TaskRunContext
from prefect.states import Completed

from perennial.flows.console import progress
from perennial.flows.run.batch_runner import Runner
from perennial.flows.run.plain_stages import PlainStages
from perennial.flows.run.prefect_artifacts import show_stage
from perennial.flows.run.prefect_assets import materialize_tables
from perennial.flows.stages.grow import Counts, Work
from perennial.flows.stages.unit_stages import list_jobs
from perennial.flows.watchers.watcher import Watchers
from perennial.schemas.errors import PerennialError
from perennial.schemas.plan import Plan
from perennial.schemas.rows import JsonObject
from perennial.warehouse.lineage import PUBLISH, StageGraph, StageNode, StageTables

if TYPE_CHECKING:
    from prefect.tasks import TaskRunNameCallbackWithParameters

_RETRIES = 2
_RETRY_DELAY_S = 2
# A batch of book writing may wait for several batches of a server, each up to a day.
_TIMEOUT_S = 7 * 24 * 3600


class Stages(PlainStages):
    """Runs each batch as one task run, and gives `runner` the work that may run elsewhere.

    `task_runs` gets the ids of all task runs.
    """

    def __init__(
        self,
        watchers: Watchers | None = None,
        runner: Runner | None = None,
        task_runs: list[UUID] | None = None,
    ) -> None:
        super().__init__(watchers)
        self._runner = runner
        self._task_runs: list[UUID] = [] if task_runs is None else task_runs
        self._graph = StageGraph()
        self._gates: dict[StageNode, UUID] = {}
        self._wait_for: list[State[str]] = []
        self._root = ""
        self._plan: Plan | None = None
        self._jobs: dict[str, StageTables] = {}

    def begin(self, root: str, plan: Plan) -> None:
        """Begin the edition or evaluation of this plan: its stages come next."""
        self._root, self._plan = root, plan
        self._jobs = {job.name: job for job in list_jobs(plan.unit, plan.benchmark)}
        super().begin(root, plan)

    def run(self, name: str, here: Sequence[Callable[[], Counts]], spread: Sequence[Work] = ()) -> Counts:
        """Do all of it and return the added counts: `here` in order in this process, `spread` anywhere."""
        node = StageNode(self._plan.unit if self._plan else "", name)
        upstream = self._graph.add(node, self._jobs.get(name, StageTables(name, "")))
        self._wait_for = _as_ended(self._gates[stage] for stage in upstream)
        begun = len(self._task_runs)
        counts = super().run(name, here, spread)
        gate = _as_task(f"{node.unit}: {name} done", self._end_stage)
        gate(name, counts, wait_for=_as_ended(self._task_runs[begun:]))
        self._gates[node] = self._task_runs[-1]
        return counts

    def _run_batches(
        self, name: str, here: Sequence[Callable[[], Counts]], spread: Sequence[Work]
    ) -> Iterator[Counts]:
        batch = _as_task(name, self._publish if name == PUBLISH else self._do, timeout_s=_TIMEOUT_S)
        in_process = partial(batch, wait_for=self._wait_for)
        waiting = deque(spread)
        if self._runner is None:
            here = [*(work.run for work in spread), *here]
        else:
            while waiting and self._runner.is_patient():
                started, worked = time.monotonic(), time.process_time()
                yield in_process(waiting.popleft().run)
                # Other work on the machine makes a batch longer, and threads of its own its work.
                taken = min(time.monotonic() - started, time.process_time() - worked)
                self._runner.note_local_batch(taken)
            elsewhere = _as_task(name, self._runner.call)
            yield from self._runner.run(elsewhere, waiting, self._wait_for, self._task_runs.append)
        for work in here:
            yield in_process(work)

    def _do(self, work: Callable[[], Counts]) -> Counts:
        self._note_task_run()
        return work()

    def _publish(self, work: Callable[[], Counts]) -> Counts:
        counts = self._do(work)
        if self._plan is not None:
            with _ignoring_failure("assets"):
                materialize_tables(self._root, self._plan.unit, counts)
        return counts

    def _end_stage(self, name: str, counts: Counts) -> Counts:
        self._note_task_run()
        if self._plan is not None:
            with _ignoring_failure("artifacts"):
                show_stage(self._root, self._plan, name, counts)
        return counts

    def _note_task_run(self) -> None:
        context = TaskRunContext.get()
        # A task run that is tried again notes itself again.
        if context is not None and self._task_runs[-1:] != [context.task_run.id]:
            self._task_runs.append(context.task_run.id)


def _as_ended(task_runs: Iterable[UUID]) -> list[State[str]]:
    """Return states of these task runs, to wait for: nothing is left to do but to draw the edges."""
    # Prefect refuses a completed state without data.
    return [Completed(data="ended", state_details=StateDetails(task_run_id=run)) for run in task_runs]


@contextmanager
def _ignoring_failure(what: str) -> Iterator[None]:
    """Note a failure of the block, and ignore it: the edition matters more."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  whatever it is
        progress.note(f"warning: {what} in Prefect's pages failed and are ignored: {error!r}")


def _says_more(record: logging.LogRecord) -> bool:
    return not record.getMessage().endswith("Finished in state Completed()")


# A line for each batch that says nothing: the stage's own line says how many there were, of how many rows.
for _logger in ("prefect.task_runs", "prefect.flow_runs"):
    logging.getLogger(_logger).addFilter(_says_more)


class _OwnCounts(dict[str, int]):
    """Counts that Prefect tells from other objects by more than their id, which Python gives out again.

    A plain dict's successor in memory would look like its result: an edge between strangers.
    """


def _as_task(name: str, function: Callable[..., Counts], timeout_s: float | None = None) -> Any:
    """Return the function as a task; a time-out works in the main thread alone, elsewhere it only warns."""

    @wraps(function)
    def count(*arguments: Any, **options: Any) -> Counts:
        return _OwnCounts(function(*arguments, **options))

    def name_run(parameters: JsonObject) -> str:
        work = parameters.get("work")
        return getattr(work, "label", "") or getattr(getattr(work, "__self__", None), "label", "") or name

    return task(
        name=name,
        task_run_name=cast("TaskRunNameCallbackWithParameters", name_run),
        retries=_RETRIES,
        retry_delay_seconds=_RETRY_DELAY_S,
        retry_condition_fn=_may_pass_next_time,
        timeout_seconds=timeout_s,
        persist_result=False,
        cache_policy=NO_CACHE,
    )(count)


def _may_pass_next_time(_task: Any, _run: Any, state: Any) -> bool:
    """Retry what the machine or the network did; never what the input is."""
    error = state.result(raise_on_failure=False)
    return isinstance(error, OSError) and not isinstance(error, PerennialError)
