"""The orders of sets in which a rule's code is tried: hash seeds, drawn from the edition's seed.

A rule that builds on the order of a set of two texts passes n of them by chance with a probability of
1 / 2^(n - 1). The catalogue's rules use no set, which a test shows: for them two are enough.
"""

from perennial.schemas.a2rbench.authoring import CATALOGUE
from perennial.schemas.ids import derive_rng
from perennial.tasks.a2rbench.coded_rule import CodedRule

TRIED, AT_GATE = 5, 7
_TRIED_OF_CATALOGUE, _AT_GATE_OF_CATALOGUE = 2, 1


def trial_seeds(rule: CodedRule, seed: int) -> list[int]:
    """Return the hash seeds with which a rule's code is run before an item is made."""
    return _draw(rule, seed, "trial", _TRIED_OF_CATALOGUE if rule.author == CATALOGUE else TRIED)


def gate_seeds(rule: CodedRule, seed: int) -> list[int]:
    """Return the hash seeds with which the gate runs a rule's code: others, and more of them."""
    return _draw(rule, seed, "gate", _AT_GATE_OF_CATALOGUE if rule.author == CATALOGUE else AT_GATE)


def _draw(rule: CodedRule, seed: int, purpose: str, number: int) -> list[int]:
    # 0 would switch hashing by chance off.
    return derive_rng(seed, f"a2rbench/{rule.name}/hash/{purpose}", 0).sample(range(1, 2**32), number)
