"""Models with known weaknesses, as a role of the scripted server: they play all four benchmarks.

What a model can is said by benchmark and domain; a question that it can do by halves it answers right where
the digest of the question's text is even.
"""

import random
from collections.abc import Mapping
from hashlib import sha256

from perennial.schemas.knowlogic.things import DOMAINS
from perennial.tasks.knowlogic.players import solve_prompt
from perennial.tasks.knowlogic.problem import find_domain
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.a2rbench.scripted_model import search
from tests.beyondbench.scripted_model import ScriptedModel as ProblemModel
from tests.beyondbench.scripted_model import understand
from tests.knowlogic.scripted_model import solve
from tests.server.roles.player import FIRST_SENTENCE, PlayerScript
from tests.server.script import Asked

ALWAYS, HALF, NEVER = "always", "half", "never"
# By model: what it can by benchmark, and by benchmark and domain where that is another.
SKILLS: Mapping[str, Mapping[str, str]] = {
    "all-round": {"a2rbench": ALWAYS, "beyondbench": ALWAYS, "knowlogic": ALWAYS, "kumo": ALWAYS},
    "logician": {"a2rbench": NEVER, "beyondbench": HALF, "knowlogic": ALWAYS, "kumo": ALWAYS},
    "counter": {"a2rbench": HALF, "beyondbench": ALWAYS, "knowlogic": HALF, "kumo": NEVER},
    "tower-blind": {
        "a2rbench": HALF,
        "beyondbench": ALWAYS,
        "beyondbench/tower_of_hanoi": NEVER,
        "knowlogic": NEVER,
        "knowlogic/social": ALWAYS,
        "kumo": HALF,
    },
    "lost": {"a2rbench": NEVER, "beyondbench": NEVER, "knowlogic": NEVER, "kumo": NEVER},
}
MODELS = tuple(SKILLS)


def can(model: str, benchmark: str, domain: str, question: str) -> bool:
    """Return whether the model answers this question right."""
    skill = SKILLS[model].get(f"{benchmark}/{domain}", SKILLS[model][benchmark])
    return skill == ALWAYS or (skill == HALF and sha256(question.encode()).digest()[0] % 2 == 0)


class SkilledModel:
    """Finds out which benchmark asks, and answers right or not at all."""

    role = "player"
    faults = ()

    def recognises(self, asked: Asked) -> bool:
        return asked.model in MODELS

    def reply(self, asked: Asked, _fault: str | None, rng: random.Random) -> str:
        question = asked.system
        if question.startswith(FIRST_SENTENCE):
            right = can(asked.model, "kumo", "", question)
            return PlayerScript().reply(asked, None, rng) if right else "I cannot say."
        benchmark, domain, answer = solve_question(asked.messages[-1]["content"])
        return answer if can(asked.model, benchmark, domain, question) else "I cannot say."


def solve_question(text: str) -> tuple[str, str, str]:
    """Return benchmark, domain and right answer of a question of a benchmark that asks once."""
    asked = Asked("right", ({"role": "user", "content": text},), {})
    try:
        task, _ = understand(text)
        return "beyondbench", task.name, ProblemModel().reply(asked, None, random.Random(0))
    except AssertionError:
        pass
    for domain in DOMAINS:
        try:
            solve_prompt(find_domain(domain, load_knowledge()), _prompt(text))
        except (ValueError, LookupError, ImportError):
            continue
        return "knowlogic", domain, solve(text)
    return "a2rbench", "", search(text)


def _prompt(text: str) -> str:
    for end in ("】中，例如【A】或【BD】。", "such as [A] or [BD]."):
        head, found, _ = text.partition(end)
        if found:
            return head + found
    return text


def scripts() -> tuple[SkilledModel, ...]:
    """Return the roles of the scripted server."""
    return (SkilledModel(),)
