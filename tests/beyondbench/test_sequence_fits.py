"""The fits of sequences against brute force and the paper's examples."""

from fractions import Fraction
from itertools import accumulate, pairwise, permutations, product
from math import e, floor, isqrt, sqrt

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from perennial.tasks.beyondbench.medium.families.primes import FAMILIES as PRIMES
from perennial.tasks.beyondbench.medium.fits.every import find_extensions, fit_conditional
from perennial.tasks.beyondbench.medium.fits.floors import (
    fit_beatty,
    fit_exponential_floor,
    fit_nested_radical,
    fit_radical_recurrence,
    fit_ratio_floor,
)
from perennial.tasks.beyondbench.medium.fits.linear import (
    fit_perturbed,
    fit_polynomial,
    fit_recurrence,
)
from perennial.tasks.beyondbench.medium.fits.shifted import fit_shifted

small = st.integers(-9, 9)


@pytest.mark.parametrize(
    ("terms", "following"),
    [
        ((2, 6, 18, 54), 162),
        ((1, 1, 2, 3, 5, 8), 13),
        ((2, 3, 5, 7, 11, 13), 17),
        ((1, 4, 9, 16, 25), 36),
        ((2, 4, 16, 256), 65_536),
        ((1, 3, 7, 17, 41), 99),  # numerators of sqrt 2
        ((3, 7, 31, 127, 2_047), 8_191),
        ((1, 2, 5, 14, 42), 132),
        ((1, 2, 6, 24, 120), 720),
    ],
)
def test_the_worked_examples(terms, following):
    assert following in find_extensions(terms, 0)


def solve_exactly(rows):
    """Return the only solution of an overdetermined system of rational equations, else None."""
    rows = [[Fraction(x) for x in row] for row in rows]
    unknowns = len(rows[0]) - 1
    for column in range(unknowns):
        pivot = next((row for row in rows[column:] if row[column]), None)
        if pivot is None:
            return None
        rows.remove(pivot)
        rows.insert(column, pivot)
        for place, row in enumerate(rows):
            if place != column:
                factor = row[column] / pivot[column]
                rows[place] = [x - factor * y for x, y in zip(row, pivot, strict=True)]
    if any(row[-1] for row in rows[unknowns:]):
        return None
    return [rows[i][-1] / rows[i][i] for i in range(unknowns)]


@settings(max_examples=200)
@given(st.lists(small, min_size=3, max_size=3), st.lists(st.integers(-2, 2), min_size=3, max_size=3))
def test_recurrences_agree_with_elimination(first, coefficients):
    terms = list(first)
    while len(terms) < 9:
        terms.append(sum(c * term for c, term in zip(coefficients, terms[-3:], strict=True)))
    shown = terms[:8]
    assume(any(shown[:3]))
    (found,) = fit_recurrence(shown)
    assert found == terms[8]
    for order in (1, 2, 3):
        solution = solve_exactly([shown[n - order : n + 1] for n in range(order, 8)])
        if solution is not None:
            assert found == sum(c * term for c, term in zip(solution, shown[-order:], strict=True))


@settings(max_examples=200)
@given(st.lists(small, min_size=8, max_size=8))
def test_any_list_has_the_recurrence_that_elimination_finds(shown):
    expected = set()
    for order in (1, 2, 3):
        solution = solve_exactly([shown[n - order : n + 1] for n in range(order, 8)])
        if solution is not None:
            expected.add(sum(c * term for c, term in zip(solution, shown[-order:], strict=True)))
    assert expected <= set(fit_recurrence(shown))


@settings(max_examples=100)
@given(st.lists(small, min_size=1, max_size=6))
def test_polynomials_up_to_degree_four_and_no_others(coefficients):
    terms = [sum(c * n**power for power, c in enumerate(coefficients)) for n in range(9)]
    degree = max((power for power, c in enumerate(coefficients) if c), default=0)
    assert list(fit_polynomial(terms[:8])) == ([terms[8]] if degree <= 4 else [])
    if degree <= 4:
        assert list(fit_polynomial(terms[: degree + 2])) == [terms[degree + 2]]


@settings(max_examples=60)
@given(st.tuples(*[st.integers(-2, 2)] * 3), st.tuples(*[small] * 3), st.sampled_from([12, 3]))
def test_perturbed_recurrences_agree_with_a_search_of_all_small_ones(coefficients, first, modulus):
    def extend(a, b, c, divisor, terms, count):
        terms = list(terms)
        while len(terms) < count:
            terms.append(a * terms[-1] + b * terms[-2] + c * terms[-3] + (len(terms) + 1) % divisor)
        return terms

    shown = extend(*coefficients, modulus, first, 9)
    expected = set()
    for *other, divisor in product(range(-2, 3), range(-2, 3), range(-2, 3), (12, 3)):
        terms = extend(*other, divisor, first, 10)
        if terms[:9] == shown:
            expected.add(terms[9])
    assert expected <= set(fit_perturbed(shown))


@settings(max_examples=40)
@given(st.integers(0, 2), st.integers(-20, 20), st.integers(-9, 9), st.integers(-9, 9), st.integers(-15, 15))
def test_conditions_agree_with_a_search_of_all_small_rules(kind, threshold, k1, k2, first):
    def extend(kind, threshold, k1, k2, count):
        terms, sides = [first], []
        while len(terms) < count:
            last = terms[-1]
            side = (len(terms) % 2, last % 2, int(last > threshold))[kind]
            sides.append(side)
            k = (k1, k2)[side]
            terms.append(last + k if k else 2 * last)
        return terms, sides

    shown, _ = extend(kind, threshold, k1, k2, 9)
    found = set(fit_conditional(shown))
    steps = sorted({after - before for before, after in pairwise(shown)} | {0})
    thresholds = sorted(set(shown))
    if len(steps) <= 5:
        for other in product(range(3), thresholds, steps, steps):
            if other[0] < 2 and other[1] != thresholds[0]:
                continue
            terms, sides = extend(*other, 10)
            if terms[:9] == shown and 2 <= sum(sides[:8]) <= 6:
                assert terms[9] in found


def test_radical_recurrences_agree_with_a_search_of_all_rules():
    for first, c, d, e_ in ((853, 4, 8, 473), (20, 2, 9, 0), (7, 9, 2, 500)):
        terms = [first]
        for n in range(2, 9):
            terms.append(isqrt(c * terms[-1] + d * n * n + e_))
        expected = set()
        for c2, d2 in product(range(2, 10), range(2, 10)):
            for e2 in range(501):
                if all(isqrt(c2 * terms[n - 2] + d2 * n * n + e2) == terms[n - 1] for n in range(8, 1, -1)):
                    expected.add(isqrt(c2 * terms[-1] + d2 * 81 + e2))
        assert set(fit_radical_recurrence(terms)) == expected


@settings(max_examples=20)
@given(st.integers(2, 9_999), st.integers(1, 20), st.integers(1, 20))
def test_rounded_ratios_agree_with_a_search_of_all_rules(first, a, b):
    def extend(a, b):
        return list(accumulate(range(1, 9), lambda term, n: term * (n + a) // (n + b), initial=first))

    shown = extend(a, b)[:8]
    assume(a != b and min(shown) > 0)
    others = [extend(*other) for other in permutations(range(1, 21), 2)]
    assert set(fit_ratio_floor(shown)) == {terms[8] for terms in others if terms[:8] == shown}


def test_rounded_multiples_agree_with_a_search_in_doubles():
    shown = [floor(37 * e ** (n / 5)) - 1_234 for n in range(1, 9)]
    expected = set()
    for k, c in product(range(2, 13), range(2, 1_000)):
        terms = [floor(c * e ** (n / k)) for n in range(1, 10)]
        shift = shown[0] - terms[0]
        if [term + shift for term in terms[:8]] == shown:
            expected.add(terms[8] + shift)
    assert set(fit_exponential_floor(shown)) == expected
    shown = [floor(611 * sqrt(n + sqrt(n + sqrt(n)))) + 77 for n in range(1, 10)]
    assert list(fit_nested_radical(shown[:8])) == shown[8:]


def test_beatty_sequences_whose_next_term_hangs_on_beta_give_both():
    # floor(n sqrt 2) shows beta only so exactly.
    shown = [isqrt(2 * n * n) for n in range(1, 8)]
    expected = set()
    for thousandths in range(-2_000, 2_000):
        terms = [floor(n * sqrt(2) + thousandths / 1_000) for n in range(1, 9)]
        if terms[:7] == shown:
            expected.add(terms[7])
    assert expected == {11, 12} & expected
    assert set(fit_beatty(shown)) >= expected


@pytest.mark.parametrize(
    ("name", "start", "expected"),
    [
        ("primes", 2, [2, 3, 5, 7, 11, 13, 17, 19, 23]),
        ("twin_primes", 2, [3, 5, 11, 17, 29, 41, 59, 71, 101]),
        ("prime_gaps", 2, [1, 2, 2, 4, 2, 4, 2, 4, 6]),
        ("sophie_germain", 2, [2, 3, 5, 11, 23, 29, 41, 53, 83]),
        ("semiprimes", 2, [4, 6, 9, 10, 14, 15, 21, 22, 25]),
        ("totient", 1, [1, 1, 2, 2, 4, 2, 6, 4, 6]),
        ("divisor_sum", 1, [1, 3, 4, 7, 6, 12, 8, 15, 13]),
    ],
)
def test_number_sequences_begin_as_in_the_books_in_both_engines(name, start, expected):
    assert list(PRIMES[name].terms((start, 0), 9)) == expected
    shifted = [term + 500 for term in expected]
    assert shifted[8] in fit_shifted(shifted[:8])
    assert shifted[5] in fit_shifted(shifted[:5])
    assert not list(fit_shifted([term + 3_000 for term in expected[:8]]))


def test_number_sequences_end_alike_in_both_engines():
    last = {"primes": 999_983, "twin_primes": 999_959, "semiprimes": 999_997}
    for name, value in last.items():
        family = PRIMES[name]
        assert family.terms((value, 0), 1) == [value]
        assert family.terms((value + 1, 0), 1) is None
