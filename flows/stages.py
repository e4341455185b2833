"""Run the batches of a stage, each as one Prefect task run, and tell who watches."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE

from flows import progress
from flows.watching import Watchers
from schemas.errors import PerennialError

BatchFunction = Callable[..., dict[str, int]]
_RETRIES = 2
_RETRY_DELAY_S = 2
_TIMEOUT_S = 6 * 3600


@dataclass(frozen=True)
class Stages:
    """Runs stages: `watchers` are told of each."""

    watchers: Watchers

    def run(
        self,
        name: str,
        function: BatchFunction,
        parameters: Sequence[tuple[Any, ...]],
        *,
        spread: bool = False,
    ) -> dict[str, int]:
        """Run the function with each of the parameters and return the added counts.

        `spread`: the batches need no model and may run in any order, anywhere that sees the data root.
        """
        run = task(
            name=name,
            retries=_RETRIES,
            retry_delay_seconds=_RETRY_DELAY_S,
            retry_condition_fn=_may_pass_next_time,
            timeout_seconds=_TIMEOUT_S,
            persist_result=False,
            cache_policy=NO_CACHE,
        )(function)
        total: Counter[str] = Counter()
        self.watchers.stage_started(name, len(parameters))
        with progress.stage(name, len(parameters)) as advance:
            for done, values in enumerate(parameters, start=1):
                counts = run(*values)
                total.update(counts)
                advance(counts)
                self.watchers.batch_done(name, done, counts)
        self.watchers.stage_done(name, dict(total))
        return dict(total)


def _may_pass_next_time(_task: Any, _run: Any, state: Any) -> bool:
    """Retry what the machine or the network did; never what the input is."""
    error = state.result(raise_on_failure=False)
    return isinstance(error, OSError) and not isinstance(error, PerennialError)
