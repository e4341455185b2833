"""Judges and analysts of A2RBench's answers, well and badly, and a player that forgets the form of answers.

They are roles of the scripted server beside those of `tests.a2rbench.scripted_model`; a model's name says
what it does.
"""

import json
import random
import re

from perennial.schemas.a2rbench.things import ANALYSIS
from perennial.schemas.ids import derive_seed
from perennial.tasks.a2rbench.replies import read_answer
from tests.a2rbench import scripted_model
from tests.server.script import Asked, Script

PLAYERS = (*scripted_model.MODELS, "proser")
JUDGES = ("judge-honest", "judge-inventive")
ANALYSTS = ("analyst-a", "analyst-b", "analyst-slips", "analyst-hopeless")
MODELS = (*PLAYERS, *JUDGES, *ANALYSTS)
# No words that the program takes for the name of an answer.
_LEAD = "So I would write"
_DIFFERS = 4  # of so many replies the analysts a and b differ on one, about
_REPLY = re.compile(r"\[(data_[0-9a-f]{32})(?: REPLY)? BEGINS\]\n(.*)\n\[\1(?: REPLY)? ENDS\]", re.S)


class Proser:
    """Solves each item, and writes the answer in a sentence that the program does not read as one."""

    role = "player"
    faults = ()

    def recognises(self, asked: Asked) -> bool:
        return asked.model == "proser"

    def reply(self, asked: Asked, _fault: str | None, _rng: random.Random) -> str:
        found = read_answer(scripted_model.search(asked.messages[-1]["content"]))
        answer = "" if found is None else found.answer
        return f"I tried a few rules. {_LEAD} {answer}"


class Judge:
    """Quotes what stands after the words that lead to an answer, or not, as its name says."""

    role = "judge"
    faults = ()

    def recognises(self, asked: Asked) -> bool:
        return asked.model in JUDGES

    def reply(self, asked: Asked, _fault: str | None, _rng: random.Random) -> str:
        ((_, reply),) = _REPLY.findall(asked.messages[-1]["content"])
        _, _, answer = reply.partition(_LEAD)
        if asked.model == "judge-inventive":
            return '{"final_answer": [["no", "such"], ["tokens", "there"]]}'
        return f'{{"final_answer": {answer.strip() or "null"}}}'


class Analyst:
    """Classifies by the reply's mark: analyst-b differs from analyst-a on a known part of the replies."""

    role = "analyst"
    faults = ()

    def recognises(self, asked: Asked) -> bool:
        return asked.model in ANALYSTS

    def reply(self, asked: Asked, _fault: str | None, _rng: random.Random) -> str:
        first = asked.messages[1]["content"]
        ((mark, _),) = _REPLY.findall(first)
        is_right = "Say why the answer is right" in first
        if asked.model == "analyst-hopeless" or (asked.model == "analyst-slips" and len(asked.messages) == 2):
            return slip(mark, is_right, always=asked.model == "analyst-hopeless")
        return json.dumps(classify(mark, is_right, asked.model))


def classify(mark: str, is_right: bool, analyst: str) -> dict[str, str]:
    """Return what the analyst says of the reply with this mark."""
    categories = ANALYSIS.categories(is_right)
    number = derive_seed(0, mark, 0)
    place = number + (analyst == "analyst-b" and number % _DIFFERS == 0)
    style = ANALYSIS.styles[number % len(ANALYSIS.styles)]
    why = f"It says so. {analyst}"
    return {
        "justification": why,
        "outcome_category": categories[place % len(categories)],
        "reasoning_style": style,
    }


def slip(mark: str, is_right: bool, *, always: bool) -> str:
    """Return a reply that cannot be used: a category of the other outcome, no JSON, or cut off."""
    other = json.dumps(classify(mark, not is_right, "analyst-a"))
    kinds = (other,) if always else (other, "I would rather talk.", other[: len(other) // 2])
    return kinds[derive_seed(1, mark, 0) % len(kinds)]


def scripts() -> tuple[Script, ...]:
    """Return the roles of the scripted server."""
    return (*scripted_model.scripts(), Proser(), Judge(), Analyst())
