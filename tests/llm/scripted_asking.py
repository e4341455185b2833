"""Asking a scripted server that echoes, with a client that hides nothing of the wire."""

import asyncio
import json
from typing import Any

import aiohttp

from tests.server.running import RunningServer

KEY = "sk-of-a-test"
ECHO = "tests.server.echo"
LONG = "All of this is repeated word by word. " * 10


def messages(text: str) -> list[dict[str, str]]:
    return [{"role": "system", "content": "ECHO"}, {"role": "user", "content": text}]


def body_of(text: str, model: str = "scripted", **params: Any) -> dict[str, Any]:
    return {"model": model, "messages": messages(text), **params}


async def post(session: aiohttp.ClientSession, server: RunningServer, body: Any, key: str | None = KEY):
    """Return status, headers and body, or the name of the error that the client met."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    try:
        async with session.post(f"{server.url}/chat/completions", data=data, headers=headers) as reply:
            return reply.status, reply.headers, await reply.text()
    except aiohttp.ClientError as error:
        return type(error).__name__, {}, ""


def ask_in_turn(server: RunningServer, bodies: list[Any], key: str | None = KEY) -> list[Any]:
    async def main():
        async with aiohttp.ClientSession() as session:
            return [await post(session, server, body, key) for body in bodies]

    return asyncio.run(main())


def ask(server: RunningServer, body: Any, key: str | None = KEY):
    return ask_in_turn(server, [body], key)[0]


def make_completion(text: str) -> tuple[dict[str, Any], str]:
    """Return the message and the finish reason of a completion."""
    (choice,) = json.loads(text)["choices"]
    return choice["message"], choice["finish_reason"]
