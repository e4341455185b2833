"""Run the batches of a stage, each as one Prefect task run, and tell who watches."""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from prefect import Task, task
from prefect.cache_policies import NO_CACHE

from flows.console import progress
from flows.kumo.stages import Spread
from flows.run.batch_runner import Runner
from flows.watchers.watcher import Watchers
from schemas.errors import PerennialError

BatchFunction = Callable[..., dict[str, int]]
_RETRIES = 2
_RETRY_DELAY_S = 2
_TIMEOUT_S = 6 * 3600


@dataclass(frozen=True)
class Stages:
    """Runs stages: `watchers` are told of each, `runner` takes the batches that may run elsewhere."""

    watchers: Watchers
    runner: Runner | None = None

    def run(
        self,
        name: str,
        function: BatchFunction,
        parameters: Sequence[tuple[Any, ...]],
        *,
        spread: Spread = False,
    ) -> dict[str, int]:
        """Run the function with each of the parameters and return the added counts.

        `spread`: the batches need no model and may run in any order, anywhere that sees the data root; or a
        function that says so of a batch's parameters. The others run here, one after the other.
        """
        total: Counter[str] = Counter()
        self.watchers.stage_started(name, len(parameters))
        with progress.stage(name, len(parameters)) as advance:
            for done, counts in enumerate(self._counts(name, function, parameters, spread), start=1):
                total.update(counts)
                advance(counts)
                self.watchers.batch_done(name, done, counts)
        self.watchers.stage_done(name, dict(total))
        return dict(total)

    def _counts(
        self, name: str, function: BatchFunction, parameters: Sequence[tuple[Any, ...]], spread: Spread
    ) -> Iterator[dict[str, int]]:
        here = _as_task(name, function, timeout_s=_TIMEOUT_S)
        stays = deque(parameters)
        if self.runner is not None:
            leaves = deque(values for values in parameters if _is_spread(spread, values))
            stays = deque(values for values in parameters if not _is_spread(spread, values))
            while leaves and self.runner.is_patient():
                started = time.monotonic()
                yield here(*leaves.popleft())
                self.runner.stayed(time.monotonic() - started)
            yield from self.runner.run(_as_task(name, self.runner.call), function, leaves)
        for values in stays:
            yield here(*values)


def _is_spread(spread: Spread, values: tuple[Any, ...]) -> bool:
    return spread(*values) if callable(spread) else spread


def _as_task(name: str, function: BatchFunction, timeout_s: float | None = None) -> Task[..., dict[str, int]]:
    """Return the function as a task; a time-out works in the main thread alone, elsewhere it only warns."""
    return task(
        name=name,
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
