"""Answers that need no inference: the query, an example's output, what reversing or sorting gives.

A player that always answers so must not be right on an item, unless the item's own rule is that very one.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product

from perennial.tasks.a2rbench.catalogue.rule import Dimension, Value
from perennial.tasks.a2rbench.values import fill_tokens, tokens_of

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
        fits = all(rule(given) == wanted for given, wanted in examples)
        if not fits and rule(query) == answer:
            return f"{name} gives the answer, and not the examples' outputs"
    for name, order in _ORDERS.items():
        fits = all(order(list(tokens_of(given))) == list(tokens_of(wanted)) for given, wanted in examples)
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
