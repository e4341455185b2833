"""A practice question: what a line of `perennial sample` holds, and what is said of a reply to it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from perennial.schemas.errors import UnreadableInput, quote, shorten
from perennial.schemas.json_text import read_json
from perennial.schemas.model_calls import Message
from perennial.schemas.rows import JsonObject

GRADER = "perennial.flows.practice.grade:grade"
USE = "training"
UNFINISHED = "unfinished"
_KEYS = ("role", "content")


@dataclass(frozen=True, slots=True)
class PracticeQuestion:
    """A question to train on: it is of no edition, and holds no canary.

    `seed` and `index` say which draw it is, `question` are the messages that a model is sent first, `answer`
    is a right answer as text, `difficulty` holds what was asked for and what was measured, and `game` what
    the benchmark needs to play and grade it. `reply` is a right reply in the form that the question asks
    for, and empty for a game of several turns.
    """

    instance_id: str
    benchmark: str
    domain: str
    seed: int
    index: int
    difficulty: JsonObject
    question: tuple[Message, ...]
    answer: str
    game: JsonObject
    reply: str = ""

    def as_json(self) -> JsonObject:
        """Return the JSON object of its line."""
        fields = {name: getattr(self, name) for name in _FIELDS}
        return {**fields, "question": [*self.question], "use": USE, "grader": GRADER}

    @classmethod
    def from_json(cls, line: Any) -> "PracticeQuestion":
        """Return the question that `as_json` wrote; raise UnreadableInput for anything else."""
        if not isinstance(line, Mapping):
            raise UnreadableInput(f"practice question {quote(line)}: expected a line of `perennial sample`")
        try:
            line = dict(read_json(json.dumps(dict(line))))
        except (ValueError, TypeError, RecursionError) as error:
            why = shorten(str(error), 100)
            raise UnreadableInput(f"practice question: not the JSON of a line ({why})") from None
        for name, kind in _FIELDS.items():
            if type(line.get(name)) is not kind:
                raise UnreadableInput(
                    f"practice question: {name} is {quote(line.get(name))}, expected {_NAMES[kind]}, as "
                    "`perennial sample` writes it"
                )
        if line.get("grader") != GRADER:
            raise UnreadableInput(f"practice question: grader {quote(line.get('grader'))}: expected {GRADER}")
        messages = line["question"]
        if not messages or not all(_is_message(message) for message in messages):
            raise UnreadableInput("practice question: question is no list of messages with role and content")
        return cls(**{name: line[name] for name in _FIELDS} | {"question": tuple(messages)})


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(key), str) for key in _KEYS)


_FIELDS = {
    "instance_id": str,
    "benchmark": str,
    "domain": str,
    "seed": int,
    "index": int,
    "difficulty": dict,
    "question": list,
    "answer": str,
    "game": dict,
    "reply": str,
}
_NAMES = {str: "text", int: "a whole number", dict: "an object", list: "a list"}


@dataclass(frozen=True, slots=True)
class Grade:
    """What a reply to a practice question is worth.

    `status` says how the game ended, "unfinished" where it goes on; `score` is from 0 to 1, `measures` are
    the benchmark's own numbers of this run.
    """

    status: str
    success: bool
    score: float
    measures: Mapping[str, float] = field(default_factory=dict)
