"""Runs that are cancelled, too late or not, and runs that are skipped: each says why it ended."""

import asyncio
import os
import signal
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from perennial.flows.console.interrupts import Interrupted, signals_interrupt
from perennial.flows.refresh import publish
from perennial.warehouse.catalog.confinement import row_file
from perennial.warehouse.store.store import Store
from tests.flows.grown_root import grow_next, settings_of

if TYPE_CHECKING:
    from prefect.client.schemas.objects import FlowRun


@pytest.mark.slow
def test_what_is_being_published_is_published_before_a_signal_takes_effect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow_next(settings_of(tmp_path))
    write = publish.publish

    def write_in_peril(*given: Any, **more: Any) -> Any:
        os.kill(os.getpid(), signal.SIGTERM)
        return write(*given, **more)

    monkeypatch.setattr(publish, "publish", write_in_peril)
    with pytest.raises(Interrupted) as ended, signals_interrupt():
        publish.audit_and_publish(str(tmp_path), "next")
    assert ended.value.exit_code == 143
    assert Store(str(tmp_path)).exists(row_file("next"))


class Server:
    """What `RunNews` asks of Prefect's client, with these runs; it records each request."""

    def __init__(self, *runs: "FlowRun") -> None:
        self.deployment = uuid4()
        self.runs = [run.model_copy(update={"deployment_id": self.deployment}) for run in runs]
        self.forced: list[tuple[Any, str, str]] = []

    async def read_deployment(self, _of: Any) -> "FlowRun":
        from prefect.client.schemas.objects import FlowRun

        return FlowRun(flow_id=uuid4(), name="refresh")

    async def read_flow_runs(self, *, flow_run_filter: Any, **_which: Any) -> "list[FlowRun]":
        wanted = flow_run_filter.state.type.any_
        return [run for run in self.runs if run.state is not None and run.state.type in wanted]

    async def set_flow_run_state(self, run: Any, state: Any, force: bool) -> None:
        assert force
        self.forced.append((run, state.type.value, state.message))
        self._update(run, state=state.model_copy(update={"timestamp": datetime.now(UTC)}))

    async def update_flow_run(self, run: Any, name: str) -> None:
        self._update(run, name=name)

    def _update(self, run: Any, **values: Any) -> None:
        self.runs = [one.model_copy(update=values) if one.id == run else one for one in self.runs]


def run_of(name: str, state: str, *editions: str, message: str | None = None) -> "FlowRun":
    """Return a run in this state that makes these editions; who collects imports no Prefect."""
    from prefect.client.schemas.objects import FlowRun, State, StateType

    tags = ["perennial", *(f"edition:{edition}" for edition in editions)]
    return FlowRun(flow_id=uuid4(), name=name, tags=tags, state=State(type=StateType[state], message=message))


def tell_twice(server: Server, *published: str) -> list[str]:
    """Return what `RunNews` tells of the server's runs when it looks twice."""
    from perennial.flows.serve.serve import RunNews

    told: list[str] = []
    began = datetime(2026, 1, 1, tzinfo=UTC)
    news = RunNews(server, [server.deployment], began, told.append, published.__contains__)  # type: ignore[arg-type]

    async def look() -> None:
        for _ in range(2):
            await news._tell_once()

    asyncio.run(look())
    return told


def test_a_run_that_was_cancelled_too_late_ends_as_published_and_says_so() -> None:
    early, late = (run_of(name, "CANCELLED", name, message="by hand") for name in ("early", "late"))
    server = Server(early, late)
    told = tell_twice(server, "late")
    ended = "edition late is published: it was cancelled while it was being published"
    reason = "early is not published: it was cancelled, and the next refresh resumes it (by hand)"
    assert sorted(server.forced, key=lambda one: one[1]) == [
        (early.id, "CANCELLED", reason),
        (late.id, "COMPLETED", ended),
    ]
    assert sorted(told) == [f"refresh early was cancelled: {reason}", f"refresh late has ended: {ended}"]


@pytest.mark.parametrize(
    ("under_way", "name", "reason"),
    [
        (["e1"], "e1 (skipped)", "skipped: another run of it is in progress (e1)"),
        # Prefect's random name says nothing.
        ([], "steel-numbat", "skipped: another run of it is in progress"),
    ],
)
def test_a_skipped_run_says_why_and_is_named_by_the_edition_under_way(
    under_way: list[str], name: str, reason: str
) -> None:
    skipped = run_of("steel-numbat", "CANCELLED", message="Deployment concurrency limit reached.")
    server = Server(run_of(under_way[0] if under_way else "red-fox", "RUNNING", *under_way), skipped)
    told = tell_twice(server)
    assert server.forced == [(skipped.id, "CANCELLED", reason)]
    assert [run.name for run in server.runs if run.id == skipped.id] == [name]
    assert f"refresh is {reason}" in told
