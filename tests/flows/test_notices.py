"""The webhook: what it receives, and that nothing of it is ever fatal or gives its secrets away."""

import socket
from pathlib import Path

import pytest
from rich.console import Console

from perennial.flows.console import progress
from perennial.flows.watchers import watcher as notices
from perennial.flows.watchers.watcher import Notices, Watchers, without_credentials
from perennial.schemas.errors import EndpointFailed
from tests.flows.prefect_harness import Harness
from tests.flows.webhook import running_hook

REFRESH = ("refresh", "--domains", "chemical_analysis", "--settings", "4x5", "--instances", "2")


def print_while_failing(url: str) -> str:
    """Tell of a failure and return what the operator saw."""
    console = Console(record=True, quiet=True, width=200)
    with progress.show_on(console), console.capture() as capture:
        console.quiet = False
        Watchers([Notices(url, "s3://key:word@bucket/data?x=1", "kumo", "e", "0.1")]).failed(
            EndpointFailed("why")
        )
    return capture.get()


@pytest.mark.slow
def test_a_failed_refresh_is_told_with_its_exit_code(harness: Harness, tmp_path: Path) -> None:
    with running_hook() as told:
        options = ("--edition", "e", "--players", "m", "--base-url", "http://127.0.0.1:1/v1")
        more = ("--max-attempts", "1", "--webhook", told.url)
        done = harness.perennial(*REFRESH, *options, *more, "--root", "data", cwd=tmp_path)
    assert done.returncode == 6
    (document,) = told.taken
    assert (document["event"], document["edition"], document["counts"]) == ("failed", "e", {})
    assert document["evaluation"] == "1"
    assert document["error"]["type"] == "EndpointFailed"
    assert document["error"]["exit_code"] == 6
    assert document["error"]["message"] in " ".join(done.stderr.split())


@pytest.mark.slow
@pytest.mark.parametrize("status", [500, 302])
def test_a_hook_that_refuses_is_asked_twice_and_named_by_its_host(
    monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setattr(notices, "_PAUSE_S", 0.0)
    with running_hook(status) as told:
        shown = print_while_failing(told.url)
    assert len(told.taken) == 2
    assert told.taken[0]["root"] == "s3://bucket/data"
    assert f"the webhook at 127.0.0.1 did not receive the message: it answered {status}" in shown
    assert "secret" not in shown


def test_a_hook_that_is_down_is_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "_PAUSE_S", 0.0)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/secret-path"
        shown = print_while_failing(url)
    assert "the webhook at 127.0.0.1 did not receive the message: ConnectError" in shown
    assert "secret" not in shown


@pytest.mark.slow
def test_a_hook_that_hangs_is_left_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "_PAUSE_S", 0.0)
    monkeypatch.setattr(notices, "TIMEOUT_S", 0.5)
    # Waited for, it would receive the message.
    with running_hook(delay=30) as told:
        shown = print_while_failing(told.url)
    assert "did not receive the message" in shown


@pytest.mark.parametrize(
    ("root", "shown"),
    [
        ("warehouse/data", "warehouse/data"),
        ("s3://bucket/data", "s3://bucket/data"),
        ("s3://key:word@bucket/data?token=x", "s3://bucket/data"),
    ],
)
def test_a_root_is_told_without_its_secrets(root: str, shown: str) -> None:
    assert without_credentials(root) == shown
