"""An item, as a row of `a2rbench_items` holds it, and the names of its cell."""

from dataclasses import dataclass
from typing import Literal, get_args

RuleType = Literal["symbolic", "semantic"]
RULE_TYPES: tuple[RuleType, ...] = get_args(RuleType)
# By dimension from 1.
SHAPES = ("line", "grid", "cube")
DOMAINS = tuple(f"{shape}_{type_}" for shape in SHAPES for type_ in RULE_TYPES)

# Shared figures are made by setting: an item and its copy in other tokens must never be counted together.
Setting = Literal["seed", "augmented", "remapped"]
SETTINGS: tuple[Setting, ...] = get_args(Setting)

ParseKind = Literal["program", "judge", "none"]
PARSE_KINDS: tuple[ParseKind, ...] = get_args(ParseKind)

TIERS = ("bubblewrap", "seccomp", "none")
VARIATIONS = 10


def name_domain(dimension: int, type_: str) -> str:
    """Return the name of a cell of the grid, such as `line_symbolic`."""
    return f"{SHAPES[dimension - 1]}_{type_}"


@dataclass(frozen=True, slots=True)
class Item:
    """An item: its fields are the columns of the table, in their order."""

    instance_id: str
    seed_item: str
    rule: str
    author: str
    type: str
    dimension: int
    variation: int
    is_remapped: bool
    of: str | None
    description: str
    inverse_description: str
    code: str
    examples: str
    query: str
    answer: str
    phi: str | None
    commutes: bool | None
    fits: int
    fits_other: int
    max_loop_depth: int
    total_ifs: int
    max_if_depth: int
    max_complexity: int
    mutability: int
    return_complexity: int
    gzip: float
    deflate: float
    prompt: str
    template_hash: str
    rejected_draws: int

    @property
    def domain(self) -> str:
        """The cell of the grid that it is of."""
        return name_domain(self.dimension, self.type)

    @property
    def setting(self) -> Setting:
        """What kind of item it is."""
        return "remapped" if self.is_remapped else "augmented" if self.variation else "seed"
