"""Documents that are sound, or nearly so, and large: parsers read them whole, and check entry by entry."""

import json
from collections.abc import Callable
from functools import cache, partial
from typing import Any

# Marks that are put in order when a text is composed, one after the other.
MARKS = "\u0301\u0316"
_WORDS = ("reasoning", "rule_description", "inverse_rule_description", "python_code", "justification")


@cache
def large_documents(size: int) -> list[tuple[str, Callable[[], str]]]:
    """What a document holds, and how to write its JSON, of about so many characters."""
    names = [f"t {number}" for number in range(size // 12)]
    few = names[: size // 60]
    states = [{"label": "seen", "rules_out": few[:1]}, {"label": "not", "rules_out": []}]
    ranges = [{"range": [place, place + 1], "rules_out": []} for place in range(size // 45)]
    documents: dict[str, Any] = {
        "many truths": {"truths": names, "actions": ["a"], "outcomes": []},
        "equal truths": {"truths": ["same"] * (size // 8), "actions": ["a"], "outcomes": []},
        "truths that differ in case": {
            "truths": [name.upper() if place % 2 else name for place, name in enumerate(names)],
            "actions": few,
            "outcomes": [],
        },
        "many outcomes": {
            "truths": few[:50],
            "actions": names[: size // 120],
            "outcomes": [{"action": name, "type": "str", "states": states} for name in names[: size // 120]],
        },
        "outcomes of no action": {
            "truths": few[:50],
            "actions": ["a"],
            "outcomes": [{"action": name, "type": "str", "states": states} for name in names[: size // 120]],
        },
        "many states of one action": {
            "truths": few[:50],
            "actions": ["a"],
            "outcomes": [{"action": "a", "type": "float", "states": ranges}],
        },
        "one state that rules out many": {
            "truths": few,
            "actions": ["a"],
            "outcomes": [{"action": "a", "type": "str", "states": [{"label": "x", "rules_out": few * 4}]}],
        },
        "one action with many states that rule out many": {
            "truths": few[: size // 1_000],
            "actions": ["a"],
            "outcomes": [
                {
                    "action": "a",
                    "type": "str",
                    "states": [{"label": f"x{n}", "rules_out": few[:500]} for n in range(size // 5_000)],
                }
            ],
        },
        "many names of no truth": {
            "truths": few[:400],
            "actions": ["a"],
            "outcomes": [
                {"action": "a", "type": "str", "states": [{"label": "x", "rules_out": names[500:]}]}
            ],
        },
        "long names of no truth": {
            "truths": ["x y" * (size // 6)],
            "actions": ["a"],
            "outcomes": [
                {"action": "a", "type": "str", "states": [{"label": "x", "rules_out": ["y x" * (size // 6)]}]}
            ],
        },
        "names of many marks": {"truths": [MARKS * (size // 14)], "actions": [], "outcomes": []},
        "many names of many marks": {
            "truths": [f"{number}{MARKS * 90}" for number in range(size // 1_100)],
            "actions": [],
            "outcomes": [],
        },
        "overlapping ranges": {
            "truths": ["a"],
            "actions": ["a"],
            "outcomes": [
                {
                    "action": "a",
                    "type": "float",
                    "states": [{"range": [n, size], "rules_out": []} for n in range(size // 45)],
                }
            ],
        },
        "many outcomes of an action": {
            "actions": [
                {
                    "action": "a",
                    "outcomes": [
                        {"label": "x", "range": None, "rules_out": few[:9], "confirms": [], "unclear": []}
                    ]
                    * (size // 130),
                }
            ],
            "unclear": [],
        },
        "many domains": {"domains": [{"name": name, "category": name} for name in few]},
        "actions of nothing": {"actions": [{}] * (size // 4), "unclear": []},
        "actions of one wrong key": {"actions": [{"action": name} for name in few], "unclear": []},
        "many unknown keys": dict.fromkeys(names, 1),
        "long texts": {word: "x" * (size // len(_WORDS)) for word in _WORDS},
        "long texts of escapes": {word: "\n\"\\" * (size // len(_WORDS) // 6) for word in _WORDS},
        "many examples": {"reasoning": "", "python_code": "x", "examples": names, "query": names},
        "an answer of many tokens": {"final_answer": ["1"] * (size // 5)},
        "an answer of many different tokens": {"final_answer": names},
        "an answer of many keys": {"final_answer": dict.fromkeys(names, 1)},
        "an answer of numbers": {"final_answer": list(range(size // 8))},
        "an answer of one text": {"final_answer": "1 " * (size // 2)},
        "lists in an answer": {"final_answer": [[[]]] * (size // 8)},
    }  # fmt: skip
    tagged = {f"marks in <{kind}>": f"<{kind}>a{MARKS * (size // 2)}</{kind}>" for kind in ("answer", "book")}
    return [
        *((kind, partial(json.dumps, document)) for kind, document in documents.items()),
        *((kind, partial(str, text)) for kind, text in tagged.items()),
    ]
