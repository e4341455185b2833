"""F1-F6: recurrences of order 2 and 3 (section H.1)."""

from perennial.tasks.beyondbench.medium.family import Rule, Terms, box_rules, by_name, extend, scale_rules

PAIRS = ((1, 2), (2, 1), (1, -1), (3, 1), (1, 3), (3, -1), (2, 2), (2, 3), (1, -2), (2, -3))
START = 999


def _fibonacci(rule: Rule, count: int) -> Terms:
    return extend(rule, count, lambda terms: terms[-1] + terms[-2])


def _lucas_vector(rule: Rule, count: int) -> Terms:
    a, b, start = rule
    return extend((2, a), start + count, lambda terms: a * terms[-1] - b * terms[-2])[start:]


def _tribonacci(rule: Rule, count: int) -> Terms:
    return extend(rule, count, lambda terms: sum(terms[-3:]))


def _modified(rule: Rule, count: int) -> Terms:
    pair, *first = rule
    a, b = PAIRS[pair]
    return extend(first, count, lambda terms: a * terms[-1] + b * terms[-2])


def _alternating(rule: Rule, count: int) -> Terms:
    return [-term if n % 2 else term for n, term in enumerate(_fibonacci(rule, count))]


def _scaled(rule: Rule, count: int) -> Terms:
    factor, *first = rule
    return [factor * term for term in _fibonacci(tuple(first), count)]


_LUCAS = [
    (a, b, start) for a in range(1, 10) for b in range(-9, 10) if b and a * a != 4 * b for start in range(6)
]

FAMILIES = by_name(
    # s_n = s_(n-1) + s_(n-2): (s_1, s_2).
    box_rules("fibonacci", (6, 8, 10), [(-START, START)] * 2, _fibonacci),
    # k V_(n+o), V_n = a V_(n-1) - b V_(n-2), V_0 = 2, V_1 = a: (a, b, o, k, 0).
    scale_rules("lucas", (6, 7, 8), _LUCAS, _lucas_vector, most=99_999, shift=0, power=0.75),
    # s_n = s_(n-1) + s_(n-2) + s_(n-3): (s_1, s_2, s_3).
    box_rules("tribonacci", (7, 8, 10), [(-99, 99)] * 3, _tribonacci),
    # s_n = a s_(n-1) + b s_(n-2): (index of the pair (a, b), s_1, s_2).
    box_rules("modified_recursive", (6, 7, 8), [(0, len(PAIRS) - 1), (-300, 300), (-300, 300)], _modified),
    # (-1)^(n-1) times the first: (s_1, s_2).
    box_rules("alternating_fibonacci", (6, 8, 10), [(-START, START)] * 2, _alternating),
    # c times the first: (c, s_1, s_2).
    box_rules("scaled_fibonacci", (6, 8, 10), [(2, 30), (-300, 300), (-300, 300)], _scaled),
)
