"""A model that answers sums, as a role of the scripted server."""

import random
import re

from tests.server.script import Asked
from tests.toy.benchmark import SIZES


class ScriptedModel:
    """A role of the scripted server that answers sums, those of large numbers one too high."""

    role = "player"
    faults = ()

    def recognises(self, asked: Asked) -> bool:
        return asked.system.startswith("What is ")

    def reply(self, asked: Asked, _fault: str | None, _rng: random.Random) -> str:
        a, b = map(int, re.findall(r"\d+", asked.system))
        return f"It is {a + b + (max(a, b) >= SIZES['small'])}."


def scripts() -> tuple[ScriptedModel, ...]:
    """Return the roles of the scripted server."""
    return (ScriptedModel(),)
