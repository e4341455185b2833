"""Analysts of KnowLogic's answers, as roles of the scripted server beside its players."""

import json
import random
import re

from perennial.schemas.ids import derive_seed
from perennial.schemas.knowlogic.things import ANALYSIS
from tests.knowlogic import scripted_model
from tests.server.script import Asked, Script

ANALYSTS = ("analyst-a", "analyst-b")
MODELS = (*scripted_model.MODELS, *ANALYSTS)
_REPLY = re.compile(r"\[(data_[0-9a-f]{32}) REPLY BEGINS\]")


class KnowLogicAnalyst:
    """Classifies by the reply's mark; analyst-b slips once, and differs on some."""

    role = "analyst"
    faults = ()

    def recognises(self, asked: Asked) -> bool:
        return asked.model in ANALYSTS

    def reply(self, asked: Asked, _fault: str | None, _rng: random.Random) -> str:
        (mark,) = _REPLY.findall(asked.messages[1]["content"])
        number = derive_seed(0, mark, 0)
        if asked.model == "analyst-b" and len(asked.messages) == 2 and number % 2:
            return json.dumps({"justification": "so", "outcome_category": "Success"})
        category = ANALYSIS.wrong[(number + (asked.model == "analyst-b" and number % 3 == 0)) % 7]
        return json.dumps({"justification": "It says so.", "outcome_category": category})


def scripts() -> tuple[Script, ...]:
    """Return the roles of the scripted server."""
    return (*scripted_model.scripts(), KnowLogicAnalyst())
