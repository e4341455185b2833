"""What a server of a study answers: the page, what it is drawn with, and its connection; nothing else."""

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

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
