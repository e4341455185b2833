"""Execute a run as one Prefect flow: its name, its stages as task runs, and what Prefect's pages show."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TypeVar

from prefect import flow, runtime
from prefect.client.orchestration import get_client
from prefect.context import FlowRunContext

from perennial.flows.run.choose_runner import open_runner, root_for_workers
from perennial.flows.run.plain_stages import Execution
from perennial.flows.run.prefect_stages import Stages
from perennial.flows.watchers.prefect_artifacts import Artifacts
from perennial.flows.watchers.prefect_assets import AssetWatcher
from perennial.flows.watchers.watcher import Watcher, Watchers
from perennial.schemas.rows import JsonObject
from perennial.schemas.settings import RefreshSettings

Result = TypeVar("Result")
_TAG = "edition:"


def run_as_flow(name: str, settings: Sequence[JsonObject], make: Callable[[Execution], Result]) -> Result:
    """Call `make` in a run of a flow of that name; `settings` are what Prefect keeps and shows of it."""

    def run(settings: Sequence[JsonObject]) -> Result:
        return make(PrefectExecution())

    return flow(name=name, validate_parameters=False)(run)(settings)


class PrefectExecution(Execution):
    """Runs stages in the current flow run; outside of one, as tasks without a flow."""

    def name_run(self, units: Sequence[str]) -> None:
        """Give the flow run these names, as its tags too, in place of Prefect's random name."""
        run_id = runtime.flow_run.id
        if run_id is None:
            return
        kept = [tag for tag in runtime.flow_run.tags if not tag.startswith(_TAG)]
        with get_client(sync_client=True) as client:
            tags = [*kept, *(f"{_TAG}{unit}" for unit in units)]
            client.update_flow_run(run_id, name=", ".join(units), tags=tags)

    def scheduled_for(self) -> datetime | None:
        """Return the time that a schedule gave this flow run; None if no schedule started it."""
        context = FlowRunContext.get()
        run = context.flow_run if context is not None else None
        return run.expected_start_time if run is not None and run.auto_scheduled else None

    def watchers(self) -> Sequence[Watcher]:
        """Return who shows the work on one edition in Prefect's pages."""
        return AssetWatcher(), Artifacts()

    @contextmanager
    def open_stages(self, settings: RefreshSettings, unit: str, watchers: Watchers) -> Iterator[Stages]:
        """Yield what runs the stages, some of their batches by the workers that the settings name."""
        root = root_for_workers(settings.runner, settings.root)
        with open_runner(settings.runner, settings.workers, root, unit) as runner:
            yield Stages(watchers, runner)


def editions_of(tags: Sequence[str]) -> list[str]:
    """Return the editions that a flow run with these tags makes, none while it has not said which."""
    return sorted(tag.removeprefix(_TAG) for tag in tags if tag.startswith(_TAG))
