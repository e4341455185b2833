"""X1-X12: patterns of several layers (section H.4). Positions n count from 1."""

import random
from itertools import accumulate
from math import isqrt

from perennial.tasks.beyondbench.medium.family import (
    Rule,
    SequenceFamily,
    Terms,
    box_rules,
    by_name,
    extend,
    scale_rules,
)

SMALL = 10_000  # polynomials stay below this (H.4.2)
POSITION, PARITY, THRESHOLD = CONDITIONS = range(3)  # of X4
ADDED, FIRST = 199, 999  # the largest k and first term of X4
STEPS = (0, 1, 2)  # kinds of beta(n) of X5: 0, n, n mod 3


def _polynomial(rule: Rule, count: int) -> Terms | None:
    terms = []
    for n in range(1, count + 1):
        value = 0
        for coefficient in rule:
            value = value * n + coefficient
        terms.append(value)
    return terms if rule[0] and max(map(abs, terms)) < SMALL else None


def _interleaved(rule: Rule, count: int) -> Terms | None:
    first, step, other, ratio = rule
    if not step or not other or abs(ratio) < 2:
        return None
    return [other * ratio ** (i // 2) if i % 2 else first + step * (i // 2) for i in range(count)]


def _conditional(rule: Rule, count: int) -> Terms | None:
    def step(terms: Terms) -> int:
        return terms[-1] + (rule[2 + _condition(rule, len(terms), terms[-1])] or terms[-1])

    return extend([rule[4]], count, step) if rule[2] != rule[3] else None


def _condition(rule: Rule, position: int, last: int) -> bool:
    """Whether the second branch makes the term after this position."""
    if rule[0] == POSITION:
        return position % 2 == 0
    return last % 2 == 0 if rule[0] == PARITY else last > rule[1]


def _both_branches_twice(rule: Rule, terms: Terms) -> bool:
    sides = [_condition(rule, n, terms[n - 1]) for n in range(1, len(terms))]
    return min(sum(sides), len(sides) - sum(sides)) >= 2


def _sample_conditional(rng: random.Random, _count: int) -> Rule:
    """A rule one of whose branches, mostly, doubles."""

    def draw(most: int) -> int:
        return int(rng.random() * (2 * most + 1)) - most

    condition = int(rng.random() * 3)
    threshold = draw(FIRST) if condition == THRESHOLD else 0
    branches = [draw(ADDED), draw(ADDED) if rng.random() < 0.4 else 0]
    if rng.random() < 0.5:
        branches.reverse()
    return condition, threshold, *branches, draw(FIRST)


def _recursive(rule: Rule, count: int) -> Terms | None:
    kind, a, b, c, *first = rule

    def step(terms: Terms) -> int:
        n = len(terms) + 1
        return a * terms[-1] + b * terms[-2] + c * terms[-3] + (0, n, n % 3)[kind]

    return extend(first, count, step) if c else None


def _transformed(rule: Rule, count: int) -> Terms | None:
    """One term is the target: the rule changes after half of those that are shown."""
    first, step, ratio, constant = rule
    if abs(ratio) < 2 or not step:
        return None
    steps = [first + step * n for n in range((count - 1) // 2)]
    return extend(steps, count, lambda terms: ratio * terms[-1] + constant)


def _nested(rule: Rule, count: int) -> Terms | None:
    a, d, g = rule
    return [(a + i * d) * g ** (i % 3) for i in range(count)] if abs(g) > 1 else None


def _operations(rule: Rule, count: int) -> Terms:
    first, a, r, b = rule

    def step(terms: Terms) -> int:
        i, last = len(terms), terms[-1]
        return (last + b * i * i, last + a * i, last * r)[i % 3]

    return extend([first], count, step)


def _layered(rule: Rule, count: int) -> Terms | None:
    first, step, second, ratio = rule
    if not second or abs(ratio) < 2:
        return None
    seconds = [second * ratio**n for n in range(count - 2)]
    return list(accumulate([first, *accumulate([step, *seconds])]))


def _by_position(rule: Rule, count: int) -> Terms:
    a1, b1, a2, b2, a3, b3 = rule
    terms: list[int] = []
    for n in range(1, count + 1):
        if n % 3 == 1:
            terms.append(a1 * n + b1)
        elif n % 3 == 2:
            terms.append(a2 * n * n + b2)
        else:
            terms.append(a3 * terms[-1] + b3)
    return terms


def _spiral(rule: Rule, count: int) -> Terms:
    a, c = rule
    return [a * isqrt(n) + n - isqrt(n) ** 2 + c for n in range(1, count + 1)]


def _modular_vector(shape: Rule, count: int) -> Terms:
    modulus, base = shape
    return [(pow(base, n, modulus) + n * n) % modulus for n in range(1, count + 1)]


FAMILIES = by_name(
    # Coefficients, the highest power first.
    box_rules("quadratic", (6, 8, 10), [(-20, 20), (-99, 99), (-999, 999)], _polynomial),
    box_rules("cubic", (7, 8, 10), [(-4, 4), (-30, 30), (-99, 99), (-999, 999)], _polynomial),
    # Odd positions in equal steps, even ones in equal ratios: (s_1, step, s_2, ratio).
    box_rules("interleaved", (8, 9, 10), [(-999, 999), (-99, 99), (-99, 99), (-3, 4)], _interleaved),
    # (condition, threshold, k1, k2, s_1): s_(n-1) + k1 or k2 by the condition, k = 0 for 2 s_(n-1).
    SequenceFamily(
        name="conditional",
        sizes=(9, 10, 12),
        terms=_conditional,
        sample=_sample_conditional,
        holds=lambda rule: (
            len(rule) == 5
            and rule[0] in CONDITIONS
            and max(abs(rule[1]), abs(rule[4])) <= FIRST
            and max(abs(rule[2]), abs(rule[3])) <= ADDED
        ),
        accepts=_both_branches_twice,
    ),
    # s_n = a s_(n-1) + b s_(n-2) + c s_(n-3) + beta(n): (kind of beta, a, b, c, s_1, s_2, s_3).
    box_rules(
        "multi_recursive",
        (8, 9, 10),
        [(STEPS[0], STEPS[-1]), (-2, 2), (-2, 2), (-2, 2), (-30, 30), (-30, 30), (-30, 30)],
        _recursive,
    ),
    # s_1 and equal steps up to half, then r s_(n-1) + k: (s_1, step, r, k).
    box_rules("transformation", (8, 10), [(-500, 500), (-50, 50), (-3, 4), (-50, 50)], _transformed),
    # a ((b^n + n^2) mod q) + c: (q, b, a, c).
    scale_rules(
        "modular",
        (8, 10, 12),
        [(q, b) for q in range(11, 32) for b in range(2, q)],
        _modular_vector,
        most=99,
        shift=999,
    ),
    # (a + i d) g^(i mod 3), i = n - 1: (a, d, g).
    box_rules("nested", (8, 9, 10), [(-999, 999), (-99, 99), (-9, 9)], _nested),
    # Step i adds a i, multiplies by r, adds b i^2, in turn: (s_1, a, r, b).
    box_rules("alternating_operations", (8, 10), [(-9_999, 9_999), (1, 9), (2, 3), (1, 9)], _operations),
    # Second differences in equal ratios: (s_1, first difference, second, ratio).
    box_rules("layered_differences", (8, 9, 10), [(-999, 999), (-99, 99), (-20, 20), (-3, 4)], _layered),
    # By n mod 3: a n + b, a n^2 + b, a s_(n-1) + b: (a1, b1, a2, b2, a3, b3).
    box_rules(
        "position_dependent",
        (9, 10, 12),
        [(1, 20), (-99, 99), (1, 9), (-99, 99), (1, 5), (-99, 99)],
        _by_position,
    ),
    # a layer + (n - layer^2) + c, layer = floor sqrt n: (a, c).
    box_rules("spiral", (10, 12), [(-999, 999), (-9_999, 9_999)], _spiral),
)
