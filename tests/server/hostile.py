"""What a server can do to harm its clients: bodies without end, bombs, lies and echoes of the key."""

import json
import zlib
from functools import cache

from aiohttp import web

# Drawn at each attempt as the other faults of transport, and only where they are asked for by name.
HOSTILE_FAULTS = {
    "endless": "status 200 with a body that never ends",
    "gzip_bomb": "status 200 with 256 MB of white space, compressed",
    "deep_json": "a completion with a field of 50,000 nested lists",
    "long_number": "a completion with a number of 100,000 digits",
    "lying_usage": "a completion whose usage counts 10^12 tokens",
    "echo_key": "a completion with a field that holds the key in JSON escapes",
}
_MB = 1_000_000


async def send_hostile(request: web.Request, fault: str, body: bytes) -> web.StreamResponse:
    """Send the completion with the fault; return what a handler has to return."""
    response = web.StreamResponse()
    response.content_type = "application/json"
    if fault == "gzip_bomb":
        response.headers["Content-Encoding"] = "gzip"
    await response.prepare(request)
    if fault == "endless":
        while True:
            await response.write(b" " * 65_536)
    await response.write(_bomb() if fault == "gzip_bomb" else _change(request, fault, body))
    await response.write_eof()
    return response


def _change(request: web.Request, fault: str, body: bytes) -> bytes:
    if fault == "lying_usage":
        counts = dict.fromkeys(("prompt_tokens", "completion_tokens", "total_tokens"), 10**12)
        return json.dumps({**json.loads(body), "usage": counts}).encode()
    key = request.headers.get("Authorization", "").removeprefix("Bearer ")
    field = {
        "deep_json": "[" * 50_000 + "]" * 50_000,
        "long_number": "9" * 100_000,
        "echo_key": '"' + "".join(f"\\u{ord(char):04x}" for char in key) + '"',
    }[fault]
    return body[:-1] + f', "debug": {field}}}'.encode()


@cache
def _bomb() -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    return b"".join(packer.compress(b" " * _MB) for _ in range(256)) + packer.flush()
