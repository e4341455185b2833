"""Requests are answered under this server's own names alone.

A website can let its name mean this machine (DNS rebinding): its pages then read what this server answers as
if it were theirs. A browser tells by the header Host under which name it asks.
"""

from collections.abc import Iterable

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from perennial.flows.web.same_origin import read_origin, values_of

_FORBIDDEN = 1008  # before the connection is accepted the server answers 403
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
