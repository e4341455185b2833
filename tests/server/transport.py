"""Replies on the wire: whole ones, and the ways in which one can fail to arrive."""

import asyncio
import math

from aiohttp import web

from tests.server.wire import error_body

JSON = "application/json"

_STATUSES = {
    "429": ("rate_limit_exceeded", "Rate limit reached. Please try again later."),
    "500": ("server_error", "The server had an error while processing your request."),
    "503": ("overloaded", "The server is overloaded. Please try again later."),
    "408": ("request_timeout", "The request timed out."),
    "409": ("conflict", "The request conflicts with another one."),
}
_ASK_TO_WAIT = frozenset({"429", "503"})
_PAGE = (
    "<!DOCTYPE html>\n<html><head><title>Gateway</title></head><body><h1>Please sign in</h1></body></html>\n"
)
_DRAIN_POLL_S = 0.005


def json_reply(status: int, body: bytes) -> web.Response:
    """Return a response with a JSON body."""
    return web.Response(status=status, body=body, content_type=JSON)


def bad_reply(fault: str, retry_after_s: float) -> web.Response:
    """Return the response of a fault that is a status, or the page of `html`."""
    if fault == "html":
        return web.Response(text=_PAGE, content_type="text/html")
    code, message = _STATUSES[fault]
    response = json_reply(int(fault), error_body(int(fault), code, message))
    if fault in _ASK_TO_WAIT:
        # The standard allows whole seconds only; OpenAI's services give the exact time beside them.
        response.headers["Retry-After"] = str(math.ceil(retry_after_s))
        response.headers["retry-after-ms"] = str(round(retry_after_s * 1000))
    return response


async def send_whole(request: web.Request, response: web.Response) -> None:
    """Return when all of a response has left this process; raise ConnectionError where the client is gone."""
    await response.prepare(request)
    await response.write_eof()
    while (transport := request.transport) is not None and not transport.is_closing():
        if transport.get_write_buffer_size() == 0:
            return
        await asyncio.sleep(_DRAIN_POLL_S)
    raise ConnectionResetError("the client has closed the connection")


async def send_half(request: web.Request, body: bytes) -> web.StreamResponse:
    """Send headers that promise the whole body, then half of it, then close the connection."""
    response = web.StreamResponse()
    response.content_type = JSON
    response.content_length = len(body)
    await response.prepare(request)
    await response.write(body[: len(body) // 2])
    return drop(request, response)


def drop(request: web.Request, response: web.StreamResponse | None = None) -> web.StreamResponse:
    """Close the connection at once; return what a handler has to return."""
    if request.transport is not None:
        request.transport.abort()
    return response or web.Response()
