"""Rules of A2RBench, and the catalogue: reversible rules written and reviewed as our own code.

Inputs are tokens (texts of one letter or more) in a list, a grid (list of rows) or a cube (list of layers,
each a grid). A rule's code stands alone and is run in the sandbox as any author's. The catalogue is
`catalogue.toml`, ten rules or more per cell of the grid.
"""

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from textwrap import indent
from typing import Any, Literal, get_args

from perennial.schemas.a2rbench.things import CATALOGUE, SHAPES, RuleType

# A list of tokens, a grid, or a cube: which of them, the rule's dimension says.
Value = Any
Function = Callable[[Value], Value]
Dimension = Literal[1, 2, 3]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
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


def type_of(alphabet: Alphabet) -> RuleType:
    """A rule that knows what its tokens mean is semantic."""
    return "symbolic" if alphabet == "any" else "semantic"


@lru_cache(maxsize=1 << 12)
def compile_code(code: str) -> dict[str, Function]:
    """What code of perennial's own defines: the catalogue's, or made of the grammar's tables."""
    defined: dict[str, Function] = {}
    exec(code, defined)
    return defined


@dataclass(frozen=True)
class Rule:
    """A rule: `description` and `inverse_description` are its words, in one sentence each.

    `code` is a script that defines `transform_grid` and `inverse_transform_grid`. One that was drawn
    (`grammar`) has as `steps` the JSON that it was made from.
    """

    name: str
    dimension: Dimension
    type: RuleType
    description: str
    inverse_description: str
    code: str
    alphabet: Alphabet = "any"
    author: str = CATALOGUE
    steps: str | None = None

    def forward(self, value: Value) -> Value:
        """What the rule makes of a value."""
        return compile_code(self.code)[FORWARD](value)

    def inverse(self, value: Value) -> Value:
        """The value that the rule makes this one of."""
        return compile_code(self.code)[INVERSE](value)


def _read_catalogue() -> Iterator[Rule]:
    text = files(__package__).joinpath("catalogue.toml").read_text(encoding="utf-8")
    for name, row in tomllib.loads(text).items():
        bodies = row["forward"], row.get("inverse", row["forward"])
        code = "\n\n".join(
            f"def {function}(x):\n{indent(body.strip(), '    ')}\n"
            for function, body in zip((FORWARD, INVERSE), bodies, strict=True)
        )
        dimension = DIMENSIONS[SHAPES.index(name.partition("_")[0])]
        alphabet = row.get("alphabet", "any")
        yield Rule(name, dimension, type_of(alphabet), row["words"], row["back"], code, alphabet)


# All rules of the catalogue, by name.
RULES: dict[str, Rule] = {rule.name: rule for rule in _read_catalogue()}
