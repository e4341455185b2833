"""The guard before the embedded Prefect server: it answers under its own address, and its own pages only.

Prefect checks the auth string of each call to its API. But any website can make a browser send requests to
this machine, so that a request must name this server's address as its host (a foreign name that resolves
to 127.0.0.1 is DNS rebinding), and a page that sends one must be of this server.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from perennial.flows.serve.child_runs import DOCS_FOLDER

_NAMES = ("127.0.0.1", "localhost", "[::1]")
_HTTP_PORT = 80

# The auth string comes behind the `#` of the link, which no browser sends to a server or to another page.
# `prefect-password` is where the login form of Prefect's own pages would keep it.
_SIGN_IN = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>perennial</title><p id="told">Opening Prefect's pages ...</p>
<script>
const password = btoa(decodeURIComponent(location.hash.slice(1)));
const tell = text => { document.getElementById('told').textContent = text; };
fetch('/api/admin/version', {headers: {Authorization: `Basic ${password}`}}).then(reply => {
  if (reply.ok) {
    localStorage.setItem('prefect-password', password);
    location.replace('/');
  } else {
    tell('This link is of an earlier start of perennial serve: take its newest link.');
  }
}, () => tell('perennial serve does not answer: start it again, and take its newest link.'));
</script></html>
"""
_SIGN_IN_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; connect-src 'self'",
    "Referrer-Policy": "no-referrer",
}
# They show rows that models wrote, and lie beside pages that know the auth string.
_DOCS_HEADERS = {
    "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    "Referrer-Policy": "no-referrer",
}


def own_origins(port: int) -> tuple[str, ...]:
    """Return the origins of pages that the server on this port may have sent."""
    return tuple(f"http://{address}" for address in _own_addresses(port))


def sign_in_page(path: str) -> Route:
    """Return the page that takes the auth string from its link and hands it to Prefect's pages."""
    return Route(path, lambda _request: HTMLResponse(_SIGN_IN, headers=_SIGN_IN_HEADERS))


def data_docs(home: Path) -> Mount:
    """Return the Data Docs of the newest audit, under a path with a secret that its artifact names."""
    return Mount(f"/{DOCS_FOLDER}", _DataDocs(directory=home / DOCS_FOLDER, check_dir=False))


class _DataDocs(StaticFiles):
    def file_response(self, *arguments: Any, **named: Any) -> Response:
        """Return the page, in which no script runs."""
        response = super().file_response(*arguments, **named)
        response.headers.update(_DOCS_HEADERS)
        return response


class OwnAddressOnly:
    """Refuses each request and WebSocket to another host name or from the page of another origin."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._addresses = [address.encode() for address in _own_addresses(port)]
        self._origins = [origin.encode() for origin in own_origins(port)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it with 421 (host) or 403 (origin)."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif refusal := self._refusal(scope["headers"]):
            answer = WebSocketClose() if scope["type"] == "websocket" else refusal
            await answer(scope, receive, send)
        else:
            await self._app(scope, receive, _without_frames(send))

    def _refusal(self, headers: Sequence[tuple[bytes, bytes]]) -> PlainTextResponse | None:
        hosts = [value.lower() for name, value in headers if name == b"host"]
        if len(hosts) != 1 or hosts[0] not in self._addresses:
            return PlainTextResponse("this server answers under its own address only", status_code=421)
        origins = [value for name, value in headers if name == b"origin"]
        if any(origin not in self._origins for origin in origins):
            return PlainTextResponse("this server takes requests from its own pages only", status_code=403)
        return None


def _own_addresses(port: int) -> tuple[str, ...]:
    suffix = "" if port == _HTTP_PORT else f":{port}"
    return tuple(f"{name}{suffix}" for name in _NAMES)


def _without_frames(send: Send) -> Send:
    """Return `send` that forbids other pages to frame this one, and to lead a click of its user."""

    async def send_unframed(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), (b"x-frame-options", b"DENY")]
        await send(message)

    return send_unframed
