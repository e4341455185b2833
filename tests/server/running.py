"""A scripted server for as long as a test needs it."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from urllib.parse import urlsplit

from aiohttp import web

from tests.server.app import ScriptedServer
from tests.server.log import LogLine, parse_log
from tests.server.options import ServerOptions, check_options, load_roles

_POLL_S = 0.01


@dataclass(frozen=True, slots=True)
class Status:
    """How far a server is: answers so far, whether it holds all else, and how many replies wait for that."""

    answered: int
    held: bool
    waiting: int


class RunningServer:
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


@contextmanager
def running_server(options: ServerOptions) -> Iterator[RunningServer]:
    """Yield a server that answers, on a free port where `options.port` is 0; it ends with the block.

    It runs in a thread of this process: a process of its own would take longer to start than most tests last.
    """
    roles = load_roles(options.roles)
    check_options(options, roles)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    runner = make_runner(ScriptedServer(options, roles))
    try:
        yield RunningServer(asyncio.run_coroutine_threadsafe(listen(runner, options), loop).result())
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def make_runner(server: ScriptedServer) -> web.AppRunner:
    """What serves it; a client that goes away cancels its handler, so that the log learns of it."""
    return web.AppRunner(
        server.application(), access_log=None, handler_cancellation=True, shutdown_timeout=0.1
    )


async def listen(runner: web.AppRunner, options: ServerOptions) -> str:
    """Begin to answer, and return the base URL."""
    await runner.setup()
    await web.TCPSite(runner, options.host, options.port, backlog=1024).start()
    host, port = runner.addresses[0][:2]
    return f"http://{host}:{port}/v1"
