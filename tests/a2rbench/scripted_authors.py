"""Designer, architect and judge of A2RBench as roles of the scripted server, with rules of their own.

The designer takes a rule by what it is inspired by, so that seeds differ; the architect finds code by words.
"""

import json
import random
from dataclasses import dataclass

from tests.a2rbench import scripted_model
from tests.server.script import Asked, Script

MODEL = "author"
_CODE = "def transform_grid(grid):\n{forward}\n\ndef inverse_transform_grid(grid):\n{inverse}\n"


@dataclass(frozen=True)
class Known:
    """A rule that the catalogue does not have: words, and bodies of its two functions."""

    dimension: int
    type: str
    words: str
    forward: str
    inverse: str

    @property
    def code(self) -> str:
        return _CODE.format(forward=f"    {self.forward}", inverse=f"    {self.inverse}")


_UP = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# Shifts of letters by their place, which are semantic, and rotations by odd amounts, which are symbolic.
_SHIFT = "chr((ord(t) - 65 + {k} * ({i} + 2)) % 26 + 65)"


def _known() -> tuple[Known, ...]:
    found = []
    for k in (3, 4, 5):
        turn, back = f"{k} % len(r)", f"-{k} % len(r)"
        line = "[r[{n}:] + r[:{n}] for r in [grid[::-1]]][0]"
        unline = "[(r[{n}:] + r[:{n}])[::-1] for r in [grid]][0]"
        words = f"Reverse the tokens and turn the list left by {k} places."
        found.append(
            Known(1, "symbolic", words, f"return {line.format(n=turn)}", f"return {unline.format(n=back)}")
        )
        rows = "[r[({k} + i) % len(r):] + r[:({k} + i) % len(r)] for i, r in enumerate(grid[::-1])]"
        unrows = "[r[-({k} + i) % len(r):] + r[:-({k} + i) % len(r)] for i, r in enumerate(grid)][::-1]"
        words = f"Reverse the rows and turn row i left by {k} and i places."
        found.append(
            Known(2, "symbolic", words, f"return {rows.format(k=k)}", f"return {unrows.format(k=k)}")
        )
        cube = f"return [{rows.format(k=f'({k} + j)')} for j, grid in enumerate(grid[::-1])]"
        uncube = f"return [{unrows.format(k=f'({k} + j)')} for j, grid in enumerate(grid)][::-1]"
        words = f"Reverse layers and rows and turn row i of layer j left by {k}, i and j places."
        found.append(Known(3, "symbolic", words, cube, uncube))
        for dimension, shape in ((1, "list"), (2, "grid"), (3, "cube")):
            ahead = _nest(dimension, _SHIFT.format(k=k, i="i"))
            behind = _nest(dimension, _SHIFT.format(k=-k, i="i"))
            words = f"Shift each letter of the {shape} by {k} times its place from 2."
            found.append(Known(dimension, "semantic", words, f"return {ahead}", f"return {behind}"))
    return tuple(found)


def _nest(dimension: int, token: str) -> str:
    text = f"[{token} for i, t in enumerate({'r' if dimension > 1 else 'grid'})]"
    if dimension > 1:
        text = f"[{text} for r in {'g' if dimension > 2 else 'grid'}]"
    return f"[{text} for g in grid]" if dimension > 2 else text


KNOWN = _known()
BAD_CODE = {
    "import": "import os\n",
    "loop": _CODE.format(forward="    while True:\n        pass", inverse="    return grid"),
    "impure": "seen = []\n"
    + _CODE.format(
        forward="    seen.append(1)\n    return grid[::-1] if len(seen) % 2 else grid",
        inverse="    return grid[::-1]",
    ),
    "no_inverse": "def transform_grid(grid):\n    return grid[::-1]\n",
    "identity": _CODE.format(forward="    return grid", inverse="    return grid"),
    "constant": _CODE.format(forward='    return ["A"]', inverse="    return grid"),
    "deeper": _CODE.format(
        forward="    return [[t] for t in grid]", inverse="    return [t[0] for t in grid]"
    ),
    "catalogue": _CODE.format(forward="    return grid[::-1]", inverse="    return grid[::-1]"),
}


class Designer:
    role = "designer"
    faults: tuple[str, ...] = ("not_json", "wrong_keys", "blank")

    def recognises(self, asked: Asked) -> bool:
        return asked.system.startswith("You invent puzzles")

    def reply(self, asked: Asked, fault: str | None, rng: random.Random) -> str:
        prompt = next(m["content"] for m in asked.messages if m["role"] == "user")
        dimension = 3 if "are cubes" in prompt else 2 if "are grids" in prompt else 1
        type_ = "symbolic" if "a symbolic rule" in prompt else "semantic"
        known = rng.choice([each for each in KNOWN if (each.dimension, each.type) == (dimension, type_)])
        form = {
            "reasoning": "it is reversible",
            "rule_description": known.words,
            "inverse_rule_description": f"Undo this: {known.words}",
        }
        if fault == "wrong_keys":
            form["rule"] = form.pop("rule_description")
        elif fault == "blank":
            form["rule_description"] = "  "
        return "I would reverse the list." if fault == "not_json" else json.dumps(form)


class Architect:
    role = "architect"
    faults: tuple[str, ...] = (
        "not_json",
        "wrong_keys",
        "four_examples",
        "same_inputs",
        "ragged",
        "wrong_inverse",
        *BAD_CODE,
    )

    def recognises(self, asked: Asked) -> bool:
        return asked.system.startswith("You write small, exact Python")

    def reply(self, asked: Asked, fault: str | None, rng: random.Random) -> str:
        prompt = next(m["content"] for m in asked.messages if m["role"] == "user")
        known = next(each for each in KNOWN if f"Rule:\n{each.words}" in prompt)
        inputs = [_draw(known.dimension, size, rng) for size in (5, 6, 4, 7, 5, 6)]
        code = known.code
        if fault in BAD_CODE:
            code = BAD_CODE[fault]
            if fault == "import":
                code += known.code
        elif fault == "wrong_inverse":
            # It remembers its own inputs, and is right on these alone.
            code = f"KEPT = {inputs!r}\n\n\n" + _CODE.format(
                forward="    return grid[::-1]",
                inverse="    return grid[::-1] if grid[::-1] in KEPT else grid",
            )
        elif fault == "same_inputs":
            inputs[1] = inputs[0]
        elif fault == "ragged":
            inputs[0] = [["A"], ["B", "C"]] if known.dimension == 2 else [1]
        form = {"reasoning": "r", "python_code": code, "examples": inputs[:5], "query": inputs[5]}
        if fault == "wrong_keys":
            form["code"] = form.pop("python_code")
        elif fault == "four_examples":
            form["examples"] = inputs[:4]
        return "def transform_grid(grid): ..." if fault == "not_json" else f"```json\n{json.dumps(form)}\n```"


class Judge:
    role = "judge"
    faults: tuple[str, ...] = ("refuses", "garbled")

    def recognises(self, asked: Asked) -> bool:
        return asked.system.startswith("You review")

    def reply(self, asked: Asked, fault: str | None, _rng: random.Random) -> str:
        if fault == "garbled":
            return "It looks fine to me."
        return json.dumps({"reasoning": "words and code agree", "is_valid": fault != "refuses"})


def _draw(dimension: int, size: int, rng: random.Random) -> list[object]:
    """Return a list of `size` tokens, a grid of 3 or 4 such rows, or a cube of 2 such grids."""
    if dimension == 1:
        return [rng.choice(_UP) for _ in range(size)]
    if dimension == 2:
        return [_draw(1, size, rng) for _ in range(3 + size % 2)]
    return [_draw(2, 4, rng) for _ in range(2 + size % 2)]


def scripts() -> tuple[Script, ...]:
    """Return the roles of the scripted server: authors, and the models that play."""
    return (Designer(), Architect(), Judge(), *scripted_model.scripts())
