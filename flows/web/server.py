"""Streamlit's server in this process: its settings, its headers, and how it ends.

Pages show text that models wrote. Streamlit escapes it; the policy below is the second lock: a page may load
nothing from any other place, so that a reply that got through as HTML could neither run nor call home.
"""

import asyncio
import logging
import os
import re
import signal
import socket
import sys
import threading
from base64 import b64encode
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from hashlib import sha256
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

import streamlit.net_util
import uvicorn
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from streamlit.starlette import App
from streamlit.web import bootstrap

from perennial.flows.console.interrupts import first_signal
from perennial.flows.web.address import Address, Site, serve_site
from perennial.schemas.errors import PerennialError
from perennial.schemas.rows import JsonObject

# A page's connection is opened by that page alone: its origin is this server's scheme, host and port.
#
# A browser sends the origin of the page with each WebSocket, whatever page that is. Streamlit lets every port
# of this machine in: any program's page on it could act for the visitor.

_PORTS = {"http": 80, "https": 443}
_FORBIDDEN = 1008  # before the connection is accepted the server answers 403


class SameOrigin:
    """Refuses a WebSocket whose origin is not the page's; behind a proxy the page came by HTTPS."""

    def __init__(self, app: ASGIApp, behind_proxy: bool = False) -> None:
        self._app = app
        self._behind_proxy = behind_proxy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or refuse it."""
        if scope["type"] == "websocket" and not self._is_own(scope):
            await WebSocketClose(_FORBIDDEN)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _is_own(self, scope: Scope) -> bool:
        origins = values_of(scope["headers"], b"origin")
        hosts = values_of(scope["headers"], b"host")
        if len(origins) != 1 or len(hosts) != 1:
            return False
        page = read_origin(f"{self._scheme(scope)}://{hosts[0]}")
        return page is not None and read_origin(origins[0]) == page

    def _scheme(self, scope: Scope) -> str:
        if self._behind_proxy:
            # The proxy ends TLS; one that serves plain HTTP has to say so.
            schemes = values_of(scope["headers"], b"x-forwarded-proto")
            return schemes[0].strip().lower() if schemes else "https"
        return "https" if scope["scheme"] in ("wss", "https") else "http"


def values_of(headers: Iterable[tuple[bytes, bytes]], wanted: bytes) -> list[str]:
    """Return all values of the header of this name."""
    return [value.decode("latin-1") for name, value in headers if name.lower() == wanted]


def read_origin(url: str) -> tuple[str, str, int] | None:
    """Return scheme, host and port of an origin; None for anything that is more or less than one."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    is_bare = not (parts.path or parts.query or parts.fragment or "@" in parts.netloc)
    if parts.scheme not in _PORTS or not parts.hostname or not is_bare:
        return None
    return parts.scheme, parts.hostname, _PORTS[parts.scheme] if port is None else port


# Requests are answered under this server's own names alone.
#
# A website can let its name mean this machine (DNS rebinding): its pages then read what this server answers
# as if it were theirs. A browser tells by the header Host under which name it asks.

_MISDIRECTED = 421


class KnownHost:
    """Refuses a request for any other host than these, or for none or several."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = {host.strip("[]").lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or refuse it."""
        if scope["type"] not in ("http", "websocket") or self._is_known(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose(_FORBIDDEN)(scope, receive, send)
        else:
            names = ", ".join(sorted(self._hosts))
            text = f"this server answers under {names} alone; start it with --behind-proxy for another name\n"
            await PlainTextResponse(text, _MISDIRECTED)(scope, receive, send)

    def _is_known(self, scope: Scope) -> bool:
        hosts = values_of(scope["headers"], b"host")
        asked = read_origin(f"http://{hosts[0]}") if len(hosts) == 1 else None
        return asked is not None and asked[1] in self._hosts


# What a server of a study answers: the page, what it is drawn with, and its connection; nothing else.

_PATHS = {"/", "/favicon.png", "/manifest.json", "/_stcore/health", "/_stcore/host-config", "/_stcore/stream"}
_DRAWN_WITH = "/static/"


class StudyPaths:
    """Answers 404 to every other path, so that there is no page to guess and no count of other visits."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or refuse it."""
        if scope["type"] == "lifespan" or scope["path"] in _PATHS or scope["path"].startswith(_DRAWN_WITH):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose()(scope, receive, send)
        else:
            await PlainTextResponse("Not found", status_code=404)(scope, receive, send)


_SCRIPT = Path(__file__).with_name("app.py")
_LEAVE_AFTER_S = 2
_SETTINGS: JsonObject = {
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "none",
    "client.showErrorLinks": False,
    "client.toolbarMode": "minimal",
    "global.developmentMode": False,
    "logger.hideWelcomeMessage": True,
    "logger.level": "error",
    "runner.magicEnabled": False,
    "server.enableAgentApi": False,
    "server.enableCORS": True,
    "server.enableStaticServing": False,
    "server.enableXsrfProtection": True,
    "server.fileWatcherType": "none",
    "server.headless": True,
    "server.runOnSave": False,
}
# Streamlit writes styles into its pages and loads a component's script, our own, from a blob; Vega compiles
# expressions of ours.
_POLICY = (
    "default-src 'self'; script-src 'self' blob: 'unsafe-eval' {own_scripts}; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "connect-src 'self' data: blob:; "
    "worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-opener-policy", b"same-origin"),
)


class _Server(uvicorn.Server):
    """A server that leaves signals to the command."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Handle none."""
        yield


class _SafeHeaders:
    """Adds the headers to what has none of its own by these names."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        policy = _POLICY.format(own_scripts=_hashes_of_own_scripts())
        self._headers = ((b"content-security-policy", policy.encode()), *_HEADERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent_names = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(header for header in self._headers if header[0] not in sent_names),
                ]
            await send(message)

        await self._app(scope, receive, send_safely)


def _hashes_of_own_scripts() -> str:
    """Return what lets the scripts run that are written into Streamlit's own page."""
    page = (files("streamlit") / "static" / "index.html").read_text(encoding="utf-8")
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    return " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts)


def serve(site: Site, address: Address, listening: socket.socket, tell: Callable[[str], None]) -> int:
    """Serve the site until a signal, whose number is returned."""
    serve_site(site)
    port = listening.getsockname()[1]
    _configure(address, port)
    middleware = [Middleware(_SafeHeaders), Middleware(SameOrigin, behind_proxy=address.behind_proxy)]
    if address.names is not None:
        middleware.insert(1, Middleware(KnownHost, hosts=address.names))
    if site.study is not None:
        middleware.append(Middleware(StudyPaths))
    app = App(_SCRIPT, middleware=middleware, on_script_error=_show_error)
    server = _Server(
        uvicorn.Config(
            app,
            access_log=False,
            log_level=logging.ERROR,
            ssl_certfile=address.certificate,
            ssl_keyfile=address.key,
            timeout_graceful_shutdown=_LEAVE_AFTER_S,
            proxy_headers=address.behind_proxy,
            ws="websockets-sansio",
        )
    )

    def stop() -> None:
        server.should_exit = True

    async def until_stopped() -> None:
        serving = asyncio.create_task(server.serve([listening]))
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        if server.started:
            tell(address.url(port))
            if site.study is None:
                # While the first visitor's browser starts.
                threading.Thread(target=_load_explorer, daemon=True).start()
        await serving

    with first_signal(stop) as received:
        try:
            asyncio.run(until_stopped())
        finally:
            _end_queries()
    return received[0] if received else signal.SIGTERM


def _load_explorer() -> None:
    """Import what the first page needs; the page says what is wrong with that."""
    with suppress(Exception):
        for name in ("perennial.flows.web.explorer", "pandas", "pyarrow.parquet", "duckdb"):
            import_module(name)


def _end_queries() -> None:
    """End the SQL of visitors; a server of a study has not loaded what runs it."""
    running = sys.modules.get("perennial.flows.web.shared_pages.sql")
    if running is not None:
        running.close_sql_pool()


def _configure(address: Address, port: int) -> None:
    address_settings = {
        "server.address": address.host,
        "server.port": port,
        "browser.serverPort": port,
        "server.allowedHosts": list(address.names or ()),
    }
    # Variables and files of Streamlit's own could turn a lock off.
    for name in [name for name in os.environ if name.startswith("STREAMLIT_")]:
        del os.environ[name]
    bootstrap.load_config_options({**_SETTINGS, **address_settings})
    # For a page of a foreign origin Streamlit would ask a server on the internet for this machine's address.
    streamlit.net_util.get_external_ip = lambda: None


def _show_error(error: Exception) -> bool:
    """Show an error of ours as its line, any other by its kind; say with True that it is shown."""
    import streamlit as st

    if isinstance(error, PerennialError):
        st.error(str(error).replace("\n", " "))
    else:
        logging.getLogger(__name__).error("a page failed", exc_info=error)
        st.error(f"This page failed ({type(error).__name__}); the server's terminal says where.")
    return True
