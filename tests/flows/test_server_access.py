"""`perennial serve` beside a Prefect server that others have started: who may call it."""

import http.server
import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from perennial.schemas.errors import InvalidOption
from tests.flows.test_serve import serve


@contextmanager
def standing_in(host: str, auth_string: str = "") -> Iterator[str]:
    """Answer as a Prefect server does at its first calls, with its rule of access; yield its API's URL."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            allowed = not auth_string or self.path.endswith("/health")
            body = json.dumps("3.8.8" if self.path.endswith("version") else True).encode()
            self.send_response(200 if allowed else 401)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("0.0.0.0", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://{host}:{server.server_port}/api"
    finally:
        server.shutdown()
        server.server_close()


# Of the addresses that name this machine, 0.0.0.0 is none of the loopback's.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("host", "auth_string", "refused", "warned"),
    [
        ("0.0.0.0", "", True, False),
        ("127.0.0.1", "", False, True),
        ("localhost", "", False, True),
        ("0.0.0.0", "user:password", False, False),
        ("127.0.0.1", "user:password", False, False),
    ],
)
def test_a_server_that_anybody_may_call_is_refused_or_warned_of(
    host: str, auth_string: str, refused: bool, warned: bool
) -> None:
    from perennial.flows.serve.serve import refuse_open_server

    warnings: list[str] = []
    with standing_in(host, auth_string) as url:
        if refused:
            with pytest.raises(
                InvalidOption, match=r"takes calls from anybody.*PREFECT_SERVER_API_AUTH_STRING"
            ):
                refuse_open_server(url, warnings.append)
        else:
            refuse_open_server(url, warnings.append)
    assert len(warnings) == warned
    assert all("PREFECT_SERVER_API_AUTH_STRING" in warning for warning in warnings)


@pytest.mark.parametrize(
    ("host", "auth_string", "message"),
    [
        ("0.0.0.0", "", "takes calls from anybody without credentials"),
        (
            "127.0.0.1",
            "user:password",
            "demands credentials and refuses those given: set PREFECT_API_AUTH_STRING",
        ),
    ],
)
@pytest.mark.slow
def test_serve_ends_with_one_line_where_it_or_strangers_have_the_wrong_access(
    tmp_path: Path, host: str, auth_string: str, message: str
) -> None:
    with standing_in(host, auth_string) as url:
        serving = serve(tmp_path, PREFECT_API_URL=url)
        try:
            assert serving.wait(timeout=120) == 2, (tmp_path / "out.txt").read_text()
        finally:
            if serving.poll() is None:
                os.killpg(serving.pid, signal.SIGKILL)
                serving.wait()
    errors = [line for line in (tmp_path / "out.txt").read_text().splitlines() if "error" in line.lower()]
    assert len(errors) == 1
    assert message in errors[0]
