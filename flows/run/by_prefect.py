"""Execute a run as one Prefect flow: its name, its log, and its stages as task runs."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import TypeVar
from uuid import UUID

import httpx
from prefect import flow, get_run_logger, tags
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import TERMINAL_STATES
from prefect.context import FlowRunContext
from prefect.logging.handlers import APILogHandler

from perennial.flows.console import progress
from perennial.flows.run.choose_runner import open_runner, root_for_workers
from perennial.flows.run.plain_stages import Execution
from perennial.flows.run.prefect_stages import Stages
from perennial.flows.watchers.watcher import Watchers
from perennial.schemas.rows import JsonObject
from perennial.schemas.settings import RefreshSettings

Result = TypeVar("Result")
_TAG = "edition:"
_SETTLE_S = 5.0
_POLL_S = 0.1


def run_as_flow(
    name: str, units: Sequence[str], settings: Sequence[JsonObject], make: Callable[[Execution], Result]
) -> Result:
    """Call `make` in a run of a flow of that name, which is named by the units that it makes.

    `settings` are what Prefect keeps and shows of it. Its server knows how each task run ended, and has the
    log, when this returns.
    """
    execution = PrefectExecution()

    def run(settings: Sequence[JsonObject]) -> Result:
        with log_run():
            return make(execution)

    as_flow = flow(name=name, flow_run_name=_run_name(units), validate_parameters=False)(run)
    try:
        with tags(*(f"{_TAG}{unit}" for unit in units)):
            return as_flow(settings)
    finally:
        execution.settle()


@contextmanager
def log_run() -> Iterator[None]:
    """Write the lines of progress of the block to the log of the current flow run too."""
    with progress.log_to(get_run_logger().info):
        yield


class PrefectExecution(Execution):
    """Runs stages in the current flow run; outside of one, as tasks without a flow."""

    def __init__(self) -> None:
        self._flow_run: UUID | None = None
        self._task_runs: list[UUID] = []

    def name_run(self, units: Sequence[str]) -> None:
        """Give the flow run these names, as its tags too, in place of Prefect's random name."""
        context = FlowRunContext.get()
        if context is None or context.flow_run is None:
            return
        self._flow_run = context.flow_run.id
        wanted = [f"{_TAG}{unit}" for unit in units]
        kept = [tag for tag in context.flow_run.tags if not tag.startswith(_TAG)]
        if sorted([*kept, *wanted]) != sorted(context.flow_run.tags):
            with get_client(sync_client=True) as client:
                client.update_flow_run(self._flow_run, name=_run_name(units), tags=[*kept, *wanted])

    def scheduled_for(self) -> datetime | None:
        """Return the time that a schedule gave this flow run; None if no schedule started it."""
        context = FlowRunContext.get()
        run = context.flow_run if context is not None else None
        return run.expected_start_time if run is not None and run.auto_scheduled else None

    @contextmanager
    def open_stages(self, settings: RefreshSettings, unit: str, watchers: Watchers) -> Iterator[Stages]:
        """Yield what runs the stages, some of their batches by the workers that the settings name."""
        root = root_for_workers(settings.runner, settings.root)
        with open_runner(settings.runner, settings.workers, root, unit) as runner:
            yield Stages(watchers, runner, self._task_runs)

    def settle(self) -> None:
        """Wait until the server has the log, and knows how each task run ended.

        Prefect reports both in the background, and what comes last would be lost if its server ends first.
        """
        APILogHandler().flush()
        if self._flow_run is None:
            return
        ended = {
            "flow_runs": {"id": {"any_": [str(self._flow_run)]}},
            "task_runs": {"state": {"type": {"any_": [state.value for state in TERMINAL_STATES]}}},
        }
        deadline = time.monotonic() + _SETTLE_S
        with suppress(httpx.HTTPError), get_client(sync_client=True) as client:
            while time.monotonic() < deadline:
                count = client.request("POST", "/task_runs/count", json=ended).json()
                if count >= len(set(self._task_runs)):
                    return
                time.sleep(_POLL_S)


def _run_name(units: Sequence[str]) -> str:
    return ", ".join(units)


def editions_of(tags: Sequence[str]) -> list[str]:
    """Return the editions that a flow run with these tags makes, none while it has not said which."""
    return sorted(tag.removeprefix(_TAG) for tag in tags if tag.startswith(_TAG))
