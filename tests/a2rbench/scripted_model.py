"""Models that answer items of A2RBench from the text alone, as roles of the scripted server."""

import json
import random
from functools import lru_cache

from perennial.tasks.a2rbench.items import SIGNS
from perennial.tasks.a2rbench.players import search_prompt
from perennial.tasks.a2rbench.replies import read_answer, write_answer
from tests.server.script import Asked

# `familiar` knows no token that copies are written in.
MODELS = ("right", "familiar", "joined", "lost")


class ScriptedModel:
    """Reads the prompt, searches for a program that fits and answers as its name says."""

    role = "player"
    faults: tuple[str, ...] = ()

    def recognises(self, asked: Asked) -> bool:
        return asked.model in MODELS

    def reply(self, asked: Asked, _fault: str | None, _rng: random.Random) -> str:
        content = asked.messages[-1]["content"]
        found = read_answer(search(content))
        if found is None:  # a rule that no program is
            return "I cannot say."
        answer = json.loads(found.answer)
        if asked.model == "right":
            return f"<think>{{x}}</think>\n```json\n{write_answer(answer, 'found', 'tried')}\n```"
        if asked.model == "familiar":
            return write_answer(["?"] if any(sign in content for sign in SIGNS) else answer)
        return write_answer("".join(map(str, answer))) if asked.model == "joined" else "I cannot say."


@lru_cache(maxsize=1024)
def search(content: str) -> str:
    """Return the answer of a program that fits the examples of a prompt, whatever stands below it."""
    return search_prompt(content)


def scripts() -> tuple[ScriptedModel, ...]:
    """Return the roles of the scripted server."""
    return (ScriptedModel(),)
