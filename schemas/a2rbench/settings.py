"""A2RBench's own settings: section [a2rbench] of perennial.toml."""

from schemas.settings import RefreshSettings
from schemas.settings.form import Names, setting


class A2RBenchSettings(RefreshSettings):
    """How many seeds and variations, and whether symbolic items are asked in other tokens too."""

    players: Names = setting(
        [],
        "Players, separated by commas: search, identity, nearest; any other name is treated as a model. "
        "Default: these three.",
    )
    seeds: int = setting(
        12, "Seeds of each of the six cells: a rule of the catalogue with inputs of its own.", ge=1, le=10_000
    )
    variations: int = setting(
        9,
        "Variations of each seed beside V0: V1 to V3 standard, V4 to V6 edge, V7 to V9 complex.",
        ge=0,
        le=9,
    )
    remapping: bool = setting(
        True, "Ask symbolic items in other tokens as well, where the rule commutes with that."
    )
    accept_weak_sandbox: bool = setting(
        False,
        "Run rules that a model or a file wrote even where a syntax check and limits alone hold them (tier "
        "floor in `perennial doctor`). perennial's own rules run anywhere.",
    )
