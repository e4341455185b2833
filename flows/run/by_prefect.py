"""Execute a run as one Prefect flow: its name, its log, and its stages as task runs."""

import os
import socket
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
from prefect.states import Crashed

from perennial.flows.console import progress
from perennial.flows.console.root_option import whole_path
from perennial.flows.run.choose_runner import open_runner, root_for_workers
from perennial.flows.run.plain_stages import Execution
from perennial.flows.run.prefect_stages import Stages
from perennial.flows.watchers.watcher import Watchers, without_credentials
from perennial.schemas.rows import JsonObject
from perennial.schemas.settings import RefreshSettings
from perennial.warehouse.store.store import Store, root_id

Result = TypeVar("Result")
_TAG, _PROCESS_TAG = "edition:", "process:"
_SETTLE_S = 5.0
_POLL_S = 0.1


def run_as_flow(
    name: str,
    units: Sequence[str],
    settings: Sequence[JsonObject],
    make: Callable[[Execution], Result],
    store: Store,
) -> Result:
    """Call `make` in a run of a flow of that name, which is named by the units that it makes.

    `settings` are what Prefect keeps and shows of it. Its server knows how each task run ended, and has the
    log, when this returns. The caller holds the lock of `store`.
    """
    # The path too: a copy of a root has the same id.
    root_tags = [f"root:{without_credentials(whole_path(store))}", f"root-id:{root_id(store)}"]
    _end_killed_runs(root_tags)
    process_tag = f"{_PROCESS_TAG}{socket.gethostname()}:{os.getpid()}"
    execution = PrefectExecution()

    def run(settings: Sequence[JsonObject]) -> Result:
        with log_run():
            return make(execution)

    as_flow = flow(name=name, flow_run_name=_run_name(units), validate_parameters=False)(run)
    try:
        with tags(*(f"{_TAG}{unit}" for unit in units), *root_tags, process_tag):
            return as_flow(settings)
    finally:
        execution.settle()


def _end_killed_runs(root_tags: Sequence[str]) -> None:
    """Mark the root's runs that have not ended as crashed: whoever holds its lock knows their processes gone.

    Prefect would show them as running for ever. Runs of deployments are `perennial serve`'s to mark.
    """
    killed = {
        "tags": {"all_": root_tags},
        "deployment_id": {"is_null_": True},
        "state": {"type": {"any_": ["PENDING", "RUNNING", "CANCELLING"]}},
    }
    with get_client(sync_client=True) as client:
        for run in client.request("POST", "/flow_runs/filter", json={"flow_runs": killed}).json():
            process = next((tag for tag in run["tags"] if tag.startswith(_PROCESS_TAG)), _PROCESS_TAG)
            gone = f"process {process.removeprefix(_PROCESS_TAG)} is gone: killed, or out of memory"
            client.set_flow_run_state(run["id"], Crashed(message=gone), force=True)


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
