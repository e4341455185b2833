"""The embedded Prefect server against websites, strangers and other host names; its operator's pages."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from perennial.flows.serve.embedded_server import free_port
from tests.flows.chromium import CHROMIUM, open_page, visit
from tests.flows.prefect_harness import Harness, basic, clean_environment, wait_until
from tests.flows.test_serve import descendants, lives
from tests.flows.webhook import running_hook

pytestmark = pytest.mark.slow

KEY = "sk-never-to-be-sent-0123456789"
START_S = 180
FOREIGN = "http://website.example"
JSON = "application/json"
SOCKETS = (
    "/api/events/in",
    "/api/events/out",
    "/api/logs/out",
    "/api/task_runs/subscriptions/scheduled",
    "/api/work_pools/pool/workers/connect",
)
OPEN_PATHS = ("/", "/docs", "/openapi.json", "/ui-settings", "/api/health", "/open", "/api/docs")


@dataclass(frozen=True)
class Reply:
    """What a server answered."""

    status: int
    allowed_origin: str | None
    body: str


@dataclass(frozen=True)
class Guarded:
    """A server, the auth string of its operator, and what `perennial serve` printed and runs as."""

    port: int
    auth_string: str
    printed: str = ""
    folder: Path = Path()
    pid: int = 0

    def send(self, method: str, path: str, body: str = "", **headers: str) -> Reply:
        """Send one request with these headers, `_` written for `-`, and return the answer."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body or None, named)
        reply = connection.getresponse()
        text = reply.read().decode(errors="replace")
        connection.close()
        return Reply(reply.status, reply.getheader("access-control-allow-origin"), text)

    def ask(self, method: str, path: str, document: Any = None) -> Any:
        """Return what the API answers to its operator; while its database is busy, it is asked again."""
        body = "" if document is None else json.dumps(document)
        for _ in range(60):
            reply = self.send(method, path, body, Content_Type=JSON, Authorization=basic(self.auth_string))
            if reply.status != 503:
                break
            time.sleep(1)
        assert reply.status in (200, 201), reply
        return json.loads(reply.body)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """`perennial serve` at a terminal, with a key in its environment; its server is killed at the end."""
    folder = tmp_path_factory.mktemp("guarded")
    port = free_port()
    ours, its = pty.openpty()
    serving = subprocess.Popen(
        [
            *(sys.executable, "-P", "-m", "perennial.flows.cli.app", "serve", "--root", "data"),
            *("--port", str(port)),
        ],
        cwd=folder,
        env={**clean_environment(), "PERENNIAL_API_KEY": KEY, "PERENNIAL_PLAYERS": "algorithm-3,some-model"},
        stdin=subprocess.DEVNULL,
        stdout=its,
        stderr=its,
        start_new_session=True,
    )
    os.close(its)
    printed: list[str] = []
    copying = threading.Thread(target=_copy, args=(ours, printed), daemon=True)
    copying.start()
    try:
        deadline = time.monotonic() + START_S
        while "the next refresh is due" not in "".join(printed):
            assert time.monotonic() < deadline, "".join(printed)
            assert serving.poll() is None, "".join(printed)
            time.sleep(0.1)
        text = "".join(printed)
        found = re.search(r"Prefect's pages: http://127\.0\.0\.1:\d+/open#(\S+)", text)
        assert found is not None, text
        yield Guarded(port, found[1], text, folder, serving.pid)
        already = len(printed)
        _kill_server_alone(serving)
        copying.join(timeout=120)
        errors = "".join(printed[already:])
        (error,) = [line for line in errors.splitlines() if "error:" in line]
        assert "the embedded Prefect server has ended" in error
        assert "Traceback" not in errors
    finally:
        if serving.poll() is None:
            os.killpg(serving.pid, signal.SIGKILL)
            serving.wait()


def _kill_server_alone(serving: "subprocess.Popen[bytes]") -> None:
    """Kill the server of `perennial serve`, which ends, too, with all that it started."""
    children = descendants(serving.pid)
    (server,) = [pid for pid, command in children.items() if "serve.embedded_server" in command]
    os.kill(server, signal.SIGKILL)
    assert serving.wait(timeout=120) == 1
    wait_until(lambda: not any(lives(pid, command) for pid, command in children.items()), 120)


def _copy(terminal: int, printed: list[str]) -> None:
    while True:
        try:
            printed.append(os.read(terminal, 4096).decode(errors="replace"))
        except OSError:  # Linux: the other end is closed
            return


@pytest.fixture(scope="module", params=["serve", "refresh"])
def guarded(request: pytest.FixtureRequest) -> Guarded:
    """The embedded server of `perennial serve`, and that of a refresh."""
    if request.param == "serve":
        server: Guarded = request.getfixturevalue("served")
        return server
    by_prefect: Harness = request.getfixturevalue("by_prefect")
    port = int(by_prefect.environment["PREFECT_API_URL"].removesuffix("/api").rpartition(":")[2])
    return Guarded(port, by_prefect.environment["PREFECT_API_AUTH_STRING"])


def test_no_call_is_answered_without_the_auth_string(guarded: Guarded) -> None:
    for headers in (
        {},
        {"Authorization": basic("perennial:wrong")},
        {"Authorization": f"Bearer {guarded.auth_string}"},
        {"Cookie": f"prefect-password={guarded.auth_string}"},
    ):
        for method, path in (
            ("GET", "/api/admin/version"),
            ("POST", "/api/flow_runs/filter"),
            ("POST", "/api/deployments/filter"),
            ("GET", "/api/docs"),
            ("GET", "/api/openapi.json"),
        ):
            assert guarded.send(method, path, **headers).status == 401, (path, headers)
    assert guarded.send("GET", "/api/health").status == 200
    assert isinstance(guarded.ask("POST", "/api/flow_runs/filter", {}), list)


@pytest.mark.parametrize(
    "origin", [FOREIGN, "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}", "file://"]
)
def test_no_page_of_another_origin_is_answered(guarded: Guarded, origin: str) -> None:
    origin = origin.format(port=guarded.port)
    own = basic(guarded.auth_string)
    asked = {"Access_Control_Request_Method": "POST", "Access_Control_Request_Headers": "authorization"}
    create, document = ("POST", "/api/flows/", '{"name": "x"}'), {"Origin": origin, "Content_Type": JSON}
    # As `fetch` sends with `mode: 'no-cors'`, with what a browser adds by itself.
    text = {"Origin": origin, "Content_Type": "text/plain"}
    for reply in (
        guarded.send("GET", "/api/health", Origin=origin),
        guarded.send("OPTIONS", "/api/flow_runs/", Origin=origin, **asked),
        guarded.send(*create, **document, Authorization=own),
        guarded.send(*create, **text),
        guarded.send(*create, **text, Authorization=own),
    ):
        assert (reply.status, reply.allowed_origin) == (403, None)
    assert "x" not in {flow["name"] for flow in guarded.ask("POST", "/api/flows/filter", {})}


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_servers_own_pages_are_answered(guarded: Guarded, host: str) -> None:
    origin = f"http://{host}:{guarded.port}"
    assert guarded.send("GET", "/api/health", Origin=origin).allowed_origin == origin
    asked = guarded.send("OPTIONS", "/api/flows/", Origin=origin, Access_Control_Request_Method="POST")
    assert (asked.status, asked.allowed_origin) == (200, origin)


@pytest.mark.parametrize(
    "host",
    ["website.example", "website.example:{port}", "127.0.0.1.website.example:{port}", "127.0.0.1:1", ""],
)
def test_no_other_host_name_is_answered(guarded: Guarded, host: str) -> None:
    host = host.format(port=guarded.port)
    for path in OPEN_PATHS:
        reply = guarded.send("GET", path, Host=host, Authorization=basic(guarded.auth_string))
        assert reply.status in (400, 421), path


def test_a_second_host_header_is_refused(guarded: Guarded) -> None:
    connection = HTTPConnection("127.0.0.1", guarded.port, timeout=60)
    connection.putrequest("GET", "/api/health", skip_host=True)
    for host in (f"127.0.0.1:{guarded.port}", "website.example"):
        connection.putheader("Host", host)
    connection.endheaders()
    assert connection.getresponse().status in (400, 421)


@pytest.mark.parametrize("path", SOCKETS)
def test_no_websocket_is_opened_by_websites_or_strangers(guarded: Guarded, path: str) -> None:
    url = f"ws://127.0.0.1:{guarded.port}{path}"
    subprotocols = [Subprotocol("prefect")]
    with pytest.raises(InvalidStatus) as website:
        connect(url, origin=Origin(FOREIGN), subprotocols=subprotocols)
    assert website.value.response.status_code == 403
    with pytest.raises(InvalidStatus):
        connect(url)
    with connect(url, subprotocols=subprotocols) as socket:
        socket.send(json.dumps({"type": "auth", "token": "perennial:wrong"}))
        with pytest.raises(ConnectionClosed):
            socket.recv(timeout=30)


def test_the_operators_websocket_is_opened(guarded: Guarded) -> None:
    url = f"ws://127.0.0.1:{guarded.port}/api/events/out"
    with connect(url, subprotocols=[Subprotocol("prefect")]) as socket:
        socket.send(json.dumps({"type": "auth", "token": guarded.auth_string}))
        assert json.loads(socket.recv(timeout=30)) == {"type": "auth_success"}


def test_what_anybody_may_read_holds_no_secret(guarded: Guarded) -> None:
    for path in (*OPEN_PATHS, "/api/admin/settings"):
        body = guarded.send("GET", path).body
        assert guarded.auth_string not in body, path
        assert basic(guarded.auth_string).removeprefix("Basic ") not in body, path


def test_data_docs_are_shown_to_who_knows_their_folder_and_run_nothing(served: Guarded) -> None:
    docs = served.folder / "data/.prefect/data-docs/hard-to-guess"
    docs.mkdir(parents=True)
    (docs / "index.html").write_text("<script>fetch('/api')</script>")
    connection = HTTPConnection("127.0.0.1", served.port, timeout=60)
    connection.request("GET", "/data-docs/hard-to-guess/index.html")
    reply = connection.getresponse()
    assert (reply.status, reply.read()) == (200, b"<script>fetch('/api')</script>")
    assert "sandbox; default-src 'none'" in reply.headers["Content-Security-Policy"]
    for path in ("", "hard-to-guess/", "hard-to-guess/../../pages.link", "%2e%2e/pages.link"):
        assert served.send("GET", f"/data-docs/{path}").status == 404, path


def test_each_server_has_an_auth_string_of_its_own(served: Guarded, by_prefect: Harness) -> None:
    strings = {served.auth_string, by_prefect.environment["PREFECT_API_AUTH_STRING"]}
    assert len(strings) == 2
    assert min(map(len, strings)) > 40


def test_the_auth_string_is_in_no_command_line_and_in_no_file_for_others(served: Guarded) -> None:
    commands = descendants(served.pid)
    assert any("perennial.flows.serve.embedded_server" in command for command in commands.values())
    assert not any(served.auth_string in command for command in commands.values())
    secrets = served.auth_string.encode(), basic(served.auth_string).removeprefix("Basic ").encode()
    files = [path for path in served.folder.rglob("*") if path.is_file() and "ui" not in path.parts]
    holding = [path for path in files if any(secret in path.read_bytes() for secret in secrets)]
    assert [path.name for path in holding] == ["pages.link"]
    assert holding[0].stat().st_mode & 0o777 == 0o600
    assert holding[0].read_text().strip() in served.printed


@pytest.mark.parametrize("name", ["base_url", "root", "runner", "webhook", "openlineage_url", "domains"])
def test_no_run_is_made_that_sends_the_key_elsewhere(served: Guarded, name: str) -> None:
    deployment = served.ask("GET", "/api/deployments/name/refresh/refresh")
    path = f"/api/deployments/{deployment['id']}/create_flow_run"
    with running_hook() as attacker:
        value = [attacker.url] if name == "domains" else attacker.url
        run = json.dumps({"parameters": {name: value, "players": ["some-model"]}})
        website = served.send("POST", path, run, Origin=FOREIGN, Content_Type=JSON)
        stranger = served.send("POST", path, run, Content_Type=JSON)
        operator = served.send("POST", path, run, Content_Type=JSON, Authorization=basic(served.auth_string))
        assert (website.status, stranger.status, operator.status) == (403, 401, 409)
        runs = served.ask("POST", "/api/flow_runs/filter", {})
        assert [found for found in runs if name in found["parameters"]] == []
        assert attacker.taken == []


def test_a_run_that_the_api_lets_pass_is_refused_by_the_flow(served: Guarded) -> None:
    deployment = served.ask("GET", "/api/deployments/name/refresh/refresh")
    with running_hook() as attacker:
        run = served.ask(
            "POST",
            f"/api/deployments/{deployment['id']}/create_flow_run",
            {"parameters": {"base_url": attacker.url}, "enforce_parameter_schema": False},
        )
        deadline = time.monotonic() + START_S
        going = ("SCHEDULED", "PENDING", "RUNNING")
        while (state := served.ask("GET", f"/api/flow_runs/{run['id']}")["state"])["type"] in going:
            assert time.monotonic() < deadline, state
            time.sleep(0.5)
        assert attacker.taken == []
    assert state["type"] == "CRASHED"
    assert not (served.folder / "data" / "tables").exists()


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH: the pages are not rendered")
def test_the_printed_link_opens_the_pages_in_a_browser(served: Guarded, tmp_path: Path) -> None:
    pages = f"http://127.0.0.1:{served.port}"
    until_drawn = "--virtual-time-budget=30000"
    stale = open_page(f"{pages}/open#perennial:wrong", tmp_path / "other", until_drawn)
    assert "an earlier start" in stale.stdout
    opened = open_page(f"{pages}/open#{served.auth_string}", tmp_path / "own", until_drawn)
    assert "<title>Dashboard" in opened.stdout
    deployments = open_page(f"{pages}/v2/deployments", tmp_path / "own", until_drawn).stdout
    for name in ("refresh", "analyse", "audit"):
        assert f">{name}<" in deployments
    assert 'type="password"' not in deployments


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH: no website is opened")
def test_a_website_in_a_browser_neither_reads_nor_changes_anything(served: Guarded, tmp_path: Path) -> None:
    api = f"http://127.0.0.1:{served.port}/api"
    page = f"""<!DOCTYPE html><script>
        const tries = [
          fetch('{api}/health').then(() => 'read'),
          fetch('{api}/flows/', {{method: 'POST', body: '{{"name": "by-website"}}', credentials: 'include',
            headers: {{'Content-Type': 'application/json'}}}}).then(() => 'written'),
          fetch('{api}/flows/', {{method: 'POST', mode: 'no-cors', body: '{{"name": "by-website"}}',
            headers: {{'Content-Type': 'text/plain'}}}}).then(reply => reply.type),
          new Promise((resolve, reject) => {{
            const socket = new WebSocket('{api.replace("http", "ws")}/events/out', 'prefect');
            socket.onopen = () => resolve('socket');
            socket.onerror = reject;
          }}),
        ];
        Promise.allSettled(tries).then(ended =>
          fetch('/found', {{method: 'POST', body: ended.map(end => end.value || 'refused').join(' ')}}));
        </script>"""
    # A no-cors answer is opaque whatever it says: what it did is seen at the server.
    assert visit(page, tmp_path / "profile") == "refused refused opaque refused"
    assert "by-website" not in {flow["name"] for flow in served.ask("POST", "/api/flows/filter", {})}
