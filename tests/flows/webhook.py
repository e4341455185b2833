"""A local webhook for tests."""

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Hook:
    """A local HTTP server that keeps what it receives."""

    url: str = ""
    taken: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def running_hook(status: int = 204, delay: float = 0.0) -> Iterator[Hook]:
    """Run a server that answers each POST with this status, after so many seconds."""
    told = Hook()
    leave = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told.taken.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            leave.wait(delay)
            self.send_response(status)
            self.send_header("Location", "http://127.0.0.1:1/elsewhere")
            self.end_headers()

        def log_message(self, *_arguments: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.url = f"http://me:secret-word@127.0.0.1:{server.server_port}/secret-path?token=secret-query"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield told
    finally:
        leave.set()
        server.shutdown()
        server.server_close()
