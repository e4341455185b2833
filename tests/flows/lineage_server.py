"""An HTTP endpoint for lineage events that behaves well, or badly in one way."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Behaviour = Literal["well", "500", "hangs", "drips", "500 twice"]


@dataclass
class Received:
    """What the endpoint was sent: events, paths and headers, a request each; and its URL."""

    url: str = ""
    events: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


@contextmanager
def lineage_server(behaviour: Behaviour) -> Iterator[Received]:
    """Run an endpoint and yield what it receives; what it does not answer well is received, too."""
    received = Received()
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            received.events.append(json.loads(content))
            received.paths.append(self.path)
            received.keys.append(self.headers.get("Authorization"))
            if behaviour == "hangs":
                over.wait(30)
            elif behaviour == "drips":
                self.wfile.write(b"HTTP/1.1 201 Created\r\nX-Slow: ")
                # Each byte comes within any time-out, the answer never does.
                while not over.wait(0.05):
                    self.wfile.write(b"x")
                    self.wfile.flush()
            failing = behaviour == "500" or (behaviour == "500 twice" and len(received.events) <= 2)
            self.send_response(500 if failing else 201)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    received.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield received
    finally:
        over.set()
        server.shutdown()
        server.server_close()
