"""Inputs of an item by variation: the seed V0, standard V1-V3, edge V4-V6, complex V7-V9 (section 3.2)."""

import json
import random
from dataclasses import dataclass

from tasks.a2rbench.catalogue.rule import Alphabet, Rule, Value

TOKENS: dict[Alphabet, tuple[str, ...]] = {
    "any": tuple("abcdefghjkmnpqrstuvwxyz23456789#@*+"),
    "letters": tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "digits": tuple("0123456789"),
    "bits": tuple("01"),
    "elements": (
        "H",
        "He",
        "Li",
        "Be",
        "B",
        "C",
        "N",
        "O",
        "F",
        "Ne",
        "Na",
        "Mg",
        "Al",
        "Si",
        "P",
        "S",
        "Cl",
        "Ar",
        "K",
        "Ca",
    ),
    "days": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
}
EXAMPLES = 5
_DRAWS = 200


@dataclass(frozen=True, slots=True)
class Sizes:
    """From and to how many tokens a side has, by dimension."""

    line: tuple[int, int]
    grid: tuple[int, int]
    cube: tuple[int, int]

    def of(self, dimension: int) -> tuple[int, int]:
        """Return those of a dimension."""
        return (self.line, self.grid, self.cube)[dimension - 1]


_STANDARD = Sizes((5, 9), (3, 4), (2, 3))
_LONGER = Sizes((8, 12), (3, 5), (2, 3))
_SMALL = Sizes((1, 3), (1, 2), (1, 2))
_LARGE = Sizes((14, 20), (5, 7), (3, 4))

VARIATIONS = range(10)
# Sizes, and how many different tokens at most (0: any number).
_KINDS: dict[int, tuple[Sizes, int]] = {
    0: (_STANDARD, 0),
    1: (_STANDARD, 0),
    2: (_LONGER, 0),
    3: (_LONGER, 4),
    4: (_SMALL, 0),
    5: (_SMALL, 1),
    6: (_STANDARD, 2),
    7: (_LARGE, 0),
    8: (_LARGE, 3),
    9: (_LARGE, 2),
}
VARIATION_NAMES = ("seed", *["standard"] * 3, *["edge"] * 3, *["complex"] * 3)


def draw_inputs(rule: Rule, variation: int, rng: random.Random) -> list[Value] | None:
    """Return distinct inputs of a variation, the query last; None where the draws give too few.

    An edge variation has one example of a standard size, so that the rule can be inferred at all.
    """
    sizes, most = _KINDS[variation]
    found: dict[str, Value] = {}
    if VARIATION_NAMES[variation] == "edge":
        for _ in range(2):
            _add(found, _draw(rule, _STANDARD, 0, rng))
    for _ in range(_DRAWS):
        if len(found) == EXAMPLES + 1:
            return list(found.values())
        _add(found, _draw(rule, sizes, most, rng))
    return None


def _add(found: dict[str, Value], value: Value) -> None:
    found.setdefault(json.dumps(value), value)


def _draw(rule: Rule, sizes: Sizes, most: int, rng: random.Random) -> Value:
    tokens = TOKENS[rule.alphabet]
    chosen = rng.sample(tokens, min(most, len(tokens))) if most else tokens
    low, high = sizes.of(rule.dimension)
    return _fill([rng.randint(low, high) for _ in range(rule.dimension)], chosen, rng)


def _fill(sides: list[int], tokens: "tuple[str, ...] | list[str]", rng: random.Random) -> Value:
    side, *rest = sides
    return [_fill(rest, tokens, rng) if rest else rng.choice(tokens) for _ in range(side)]
