"""A cancellation that comes while an edition is being published: it ends as published, and says so."""

import asyncio
import os
import signal
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from prefect.client.schemas.objects import FlowRun
from prefect.states import Cancelled

from perennial.flows.console.interrupts import Interrupted, signals_interrupt
from perennial.flows.refresh import publish
from perennial.flows.serve.run_news import RunNews
from perennial.warehouse.catalog.catalog import row_file
from perennial.warehouse.store.store import Store
from tests.flows.grown_root import grow_next, settings_of


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
    """What `RunNews` asks of Prefect's client, with two cancelled runs."""

    def __init__(self) -> None:
        self.deployment = uuid4()
        self.runs = [
            FlowRun(
                flow_id=uuid4(),
                deployment_id=self.deployment,
                name=name,
                tags=["perennial", f"edition:{name}"],
                state=Cancelled(message="by hand"),
            )
            for name in ("early", "late")
        ]
        self.forced: list[tuple[Any, str, str]] = []

    async def read_deployment(self, _of: Any) -> FlowRun:
        return FlowRun(flow_id=uuid4(), name="refresh")

    async def read_flow_runs(self, *, flow_run_filter: Any, **_which: Any) -> list[FlowRun]:
        wanted = flow_run_filter.state.type.any_
        return [run for run in self.runs if run.state is not None and run.state.type in wanted]

    async def set_flow_run_state(self, run: Any, state: Any, force: bool) -> None:
        assert force
        self.forced.append((run, state.type.value, state.message))


def test_a_run_that_was_cancelled_too_late_ends_as_published_and_says_so() -> None:
    server, told = Server(), []
    began = datetime(2026, 1, 1, tzinfo=UTC)
    news = RunNews(server, [server.deployment], began, told.append, lambda edition: edition == "late")  # type: ignore[arg-type]

    async def tell_twice() -> None:
        for _ in range(2):
            await news._tell_once()

    asyncio.run(tell_twice())
    said = "edition late is published: it was cancelled while it was being published"
    assert server.forced[0] == (server.runs[1].id, "COMPLETED", said)
    assert sorted(told) == [
        "refresh early was cancelled: by hand",
        f"refresh late has ended: {said}",
    ]
