"""A role for the server's own tests: it recognises what begins with ECHO and repeats the last message."""

import random

from tests.server.script import Asked, Script


class Echo:
    """Replies with the last message; a line "chance" becomes a number drawn at random."""

    role = "echo"
    faults: tuple[str, ...] = ("shouted", "backwards")

    def recognises(self, asked: Asked) -> bool:
        return asked.system.startswith("ECHO")

    def reply(self, asked: Asked, fault: str | None, rng: random.Random) -> str:
        text = asked.messages[-1]["content"]
        if text == "fail":
            raise ValueError("asked to fail")
        if text == "chance":
            return str(rng.random())
        return {None: text, "shouted": text.upper(), "backwards": text[::-1]}[fault]


def scripts() -> tuple[Script, ...]:
    """Return the only role."""
    return (Echo(),)
