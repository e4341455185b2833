"""What is read of a reply: the last JSON object with a final answer.

Objects are looked for from left to right, and what is inside one that was read is not looked at again. An
object with NaN or Infinity, or with one key twice, is no JSON here. Code fences and text around objects do
not matter. Of a longer reply only the end is read, so that no reply takes more than about a second.
"""

import json
from typing import Any, NamedTuple

from schemas.ids import canonical_json

_MOST_READ = 100_000
# Objects that begin and are none: more of them are found in no reply that means to answer.
_MOST_FAILED = 500
_RULE_CHARACTERS = 2_000


class Answer(NamedTuple):
    """The final answer as JSON, and the rule in the player's words, None where it is no text."""

    answer: str
    rule: str | None


def read_answer(reply: str) -> Answer | None:
    """Return what the last JSON object with `final_answer` says; None without one, or where it is null."""
    found = _last_object(reply[-_MOST_READ:])
    if found is None or found["final_answer"] is None:
        return None
    rule = found.get("rule")
    return Answer(
        canonical_json(found["final_answer"]), rule[:_RULE_CHARACTERS] if isinstance(rule, str) else None
    )


def has_answer(reply: str) -> bool:
    """Return whether the reply has a JSON object with `final_answer`, which may be null."""
    return _last_object(reply[-_MOST_READ:]) is not None


def write_answer(answer: object, rule: str = "", reasoning: str = "") -> str:
    """Return a reply in the form that the prompt asks for."""
    return json.dumps({"rule": rule, "reasoning": reasoning, "final_answer": answer}, ensure_ascii=False)


def _last_object(text: str) -> dict[str, Any] | None:
    found, place, failed = None, text.find("{"), 0
    while place >= 0 and failed < _MOST_FAILED:
        try:
            value, end = _DECODER.raw_decode(text, place)
            # Half of a surrogate pair is no text, and what is nested too deep cannot be written.
            canonical_json(value).encode()
        except (ValueError, RecursionError):
            failed, end = failed + 1, place + 1
        else:
            found = value if "final_answer" in value else found
        place = text.find("{", end)
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("one key twice")
    return value


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_refuse)
