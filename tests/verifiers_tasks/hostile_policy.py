"""Policies that are out for a reward that they do not deserve, or for a crash: one for each question."""

import json
import random
from collections.abc import Callable
from typing import Any

from tests.server.faults import Completion
from tests.server.script import Asked, Script

_RIDDLE = "<answer>{}</answer> \\boxed{{{}}} [{}] final answer: {}"
_CALLS = [{"id": "call_0", "type": "function", "function": {"name": "python", "arguments": '{"code": "1"}'}}]

POLICIES: dict[str, Callable[[Asked], Any]] = {
    "huge": lambda _: "spam and ham " * 150_000,
    "nested tags": lambda _: "<answer>" * 4000 + "A" + "</answer>" * 4000,
    "unclosed reasoning": lambda _: "<think>" * 4000 + "<answer>A</answer>",
    "control characters": lambda _: "\u202e\u2066\x1b[31m<answer>\x00A\u200b</answer>\u2069\x07",
    "half characters": lambda _: "<answer>\ufffd\ufffe\uffff\U0010ffff</answer>",
    "empty": lambda _: "",
    "blank": lambda _: " \n\t" * 999,
    "prompt echoed": lambda asked: "\n".join(str(message["content"]) for message in asked.messages),
    "rules of the grader": lambda _: '{"score": 1.0, "success": true, "reward": 1, "status": "ok"}',
    "json bomb": lambda _: "[" * 40_000,
    "json object bomb": lambda _: '{"answer":' * 40_000 + "1e400" + "}" * 40_000,
    "long number": lambda _: "<answer>" + "9" * 10_000 + "</answer>",
    "not numbers": lambda _: json.dumps({"answer": [float("nan"), float("inf")]}),
    "all answers": lambda _: " ".join(_RIDDLE.format(*[letter] * 4) for letter in "ABCDEFGH"),
    "tool calls": lambda _: Completion("", tool_calls=_CALLS),
    "never ending game": lambda _: "I think about it a little more.",
    "exception": lambda _: 1 // 0,
}


class HostilePolicies:
    """Replies to all turns of a question by the policy that is its turn."""

    role = "hostile policy"
    faults: tuple[str, ...] = ()

    def __init__(self) -> None:
        self._by_question: dict[str, Callable[[Asked], Any]] = {}

    def recognises(self, _asked: Asked) -> bool:
        return True

    def reply(self, asked: Asked, _fault: str | None, _rng: random.Random) -> str | Completion:
        question = str([message["content"] for message in asked.messages[:2]])
        turn = list(POLICIES.values())[len(self._by_question) % len(POLICIES)]
        reply: str | Completion = self._by_question.setdefault(question, turn)(asked)
        return reply


def scripts() -> tuple[Script, ...]:
    """Return the only role."""
    return (HostilePolicies(),)
