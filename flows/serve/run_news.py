"""What happens to the runs of the deployments, printed line by line from what the server knows."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from uuid import UUID

import httpx
from prefect.client.orchestration import PrefectClient
from prefect.client.schemas.filters import (
    DeploymentFilter,
    DeploymentFilterId,
    FlowRunFilter,
    FlowRunFilterExpectedStartTime,
    FlowRunFilterState,
    FlowRunFilterStateType,
)
from prefect.client.schemas.objects import FlowRun, State, StateType
from prefect.client.schemas.sorting import FlowRunSort
from prefect.states import Cancelled, Completed

from perennial.flows.run.by_prefect import editions_of
from perennial.schemas.rows import JsonObject

_POLL_S = 1.0
_IDLE_POLL_S = 10.0  # each look costs the server some hundredths of a second
_SHOWN = 50
_PREFIX = "Flow run encountered an exception: "
_ENDED = {
    StateType.CANCELLED: "was cancelled",
    StateType.CANCELLING: "is being cancelled",
    StateType.CRASHED: "has crashed",
    StateType.FAILED: "has failed",
    StateType.PAUSED: "is paused",
}
_BEGUN = (*_ENDED, StateType.PENDING, StateType.RUNNING, StateType.COMPLETED)
_COLLISION = "Deployment concurrency limit reached."
_SKIPPED = "skipped: another run of it is in progress"


async def read_runs(
    client: PrefectClient,
    deployments: Sequence[UUID],
    *,
    states: Sequence[StateType] = (),
    before: datetime | None = None,
    after: datetime | None = None,
    limit: int = _SHOWN,
    soonest_first: bool = False,
) -> list[FlowRun]:
    """Return the runs of these deployments by the time that they were due, the latest first."""
    due = FlowRunFilterExpectedStartTime.model_validate({"before_": before, "after_": after})
    state = FlowRunFilterState(type=FlowRunFilterStateType(any_=list(states))) if states else None
    return await client.read_flow_runs(
        deployment_filter=DeploymentFilter(id=DeploymentFilterId(any_=list(deployments))),
        flow_run_filter=FlowRunFilter(state=state, expected_start_time=due),
        sort=FlowRunSort.EXPECTED_START_TIME_ASC if soonest_first else FlowRunSort.EXPECTED_START_TIME_DESC,
        limit=limit,
    )


class RunNews:
    """Tells of each run that starts and ends, and when the next refresh is due."""

    def __init__(
        self,
        client: PrefectClient,
        deployments: Sequence[UUID],
        began: datetime,
        tell: Callable[[str], None],
        is_published: Callable[[str], bool] = lambda edition: False,
    ) -> None:
        self._client = client
        self._deployments = deployments
        self._tell = tell
        self._is_published = is_published
        self._names: dict[UUID, str] = {}
        self._told: dict[UUID, StateType] = {}
        self._began = began
        self._next: datetime | None = None

    async def tell_forever(self) -> None:
        """Tell what happens until this is cancelled; a server that does not answer is asked again."""
        while True:
            is_busy = False
            with suppress(httpx.HTTPError):
                is_busy = await self._tell_once()
            await asyncio.sleep(_POLL_S if is_busy else _IDLE_POLL_S)

    async def _tell_once(self) -> bool:
        """Tell what is new; return whether a run is under way."""
        for deployment in self._deployments:
            if deployment not in self._names:
                self._names[deployment] = (await self._client.read_deployment(deployment)).name
        begun = await read_runs(self._client, self._deployments, states=_BEGUN)
        running = [run for run in begun if run.state is not None and run.state.is_running()]
        under_way = [self._report_run(await self._settle(run, running)) for run in reversed(begun)]
        if any(under_way):
            return True
        if self._next is None or self._next <= datetime.now(UTC):
            await self._tell_next()
        return False

    async def _settle(self, run: FlowRun, running: Sequence[FlowRun]) -> FlowRun:
        """Give a cancelled run its reason, which Prefect does not know, and a skipped one a name.

        One whose edition is published was cancelled too late: it is completed.
        """
        is_new = run.state is not None and run.state.timestamp >= self._began
        if run.state is None or not is_new or not run.state.is_cancelled():
            return run
        message, editions = run.state.message or "", editions_of(run.tags)
        named: JsonObject = {}
        state: State[object]
        if _COLLISION in message:
            others = [other for other in running if other.deployment_id == run.deployment_id]
            cause = next((other.name for other in others if editions_of(other.tags)), "")
            named = {"name": f"{cause} (skipped)"} if cause else {}
            state = Cancelled(message=f"{_SKIPPED}{f' ({cause})' * bool(cause)}")
        elif editions and all(map(self._is_published, editions)):
            message = f"edition {run.name} is published: it was cancelled while it was being published"
            state = Completed(message=message)
        elif editions and not message.startswith(run.name):
            reason = f"{run.name} is not published: it was cancelled, and the next refresh resumes it"
            state = Cancelled(message=f"{reason} ({message})")
        else:
            return run
        if named:
            await self._client.update_flow_run(run.id, **named)
        await self._client.set_flow_run_state(run.id, state, force=True)
        return run.model_copy(update={**named, "state": state})

    def _report_run(self, run: FlowRun) -> bool:
        """Tell of the run if its state is new; return whether it is under way."""
        state = run.state
        if state is None or state.timestamp < self._began:
            return False
        if state.type is StateType.PENDING:
            return True
        is_under_way = state.type in (StateType.RUNNING, StateType.CANCELLING)
        name = self._name(run)
        # A run that has just begun says soon which edition it is about.
        if self._told.get(run.id) != state.type and (self._has_own_name(run) or not is_under_way):
            self._told[run.id] = state.type
            self._tell(f"{name} {_in_words(run)}")
        return is_under_way

    def _name(self, run: FlowRun) -> str:
        """Return what the run is about: an edition as soon as it has one, never Prefect's random name."""
        flow = self._flow(run)
        if run.name.startswith(f"{flow} "):
            return run.name
        return f"{flow} {run.name}" if editions_of(run.tags) else flow

    def _has_own_name(self, run: FlowRun) -> bool:
        return self._name(run) != self._flow(run)

    def _flow(self, run: FlowRun) -> str:
        return self._names.get(run.deployment_id, "run") if run.deployment_id else "run"

    async def _tell_next(self) -> None:
        now = datetime.now(UTC)
        scheduled = await read_runs(
            self._client,
            self._deployments[:1],
            states=[StateType.SCHEDULED],
            after=now,
            limit=1,
            soonest_first=True,
        )
        due = scheduled[0].expected_start_time if scheduled else None
        if due is not None and due != self._next:
            self._next = due
            self._tell(f"the next refresh is due {due:%Y-%m-%d %H:%M:%S} UTC")


def _in_words(run: FlowRun) -> str:
    state = run.state
    assert state is not None
    message = " ".join((state.message or "").removeprefix(_PREFIX).split())
    if state.type is StateType.RUNNING:
        return "has started"
    if state.type is StateType.COMPLETED:
        return f"has ended: {message}" if message else "has ended"
    if state.type is StateType.CANCELLED and message.startswith(_SKIPPED):
        return f"is {message}"
    return f"{_ENDED[state.type]}: {message}"
