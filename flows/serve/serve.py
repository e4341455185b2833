"""Serve the deployments: register them, run what falls due in processes of its own, and say what happens.

Prefect's own runner starts the runs. What is added here: what was interrupted or missed while nobody
served is resumed at once, a server that does not answer is waited for, and an end that leaves nothing behind.
"""

import asyncio
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID
from zoneinfo import ZoneInfo, available_timezones

import httpx
from prefect import Flow
from prefect.client.orchestration import PrefectClient, get_client
from prefect.client.schemas.actions import DeploymentUpdate
from prefect.client.schemas.filters import (
    DeploymentFilter,
    DeploymentFilterId,
    FlowRunFilter,
    FlowRunFilterExpectedStartTime,
    FlowRunFilterState,
    FlowRunFilterStateType,
)
from prefect.client.schemas.objects import (
    ConcurrencyLimitConfig,
    ConcurrencyLimitStrategy,
    FlowRun,
    State,
    StateType,
)
from prefect.client.schemas.responses import DeploymentResponse
from prefect.client.schemas.sorting import FlowRunSort
from prefect.exceptions import (
    ObjectNotFound,
    ParameterTypeError,
    PrefectHTTPStatusError,
    SignatureMismatchError,
)
from prefect.logging.handlers import APILogHandler
from prefect.runner import Runner
from prefect.schedules import Cron, Interval, Schedule
from prefect.states import Cancelled, Completed, Crashed, Scheduled
from prefect.types.entrypoint import EntrypointType

from perennial.flows.refresh.plan import FIRST
from perennial.flows.run.by_prefect import editions_of
from perennial.flows.serve.child_runs import leave_after
from perennial.flows.serve.deployments import analyse, audit, grow_edition
from perennial.flows.watchers.watcher import without_credentials
from perennial.schemas.errors import InvalidOption, PerennialError, suggest
from perennial.schemas.rows import JsonObject
from perennial.schemas.units import evaluation_of
from perennial.tasks.llm.endpoint import is_loopback
from perennial.warehouse.catalog.confinement import row_file
from perennial.warehouse.store.store import Store

# What happens to the runs of the deployments, printed line by line from what the server knows.

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
            state = Cancelled(message=f"{_SKIPPED}{f' ({cause})' if cause else ''}")
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


Tell = Callable[[str], None]
STOPPED = "perennial serve was stopped; the run resumes when it is started again"
_CUT_OFF = "its process is gone, with the perennial serve that started it"
_QUERY_S = 10.0  # a run begins so many seconds late, and each look costs the server CPU
_MISSED = 200
_ROOT_TAG = "root:"
_RETRY_S = 30.0
_END_S = 90.0
_DEPLOYED: tuple[Flow[..., Any], ...] = (grow_edition, analyse, audit)
_UNDER_WAY = (StateType.PENDING, StateType.RUNNING, StateType.CANCELLING)
# A refresh that falls due while one is under way is dropped: a queue of them would grow an edition each.
_ONE_AT_A_TIME = ConcurrencyLimitConfig(limit=1, collision_strategy=ConcurrencyLimitStrategy.CANCEL_NEW)


@dataclass(frozen=True, slots=True)
class Timetable:
    """When a refresh falls due: every so many seconds, or else by cron in a time zone."""

    cron: str
    timezone: str
    every: float | None = None

    def schedule(self) -> Schedule:
        """Return Prefect's schedule; raise InvalidOption where there is no such time."""
        try:
            ZoneInfo(self.timezone)
        except (ValueError, KeyError, OSError):
            meant = suggest(self.timezone, available_timezones())
            raise InvalidOption(
                f"--timezone {self.timezone!r}: expected a time zone such as UTC or Europe/Berlin{meant} "
                "(see `perennial serve --help`)"
            ) from None
        if self.every is not None:
            return Interval(self.every, timezone=self.timezone)
        try:
            return Cron(self.cron, timezone=self.timezone)
        except ValueError:
            raise InvalidOption(
                f"--cron {self.cron!r}: expected minute, hour, day, month and weekday, such as "
                "'0 3 1 */2 *' (see `perennial serve --help`)"
            ) from None


@dataclass(frozen=True, slots=True)
class Serving:
    """What is served: the data root, when, and whether the server is this process's own."""

    root: str
    timetable: Timetable
    owns_server: bool

    async def until_stopped(self, tell: Tell) -> None:
        """Serve until SIGINT or SIGTERM.

        Raises PerennialError where no server answers at first, or one that takes calls from anybody; one that
        goes away later is waited for.
        """
        async with get_client() as client:
            await require_access(client)
            if not self.owns_server:
                refuse_open_server(str(client.api_url), tell)
        stop = asyncio.Event()
        while not stop.is_set():
            try:
                await self._serve_once(stop, tell)
            except PerennialError:
                raise
            except Exception as error:  # noqa: BLE001  Prefect's runner ends by groups of whatever it met
                name = type(error).__name__
                tell(f"the Prefect server does not answer ({name}); trying again in {_RETRY_S:.0f} s")
                await _either(stop.wait(), asyncio.sleep(_RETRY_S))

    async def _serve_once(self, stop: asyncio.Event, tell: Tell) -> None:
        async with get_client() as client:
            began = datetime.now(UTC)
            owed = await self._find_interrupted(client, tell)
            runner = Runner(
                name="perennial", query_seconds=_QUERY_S, prefetch_seconds=0, pause_on_shutdown=False
            )
            ids = [await self._add(runner, flow) for flow in _DEPLOYED]
            for deployment_id, flow in zip(ids, _DEPLOYED, strict=True):
                await _refuse_unknown_parameters(client, deployment_id, flow)
            if owed is not None:
                await client.create_flow_run_from_deployment(
                    ids[0], parameters=owed.parameters, state=Scheduled(scheduled_time=datetime.now(UTC))
                )
            serving = asyncio.create_task(runner.start())
            await _wait_started(runner, serving)
            # Only now: Prefect's runner has set its own way to end, which does not wait for its children.
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, stop.set)
            news = asyncio.create_task(RunNews(client, ids, began, tell, self._is_published).tell_forever())
            await _either(stop.wait(), serving)
            news.cancel()
            await _stop_runs(client, runner, ids, serving, tell)

    async def _add(self, runner: Runner, flow: Flow[..., Any]) -> UUID:
        # The flow itself, not where to load it from: Prefect would look for our packages in the folder
        # where `serve` runs, and find the data's `warehouse` there.
        return await runner.aadd_flow(
            flow,
            name=flow.name,
            schedule=self.timetable.schedule() if flow is grow_edition else None,
            parameters={},
            concurrency_limit=_ONE_AT_A_TIME,
            entrypoint_type=EntrypointType.MODULE_PATH,
            description=flow.description,
            # The runs get the root by their environment. The tag is for readers, and for the next `serve`.
            tags=["perennial", self._root_tag],
        )

    def _is_published(self, edition: str) -> bool:
        """Whether the edition is published with the evaluation that its refresh makes."""
        return Store(self.root).exists(row_file(evaluation_of(edition, FIRST)))

    @property
    def _root_tag(self) -> str:
        return f"{_ROOT_TAG}{without_credentials(self.root)}"

    async def _find_interrupted(self, client: PrefectClient, tell: Tell) -> FlowRun | None:
        """Return the refresh that was cut off and has to be run again; None without one.

        Runs whose process is gone are marked so: they would hold their place for ever. Of refreshes that fell
        due while nobody served Prefect keeps all: one of them is left, which then runs.
        """
        deployments = [await _find_deployment(client, flow) for flow in _DEPLOYED]
        ids = [deployment.id for deployment in deployments if deployment is not None]
        if deployments[0] is None:
            return None
        self._refuse_other_root(deployments[0])
        if self.owns_server:
            for run in await read_runs(client, ids, states=_UNDER_WAY):
                await client.set_flow_run_state(run.id, Crashed(message=_CUT_OFF), force=True)
        now = datetime.now(UTC)
        missed = await read_runs(client, ids[:1], states=[StateType.SCHEDULED], before=now, limit=_MISSED)
        for run in missed[1:]:
            await client.delete_flow_run(run.id)
        if missed:
            times = "once" if len(missed) == 1 else f"{len(missed)} times"
            tell(f"a refresh was due {times} while perennial serve was not running: starting one now")
            return None
        latest = await read_runs(client, ids[:1], before=now, limit=1)
        if not latest or latest[0].state is None or not latest[0].state.is_crashed():
            return None
        if not _are_valid(latest[0].parameters):
            return None
        tell(f"the last refresh was interrupted ({latest[0].state.message}): resuming it now")
        return latest[0]

    def _refuse_other_root(self, deployment: DeploymentResponse) -> None:
        roots = [tag.removeprefix(_ROOT_TAG) for tag in deployment.tags if tag.startswith(_ROOT_TAG)]
        root = without_credentials(self.root)
        if roots and root not in roots and not self.owns_server:
            raise InvalidOption(
                f"deployment {grow_edition.name!r} on that Prefect server serves the data root {roots[0]!r}, "
                f"not {root!r}: a server serves one root; use another server, or remove the deployment with "
                f"`prefect deployment delete {grow_edition.name}/{grow_edition.name}`"
            )


async def _refuse_unknown_parameters(
    client: PrefectClient, deployment_id: UUID, flow: Flow[..., Any]
) -> None:
    """Let the server refuse a run with a parameter that the flow does not have; else only the flow does."""
    schema = {**flow.parameters.model_dump(exclude_unset=True), "additionalProperties": False}
    update = DeploymentUpdate(parameter_openapi_schema=schema)
    await client.update_deployment(deployment_id, update)


def _are_valid(parameters: JsonObject) -> bool:
    """Whether a run with these parameters would start, or be refused again."""
    try:
        grow_edition.validate_parameters(parameters)
    except (ParameterTypeError, SignatureMismatchError):
        return False
    return True


async def _find_deployment(client: PrefectClient, flow: Flow[..., Any]) -> DeploymentResponse | None:
    try:
        return await client.read_deployment_by_name(f"{flow.name}/{flow.name}")
    except ObjectNotFound:
        return None


async def _wait_started(runner: Runner, serving: "asyncio.Task[None]") -> None:
    while not runner.started and not serving.done():
        await asyncio.sleep(0.05)


async def _stop_runs(
    client: PrefectClient, runner: Runner, ids: list[UUID], serving: "asyncio.Task[None]", tell: Tell
) -> None:
    """End the runs under way and the runner; what was under way is marked as cut off.

    Should the server hang or be gone, then the end comes without its word after a while.
    """
    leave_after(_END_S)
    cut_off = await read_runs(client, ids, states=_UNDER_WAY)
    going_on = "; the interrupted run resumes when this is started again" if cut_off else ""
    tell(f"stopping{going_on}")
    if runner.started:
        await runner.astop()
    await asyncio.gather(serving, return_exceptions=True)
    # Print what is still to be said of them.
    await APILogHandler.aflush()
    for run in cut_off:
        now = await client.read_flow_run(run.id)
        if now.state is None or not now.state.is_completed():
            await client.set_flow_run_state(run.id, Crashed(message=STOPPED), force=True)


async def _either(*work: Any) -> None:
    """Wait until one of them is done; raise what ended it."""
    tasks = [asyncio.ensure_future(part) for part in work]
    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        task.result()


# Who may call a Prefect server that others have started: this process may, and strangers may not.

_ANSWER_S = 5.0
_REMEDY = (
    "start it with PREFECT_SERVER_API_AUTH_STRING and set PREFECT_API_AUTH_STRING here to the same string "
    "(docs/operate.md)"
)


async def require_access(client: PrefectClient) -> None:
    """Raise PerennialError where the server does not answer, or does not take this process's credentials."""
    error = await client.api_healthcheck()
    if error is not None:
        raise PerennialError(
            f"no Prefect server answers at {client.api_url} ({type(error).__name__}): start it with "
            "`prefect server start`, or unset PREFECT_API_URL for an embedded one"
        )
    try:
        await client.api_version()
    except PrefectHTTPStatusError as refusal:
        if refusal.response.status_code != HTTPStatus.UNAUTHORIZED:
            raise
        raise InvalidOption(
            f"the Prefect server at {client.api_url} demands credentials and refuses those given: set "
            "PREFECT_API_AUTH_STRING to its PREFECT_SERVER_API_AUTH_STRING"
        ) from None


def refuse_open_server(api_url: str, warn: Callable[[str], None]) -> None:
    """Raise InvalidOption where the server takes calls without credentials from other machines.

    Whoever calls it starts runs with settings of his own beside the operator's key. On this machine alone
    that is a warning: the websites in its users' browsers are the callers then.
    """
    url = without_credentials(api_url)
    if not _answers_anybody(url):
        return
    if not is_loopback(urlsplit(url)):
        raise InvalidOption(
            f"the Prefect server at {url} takes calls from anybody without credentials, who could start runs "
            f"with your keys: {_REMEDY}"
        )
    warn(f"warning: the Prefect server at {url} takes calls from any website in a browser here: {_REMEDY}")


def _answers_anybody(url: str) -> bool:
    # Nothing secret is sent, so that the certificate does not matter; a redirect leads to a login.
    with httpx.Client(verify=False, trust_env=not is_loopback(urlsplit(url)), timeout=_ANSWER_S) as client:
        try:
            return client.get(f"{url.rstrip('/')}/admin/version").status_code == HTTPStatus.OK
        except httpx.HTTPError:
            return False
