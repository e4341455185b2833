"""More inputs of the same kind as an author's: their tokens, in sizes between theirs."""

import random
from collections.abc import Iterator, Sequence

from perennial.schemas.ids import canonical_json
from perennial.tasks.a2rbench.catalogue.rule import Dimension, Value
from perennial.tasks.a2rbench.values import tokens_of

_DRAWS_A_PIECE = 5


def generate_inputs(
    dimension: Dimension, inputs: Sequence[Value], number: int, rng: random.Random
) -> list[Value]:
    """Return up to `number` further inputs, each once and none of the given ones.

    Half of them are given inputs with their tokens in another order, half are filled anew. Empty where the
    given inputs have no token.
    """
    tokens = [token for value in inputs for token in tokens_of(value)]
    if not tokens:
        return []
    sizes = [_sides(value, dimension) for value in inputs]
    ends = [(min(side), max(side)) for side in zip(*sizes, strict=True)]
    seen = {canonical_json(value) for value in inputs}
    found: list[Value] = []
    for draw in range(number * _DRAWS_A_PIECE):
        if draw % 2:
            given = rng.choice(inputs)
            own = list(tokens_of(given))
            rng.shuffle(own)
            sides = _sides(given, dimension)
        else:
            sides = [rng.randint(low, high) for low, high in ends]
            own = rng.choices(tokens, k=_product(sides))
        value = _fill(sides, iter(own))
        text = canonical_json(value)
        if text not in seen:
            seen.add(text)
            found.append(value)
        if len(found) == number:
            break
    return found


def _sides(value: Value, dimension: Dimension) -> list[int]:
    """Return the length of each side of a value that has the shape of the dimension."""
    sides = []
    for _ in range(dimension):
        sides.append(len(value))
        value = value[0] if value else []
    return sides


def _product(sides: Sequence[int]) -> int:
    product = 1
    for side in sides:
        product *= side
    return product


def _fill(sides: Sequence[int], tokens: Iterator[str]) -> Value:
    side, *rest = sides
    return [_fill(rest, tokens) if rest else next(tokens) for _ in range(side)]
