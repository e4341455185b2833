"""The embedded Prefect server: a child process that ends with its parent, however that ends.

Prefect's own ephemeral server outlives a parent that was killed. This one reads its standard input
and leaves when it closes, which the operating system does for a dead parent too.
"""

import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import IO

from schemas.errors import PerennialError

START_TIMEOUT_S = 180.0
_POLL_S = 0.1


class EmbeddedServer:
    """Starts on entering, is waited for by `wait_ready`, and stops on leaving.

    With PREFECT_API_URL in the environment that server is used, and nothing is started.
    """

    def __init__(self, home: Path) -> None:
        self._log_path = home / "server.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None
        self._url = ""

    def __enter__(self) -> "EmbeddedServer":
        if os.environ.get("PREFECT_API_URL"):
            return self
        port = _free_port()
        self._url = f"http://127.0.0.1:{port}/api"
        self._log = self._log_path.open("wb")
        self._process = subprocess.Popen(
            # -P: a folder called `warehouse` in the current one is no package of ours.
            [sys.executable, "-P", "-m", "flows.embedded_server", str(port)],
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, "PREFECT_UI_ENABLED": "false", "PREFECT_SERVER_UI_ENABLED": "false"},
        )
        return self

    def wait_ready(self) -> None:
        """Return when the server answers, and let Prefect know it; raise PerennialError if it does not."""
        if self._process is None:
            return
        deadline = time.monotonic() + START_TIMEOUT_S
        while not _answers(f"{self._url}/health"):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise PerennialError(
                    f"the embedded Prefect server did not start within {START_TIMEOUT_S:.0f} s: see "
                    f"{self._log_path}, or start one with `prefect server start` and set PREFECT_API_URL"
                )
            time.sleep(_POLL_S)
        os.environ["PREFECT_API_URL"] = self._url

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is None:
            return
        os.environ.pop("PREFECT_API_URL", None)
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self._log is not None:
            self._log.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:
            return bool(reply.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _leave_with_parent() -> None:
    # Not by sys.stdin: a thread that waits inside of it aborts an interpreter that ends by itself.
    while os.read(0, 1024):
        pass
    os._exit(0)


def _serve(port: int) -> None:
    import uvicorn
    from prefect.server.api.server import create_app

    threading.Thread(target=_leave_with_parent, daemon=True).start()
    uvicorn.run(create_app(ephemeral=True), host="127.0.0.1", port=port, log_level="error", lifespan="on")


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
