"""Signals during model calls: those in flight are paid for, and end before the refresh does."""

import fcntl
import os
import pty
import signal
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from perennial.schemas.units import LOOK_UP
from perennial.warehouse.ledger.reading import CallFilter, LedgerReader
from perennial.warehouse.ledger.schema import ledger_file
from tests.flows.conftest import KEY
from tests.flows.plain_audit import PLAIN_PROGRAM
from tests.flows.prefect_harness import Harness
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server

pytestmark = pytest.mark.slow

ANSWERS = 8
WAITED_FOR = "waiting for the calls in flight"
REFRESH = (
    *("refresh", "--domains", "chemical_analysis", "--settings", "easy", "--instances", "5", "--runs", "1"),
    *("--players", "scripted", "--edition", "signalled"),
)


@contextmanager
def refreshing(
    keyed_by_prefect: Harness, root: Path
) -> "Iterator[tuple[subprocess.Popen[str], RunningServer]]":
    """Yield a refresh whose calls in flight are held."""
    with running_server(ServerOptions(keys=(KEY,), hold_after=ANSWERS)) as server:
        process = keyed_by_prefect.start(*REFRESH, "--base-url", server.url, "--root", str(root), cwd=root)
        try:
            server.wait_held(waiting=2, timeout_s=240)
            yield process, server
        finally:
            process.kill()
            process.communicate()


def _count_kept(root: Path) -> int:
    """Return how many calls the ledger of the root keeps."""
    with LedgerReader(ledger_file(str(root))) as ledger:
        looked_up = ledger.totals(CallFilter(edition=LOOK_UP)).calls
        return ledger.totals(CallFilter()).calls - looked_up


def _read_until(process: "subprocess.Popen[str]", text: str) -> None:
    assert process.stdout is not None
    printed = ""
    for line in process.stdout:
        printed += line
        if text in line:
            return
    raise AssertionError(printed)


def test_a_signal_waits_for_the_calls_in_flight_and_keeps_their_replies(
    keyed_by_prefect: Harness, tmp_path: Path
) -> None:
    number = signal.SIGTERM
    with refreshing(keyed_by_prefect, tmp_path) as (process, server):
        in_flight = server.status().waiting
        process.send_signal(number)
        _read_until(process, WAITED_FOR)
        assert process.poll() is None
        server.release()
        rest, _ = process.communicate(timeout=240)
        assert process.returncode == 128 + number, rest
        assert "the same command resumes" in rest
        assert "Traceback" not in rest
        assert not [line for line in server.log() if line.outcome == "abandoned"]
        answered = server.status().answered
        assert answered >= ANSWERS + in_flight
    assert _count_kept(tmp_path) == answered


def test_a_second_signal_does_not_wait(keyed_by_prefect: Harness, tmp_path: Path) -> None:
    number = signal.SIGINT
    with refreshing(keyed_by_prefect, tmp_path) as (process, server):
        # What has been answered is on its way into the ledger.
        while _count_kept(tmp_path) < ANSWERS:
            time.sleep(0.05)
        process.send_signal(number)
        _read_until(process, WAITED_FOR)
        process.send_signal(number)
        rest, _ = process.communicate(timeout=240)
        assert process.returncode == 128 + number, rest
        assert "Traceback" not in rest
        assert server.status().answered == ANSWERS
    assert _count_kept(tmp_path) == ANSWERS


# Prefect has no part in the two that follow: it handles SIGTERM only.


def test_signals_that_are_ignored_at_the_start_stay_ignored(keyed: Harness, tmp_path: Path) -> None:
    with (
        running_server(ServerOptions(keys=(KEY,), hold_after=ANSWERS)) as server,
        subprocess.Popen(
            ["sh", "-c", """trap '' INT HUP TERM; exec "$@" """, "sh", *_refresh(server, tmp_path)],
            cwd=tmp_path,
            env=keyed.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process,
    ):
        try:
            server.wait_held(waiting=2, timeout_s=240)
            for number in (signal.SIGINT, signal.SIGHUP):
                process.send_signal(number)
            server.release()
            rest, _ = process.communicate(timeout=240)
        finally:
            process.kill()
    assert process.returncode == 0, rest
    assert "interrupted" not in rest


def _refresh(server: RunningServer, root: Path) -> tuple[str, ...]:
    return (*PLAIN_PROGRAM, *REFRESH, "--base-url", server.url, "--root", str(root))


def test_a_terminal_that_is_closed_waits_for_the_calls_in_flight(keyed: Harness, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with running_server(ServerOptions(keys=(KEY,), hold_after=ANSWERS)) as server:
        process = subprocess.Popen(
            _refresh(server, tmp_path),
            cwd=tmp_path,
            env=keyed.environment,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)
        try:
            _drain_until_held(ours, server)
            in_flight = server.status().waiting
            os.close(ours)
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(timeout=1)
            server.release()
            assert process.wait(timeout=240) == 129
            answered = server.status().answered
            assert answered >= ANSWERS + in_flight
        finally:
            process.kill()
            process.wait()
    assert _count_kept(tmp_path) == answered


def _drain_until_held(terminal: int, server: RunningServer) -> None:
    """Read what the terminal shows, as nothing is written to a full one, until replies are held."""
    os.set_blocking(terminal, False)
    for _ in range(2400):
        try:
            while os.read(terminal, 65536):
                pass
        except BlockingIOError:
            pass
        try:
            server.wait_held(waiting=2, timeout_s=0.1)
        except TimeoutError:
            continue
        return
    raise AssertionError("no replies are held")
