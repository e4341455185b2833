"""Models that answer questions of KnowLogic from the text alone, as roles of the scripted server."""

import random
from functools import lru_cache

from perennial.schemas.knowlogic.things import DOMAINS, LETTERS
from perennial.tasks.knowlogic.answers import read_answer
from perennial.tasks.knowlogic.players import solve_prompt
from perennial.tasks.knowlogic.problem import find_domain
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.server.script import Asked

MODELS = ("right", "hasty", "greedy", "thinking", "lost")


class ScriptedModel:
    """Reads the prompt, solves it and answers as its name says."""

    role = "player"
    faults = ()

    def recognises(self, asked: Asked) -> bool:
        return asked.model in MODELS

    def reply(self, asked: Asked, _fault: str | None, _rng: random.Random) -> str:
        answer = solve(asked.messages[-1]["content"])
        letters = read_answer(answer)
        assert letters is not None
        return {
            "right": f"Let me work it out. [step 1]\n{answer}",
            "hasty": f"[{letters.letters[0].lower()}]",
            "greedy": f"【{'、'.join(LETTERS)}】",
            "thinking": f"<think>At first I thought [{LETTERS}]</think>\n{answer}",
            "lost": "I cannot say.",
        }[asked.model]


@lru_cache(maxsize=4096)
def solve(content: str) -> str:
    """Return the answer to a prompt, whatever stands below it."""
    prompt, found, _ = content.partition("】中，例如【A】或【BD】。")
    prompt += found
    if not found:
        prompt, found, _ = content.partition("such as [A] or [BD].")
        prompt += found
    for name in DOMAINS:
        try:
            return solve_prompt(find_domain(name, load_knowledge()), prompt)
        except (ValueError, LookupError, ImportError):
            continue
    raise AssertionError(f"no domain reads this prompt: {content}")


def scripts() -> tuple[ScriptedModel, ...]:
    """Return the roles of the scripted server."""
    return (ScriptedModel(),)
