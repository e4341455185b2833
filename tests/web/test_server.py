"""`perennial web` as a process: where it listens, what it refuses, how it ends, what it imports."""

import asyncio
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.cli.look import web
from perennial.flows.web.address import Address, check_address, open_port
from perennial.flows.web.server import SameOrigin
from perennial.schemas.errors import InvalidOption

COMMAND = (sys.executable, "-m", "perennial.flows.cli.app", "web")
STUDY = """
import sys
from streamlit.testing.v1 import AppTest
from perennial.flows.web.address import Site, serve_site
serve_site(Site({root!r}, {study!r}))
page = AppTest.from_file({script!r}).run(timeout=30)
names = ("perennial.flows.web.explorer", "perennial.flows.web.shared_pages")
explorer = [name for name in sys.modules if name.startswith(names)]
print(len(page.sidebar), explorer)
"""


@contextmanager
def served(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the command; yield its process and the URL that it printed."""
    command = [*COMMAND, "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            # Before it stands a note where the data root is not there.
            line = next(line for line in process.stdout if "http" in line)
            found = re.search(r"https?://127\.0\.0\.1:\d+", line)
            assert found
            yield process, found[0]
        finally:
            process.kill()


@pytest.mark.slow
def test_it_serves_with_a_policy_until_ctrl_c(tmp_path: Path) -> None:
    with served("--root", str(tmp_path)) as (process, url):
        with urllib.request.urlopen(url) as reply:
            headers = reply.headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]
        _end(process, signal.SIGINT, 130)
    assert not (tmp_path / "none").exists()


@pytest.mark.slow
def test_a_website_that_rebinds_its_name_gets_no_page_and_no_session(tmp_path: Path) -> None:
    with served("--root", str(tmp_path)) as (process, url):
        port = int(url.rpartition(":")[2])
        _require_no_session(port)
        _require_no_page(port)
        _end(process, signal.SIGTERM, 143)


def _end(process: subprocess.Popen[str], number: signal.Signals, code: int) -> None:
    process.send_signal(number)
    assert process.wait(20) == code
    assert process.stderr is not None
    assert process.stderr.read() == ""


def _require_no_session(port: int) -> None:
    handshake = (
        "GET /_stcore/stream HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        "Sec-WebSocket-Version: 13\r\n\r\n"
    )
    own = f"127.0.0.1:{port}"
    answers = []
    for host, origin in (
        (own, f"http://{own}"),
        (f"localhost:{port}", f"http://localhost:{port}"),
        (f"evil.example:{port}", f"http://evil.example:{port}"),
        (own, "http://evil.example"),
        (own, f"http://127.0.0.1:{port + 1}"),
        (own, f"https://{own}"),
        (own, f"http://localhost:{port}"),
        (own, "http://127.0.0.1"),
        (own, f"http://{own}.evil.example"),
        (own, f"http://{own}@evil.example"),
        (own, "null"),
        (own, ""),
    ):
        with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
            line.sendall(handshake.format(host=host, origin=origin).encode())
            answers.append(line.recv(12).split()[1])
    assert answers == [b"101", b"101", *[b"403"] * 10]


def _require_no_page(port: int) -> None:
    asked = {
        f"Host: 127.0.0.1:{port}\r\n": b"200",
        "Host: localhost\r\n": b"200",
        f"Host: [::1]:{port}\r\n": b"200",
        f"Host: evil.example:{port}\r\n": b"421",
        f"Host: localhost.evil.example:{port}\r\n": b"421",
        f"Host: 127.0.0.1@evil.example:{port}\r\n": b"421",
        f"Host: 127.0.0.1.:{port}\r\n": b"421",
    }
    answers = {}
    for path in ("/", "/_stcore/health", "/_stcore/host-config", "/media/x"):
        for header in asked:
            with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
                line.sendall(f"GET {path} HTTP/1.1\r\n{header}Connection: close\r\n\r\n".encode())
                answers[path, header] = line.makefile("rb").readline().split()[1]
    own = {key: answer for key, answer in answers.items() if asked[key[1]] == b"200"}
    foreign = {key: answer for key, answer in answers.items() if key not in own}
    assert set(foreign.values()) == {b"421"}
    assert {answer for (path, _), answer in own.items() if path != "/media/x"} == {b"200"}


@pytest.mark.parametrize(
    ("host", "port", "behind_proxy", "names"),
    [
        ("127.0.0.1", 0, False, ("localhost", "127.0.0.1", "[::1]", "::1", "127.0.0.1")),
        ("127.0.0.7", 0, False, ("localhost", "127.0.0.1", "[::1]", "::1", "127.0.0.7")),
        ("127.0.0.1", 0, True, None),
        ("0.0.0.0", 0, False, None),
    ],
)
def test_only_who_lets_others_in_is_asked_for_under_any_name(
    host: str, port: int, behind_proxy: bool, names: tuple[str, ...] | None
) -> None:
    assert Address(host, port, behind_proxy=behind_proxy).names == names


@pytest.mark.parametrize(
    ("behind_proxy", "headers", "allowed"),
    [
        (False, {"host": "a.example:80", "origin": "http://a.example"}, True),
        (False, {"host": "a.example", "origin": "http://A.example:80"}, True),
        (False, {"host": "a.example", "origin": "https://a.example"}, False),
        (False, {"host": "a.example", "origin": "http://a.example:99999"}, False),
        (False, {"host": "a.example"}, False),
        (True, {"host": "a.example", "origin": "https://a.example"}, True),
        (True, {"host": "a.example", "origin": "http://a.example"}, False),
        (True, {"host": "a.example", "origin": "https://a.example:8443"}, False),
        (True, {"host": "a.example", "origin": "http://a.example", "x-forwarded-proto": "http"}, True),
    ],
)
def test_the_origin_is_scheme_host_and_port_of_the_page(
    behind_proxy: bool, headers: dict[str, str], allowed: bool
) -> None:
    passed: list[str] = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        passed.append(scope["type"])

    async def send(message: Any) -> None:
        passed.append(message["type"])

    scope = {
        "type": "websocket",
        "scheme": "ws",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    asyncio.run(SameOrigin(app, behind_proxy)(scope, None, send))  # type: ignore[arg-type]
    assert passed == (["websocket"] if allowed else ["websocket.close"])


@pytest.mark.slow
def test_a_port_in_use_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        found = subprocess.run([*COMMAND, "--port", port], capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert found.stderr.startswith(f"perennial: error: --port {port} on 127.0.0.1 cannot be used")
    assert found.stderr.count("\n") == 1


def test_a_host_that_is_not_of_this_machine_is_named_in_place_of_the_port() -> None:
    for host in ("192.0.2.1", "nowhere.invalid"):
        with pytest.raises(InvalidOption, match=f"^--host {host}: no address of this machine .*give one"):
            open_port(Address(host, 0, behind_proxy=True))


def test_others_are_let_in_with_tls_or_behind_a_proxy_alone(tmp_path: Path) -> None:
    for host in ("0.0.0.0", "192.0.2.1", "example.org", "::"):
        with pytest.raises(InvalidOption, match="--tls-cert"):
            check_address(Address(host, 0))
        check_address(Address(host, 0, behind_proxy=True))
    for host in ("127.0.0.1", "::1", "localhost"):
        check_address(Address(host, 0))
    with pytest.raises(InvalidOption, match="belong together"):
        check_address(Address("127.0.0.1", 0, certificate=tmp_path / "c.pem"))
    (tmp_path / "c.pem").write_text("none")
    with pytest.raises(InvalidOption, match="no certificate"):
        check_address(Address("0.0.0.0", 0, tmp_path / "c.pem", tmp_path / "c.pem"))


def test_a_missing_extra_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str) -> ModuleSpec | None:
        return None if name == "streamlit" else ModuleSpec(name, None)

    monkeypatch.setattr(web, "find_spec", find)
    with pytest.raises(InvalidOption, match=r"pip install -e '\.\[web\]'"):
        web.web(port=0)


@pytest.mark.slow
def test_a_study_shows_nothing_else(tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.touch()
    script = str(Path(web.__file__).parents[2] / "web" / "app.py")
    code = STUDY.format(root=str(tmp_path), study=str(study), script=script)
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1].endswith("0 []")
