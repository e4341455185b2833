"""What is read of a reply: the last JSON object with a final answer.

Objects are looked for from left to right, and what is inside one that was read is not looked at again. An
object with NaN or Infinity, or with one key twice, is no JSON here. Code fences and text around objects do
not matter. Of a longer reply only the end is read.
"""

import json
from typing import NamedTuple

from schemas.ids import canonical_json
from tasks.a2rbench.json_objects import last_object_with

_MOST_READ = 100_000
_RULE_CHARACTERS = 2_000


class Answer(NamedTuple):
    """The final answer as JSON, and the rule in the player's words, None where it is no text."""

    answer: str
    rule: str | None


def read_answer(reply: str) -> Answer | None:
    """Return what the last JSON object with `final_answer` says; None without one, or where it is null."""
    found = last_object_with("final_answer", reply[-_MOST_READ:])
    if found is None or found["final_answer"] is None:
        return None
    rule = found.get("rule")
    return Answer(
        canonical_json(found["final_answer"]), rule[:_RULE_CHARACTERS] if isinstance(rule, str) else None
    )


def has_answer(reply: str) -> bool:
    """Return whether the reply has a JSON object with `final_answer`, which may be null."""
    return last_object_with("final_answer", reply[-_MOST_READ:]) is not None


def write_answer(answer: object, rule: str = "", reasoning: str = "") -> str:
    """Return a reply in the form that the prompt asks for."""
    return json.dumps({"rule": rule, "reasoning": reasoning, "final_answer": answer}, ensure_ascii=False)
