"""The five sequence tasks: families against fits, validators, uniqueness, reading (spec sections 3 and 9)."""

import ast
import inspect
import random
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.schemas.ids import derive_rng
from perennial.tasks.beyondbench.forms.numbers import write_value
from perennial.tasks.beyondbench.medium import fits
from perennial.tasks.beyondbench.medium.families import algebraic, fibonacci, geometric, patterns, primes
from perennial.tasks.beyondbench.medium.family import LIMIT
from perennial.tasks.beyondbench.medium.fits.every import find_extensions, find_only_extension
from perennial.tasks.beyondbench.medium.sequence import (
    SequenceParams,
    has_equal_ratios,
    has_equal_steps,
    has_low_entropy,
    is_polynomial,
    read_terms,
    repeats_itself,
    solve,
)
from perennial.tasks.beyondbench.problem import TaskProblem, draw_problem
from perennial.tasks.beyondbench.registry import TASKS
from tests.benchmarks.beyondbench_primes import next_terms, shown_terms

FAMILIES = {
    "fibonacci_sequence": fibonacci.FAMILIES,
    "geometric_sequence": geometric.FAMILIES,
    "prime_sequence": primes.FAMILIES,
    "complex_pattern": patterns.FAMILIES,
    "algebraic_sequence": algebraic.FAMILIES,
}
CELLS = [
    (task, name, size) for task, found in FAMILIES.items() for name in found for size in found[name].sizes
]
cells = pytest.mark.parametrize(("task", "name", "size"), CELLS)


def is_too_simple(task, shown):
    if has_equal_steps(shown):
        return True
    if task == "complex_pattern":
        return repeats_itself(shown)
    return task == "algebraic_sequence" and (is_polynomial(shown) or has_low_entropy(shown))


def test_there_are_five_tasks_and_49_variations():
    assert [len(TASKS[task].variations) for task in FAMILIES] == [6, 10, 11, 12, 10]


@cells
@settings(max_examples=settings.default.max_examples // 12)
@given(seed=st.integers(0, 10**9))
def test_no_rule_that_may_be_drawn_is_missed_by_the_fits(task, name, size, seed):
    # Without this the proof of uniqueness would be one over some of the rules only.
    family = FAMILIES[task][name]
    rng = random.Random(seed)
    for _ in range(4):
        rule = family.sample(rng, size + 1)
        assert family.holds(rule)
        terms = family.terms(rule, size + 1)
        unit = 10**family.places
        if terms is None or max(map(abs, terms)) > LIMIT * unit or not family.accepts(rule, terms[:size]):
            continue
        if not is_too_simple(task, terms[:size]):
            places = family.places if any(term % unit for term in terms[:size]) else 0
            shown = tuple(term // 10 ** (family.places - places) for term in terms[:size])
            following = Fraction(terms[size], 10 ** (family.places - places))
            assert following in find_extensions(shown, places), (rule, terms)


@cells
def test_a_drawn_sequence_keeps_the_limits_and_has_one_next_term(task, name, size):
    for index in range(3):
        problem, _ = draw_problem(TASKS[task], name, size, 11, index)
        params = problem.params
        unit = 10**params.places
        assert len(params.terms) == size
        assert max(map(abs, params.terms)) <= LIMIT * unit
        assert not is_too_simple(task, params.terms)
        assert has_equal_ratios(params.terms) == FAMILIES[task][name].is_geometric
        assert len(find_extensions(params.terms, params.places)) == 1
        assert problem.task.check(params, problem.solutions.reference)


@pytest.mark.parametrize("name", primes.FAMILIES)
def test_a_search_of_every_rule_of_the_prompt_of_primes_finds_the_key_alone(name):
    # The search knows the prompt's text, not the engine: see its module.
    problem, _ = draw_problem(TASKS["prime_sequence"], name, primes.FAMILIES[name].sizes[0], 23, 0)
    assert next_terms(shown_terms(problem.prompt)) == {problem.solutions.reference}


def test_the_search_of_every_rule_of_the_prompt_sees_a_second_one():
    # Differences of 6, 6, 2, 6, 4 between primes occur often; divisor sums of 1 to 5 do not.
    assert len(next_terms([6, 6, 2, 6, 4])) > 1
    assert next_terms([1, 3, 4, 7, 6, 12, 8]) == {15}
    assert next_terms([10_001, 10_003, 10_004, 10_007, 10_006, 10_012, 10_008]) == set()


@pytest.mark.parametrize("task", FAMILIES)
def test_a_prompt_shows_the_terms_and_nothing_of_the_rule(task):
    for variation in TASKS[task].variations:
        problem, _ = draw_problem(TASKS[task], variation.name, variation.sizes[0], 5, 0)
        shown = SequenceParams(problem.params.terms, problem.params.places)
        assert read_terms(problem.prompt) == shown
        assert read_terms(f"Canary 12, 13, ?\n\n{problem.prompt}\n\nSequence canary: 1, 2, 3.") == shown
        other = TaskProblem(problem.task, "another", 5, shown)
        assert (other.prompt, other.content_id) == (problem.prompt, problem.content_id)


def test_decimals_are_exact_and_have_two_places_at_most():
    seen = 0
    for name in ("geometric", "alternating_geometric"):
        for index in range(30):
            problem, _ = draw_problem(TASKS["geometric_sequence"], name, 5, 3, index)
            line = next(line for line in problem.prompt.splitlines() if line.startswith("Sequence:"))
            terms = [Fraction(term) for term in line.removeprefix("Sequence: ").split(", ")[:-1]]
            ratio = terms[1] / terms[0]
            assert all(after == ratio * before for before, after in pairwise(terms))
            answer = problem.solutions.reference
            assert Fraction(answer) == terms[-1] * ratio
            if isinstance(answer, str):
                seen += 1
                assert len(answer.partition(".")[2]) <= 2
                exact = Fraction(answer)
                assert problem.verify(write_value(exact + Fraction(1, 100))) == "wrong_number"
                assert problem.verify(int(exact)) == "wrong_number"
    assert seen > 5


@pytest.mark.parametrize(("family", "rule"), [("", ()), ("nonsense", (1, 2)), ("fibonacci", (10**8, 1))])
def test_a_rule_outside_its_family_is_refused_by_the_second_engine(family, rule):
    with pytest.raises(ValueError, match="is not a rule of"):
        TASKS["fibonacci_sequence"].check(SequenceParams((1, 2, 3, 5, 8, 13), 0, family, rule), 21)


def test_the_second_engine_sees_terms_that_the_rule_does_not_make():
    params = SequenceParams((1, 2, 3, 5, 8, 14), 0, "fibonacci", (1, 2))
    assert not TASKS["fibonacci_sequence"].check(params, 21)


def test_a_prompt_without_a_sequence_is_refused():
    for prompt in ("", "Sequence: none", "Sequence: 1, 2, x, ?", "Sequence: " + "1, " * 90_000):
        with pytest.raises(ValueError, match="shows no sequence"):
            read_terms(prompt)
    with pytest.raises(ValueError, match="no rule fits"):
        solve(SequenceParams((3, 1, 4, 1, 5, 9, 2, 6)))


def test_an_ambiguous_beginning_is_rejected():
    family = algebraic.FAMILIES["radical_recurrence"]
    rejected = 0
    for seed in range(200):
        rule = family.sample(random.Random(seed), 9)
        shown = tuple(family.terms(rule, 9)[:8])
        values = find_extensions(shown, 0)
        if len(values) > 1:
            rejected += 1
            assert find_only_extension(shown, 0) is None
    assert rejected > 20


def test_rejections_stay_rare_enough_to_draw():
    for task, name, size in CELLS:
        draws = sum(
            TASKS[task].draw(name, size, derive_rng(1, f"{name}/{size}", index)) is not None
            for index in range(20)
        )
        assert draws >= 2, (name, size)


def test_the_degenerate_rules_of_the_paper_are_refused():
    # A1 as printed is 2, 2, 3, 4, ..: from a_2 on a_n = n; A2 as printed is n + 1; (2, -1) of F4 is linear.
    assert (2, -1) not in fibonacci.PAIRS
    assert has_equal_steps([2, 3, 4, 5, 6, 7])
    assert is_polynomial([n**4 - n for n in range(8)])
    assert not is_polynomial([2**n for n in range(8)])
    assert has_low_entropy([5, 5, 5, 5, 5, 5, 5, 6])
    assert not has_low_entropy([5, 5, 6, 6, 5, 5, 6, 6])  # exactly one bit
    assert repeats_itself([100, 99, 98, 97] * 2 + list(range(96, 0, -1)))
    assert not repeats_itself([1, -1, 2, -2, 3, -3])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("3.5", 3),
        ("-3.5", -4),
        ("3.0000000001", None),
        ("2.9999999999", None),
        ("-2.9999999999", None),
        ("3.00000001", 3),
    ],
)
def test_a_value_beside_a_whole_number_is_not_rounded(value, expected):
    assert algebraic.round_down(Decimal(value)) == expected


def test_fits_and_families_share_no_code():
    folder = Path(inspect.getfile(fits)).parent
    for file in folder.glob("*.py"):
        imports = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ImportFrom)]
        assert not [node.module for node in imports if "famil" in (node.module or "")], file


@pytest.mark.parametrize("task", FAMILIES)
def test_every_variation_has_a_million_sequences_or_says_less(task):
    for variation in TASKS[task].variations:
        bounds = [TASKS[task].space(variation.name, size) for size in variation.sizes]
        assert max(space.log10 for space in bounds) >= 6, variation.name
        assert all(space.doc for space in bounds)
