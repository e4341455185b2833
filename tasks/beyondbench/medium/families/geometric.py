"""G1-G10: ratios, powers, factorials and figurate numbers (section H.2)."""

from perennial.tasks.beyondbench.medium.family import Rule, Terms, by_name, scale_rules

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
    terms = [1]
    for n in range(2, count + 1):
        terms.append(terms[-1] * n)
    return terms


def _tower_vector(_shape: Rule, count: int) -> Terms:
    terms = [2]
    while len(terms) < count:
        terms.append(terms[-1] ** 2)
    return terms


def _compound_vector(shape: Rule, count: int) -> Terms:
    a, b, r = shape
    return [(a * n + b) * r**n for n in range(1, count + 1)]


_COMPOUND = [(a, b, r) for r in (2, 3, 4) for a in range(1, 10) for b in range(-20, 21)]

FAMILIES = by_name(
    # a p^n q^(count-1-n) hundredths, n from 0, so that all terms are exact: (p, q, a, 0).
    scale_rules("geometric", (5, 6, 7), RATIOS, _ratio_vector, 10**8, 0, places=2, is_geometric=True),
    # a (n+o)^2 + c: (o, a, c); so the next ones, and n(n+1)/2 and n(3n-1)/2 below.
    scale_rules(
        "squares", (6, 8, 10), OFFSETS, lambda o, k: [(n + o[0]) ** 2 for n in range(1, k + 1)], 99, 999
    ),
    scale_rules(
        "cubes", (6, 8, 10), OFFSETS, lambda o, k: [(n + o[0]) ** 3 for n in range(1, k + 1)], 99, 999
    ),
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
    scale_rules(
        "triangular",
        (6, 8, 10),
        OFFSETS,
        lambda o, k: [(n + o[0]) * (n + o[0] + 1) // 2 for n in range(1, k + 1)],
        99,
        999,
    ),
    scale_rules(
        "pentagonal",
        (6, 8, 10),
        OFFSETS,
        lambda o, k: [(n + o[0]) * (3 * (n + o[0]) - 1) // 2 for n in range(1, k + 1)],
        99,
        999,
    ),
)
