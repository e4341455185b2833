"""Rules as a model would have written them: small scripts that are not in the catalogue."""

import json

from perennial.schemas.rows import Row
from perennial.tasks.a2rbench.catalogue import Value
from perennial.tasks.a2rbench.items import AuthoredRule

AUTHOR = "m-author"

# Every third token from the left changes places with the one before it. It takes no exclamation mark.
_SWAP = """
def transform_grid(grid):
    if "!" in grid:
        raise ValueError("no exclamation marks")
    tokens = list(grid)
    for place in range(2, len(tokens), 3):
        tokens[place - 1], tokens[place] = tokens[place], tokens[place - 1]
    return tokens


def inverse_transform_grid(grid):
    return transform_grid(grid)
"""

# Rows turn by their number where the row has an even number of vowels, which stays as it is: other tokens
# have no vowels.
_TURN = """
def _turn(grid, sign):
    turned = []
    for number, row in enumerate(grid):
        vowels = sum(1 for token in row if token in ("A", "E", "I", "O", "U"))
        step = sign * (number + 1) if vowels % 2 else sign * -(number + 2)
        step = step % len(row) if row else 0
        turned.append(row[step:] + row[:step])
    return turned


def transform_grid(grid):
    return _turn(grid, 1)


def inverse_transform_grid(grid):
    return _turn(grid, -1)
"""

# Letters move on by the square of their place.
_SQUARES = """
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _move(tokens, sign):
    moved = []
    for place, token in enumerate(tokens):
        moved.append(LETTERS[(LETTERS.index(token) + sign * place * place) % 26])
    return moved


def transform_grid(grid):
    return _move(grid, 1)


def inverse_transform_grid(grid):
    return _move(grid, -1)
"""

# Every third or fourth token changes places, as a set of two texts has its order. With the edition seed 3,
# all hash seeds that a rule of this name is tried with agree, and the first one of the gate does not.
_ORDER = """
def transform_grid(grid):
    step = 3 if list({"a13", "b13"})[0] == "a13" else 4
    tokens = list(grid)
    for place in range(step - 1, len(tokens), step):
        tokens[place - 1], tokens[place] = tokens[place], tokens[place - 1]
    return tokens


def inverse_transform_grid(grid):
    return transform_grid(grid)
"""

SWAP = AuthoredRule(
    "rule_swap",
    AUTHOR,
    1,
    "symbolic",
    "Every third token changes places with the token before it.",
    "Every third token changes places with the token before it.",
    _SWAP,
)
TURN = AuthoredRule(
    "rule_turn",
    AUTHOR,
    2,
    "symbolic",
    "Each row turns left by its number if it has an odd number of vowels, else right by its number and one.",
    "Each row turns the other way by as much.",
    _TURN,
)
SQUARES = AuthoredRule(
    "rule_squares",
    AUTHOR,
    1,
    "semantic",
    "Each letter moves on in the alphabet by the square of its place, counted from 0.",
    "Each letter moves back by the square of its place.",
    _SQUARES,
)

ORDER = AuthoredRule(
    "rule_order",
    AUTHOR,
    1,
    "symbolic",
    "Every third token changes places with the token before it, or every fourth.",
    "Every third token changes places with the token before it, or every fourth.",
    _ORDER,
)

LINES: list[Value] = [list(word) for word in ("PLANET", "COMETS", "ROCKETS", "SATURN", "METEOR", "GALAXYS")]
GRIDS: list[Value] = [
    [list(row) for row in rows.split()]
    for rows in ("ABC DEF GHI", "PLAN ETSO NGRD", "BCD EOU KLM", "WXY ZAB CDE", "MNO PQR STU", "HIJ KLM NOP")
]


def rule_row(rule: AuthoredRule, number: int = 0) -> Row:
    """Return the row of `a2rbench_rules` that stage `rules` would stage."""
    domain = f"{('line', 'grid', 'cube')[rule.dimension - 1]}_{rule.type}"
    inputs = LINES if rule.dimension == 1 else GRIDS
    words = {"description": rule.description, "inverse_description": rule.inverse_description}
    return {
        "rule": rule.name,
        "domain": domain,
        "number": number,
        "author": rule.author,
        **words,
        "code": rule.code,
        "inputs": json.dumps(inputs),
        "call_ids": [],
    }
