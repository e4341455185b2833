"""Headless Chromium, where the machine has it."""

import shutil
import subprocess
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# For Playwright: what a page of a test needs no process for.
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-extensions", "--disable-background-networking")


def open_page(url: str, profile: Path, *flags: str) -> "subprocess.CompletedProcess[str]":
    """Open a page and return what Chromium printed: its DOM, and its log."""
    command = _command(profile, *flags, "--dump-dom", url)
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)


def visit(page: str, profile: Path, patience: float = 120) -> str:
    """Serve a page, open it, and return what its script posts to /found within `patience` seconds."""
    found: Queue[str] = Queue()

    class Website(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(page.encode())

        def do_POST(self) -> None:
            found.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self._answer(b"")

        def _answer(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Website) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/"
        with subprocess.Popen(
            _command(profile, "--remote-debugging-port=0", url),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as browser:
            try:
                return found.get(timeout=patience)
            finally:
                browser.kill()
                server.shutdown()


def _command(profile: Path, *arguments: str) -> Sequence[str]:
    return [
        str(CHROMIUM),
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        *("--enable-logging=stderr", "--v=0", f"--user-data-dir={profile}"),
        *arguments,
    ]
