"""A family of sequences: how a rule is drawn, and the terms that it makes; the draw of a task (Algorithm 6).

A rule is a tuple of integers, and means what its family says. It is drawn, its terms are computed, and the
draw is rejected where a validator or the proof of uniqueness says no.
"""

import random
from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

Rule = tuple[int, ...]
Terms = Sequence[int]
LIMIT = 1_000_000  # no shown term is larger, and no next one but where a family says so


@dataclass(frozen=True, slots=True)
class SequenceFamily:
    """A variation of a sequence task.

    - `sizes`: how many terms may be shown, the fewest first.
    - `terms(rule, count)`: returns the first terms in units of 10^-places, None where the rule has none.
    - `sample(rng, count)`: returns a rule of which so many terms are wanted.
    - `holds(rule)`: whether these integers are a rule that may be drawn.
    - `accepts(rule, shown)`: what the family asks of the shown terms beside the validators.
    - `bounds_next`: whether the limit is for the next term too.
    """

    name: str
    sizes: tuple[int, ...]
    terms: Callable[[Rule, int], Terms | None]
    sample: Callable[[random.Random, int], Rule]
    holds: Callable[[Rule], bool]
    accepts: Callable[[Rule, Terms], bool] = lambda _rule, _shown: True
    places: int = 0
    is_geometric: bool = False
    bounds_next: bool = True


def extend(first: Sequence[int], count: int, step: Callable[[list[int]], int]) -> list[int]:
    """The first `count` terms: those that are given, then each next one by `step` from all before it."""
    terms = list(first)
    while len(terms) < count:
        terms.append(step(terms))
    return terms


Ranges = Sequence[tuple[int, int]]


def box_rules(
    name: str,
    sizes: tuple[int, ...],
    ranges: Ranges,
    terms: Callable[[Rule, int], Terms | None],
    accepts: Callable[[Rule, Terms], bool] = lambda _rule, _shown: True,
) -> SequenceFamily:
    """A family whose rules are all tuples within the ranges (both ends included)."""

    def sample(rng: random.Random, _count: int) -> Rule:
        return tuple([low + int(rng.random() * (high - low + 1)) for low, high in ranges])

    def holds(rule: Rule) -> bool:
        return len(rule) == len(ranges) and all(
            low <= x <= high for x, (low, high) in zip(rule, ranges, strict=True)
        )

    return SequenceFamily(name, sizes, terms, sample, holds, accepts)


def scale_rules(
    name: str,
    sizes: tuple[int, ...],
    shapes: Sequence[Rule],
    vector: Callable[[Rule, int], Terms],
    most: int,
    shift: int,
    places: int = 0,
    is_geometric: bool = False,
    power: float = 0.5,
    bounds_next: bool = True,
) -> SequenceFamily:
    """The family a v_n + c: v_n of one of the shapes, 0 < |a| <= most, |c| <= shift.

    Rules are (shape, a, c), a no larger than the limit allows. A shape is drawn with a weight that is a power
    of the number of its a: with 0 shapes are even, with 1 sequences are. Between, both differ.
    """
    limit = LIMIT * 10**places

    @cache
    def vector_of(shape: Rule, count: int) -> Terms:
        return vector(shape, count)

    @cache
    def catalogue(count: int) -> tuple[list[tuple[Rule, int]], list[int]]:
        kept = []
        for shape in shapes:
            values = vector_of(shape, count)
            bounded = values if bounds_next else values[:-1]
            if len(values) == count and (largest := max(map(abs, bounded))) <= limit - shift:
                kept.append((shape, min(most, (limit - shift) // largest)))
        return kept, list(accumulate(int(16 * bound**power) for _, bound in kept))

    def sample(rng: random.Random, count: int) -> Rule:
        kept, weights = catalogue(count)
        shape, bound = kept[bisect(weights, int(rng.random() * weights[-1]))]
        a = 1 + int(rng.random() * bound)
        sign = -1 if rng.random() < 0.5 else 1
        return (*shape, sign * a, int(rng.random() * (2 * shift + 1)) - shift)

    def holds(rule: Rule) -> bool:
        return len(rule) >= 2 and rule[:-2] in shapes and 0 < abs(rule[-2]) <= most and abs(rule[-1]) <= shift

    def terms(rule: Rule, count: int) -> Terms | None:
        *shape, a, c = rule
        values = vector_of(tuple(shape), count)
        return [a * value + c for value in values] if len(values) == count else None

    return SequenceFamily(
        name, sizes, terms, sample, holds, places=places, is_geometric=is_geometric, bounds_next=bounds_next
    )


def by_name(*families: SequenceFamily) -> Mapping[str, SequenceFamily]:
    """Families by their names."""
    return {family.name: family for family in families}
