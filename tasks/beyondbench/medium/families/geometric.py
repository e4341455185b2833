"""G1-G10: ratios, powers, factorials and figurate numbers (section H.2)."""

from collections.abc import Callable

from perennial.tasks.beyondbench.medium.family import (
    Rule,
    SequenceFamily,
    Terms,
    by_name,
    extend,
    scale_rules,
)

RATIOS = ((2, 1), (3, 1), (4, 1), (5, 1), (1, 2), (3, 2), (5, 2), (7, 2))
OFFSETS = [(offset,) for offset in range(51)]


def _ratio_vector(shape: Rule, count: int) -> Terms:
    p, q = shape
    return [p**n * q ** (count - 1 - n) for n in range(count)]


def _alternating_vector(shape: Rule, count: int) -> Terms:
    return [-value if n % 2 else value for n, value in enumerate(_ratio_vector(shape, count))]


def _exponential_vector(shape: Rule, count: int) -> Terms:
    return [shape[0] ** n for n in range(1, count + 1)]


def _factorial_vector(_shape: Rule, count: int) -> Terms:
    return extend([1], count, lambda terms: terms[-1] * (len(terms) + 1))


def _tower_vector(_shape: Rule, count: int) -> Terms:
    return extend([2], count, lambda terms: terms[-1] ** 2)


def _compound_vector(shape: Rule, count: int) -> Terms:
    a, b, r = shape
    return [(a * n + b) * r**n for n in range(1, count + 1)]


def _figurate(name: str, value: Callable[[int], int]) -> SequenceFamily:
    """a v(n+o) + c: (o, a, c)."""

    def vector(shape: Rule, count: int) -> Terms:
        return [value(n + shape[0]) for n in range(1, count + 1)]

    return scale_rules(name, (6, 8, 10), OFFSETS, vector, 99, 999)


_COMPOUND = [(a, b, r) for r in (2, 3, 4) for a in range(1, 10) for b in range(-20, 21)]

FAMILIES = by_name(
    # a p^n q^(count-1-n) hundredths, n from 0, so that all terms are exact: (p, q, a, 0).
    scale_rules("geometric", (5, 6, 7), RATIOS, _ratio_vector, 10**8, 0, places=2, is_geometric=True),
    _figurate("squares", lambda n: n**2),
    _figurate("cubes", lambda n: n**3),
    # a b^n + c: (b, a, c).
    scale_rules("exponential", (5, 6, 7), [(b,) for b in range(2, 6)], _exponential_vector, 9_999, 999),
    # a n! + c: (a, c).
    scale_rules("factorial", (5, 6, 7), [()], _factorial_vector, 9_999, 49_999),
    # a 2^(2^i) + c, i from 0: (a, c). The paper makes four terms of it, and shows five or more of a sequence.
    scale_rules("double_exponential", (4, 5), [()], _tower_vector, 3_711, 49_999, bounds_next=False),
    # As geometric, signs alternating.
    scale_rules("alternating_geometric", (5, 6, 7), RATIOS, _alternating_vector, 10**8, 0, 2, True),
    # k (a n + b) r^n + c: (a, b, r, k, c).
    scale_rules("compound_growth", (7, 8), _COMPOUND, _compound_vector, 9, 9_999),
    _figurate("triangular", lambda n: n * (n + 1) // 2),
    _figurate("pentagonal", lambda n: n * (3 * n - 1) // 2),
)
