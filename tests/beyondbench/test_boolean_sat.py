"""Boolean satisfiability: models by three engines, the kinds of formulas, the grader's codes, the reader."""

import math
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from perennial.schemas.ids import derive_rng
from perennial.tasks.beyondbench.forms.mappings import AssignmentForm
from perennial.tasks.beyondbench.hard.boolean_sat import FAMILIES, RATIOS, SIZES, TASK
from perennial.tasks.beyondbench.parse import parse_reply
from perennial.tasks.beyondbench.problem import draw_problem

FORM = AssignmentForm(4)
CELLS = [(family, size) for family in FAMILIES for size in SIZES]


def draw(family, size, seed):
    return draw_problem(TASK, family, size, seed, 0)[0].params


def models_by_solver(params):
    """Return all models by blocking clauses, up to a cap of 5,000."""
    with Solver("glucose4", bootstrap_with=[list(clause) for clause in params.clauses]) as solver:
        found = []
        for model in solver.enum_models():
            values = {abs(literal): literal > 0 for literal in model}
            free = [v for v in range(1, params.variables + 1) if v not in values]
            for choice in product((False, True), repeat=len(free)):
                found.append({**values, **dict(zip(free, choice, strict=True))})
            assert len(found) < 5_000
        return {tuple(model[v] for v in range(1, params.variables + 1)) for model in found}


def holds(params, values):
    return all(
        any(values[abs(literal) - 1] == (literal > 0) for literal in clause) for clause in params.clauses
    )


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(CELLS), st.integers(0, 9_999))
def test_three_engines_find_the_same_models(cell, seed):
    params = draw(*cell, seed)
    solutions = TASK.solve(params)
    models = models_by_solver(params)
    assert solutions.count == len(models)
    assert solutions.is_complete
    assert {tuple(answer.values()) for answer in solutions.answers} <= models
    if params.variables <= 8:
        assert models == {
            values for values in product((False, True), repeat=params.variables) if holds(params, values)
        }


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(CELLS), st.integers(0, 9_999))
def test_formulas_are_of_their_kind_and_have_no_trivial_model(cell, seed):
    family, n = cell
    params = draw(family, n, seed)
    widths = {len(clause) for clause in params.clauses}
    m = len(params.clauses)
    assert not holds(params, [True] * n)
    assert not holds(params, [False] * n)
    if family == "xor":
        groups = {}
        for clause in params.clauses:
            groups.setdefault(tuple(map(abs, clause)), []).append(sum(literal < 0 for literal in clause) % 2)
        for variables, negatives in groups.items():
            # All 2^(k-1) clauses of one parity: exactly the parity equation, not "exactly one is true".
            assert len(negatives) == 2 ** (len(variables) - 1)
            assert len(set(negatives)) == 1
        assert len(groups) in {round(round(ratio * n) / 4) for ratio in RATIOS}
    else:
        assert m in {round(ratio * n) for ratio in RATIOS}
    if family == "random_k":
        assert widths == {3}
    if family == "horn":
        assert all(sum(literal > 0 for literal in clause) <= 1 for clause in params.clauses)
        assert sum(len(clause) == 1 for clause in params.clauses) == max(1, round(0.2 * n))
    if family == "graph_based":
        assert widths == {2}
    if family == "mixed":
        assert widths <= {1, 2, 3, 4, 5}


def test_mixed_formulas_have_widths_in_their_shares():
    counts = [0] * 6
    for seed in range(100):
        for clause in draw("mixed", 12, seed).clauses:
            counts[len(clause)] += 1
    shares = [count / sum(counts) for count in counts]
    assert 0.1 < shares[1] < 0.22  # fewer than were drawn: there are twelve that the planted model satisfies
    assert 0.35 < shares[2] < 0.5
    assert 0.25 < shares[3] < 0.4
    assert 0.05 < shares[4] + shares[5] < 0.15


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(CELLS), st.integers(0, 999), st.data())
def test_grader_and_truth_table_agree_on_any_assignment(cell, seed, data):
    params = draw(*cell, seed)
    assert TASK.verify(params, TASK.solve(params).reference) == ""
    for _ in range(8):
        values = data.draw(st.lists(st.booleans(), min_size=params.variables, max_size=params.variables))
        answer = {str(place + 1): value for place, value in enumerate(values)}
        assert (TASK.verify(params, answer) == "") == TASK.check(params, answer) == holds(params, values)


@pytest.mark.parametrize(("family", "width"), [("random_k", 3), ("graph_based", 2)])
def test_the_bound_counts_the_formulas_around_one_assignment(family, width):
    """Four variables: count sets by their numbers of clauses that all-true and all-false falsify."""
    planted = (True, True, False, False)
    kinds = {(False, False): 0, (True, False): 0, (False, True): 0, (True, True): 0}
    for variables in combinations(range(4), width):
        for signs in product((False, True), repeat=width):
            if any(planted[v] == sign for v, sign in zip(variables, signs, strict=True)):
                kinds[not any(signs), all(signs)] += 1
    assert kinds[True, True] == 0
    rest, negative, positive = kinds[False, False], kinds[True, False], kinds[False, True]
    counts = [
        sum(
            math.comb(negative, a) * math.comb(positive, b) * math.comb(rest, m - a - b)
            for a in range(1, negative + 1)
            for b in range(1, positive + 1)
            if a + b <= m
        )
        for m in (10, 12, 14, 16, 18)
    ]
    assert 10 ** TASK.space(family, 4).log10 == pytest.approx(sum(counts), rel=1e-9)


def test_more_xor_formulas_of_four_variables_are_drawn_than_the_bound_says():
    drawn = {
        params.clauses
        for seed in range(4_000)
        if (params := TASK.draw("xor", 4, derive_rng(seed, "xor", 0))) is not None
    }
    assert len(drawn) >= 10 ** TASK.space("xor", 4).log10


def test_a_variable_has_one_value_and_other_words_are_none():
    assert parse_reply("<answer>{1: True, 1: False}</answer>", FORM).answer is None
    assert parse_reply("<answer>{1: maybe}</answer>", FORM).answer is None
