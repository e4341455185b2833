"""A role that answers whatever it is asked with one word: for calls that only try a model."""

import random

from tests.server.script import Asked, Script


class OneWord:
    """Replies `yes`."""

    role = "one word"
    faults: tuple[str, ...] = ()

    def recognises(self, _asked: Asked) -> bool:
        return True

    def reply(self, _asked: Asked, _fault: str | None, _rng: random.Random) -> str:
        return "yes"


def scripts() -> tuple[Script, ...]:
    """Return the only role."""
    return (OneWord(),)
