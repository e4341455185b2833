"""What the server can do badly, by name, and the faults that every role's reply can have."""

import json
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from perennial.schemas.errors import InvalidOption
from tests.server.batch_faults import BATCH_FAULTS
from tests.server.foreign import FOREIGN_FAULTS
from tests.server.hostile import HOSTILE_FAULTS
from tests.server.script import Script

# Drawn again at each attempt of a request, so that a retry may be served.
TRANSPORT_FAULTS = {
    "429": "too many requests, with Retry-After",
    "500": "internal server error",
    "503": "service unavailable, with Retry-After",
    "408": "request time-out",
    "409": "conflict",
    "drop": "connection closed without a reply",
    "drop_midway": "connection closed after half of the body",
    "slow": "an answer that comes late by --slow seconds",
    "html": "status 200 with an HTML page",
    "invalid_json": "status 200 with JSON that is cut in the middle",
}

# Drawn once for a request: equal requests get equal replies. A reply has at most one of these, ...
SUBSTANCE_FAULTS = {
    "fenced": "the reply, or the JSON in it, inside a ```json fence",
    "prose": "sentences before and after the reply",
    "truncated": "a reply of more than 200 characters cut in the middle, finish_reason length",
    "empty": "content without a character",
    "refusal": "message.refusal set, content null",
}

# ... and any of these beside it.
EXTRA_FAULTS = {
    "think_tags": "a <think> block before the reply, with a wrong <ANSWER> and a piece of JSON in it",
    "reasoning_field": "message.reasoning_content set",
    "missing_usage": "no usage in the reply",
}

LONGEST_UNCUT = 200

_REFUSAL = "I am sorry, but I cannot help with that request."
_THOUGHTS = (
    "Let me go through this step by step. A first idea would be <ANSWER>none of these</ANSWER>, "
    'or written as data {"draft": true, "names": ["none of these", '
    "but that leaves out what was just said, so I drop it. Now I know what to reply."
)


@dataclass(frozen=True, slots=True)
class Completion:
    """What the one choice of a chat completion says."""

    content: str | None
    refusal: str | None = None
    reasoning: str | None = None
    finish_reason: str = "stop"
    has_usage: bool = True
    tool_calls: Sequence[dict[str, Any]] = ()
    function_call: dict[str, Any] | None = None  # the older form


def fault_names(roles: Iterable[Script]) -> list[str]:
    """Return every name by which a fault can be asked for, those for one role included.

    Raises InvalidOption where a role names a fault that the server has for all roles.
    """
    generic = [*SUBSTANCE_FAULTS, *EXTRA_FAULTS]
    names = [*TRANSPORT_FAULTS, *HOSTILE_FAULTS, *FOREIGN_FAULTS, *BATCH_FAULTS, *generic]
    for script in roles:
        for fault in script.faults:
            if fault in generic:
                raise InvalidOption(
                    f"role {script.role!r} has a fault {fault!r}, which is one of all roles: rename it"
                )
        names += [f"{script.role}.{fault}" for fault in (*script.faults, *generic)]
    return names


def with_faults(reply: str, substance: str | None, extras: Iterable[str], rng: random.Random) -> Completion:
    """Return the completion that says `reply` with one fault of substance at most, and any extra ones."""
    damage = _DAMAGES.get(substance or "")
    completion = damage(reply, rng) if damage else Completion(reply)
    for extra in extras:
        completion = _EXTRAS[extra](completion)
    return completion


def within(completion: Completion, max_tokens: int | None) -> Completion:
    """Return the completion cut to `max_tokens` of four characters, the reasoning first."""
    room = None if max_tokens is None else 4 * max_tokens
    if room is None or _length(completion) <= room:
        return completion
    reasoning = completion.reasoning and completion.reasoning[:room]
    left = room - len(reasoning or "")
    content = completion.content if completion.content is None else completion.content[:left]
    refusal = completion.refusal and completion.refusal[:left]
    return replace(completion, content=content, refusal=refusal, reasoning=reasoning, finish_reason="length")


def _length(completion: Completion) -> int:
    return sum(len(text or "") for text in (completion.content, completion.refusal, completion.reasoning))


def _fence(reply: str, rng: random.Random) -> Completion:
    start, end = _json_span(reply)
    return Completion(f"{reply[:start]}```json\n{reply[start:end].strip()}\n```{reply[end:]}")


def _json_span(reply: str) -> tuple[int, int]:
    """Return where the one JSON object inside a text stands, or the whole text."""
    whole = 0, len(reply)
    start = reply.find("{")
    if start < 0 or reply.lstrip()[0] in "{[":
        return whole
    try:
        _, end = json.JSONDecoder().raw_decode(reply, start)
    except ValueError:
        return whole
    # Brackets elsewhere: this is an inner object of a longer piece, such as the rest of a reply cut off.
    if any(bracket in reply[:start] + reply[end:] for bracket in "{}[]"):
        return whole
    return start, end


def _in_prose(reply: str, rng: random.Random) -> Completion:
    before = rng.choice(("Certainly! Here is what you asked for:", "I have thought about it. My reply:"))
    after = rng.choice(("Let me know if you would like anything changed.", "I hope that this helps!"))
    return Completion(f"{before}\n\n{reply}\n\n{after}")


def _truncate(reply: str, rng: random.Random) -> Completion:
    if len(reply) <= LONGEST_UNCUT:
        return Completion(reply)
    return Completion(reply[: len(reply) // 2], finish_reason="length")


def _empty(reply: str, rng: random.Random) -> Completion:
    return Completion("")


def _refuse(reply: str, rng: random.Random) -> Completion:
    return Completion(None, refusal=_REFUSAL)


def _with_think_tags(completion: Completion) -> Completion:
    if completion.content is None:
        return completion
    return replace(completion, content=f"<think>\n{_THOUGHTS}\n</think>\n\n{completion.content}")


def _with_reasoning_field(completion: Completion) -> Completion:
    return replace(completion, reasoning=_THOUGHTS)


def _without_usage(completion: Completion) -> Completion:
    return replace(completion, has_usage=False)


_DAMAGES: dict[str, Callable[[str, random.Random], Completion]] = {
    "fenced": _fence,
    "prose": _in_prose,
    "truncated": _truncate,
    "empty": _empty,
    "refusal": _refuse,
}
_EXTRAS: dict[str, Callable[[Completion], Completion]] = {
    "think_tags": _with_think_tags,
    "reasoning_field": _with_reasoning_field,
    "missing_usage": _without_usage,
}
