"""A page's connection is opened by that page alone: its origin is this server's scheme, host and port.

A browser sends the origin of the page with each WebSocket, whatever page that is. Streamlit lets every port
of this machine in: any program's page on it could act for the visitor.
"""

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

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
            told = values_of(scope["headers"], b"x-forwarded-proto")
            return told[0].strip().lower() if told else "https"
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
