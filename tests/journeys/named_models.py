"""Six models under names as they are met, which play all four benchmarks with known strengths."""

import random
from collections.abc import Mapping
from dataclasses import replace

from tests.profiles.scripted_models import SkilledModel
from tests.server.script import Asked

# What each can is that of a model of `tests.profiles.scripted_models`.
STRENGTHS: Mapping[str, str] = {
    "acme/atlas-70b-instruct": "all-round",
    "acme/atlas-8b-instruct": "logician",
    "basalt-large-2026-10": "counter",
    "basalt-small-2026-10": "tower-blind",
    "corvid-mini": "lost",
    "m-70": "all-round",
}
NAMES = tuple(STRENGTHS)


class NamedModel(SkilledModel):
    """Plays as the model does whose strengths it has."""

    def recognises(self, asked: Asked) -> bool:
        return asked.model in STRENGTHS

    def reply(self, asked: Asked, fault: str | None, rng: random.Random) -> str:
        return super().reply(replace(asked, model=STRENGTHS[asked.model]), fault, rng)


def scripts() -> tuple[NamedModel, ...]:
    """Return the roles of the scripted server."""
    return (NamedModel(),)
