"""A role that takes the first action of a game of KUMO again and again, and never names a truth."""

import random
import re

from tests.server.script import Asked, Script


class OneAction:
    """Replies the first action that is listed; `yes` where none is."""

    role = "player"
    faults: tuple[str, ...] = ()

    def recognises(self, _asked: Asked) -> bool:
        return True

    def reply(self, asked: Asked, _fault: str | None, _rng: random.Random) -> str:
        listed = re.search(r"that you can choose, one per line:\n\n- (.*)\n", asked.system)
        return f"<ANSWER>{listed[1]}</ANSWER>" if listed else "yes"


def scripts() -> tuple[Script, ...]:
    """Return the only role."""
    return (OneAction(),)
