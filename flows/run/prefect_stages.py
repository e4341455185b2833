"""Run the batches of a stage, each as one Prefect task run."""

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from prefect import Task, task
from prefect.cache_policies import NO_CACHE

from perennial.flows.run.batch_runner import Runner
from perennial.flows.run.plain_stages import PlainStages
from perennial.flows.stages.grow import Counts, Work
from perennial.flows.watchers.watcher import Watchers
from perennial.schemas.errors import PerennialError
from perennial.schemas.rows import JsonObject

if TYPE_CHECKING:
    from prefect.tasks import TaskRunNameCallbackWithParameters

_RETRIES = 2
_RETRY_DELAY_S = 2
# A batch of book writing may wait for several batches of a server, each up to a day.
_TIMEOUT_S = 7 * 24 * 3600


class Stages(PlainStages):
    """Runs each batch as one task run, and gives `runner` the work that may run elsewhere."""

    def __init__(self, watchers: Watchers | None = None, runner: Runner | None = None) -> None:
        super().__init__(watchers)
        self._runner = runner

    def _run_batches(
        self, name: str, here: Sequence[Callable[[], Counts]], spread: Sequence[Work]
    ) -> Iterator[Counts]:
        in_process = _as_task(name, _call, timeout_s=_TIMEOUT_S)
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
            yield from self._runner.run(_as_task(name, self._runner.call), waiting)
        for work in here:
            yield in_process(work)


def _says_more(record: logging.LogRecord) -> bool:
    return not record.getMessage().endswith("Finished in state Completed()")


# A line for each batch that says nothing: the stage's own line says how many there were, of how many rows.
for _logger in ("prefect.task_runs", "prefect.flow_runs"):
    logging.getLogger(_logger).addFilter(_says_more)


def _call(work: Callable[[], Counts]) -> Counts:
    return work()


def _as_task(name: str, function: Callable[..., Counts], timeout_s: float | None = None) -> Task[..., Counts]:
    """Return the function as a task; a time-out works in the main thread alone, elsewhere it only warns."""

    def name_run(parameters: JsonObject) -> str:
        work = parameters["work"]
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
    )(function)


def _may_pass_next_time(_task: Any, _run: Any, state: Any) -> bool:
    """Retry what the machine or the network did; never what the input is."""
    error = state.result(raise_on_failure=False)
    return isinstance(error, OSError) and not isinstance(error, PerennialError)
