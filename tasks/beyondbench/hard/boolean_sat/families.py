"""Formulas of five kinds around a planted assignment (sections K.4.2 and K.4.3 of the paper).

All clauses of a formula differ. A formula that all-true or all-false satisfies is refused.
"""

import random
from collections.abc import Callable
from functools import cache
from itertools import combinations, product

from perennial.tasks.beyondbench.hard.boolean_sat.formula import Clause, SatParams, truth_table

SIZES = (4, 6, 8, 10, 12)
RATIOS = (2.5, 3.0, 3.5, 4.0, 4.5)
WIDTH = 3
# Kinds of clauses of a mixed formula, of 20: 4 of one literal, 8 of two, 6 of three, 2 longer.
_MIXED_WIDTHS = (1,) * 4 + (2,) * 8 + (3,) * 6 + (4, 5)
HORN_WIDTHS = (2, 3)
XOR_WIDTHS = (2, 3)

# The literals that the planted assignment makes true.
Planted = frozenset[int]
Drawn = Callable[[int, int, Planted, random.Random], set[Clause]]


@cache
def _subsets(n: int, width: int) -> tuple[Clause, ...]:
    """Return all sets of so many variables."""
    return tuple(combinations(range(1, n + 1), width))


@cache
def _list_clauses(n: int, width: int) -> tuple[tuple[Clause, ...], ...]:
    """Return for each set of so many variables its clauses; bit i of an index: literal i is positive."""
    return tuple(
        tuple(
            tuple(v if signs >> place & 1 else -v for place, v in enumerate(subset))
            for signs in range(1 << width)
        )
        for subset in _subsets(n, width)
    )


def mixed_widths(n: int) -> set[int]:
    """Return the widths of clauses in a mixed formula of n variables."""
    return {min(width, n) for width in _MIXED_WIDTHS}


def n_facts(n: int) -> int:
    """Return the number of positive unit clauses in a Horn formula: 20% of the variables."""
    return max(1, round(0.2 * n))


def n_equations(n: int, ratio: float) -> int:
    """Return the number of equations of an xor formula: most of them make four clauses."""
    return round(ratio * n / 4)


def _draw_satisfied(n: int, width: int, planted: Planted, rng: random.Random) -> Clause:
    """Return a random clause; where the planted assignment falsifies it, one literal is negated."""
    clauses = _list_clauses(n, width)
    signed = clauses[int(rng.random() * len(clauses))]
    signs = rng.getrandbits(width)
    if planted.isdisjoint(signed[signs]):
        signs ^= 1 << rng.randrange(width)
    return signed[signs]


def _random_k(n: int, m: int, planted: Planted, rng: random.Random) -> set[Clause]:
    clauses: set[Clause] = set()
    while len(clauses) < m:
        clauses.add(_draw_satisfied(n, WIDTH, planted, rng))
    return clauses


def _draw_mixed(n: int, m: int, planted: Planted, rng: random.Random) -> set[Clause]:
    clauses: set[Clause] = set()
    while len(clauses) < m:
        width = _MIXED_WIDTHS[int(rng.random() * len(_MIXED_WIDTHS))]
        clauses.add(_draw_satisfied(n, min(width, n), planted, rng))
    return clauses


def _horn(n: int, m: int, planted: Planted, rng: random.Random) -> set[Clause]:
    """Return facts, and clauses of two or three literals, at most one of them positive."""
    true = sorted(literal for literal in planted if literal > 0)
    if len(true) < n_facts(n):
        return set()
    clauses: set[Clause] = {(v,) for v in rng.sample(true, n_facts(n))}
    while len(clauses) < m:
        width = HORN_WIDTHS[rng.getrandbits(1)]
        sets = _list_clauses(n, width)
        signed = sets[int(rng.random() * len(sets))]
        clause = signed[1 << rng.randrange(width) if rng.getrandbits(1) else 0]
        if planted.isdisjoint(clause):
            # A variable of the body is true in the planted assignment: it becomes the head.
            clause = signed[1 << rng.choice([i for i, literal in enumerate(clause) if -literal in true])]
        clauses.add(clause)
    return clauses


@cache
def _equation(variables: Clause, parity: bool) -> tuple[Clause, ...]:
    """Return the clauses that exclude each assignment of the other parity (eq. 138)."""
    excluded = (values for values in product((0, 1), repeat=len(variables)) if sum(values) % 2 != parity)
    return tuple(
        tuple(-v if value else v for v, value in zip(variables, values, strict=True)) for values in excluded
    )


def _xor(n: int, m: int, planted: Planted, rng: random.Random) -> set[Clause]:
    """Return equations of two or three variables, whose parity is that of the planted assignment."""
    sets = [subset for width in XOR_WIDTHS for subset in _subsets(n, width)]
    return {
        clause
        for variables in rng.sample(sets, n_equations(n, m / n))
        for clause in _equation(variables, len(planted.intersection(variables)) % 2 == 1)
    }


@cache
def _relations(n: int) -> tuple[tuple[Clause, ...], ...]:
    """Return the relations that an edge may stand for, as clauses.

    Its ends differ (two colors), are not both true (independent set), not both false (vertex cover), or one
    implies the other.
    """
    found: list[tuple[Clause, ...]] = []
    for a, b in _subsets(n, 2):
        found += [((-a, -b), (a, b)), ((-a, -b),), ((a, b),), ((-a, b),), ((a, -b),)]
    return tuple(found)


def _graph_based(n: int, m: int, planted: Planted, rng: random.Random) -> set[Clause]:
    """Return relations on the edges of a random graph, of those that the planted assignment satisfies."""
    relations = _relations(n)
    clauses: set[Clause] = set()
    while len(clauses) < m:
        relation = relations[int(rng.random() * len(relations))]
        if not any(planted.isdisjoint(clause) for clause in relation):
            clauses.update(relation[: m - len(clauses)])
    return clauses


FAMILIES: dict[str, Drawn] = {
    "random_k": _random_k,
    "horn": _horn,
    "xor": _xor,
    "mixed": _draw_mixed,
    "graph_based": _graph_based,
}


def draw_formula(family: str, n: int, rng: random.Random) -> SatParams | None:
    """Return a formula of n variables, None where all-true or all-false satisfies it."""
    bits = rng.getrandbits(n)
    planted = frozenset(v if bits >> v - 1 & 1 else -v for v in range(1, n + 1))
    clauses = tuple(sorted(FAMILIES[family](n, round(rng.choice(RATIOS) * n), planted, rng)))
    table = truth_table(n, clauses)
    if not table or table & 1 or table >> (1 << n) - 1:
        return None
    return SatParams(n, clauses)
