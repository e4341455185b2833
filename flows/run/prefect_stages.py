"""Run the batches of a stage, each as one Prefect task run, and notify the watchers."""

import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from prefect import Task, task
from prefect.cache_policies import NO_CACHE

from flows.console import progress
from flows.run.batch_runner import Runner
from flows.stages.grow import Counts, Work
from flows.watchers.watcher import Watchers
from schemas.errors import PerennialError
from schemas.rows import JsonObject

if TYPE_CHECKING:
    from prefect.tasks import TaskRunNameCallbackWithParameters

_RETRIES = 2
_RETRY_DELAY_S = 2
# A batch of book writing may wait for several batches of a server, each up to a day.
_TIMEOUT_S = 7 * 24 * 3600


@dataclass(frozen=True)
class Stages:
    """Runs stages: notifies `watchers` of each, and gives `runner` the work that may run elsewhere."""

    watchers: Watchers
    runner: Runner | None = None

    def run(self, name: str, here: Sequence[Callable[[], Counts]], spread: Sequence[Work] = ()) -> Counts:
        """Do all of it and return the added counts: `here` in order in this process, `spread` anywhere."""
        total: Counter[str] = Counter()
        size = len(here) + len(spread)
        self.watchers.stage_started(name, size)
        with progress.stage(name, size, len(here)) as advance:
            for done, counts in enumerate(self._counts(name, here, spread), start=1):
                total.update(counts)
                advance(counts)
                self.watchers.batch_done(name, done, counts)
        self.watchers.stage_done(name, dict(total))
        return dict(total)

    def _counts(
        self, name: str, here: Sequence[Callable[[], Counts]], spread: Sequence[Work]
    ) -> Iterator[Counts]:
        in_process = _as_task(name, _call, timeout_s=_TIMEOUT_S)
        waiting = deque(spread)
        if self.runner is None:
            here = [*(work.run for work in spread), *here]
        else:
            while waiting and self.runner.is_patient():
                started, worked = time.monotonic(), time.process_time()
                yield in_process(waiting.popleft().run)
                # Other work on the machine makes a batch longer, and threads of its own its work.
                taken = min(time.monotonic() - started, time.process_time() - worked)
                self.runner.note_local_batch(taken)
            yield from self.runner.run(_as_task(name, self.runner.call), waiting)
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
