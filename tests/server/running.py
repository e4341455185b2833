"""A scripted server in a process of its own, for as long as a test needs it."""

import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.client import HTTPConnection
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from tests.server.command_line import to_argv
from tests.server.log import LogLine, parse_log
from tests.server.options import ServerOptions

REPOSITORY = Path(__file__).resolve().parent.parent.parent
START_TIMEOUT_S = 30.0
_STOP_TIMEOUT_S = 10.0
_POLL_S = 0.01


@dataclass(frozen=True, slots=True)
class Status:
    """How far a server is: answers so far, whether it holds all else, and how many replies wait for that."""

    answered: int
    held: bool
    waiting: int


class ServerControls:
    """What a test asks of a server. `url` is the base URL for a client and ends in /v1."""

    def __init__(self, url: str) -> None:
        self.url = url

    def status(self) -> Status:
        """Return how far the server is."""
        return Status(**json.loads(self._control("GET", "status")))

    def log(self) -> list[LogLine]:
        """Return what the server has logged so far."""
        return parse_log(self._control("GET", "log"))

    def release(self, hold_after: int | None = None, hold_batch: str | None = None) -> None:
        """Let go all that is held, or only so many more answers; hold the Batch API at another point."""
        self._control("POST", "release", json.dumps({"hold_after": hold_after, "hold_batch": hold_batch}))

    def wait_logged(self, outcome: str, times: int = 1, timeout_s: float = 120.0) -> None:
        """Return when the server has logged this outcome so often; raise TimeoutError."""
        deadline = time.monotonic() + timeout_s
        while sum(line.outcome == outcome for line in self.log()) < times:
            if time.monotonic() > deadline:
                raise TimeoutError(f"the server has not logged {outcome} {times} times")
            time.sleep(_POLL_S)

    def wait_held(self, waiting: int = 1, timeout_s: float = 30.0) -> Status:
        """Return when all answers that may go out are out and so many replies wait; raise TimeoutError."""
        deadline = time.monotonic() + timeout_s
        while not ((status := self.status()).held and status.waiting >= waiting):
            if time.monotonic() > deadline:
                raise TimeoutError(f"the server does not hold {waiting} replies: {status}")
            time.sleep(_POLL_S)
        return status

    def _control(self, method: str, name: str, body: str | None = None) -> str:
        # No urllib: it would ask a proxy that the environment names.
        connection = HTTPConnection(urlsplit(self.url).netloc, timeout=30)
        try:
            connection.request(method, f"/control/{name}", body)
            reply = connection.getresponse()
            text = reply.read().decode()
        finally:
            connection.close()
        if reply.status != 200:
            raise RuntimeError(f"/control/{name} answered {reply.status}: {text}")
        return text


class RunningServer(ServerControls):
    """A server process."""

    def __init__(self, process: subprocess.Popen[str], stderr: IO[str], url: str) -> None:
        super().__init__(url)
        self._process = process
        self._stderr = stderr

    def stop(self) -> None:
        """End the server, if it still runs, and pass on what it wrote to standard error."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if not self._stderr.closed:
            sys.stderr.write(_text_of(self._stderr))
            self._stderr.close()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


@contextmanager
def running_server(options: ServerOptions) -> Iterator[RunningServer]:
    """Yield a server that answers, on a free port where `options.port` is 0; it ends with the block.

    Raises RuntimeError, with what the server wrote to standard error, where it does not start.
    """
    server = _start(replace(options, die_with_parent=True))
    try:
        yield server
    finally:
        server.stop()


def _start(options: ServerOptions) -> RunningServer:
    stderr = tempfile.TemporaryFile("w+")  # noqa: SIM115
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.server", *to_argv(options)],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        # A test that kills its own process group must not end the server.
        start_new_session=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    server = RunningServer(process, stderr, _first_line(process))
    if not server.url:
        process.kill()
        process.wait()
        said = _text_of(stderr)
        server.stop()
        raise RuntimeError(f"the scripted server did not start within {START_TIMEOUT_S:.0f} s: {said}")
    return server


def _first_line(process: subprocess.Popen[str]) -> str:
    """Return the line that the server prints when it is ready, "" where it ended or took too long."""
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], START_TIMEOUT_S)
    return process.stdout.readline().strip() if ready else ""


def _text_of(file: IO[str]) -> str:
    file.seek(0)
    return file.read()
