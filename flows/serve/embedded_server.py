"""The embedded Prefect server: a child process that ends with its parent, however that ends.

Prefect's own ephemeral server outlives a parent that was killed. This one reads its standard input
and leaves when it closes, which the operating system does for a dead parent too.

A command begins the process as soon as its arguments are valid (`begin_server`): libraries are imported while
it plans, and nothing is written anywhere before the server is entered.

It listens on 127.0.0.1, behind `server_guard.py`, and its API demands an auth string that is drawn at each
start. The string is passed in the environment of this process, the server and their children alone.
"""

import json
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import IO

from perennial.flows.process import collect_seldom
from perennial.flows.serve.free_space import require_space
from perennial.flows.serve.prefect_environment import bypass_proxies, keep_prefect_from_proxies
from perennial.schemas.errors import ServerEnded

START_TIMEOUT_S = 180.0
_POLL_S = 0.05
_SIGN_IN_PATH = "/open"
_CLIENT_AUTH = "PREFECT_API_AUTH_STRING"
# The server of one run shows no pages, has no automations and offers no blocks.
_FOR_ONE_RUN = {
    "PREFECT_UI_ENABLED": "false",
    "PREFECT_SERVER_UI_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED": "false",
    "PREFECT_API_BLOCKS_REGISTER_ON_START": "false",
    # It would import every Prefect package that is installed, prefect-dask among them.
    "PREFECT_SERVER_MEMOIZE_BLOCK_AUTO_REGISTRATION": "false",
}
# What Prefect's server imports, as far as it is installed: half of the time until it is up.
_LIBRARIES = (
    *("uvicorn", "fastapi", "sqlalchemy.ext.asyncio", "docket", "httpx", "pydantic_settings"),
    *("asyncpg", "griffe", "jsonschema", "jinja2", "rich.console"),
)
# A server that waits for months: what checks every few seconds whether somebody paused a run checks every
# minute, and nothing looks after workers, of which it has none. The operator's environment goes before these.
_WHILE_IDLE = {
    "PREFECT_SERVER_SERVICES_FOREMAN_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_CANCELLATION_CLEANUP_LOOP_SECONDS": "60",
    "PREFECT_SERVER_SERVICES_CLEANUP_RECONCILER_LOOP_SECONDS": "60",
    "PREFECT_SERVER_SERVICES_LATE_RUNS_LOOP_SECONDS": "60",
    "PREFECT_SERVER_SERVICES_PAUSE_EXPIRATIONS_LOOP_SECONDS": "60",
    "PREFECT_SERVER_SERVICES_REPOSSESSOR_LOOP_SECONDS": "60",
    "PREFECT_SERVER_SERVICES_SCHEDULER_RECENT_DEPLOYMENTS_LOOP_SECONDS": "15",
    "PREFECT_SERVER_EVENTS_PROACTIVE_GRANULARITY": "PT60S",
}


class EmbeddedServer:
    """Starts on entering, is waited for by `wait_ready`, and stops on leaving.

    With PREFECT_API_URL in the environment that server is used, and nothing is started. With `scheduling`
    the server has its user interface and runs schedules; without, it only keeps book of a run. `port` 0
    is any free one.
    """

    def __init__(self, home: Path, *, scheduling: bool = False, port: int = 0) -> None:
        self._home = home
        self._scheduling = scheduling
        self._port = port
        self._log_path = home / "server.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._url = ""
        self._auth_string = ""
        self._client_auth_before: str | None = None
        self._stopping = False

    def __enter__(self) -> "EmbeddedServer":
        if os.environ.get("PREFECT_API_URL"):
            return self
        require_space(self._home)
        bypass_proxies()
        port = self._port or free_port()
        self._url = f"http://127.0.0.1:{port}/api"
        self._auth_string = f"perennial:{secrets.token_urlsafe(32)}"
        self._log_path.write_bytes(b"")
        begin_server()
        self._process = _begun.pop()
        environment = {**(_WHILE_IDLE if self._scheduling else {}), **os.environ, **self._settings}
        order = json.dumps([environment, str(self._log_path), port, self._scheduling])
        # Broken: it has ended, which `wait_ready` says.
        with suppress(BrokenPipeError):
            _input_of(self._process).write(f"{order}\n".encode())
            _input_of(self._process).flush()
        # At once: Prefect reads it when it is first imported.
        os.environ["PREFECT_API_URL"] = self._url
        self._client_auth_before = os.environ.get(_CLIENT_AUTH)
        os.environ[_CLIENT_AUTH] = self._auth_string
        keep_prefect_from_proxies()
        return self

    @property
    def is_own(self) -> bool:
        """Whether the server was started here, and is nobody else's."""
        return self._process is not None

    @property
    def pages(self) -> str:
        """The URL of the server's pages, which ask for the auth string."""
        return os.environ["PREFECT_API_URL"].removesuffix("/api")

    @property
    def sign_in_link(self) -> str:
        """The URL that opens the pages of an own server: a secret."""
        return f"{self.pages}{_SIGN_IN_PATH}#{self._auth_string}"

    def when_ended(self, then: Callable[[], None]) -> None:
        """Call this, from a thread of its own, should the server end before it is asked to."""
        process = self._process

        def watch() -> None:
            if process is not None:
                process.wait()
                if not self._stopping:
                    then()

        threading.Thread(target=watch, daemon=True).start()

    @property
    def _settings(self) -> dict[str, str]:
        settings = {"PREFECT_SERVER_API_AUTH_STRING": self._auth_string}
        if not self._scheduling:
            return {**_FOR_ONE_RUN, **settings}
        return {
            **settings,
            "PREFECT_SERVER_UI_API_URL": self._url,
            # Prefect would write its pages beside its own code, which may be read-only or another server's.
            "PREFECT_SERVER_UI_STATIC_DIRECTORY": str(self._home / "ui"),
        }

    def wait_ready(self) -> None:
        """Return when the server answers; raise ServerEnded if it does not."""
        if self._process is None:
            return
        deadline = time.monotonic() + START_TIMEOUT_S
        while not _answers(f"{self._url}/health"):
            ended = self._process.poll() is not None
            if ended or time.monotonic() > deadline:
                outcome = "ended at once" if ended else f"did not start within {START_TIMEOUT_S:.0f} s"
                raise ServerEnded(
                    f"the embedded Prefect server {outcome}: see {self._log_path}, or start one with "
                    "`prefect server start` and set PREFECT_API_URL"
                )
            time.sleep(_POLL_S)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is None:
            return
        self._stopping = True
        os.environ.pop("PREFECT_API_URL", None)
        os.environ.pop(_CLIENT_AUTH, None)
        if self._client_auth_before is not None:
            os.environ[_CLIENT_AUTH] = self._client_auth_before
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with suppress(BrokenPipeError):
            _input_of(self._process).close()


# The process that was begun and is not in use yet: it ends with this one, as one in use does.
_begun: list[subprocess.Popen[bytes]] = []


def begin_server() -> None:
    """Start a process that imports what a server needs, and waits for `EmbeddedServer` to be entered.

    Nothing is started where PREFECT_API_URL names a server.
    """
    if _begun or os.environ.get("PREFECT_API_URL"):
        return
    process = subprocess.Popen(
        # -P: a folder called `warehouse` in the current one is not our package.
        [sys.executable, "-P", "-m", "perennial.flows.serve.embedded_server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    _begun.append(process)


def _input_of(process: subprocess.Popen[bytes]) -> IO[bytes]:
    assert process.stdin is not None
    return process.stdin


def free_port(wanted: int = 0) -> int:
    """Return the wanted port, or any free one where 0 is wanted; raise OSError where it is taken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", wanted))
        port: int = probe.getsockname()[1]
        return port


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:
            return bool(reply.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _read_order(orders: "SimpleQueue[bytes]") -> None:
    """Read the line that says what to serve, and end this process when its parent is gone."""
    # Not by sys.stdin: a thread that waits inside of it aborts an interpreter that ends by itself.
    line = b""
    while part := os.read(0, 1 << 16):
        line += part
        if part.endswith(b"\n"):
            orders.put(line)
    os._exit(0)


def _wait_and_serve() -> None:
    orders: SimpleQueue[bytes] = SimpleQueue()
    # Before the imports, which take seconds: the parent may be gone by then.
    threading.Thread(target=_read_order, args=(orders,), daemon=True).start()
    collect_seldom()
    for name in _LIBRARIES:
        with suppress(ImportError):
            import_module(name)
    environment, log, port, scheduling = json.loads(orders.get())
    os.environ.clear()
    os.environ.update(environment)
    with open(log, "ab") as file:
        for output in (1, 2):
            os.dup2(file.fileno(), output)
    _serve(port, scheduling=scheduling)


def _serve(port: int, *, scheduling: bool) -> None:
    from perennial.flows.serve.prefect_retention import prepare_database, trim_at_start
    from perennial.flows.serve.server_guard import OwnAddressOnly, data_docs, own_origins, sign_in_page

    # Prefect reads it when it is first imported, and would allow every origin.
    os.environ["PREFECT_SERVER_API_CORS_ALLOWED_ORIGINS"] = ",".join(own_origins(port))
    home = Path(os.environ["PREFECT_HOME"])
    if prepare_database(home):
        os.environ.setdefault("PREFECT_SERVER_DATABASE_MIGRATE_ON_START", "false")
    trim_at_start(home, again=scheduling)
    import uvicorn
    from prefect.server.api.server import create_app

    # An ephemeral server leaves out its pages and most of its services, the scheduler among them.
    app = create_app(ephemeral=not scheduling)
    if scheduling:
        _check_every_second()
        app.router.routes[:0] = [sign_in_page(_SIGN_IN_PATH), data_docs(home)]
    uvicorn.run(OwnAddressOnly(app, port), host="127.0.0.1", port=port, log_level="error", lifespan="on")


def _check_every_second() -> None:
    """Let Prefect look for work in the background once a second: four times a second costs 1% of a core."""
    from docket import Worker
    from prefect.server.api import background_workers

    second = timedelta(seconds=1)
    patient = partial(Worker, scheduling_resolution=second, minimum_check_interval=second)
    setattr(background_workers, "Worker", patient)  # noqa: B010  Prefect has no setting for it


if __name__ == "__main__":
    _wait_and_serve()
