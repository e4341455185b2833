"""What a rule of the catalogue is: a function, its inverse, and the inputs that it is meant for.

Inputs are tokens (texts of one letter or more) in a list, a grid (list of rows) or a cube (list of layers,
each a grid). Each function stands alone: its source is the rule's code, run in the sandbox as any author's.
"""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from textwrap import dedent
from typing import Any, Literal, get_args

from perennial.schemas.a2rbench.things import CATALOGUE

# A list of tokens, a grid, or a cube: which of them, the rule's dimension says.
Value = Any
Dimension = Literal[1, 2, 3]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
RuleType = Literal["symbolic", "semantic"]
RULE_TYPES: tuple[RuleType, ...] = get_args(RuleType)
# Which tokens an input has: any of them (structure alone matters), or those that the rule knows.
Alphabet = Literal["any", "letters", "digits", "bits", "elements", "days"]

# The tokens of each alphabet, in their order.
TOKENS: dict[Alphabet, tuple[str, ...]] = {
    "any": tuple("abcdefghjkmnpqrstuvwxyz23456789#@*+"),
    "letters": tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "digits": tuple("0123456789"),
    "bits": tuple("01"),
    "elements": tuple("H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca".split()),  # noqa: SIM905
    "days": tuple("Mon Tue Wed Thu Fri Sat Sun".split()),  # noqa: SIM905
}

FORWARD, INVERSE = "transform_grid", "inverse_transform_grid"


@dataclass(frozen=True)
class Rule:
    """A rule: `description` and `inverse_description` are its words, in one sentence each.

    One that was drawn (`grammar`) has its code as `script`, and as `steps` the JSON that it was made from.
    """

    name: str
    dimension: Dimension
    type: RuleType
    description: str
    inverse_description: str
    forward: Callable[[Value], Value]
    inverse: Callable[[Value], Value]
    alphabet: Alphabet = "any"
    author: str = CATALOGUE
    script: str = ""
    steps: str | None = None

    @cached_property
    def code(self) -> str:
        """The rule as a script that defines `transform_grid` and `inverse_transform_grid`."""
        return self.script or f"{_source(self.forward, FORWARD)}\n\n{_source(self.inverse, INVERSE)}"


def _source(function: Callable[[Value], Value], name: str) -> str:
    """Return the function's source under another name, without annotations and docstring."""
    text = dedent(inspect.getsource(function)).replace(": Value = ", " = ")
    return re.sub(rf"\Adef {function.__name__}\((\w+): Value\) -> Value:\n", rf"def {name}(\1):\n", text)
