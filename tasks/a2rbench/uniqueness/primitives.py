"""Search rules beyond the catalogue for one that fits an item's examples and gives another answer.

Single primitives: moves of places (`places`), arithmetic with tokens (`codes`), and what sorts (`trivial`).
"""

from collections.abc import Iterator, Sequence

import numpy as np

from perennial.tasks.a2rbench.catalogue.rule import Dimension, Value
from perennial.tasks.a2rbench.inputs import TOKENS
from perennial.tasks.a2rbench.uniqueness.codes import Codes, fitting_codes
from perennial.tasks.a2rbench.uniqueness.places import fitting_moves
from perennial.tasks.a2rbench.uniqueness.trivial import Example, trivial_rules
from perennial.tasks.a2rbench.values import fault_of_shape, tokens_of

# Published values may be larger: numbers of places are of two bytes, and time grows with them.
_MOST_TOKENS = 500


def find_primitives(dimension: Dimension, examples: Sequence[Example], query: Value) -> dict[str, Value]:
    """Return each different answer that a primitive which fits all examples gives, by the primitive's name.

    Empty for values that are ragged, or of too many tokens.
    """
    values = [value for pair in examples for value in pair] + [query]
    tokens = list(dict.fromkeys(tokens_of(values)))
    is_even = all(not fault_of_shape(value, dimension) for value in values)
    if not is_even or any(sum(1 for _ in tokens_of(value)) > _MOST_TOKENS for value in values):
        return {}
    found: dict[str, Value] = {}
    for name, answer in _search(dimension, examples, query, tokens):
        if answer not in found.values():
            found[name] = answer
    return found


def _search(
    dimension: Dimension, examples: Sequence[Example], query: Value, tokens: Sequence[str]
) -> Iterator[tuple[str, Value]]:
    pairs, asked = _encode(dimension, examples, query, tokens)
    for name, moved in fitting_moves(pairs, asked):
        yield name, decode(moved, tokens)
    for name, rule in trivial_rules(dimension).items():
        if all(rule(given) == wanted for given, wanted in examples):
            yield name, rule(query)
    pairs = [pair for pair in pairs if pair[0].size]
    if not pairs or not asked.size or any(given.shape != wanted.shape for given, wanted in pairs):
        return
    for alphabet, known in TOKENS.items():
        if alphabet != "any" and set(tokens) <= set(known):
            own, of_query = _encode(dimension, examples, query, known)
            for name, answer in fitting_codes([pair for pair in own if pair[0].size], of_query, len(known)):
                yield f"{alphabet}: {name}", decode(answer, known)


def _encode(
    dimension: Dimension, examples: Sequence[Example], query: Value, tokens: Sequence[str]
) -> tuple[list[tuple[Codes, Codes]], Codes]:
    numbers = {token: number for number, token in enumerate(tokens)}

    def encode(value: Value) -> Codes:
        flat = np.array([numbers[token] for token in tokens_of(value)], dtype=np.int64)
        return flat.reshape(_shape(value, dimension))

    return [(encode(given), encode(wanted)) for given, wanted in examples], encode(query)


def _shape(value: Value, dimension: int) -> tuple[int, ...]:
    shape = []
    for _ in range(dimension):
        shape.append(len(value))
        value = value[0] if value else []
    return tuple(shape)


def decode(codes: Codes, tokens: Sequence[str]) -> Value:
    """Return the value whose tokens have these numbers."""
    known = np.array(tokens, dtype=object)
    return known[codes].tolist()
