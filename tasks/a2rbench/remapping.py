"""Symbol remapping P1: other tokens, the same structure, and whether the rule stands it (section 3.3)."""

import random
from collections.abc import Callable, Mapping, Sequence

from perennial.tasks.a2rbench.catalogue.rule import Value
from perennial.tasks.a2rbench.values import map_tokens, tokens_of

# Signs that no item has: Greek and Cyrillic letters that look like no Latin one.
SIGNS = tuple("αβγδεζηθλμξπρσφψωБДЖЗЛФЦЧШЩЭЮЯΓΘΞΣΨΩИЫ")


def draw_remapping(values: Sequence[Value], rng: random.Random) -> dict[str, str] | None:
    """Return a sign for each token of the values; None where there are more tokens than signs."""
    tokens = sorted(set(tokens_of(list(values))))
    if len(tokens) > len(SIGNS):
        return None
    return dict(zip(tokens, rng.sample(SIGNS, len(tokens)), strict=True))


def remap(value: Value, phi: Mapping[str, str]) -> Value:
    """Return the value with each token replaced."""
    return map_tokens(value, phi.__getitem__)


def commutes(function: Callable[[Value], Value], inputs: Sequence[Value], phi: Mapping[str, str]) -> bool:
    """Whether f(phi(x)) = phi(f(x)) for all inputs; a function that fails on phi(x) does not."""
    try:
        return all(function(remap(value, phi)) == remap(function(value), phi) for value in inputs)
    except (ValueError, LookupError, TypeError, ArithmeticError):
        return False
