"""How an instance is drawn: balanced over its listed truths, or as the KUMO paper does it."""

from perennial.schemas.errors import InvalidOption, join_choices

BALANCED = "balanced"
AS_PUBLISHED = "kumo-2025"
SAMPLERS = (BALANCED, AS_PUBLISHED)
DEFAULT_SAMPLER = BALANCED

# What judges the lists of the balanced sampler, and what draws the instances of the paper's.
SOLVER = "python-sat"
COMPILED = "compiled"
CONSTRUCTIVE = "constructive"
ENGINES = (SOLVER, COMPILED, CONSTRUCTIVE)


def check_sampler(name: str) -> None:
    """Raise InvalidOption where no sampler has this name."""
    if name not in SAMPLERS:
        raise InvalidOption(f"--sampler {name!r}: expected {join_choices(SAMPLERS)}")
