"""Inputs of an item by variation: the seed V0, standard V1-V3, edge V4-V6, complex V7-V9 (section 3.2)."""

import json
import random
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from math import prod

from perennial.tasks.a2rbench.catalogue import TOKENS, Dimension, Rule, Value
from perennial.tasks.a2rbench.values import build_value, fill_tokens, tokens_of

# Answers that need no inference: the query, an example's output, what reversing or sorting gives.
#
# A player that always answers so must not be right on an item, unless the item's own rule is that very one.

Example = tuple[Value, Value]


def find_trivial(dimension: Dimension, examples: Sequence[Example], query: Value, answer: Value) -> str:
    """Return by which trivial rule the answer is had, "" where by none.

    Reversing and sorting count only where they do not fit the examples: else they are the item's rule.
    """
    if answer == query:
        return "the answer is the query"
    for number, (_, wanted) in enumerate(examples, 1):
        if answer == wanted:
            return f"the answer is the output of example {number}"
    for name, rule in trivial_rules(dimension).items():
        fits = all(rule(source) == wanted for source, wanted in examples)
        if not fits and rule(query) == answer:
            return f"{name} gives the answer, and not the examples' outputs"
    for name, order in _ORDERS.items():
        fits = all(order(list(tokens_of(source))) == list(tokens_of(wanted)) for source, wanted in examples)
        if not fits and order(list(tokens_of(query))) == list(tokens_of(answer)):
            return f"the answer has the query's tokens {name}, and the examples' outputs have not"
    return ""


# Whatever the shape of the answer.
_ORDERS: dict[str, Callable[[list[str]], list[str]]] = {
    "in their order": list,
    "in reverse order": lambda tokens: tokens[::-1],
    "sorted": sorted,
    "sorted downwards": lambda tokens: sorted(tokens, reverse=True),
}


def trivial_rules(dimension: Dimension) -> dict[str, Callable[[Value], Value]]:
    """Return what reverses or sorts: any set of axes, all tokens, or each innermost list."""
    rules: dict[str, Callable[[Value], Value]] = {}
    for axes in product((False, True), repeat=dimension):
        if any(axes):
            which = ", ".join(str(axis) for axis, is_reversed in enumerate(axes, 1) if is_reversed)
            rules[f"reversing axis {which}"] = partial(_reverse, axes=axes)
    for descending in (False, True):
        order = " downwards" if descending else ""
        rules[f"sorting{order}"] = partial(_sort, descending=descending)
        rules[f"sorting each list{order}"] = partial(_sort_lists, descending=descending)
    return rules


def _reverse(value: Value, axes: Sequence[bool]) -> Value:
    if not axes or not isinstance(value, list):
        return value
    parts = [_reverse(part, axes[1:]) for part in value]
    return parts[::-1] if axes[0] else parts


def _sort(value: Value, descending: bool) -> Value:
    return fill_tokens(value, iter(sorted(tokens_of(value), reverse=descending)))


def _sort_lists(value: Value, descending: bool) -> Value:
    if not isinstance(value, list):
        return value
    if all(isinstance(part, str) for part in value):
        return sorted(value, reverse=descending)
    return [_sort_lists(part, descending) for part in value]


EXAMPLES = 5
_DRAWS = 200


# From and to how many tokens a side has: of a list, of a grid, of a cube.
Sizes = tuple[tuple[int, int], tuple[int, int], tuple[int, int]]
_STANDARD: Sizes = ((5, 9), (3, 5), (2, 4))
_LONGER: Sizes = ((8, 12), (3, 6), (2, 4))
_LARGE: Sizes = ((14, 20), (5, 7), (3, 4))

VARIATIONS = range(10)
# Sizes, and how many different tokens at most (0: any number); else standard sizes and any number.
_KINDS: dict[int, tuple[Sizes, int]] = {
    2: (_LONGER, 0),
    3: (_LONGER, 4),
    6: (_STANDARD, 2),
    7: (_LARGE, 0),
    8: (_LARGE, 3),
    9: (_LARGE, 2),
}
VARIATION_NAMES = ("seed", *["standard"] * 3, *["edge"] * 3, *["complex"] * 3)
_TINY, _REPETITIVE = 4, 5
# An edge variation begins with so many examples of standard size, so that the rule can be inferred.
_FULL = 2
# The smallest query has a size of which so many inputs exist at least: no answer is had by chance.
_FEWEST_INPUTS = 100
_MOST_TINY = (8, 5, 4)

Shape = tuple[int, ...]


def draw_inputs(rule: Rule, variation: int, rng: random.Random) -> list[Value] | None:
    """Return distinct inputs of a variation, the query last; None where the draws give too few.

    In each axis the examples have several sizes, and the query's lies between them, but no example has the
    query's shape: there the answer could be looked up, place by place.
    """
    for _ in range(_DRAWS):
        inputs = _draw(rule, variation, rng)
        if inputs and len({json.dumps(value) for value in inputs}) == len(inputs):
            return inputs
    return None


def _draw(rule: Rule, variation: int, rng: random.Random) -> list[Value] | None:
    if variation == _TINY:
        return _draw_tiny(rule, rng)
    sizes, most = _KINDS.get(variation, (_STANDARD, 0))
    shapes = _draw_shapes(sizes[rule.dimension - 1], rule.dimension, rng)
    if variation == _REPETITIVE:
        full = [_fill(shape, TOKENS[rule.alphabet], rng) for shape in shapes[:_FULL]]
        odd = (0, *rng.choices((1, 2), k=EXAMPLES - _FULL - 1), 2)
        return full + [_repeat(rule, *pair, rng) for pair in zip(shapes[_FULL:], odd, strict=True)]
    is_edge = VARIATION_NAMES[variation] == "edge"
    return [
        _fill(shape, _choose_tokens(rule, 0 if is_edge and index < _FULL else most, rng), rng)
        for index, shape in enumerate(shapes)
    ]


def _draw_shapes(sizes: tuple[int, int], dimension: int, rng: random.Random) -> list[Shape]:
    """Return the shapes of examples and query; in each axis at least three sizes where there are so many."""
    low, high = sizes
    while True:
        axes = []
        for _ in range(dimension):
            sides = rng.sample(range(low, high + 1), min(3, high - low + 1))
            sides += [rng.randint(low, high) for _ in range(EXAMPLES - len(sides))]
            rng.shuffle(sides)
            axes.append([*sides, rng.randint(low, high) if dimension == 1 else rng.choice(sides)])
        *shapes, asked = zip(*axes, strict=True)
        if asked not in shapes and (dimension > 1 or _is_between(asked[0], axes[0][:-1])):
            return [*shapes, asked]


def _is_between(length: int, lengths: Sequence[int]) -> bool:
    """Whether a length lies between others, one of which is even or odd as it is: many rules go by halves."""
    return min(lengths) < length < max(lengths) and any((length - other) % 2 == 0 for other in lengths)


def _draw_tiny(rule: Rule, rng: random.Random) -> list[Value] | None:
    """Return two inputs of standard size, an empty or thin one, one token, and two small ones.

    The last but one is longer than the query by one along one axis.

    The query is about as small as it can be without having a trivial answer.
    """
    tokens, dimension = TOKENS[rule.alphabet], rule.dimension
    sizes = _draw_shapes(_STANDARD[dimension - 1], dimension, rng)[:_FULL]
    full = [_fill(shape, tokens, rng) for shape in sizes]
    examples = [(value, rule.forward(value)) for value in full]
    thin = [1] * (dimension - 1) + [rng.randint(2, 4)]
    rng.shuffle(thin)
    least: list[Value] = [
        [] if dimension == 1 else _fill(thin, tokens, rng),
        _fill([1] * dimension, tokens, rng),
    ]
    shapes = list(product(range(1, _MOST_TINY[dimension - 1] + 1), repeat=dimension))
    rng.shuffle(shapes)
    for shape in sorted(shapes, key=prod):
        if len(tokens) ** prod(shape) < _FEWEST_INPUTS or rng.random() < 0.25:
            continue
        longer = list(shape)
        longer[rng.randrange(dimension)] += 1
        like, query = (_fill_differently(size, tokens, rng) for size in (longer, shape))
        if tuple(thin) == shape or any(size == shape for size in sizes):
            continue
        if not find_trivial(dimension, examples, query, rule.forward(query)):
            return [*full, *least, like, query]
    return None


def _choose_tokens(rule: Rule, most: int, rng: random.Random) -> Sequence[str]:
    tokens = TOKENS[rule.alphabet]
    return rng.sample(tokens, min(most, len(tokens))) if most else tokens


def _repeat(rule: Rule, shape: Shape, odd: int, rng: random.Random) -> Value:
    """Return an input of one token, but for a few places with others."""
    common_token, *others = rng.sample(TOKENS[rule.alphabet], min(3, len(TOKENS[rule.alphabet])))
    tokens = [common_token] * prod(shape)
    for index in rng.sample(range(len(tokens)), odd):
        tokens[index] = rng.choice(others)
    return build_value(shape, iter(tokens))


def _fill(shape: Sequence[int], tokens: Sequence[str], rng: random.Random) -> Value:
    return build_value(shape, iter(rng.choices(tokens, k=prod(shape))))


def _fill_differently(shape: Sequence[int], tokens: Sequence[str], rng: random.Random) -> Value:
    """Return an input of different tokens, as far as there are so many."""
    number = prod(shape)
    return build_value(
        shape, iter(rng.sample(tokens, number) if number <= len(tokens) else rng.choices(tokens, k=number))
    )
