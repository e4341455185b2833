"""A role of two models: `scripted` reads all books that it is shown, `hasty` only the last one."""

import random

from tests.server.roles.player import PlayerScript, play_on, read_case
from tests.server.script import Asked


class HastyScript(PlayerScript):
    """Eliminates by the rules of the books that the model reads."""

    def reply(self, asked: Asked, fault: str | None, rng: random.Random) -> str:
        start = asked.system.rindex("<BOOK>") if asked.model == "hasty" else 0
        return play_on(read_case(asked.system[start:], asked.messages[-1]["content"]), asked, fault, rng)


def scripts() -> tuple[HastyScript, ...]:
    """Return the roles of the scripted server."""
    return (HastyScript(),)
