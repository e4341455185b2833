"""The expander and the judge of its inputs, as roles of the scripted server: they do well, or badly."""

import json
import random
import re
from typing import Any

from tests.server.script import Asked

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ORDINARY = ((5, 9), (3, 4), (2, 3))
_LARGE = ((14, 18), (5, 6), (3, 4))
# Sides of two examples of edge variations. The query has ordinary ones: a rule leaves many a small input as
# it is, and an answer that is the query is refused.
_SMALL = ((1, 3), (1, 2), (1, 2))
_HISTORY = re.compile(r"^\[.*\]$", re.MULTILINE)


class ScriptedExpander:
    """Draws letters in the sizes that the variation asks for."""

    role = "expander"
    faults = (
        *("in_prose", "wrong_depth", "numbers", "too_large", "recurring", "twice", "few"),
        *("raises", "skipped", "unclear", "no_input", "bare_list", "not_a_number"),
    )

    def recognises(self, asked: Asked) -> bool:
        return asked.system.startswith("You test rules.")

    def reply(self, asked: Asked, fault: str | None, rng: random.Random) -> str:
        text = asked.messages[-1]["content"]
        dimension = 1 + ("is a grid" in text) + 2 * ("is a cube" in text)
        found = re.search(r"Choose the inputs of variation V(\d)", text)
        assert found is not None
        inputs = _draw_all(dimension, int(found[1]), rng)
        if fault == "in_prose":
            return "I would choose a few long lists, and an empty one."
        if fault == "wrong_depth":
            inputs[2] = [inputs[2]]
        elif fault == "numbers":
            inputs[0] = _leaf(dimension, 7)
        elif fault == "too_large":
            inputs[1] = _draw(dimension, ((401, 401), (21, 21), (8, 8))[dimension - 1], rng)
        elif fault == "recurring":
            inputs = [json.loads(line) for line in _HISTORY.findall(text)[:6]]
        elif fault == "twice":
            inputs[3] = inputs[4]
        elif fault == "few":
            inputs = inputs[1:]
        elif fault == "raises":
            inputs[4] = _leaf(dimension, "!")
        elif fault == "unclear":
            inputs = [_leaf(dimension, letter) for letter in "ABCDEF"]
        elif fault == "not_a_number":
            return f'{{"status": NaN, "new_input": {json.dumps(inputs)}}}'
        elif fault == "bare_list":
            return json.dumps(inputs)
        if fault == "skipped":
            return _write([], [], "SKIPPED_LOW_ENTROPY")
        if fault == "no_input":
            return '{"reasoning": "r", "variation_type": "t", "status": "CONTINUE"}'
        return _write(inputs[:-1], inputs[-1], "CONTINUE")


class ScriptedJudge:
    """Accepts all inputs."""

    role = "judge"
    faults = ("refuses", "verdict_in_words", "in_prose")

    def recognises(self, asked: Asked) -> bool:
        return asked.system.startswith("You judge the examples of puzzles")

    def reply(self, _asked: Asked, fault: str | None, _rng: random.Random) -> str:
        if fault == "in_prose":
            return "They look fine to me."
        if fault == "verdict_in_words":
            return '{"reasoning": "fine", "is_valid": "yes"}'
        reasoning = "the first example\nsays nothing" if fault == "refuses" else "they show it"
        return f"```json\n{json.dumps({'reasoning': reasoning, 'is_valid': fault != 'refuses'})}\n```"


def _write(examples: list[Any], query: Any, status: str) -> str:
    new_input = {"examples": examples, "query": query}
    value = {"reasoning": "r", "variation_type": "t", "new_input": new_input, "status": status}
    return f"Here they are.\n```json\n{json.dumps(value)}\n```"


def _draw_all(dimension: int, variation: int, rng: random.Random) -> list[Any]:
    ordinary, large, small = (sizes[dimension - 1] for sizes in (_ORDINARY, _LARGE, _SMALL))
    sizes = [large if variation >= 7 else ordinary] * 6
    if 4 <= variation <= 5:
        sizes = [*[ordinary] * 3, small, small, ordinary]
    found: dict[str, Any] = {}
    for size in sizes:
        while True:
            value = _draw(dimension, size, rng)
            if found.setdefault(json.dumps(value), value) is value:
                break
    return list(found.values())


def _draw(dimension: int, size: tuple[int, int], rng: random.Random) -> Any:
    return _fill([rng.randint(*size) for _ in range(dimension)], rng)


def _fill(sides: list[int], rng: random.Random) -> Any:
    side, *rest = sides
    return [_fill(rest, rng) if rest else rng.choice(_LETTERS) for _ in range(side)]


def _leaf(dimension: int, token: Any) -> Any:
    return [_leaf(dimension - 1, token)] if dimension else token


def scripts() -> tuple[Any, ...]:
    """Return the roles of the scripted server."""
    return (ScriptedExpander(), ScriptedJudge())
