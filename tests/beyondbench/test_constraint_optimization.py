"""Constraint optimization: two engines, the codes of the grader, the accepted family, replies."""

import random
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.tasks.beyondbench.hard.constraint_optimization import (
    BANDS,
    PROFITS,
    SHARES,
    TASK,
    PlanParams,
    Project,
    best_profit_by_branches,
    count_capacities,
    profits_of_choices,
    read_plan,
    rules_matter,
)
from perennial.tasks.beyondbench.problem import TaskProblem, draw_problem

NAMES = [variation.name for variation in TASK.variations]
# All but 5 fit together in pairs: 1 + 2 give 100, 1 + 3 96, 2 + 3 94; 4 requires 1; 3 is poor, 2 risky.
PLAN = PlanParams(
    (
        Project(51, (10, 1, 1), 8, 2),
        Project(49, (10, 1, 1), 7, 4),
        Project(45, (10, 1, 1), 5, 3),
        Project(20, (10, 1, 1), 9, 1, (1,)),
        Project(90, (30, 1, 1), 9, 1),
    ),
    (20, 9, 9),
    65,
    32,
)


def problem_of(params):
    return TaskProblem(TASK, "basic", len(params.projects), params)


@st.composite
def plans(draw):
    count = draw(st.integers(1, 6))
    has_quality, has_risk = draw(st.booleans()), draw(st.booleans())
    amounts = st.integers(0, 30)
    projects = tuple(
        Project(
            draw(amounts),
            tuple(draw(amounts) for _ in range(3)),
            draw(st.integers(1, 10)) if has_quality else None,
            draw(st.integers(1, 5)) if has_risk else None,
            tuple(draw(st.sets(st.integers(1, place), max_size=2))) if place and draw(st.booleans()) else (),
        )
        for place in range(count)
    )
    return PlanParams(
        projects,
        tuple(draw(st.integers(0, 90)) for _ in range(3)),
        draw(st.integers(30, 90)) if has_quality else None,
        draw(st.integers(15, 40)) if has_risk else None,
        draw(st.integers(1, 2)),
    )


@given(plans())
@settings(max_examples=60, deadline=None)
def test_solutions_are_those_that_both_engines_accept_of_all_sets(params):
    ids = range(1, len(params.projects) + 1)
    sets = [list(chosen) for size in range(len(ids) + 1) for chosen in combinations(ids, size)]
    accepted = [chosen for chosen in sets if TASK.verify(params, chosen) == ""]
    assert accepted == [chosen for chosen in sets if TASK.check(params, chosen)]
    solutions = TASK.solve(params)
    assert sorted(solutions.answers) == sorted(accepted)
    assert solutions.count == len(accepted)
    best = best_profit_by_branches(params)
    assert best == (int(profits_of_choices(params)[0].max()) if accepted else None)
    if accepted:
        assert TASK.is_best(params, solutions.reference)
        assert sum(params.projects[number - 1].profit for number in solutions.reference) == best


@given(st.sampled_from(NAMES), st.sampled_from((6, 7, 8)), st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_a_drawn_plan_states_its_rules_and_they_matter(variation, size, seed):
    problem, _ = draw_problem(TASK, variation, size, seed, 0)
    params, solutions = problem.params, problem.solutions
    assert read_plan(problem.prompt) == params
    best = [answer for answer in solutions.answers if problem.is_best(answer)]
    assert best == [solutions.reference]
    assert len(solutions.reference) >= 2
    assert all(TASK.check(params, answer) for answer in solutions.answers)
    assert (params.min_quality is not None) == (variation in ("quality", "mixed"))
    assert (params.max_risk is not None) == (variation in ("risk", "mixed"))
    assert any(project.requires for project in params.projects) == (variation in ("dependency", "mixed"))
    bare = PlanParams(
        tuple(Project(project.profit, project.needs) for project in params.projects), params.capacities
    )
    assert (TASK.solve(bare).reference == solutions.reference) == (variation == "basic")
    assert not TASK.check(params, TASK.form(params).careless(solutions.reference))


def test_a_right_answer_may_fall_short_of_the_best_by_a_twentieth():
    problem = problem_of(PLAN)
    assert problem.solutions.answers == ([1, 2], [1, 3])
    assert [problem.is_best(answer) for answer in ([2, 1], [1, 3], [1], [1, 2, 3], None)] == [
        True,
        False,
        False,
        False,
        False,
    ]

    def plan_with(profit):
        return PlanParams((Project(100, (1, 1, 1)), Project(profit, (1, 1, 1))), (1, 1, 1))

    assert TASK.verify(plan_with(95), [2]) == ""
    assert TASK.verify(plan_with(94), [2]) == "profit_too_low"


def test_a_plan_that_nothing_fits_has_no_solution():
    plan = PlanParams((Project(5, (2, 2, 2)),), (1, 1, 1))
    assert TASK.solve(plan).count == 0
    assert TASK.verify(plan, [1]) == "over_capacity"
    assert best_profit_by_branches(plan) is None


def family_member(variation, size, rng):
    """Return a plan of the family by which the space is bounded from below."""
    profits = rng.sample(PROFITS, size)
    ranked = sorted(range(size), key=lambda place: -profits[place])
    rich, last = ranked[:3], ranked[-1]
    requires = [()] * size
    if variation == "dependency":
        a, _, c, d = (profits[place] for place in ranked[:4])
        if a + profits[last] == c + d or last > ranked[0]:
            return None
        requires[ranked[0]] = (last + 1,)
    if variation == "mixed":
        if last == 0:
            return None
        requires[last] = (rng.randint(1, last),)
    projects = tuple(
        Project(
            profits[place],
            tuple(rng.randint(low, high) for low, high in BANDS),
            rng.choice((3, 4) if place in rich else (9, 10)) if variation in ("quality", "mixed") else None,
            (5 if place in rich else rng.choice((1, 2))) if variation in ("risk", "mixed") else None,
            requires[place],
        )
        for place in range(size)
    )
    capacities = []
    for place, (low, high) in enumerate(BANDS):
        possible = [
            capacity
            for capacity in range(3 * high, 4 * low)
            if SHARES[0] * size * high <= capacity <= SHARES[1] * size * low
        ]
        assert len(possible) == count_capacities(size, low, high) > 0
        capacities.append(rng.choice(possible))
        total = sum(project.needs[place] for project in projects)
        assert SHARES[0] * total <= capacities[-1] <= SHARES[1] * total
    return PlanParams(
        projects,
        tuple(capacities),
        65 if variation in ("quality", "mixed") else None,
        32 if variation in ("risk", "mixed") else None,
        2 if variation == "mixed" else 1,
    )


@pytest.mark.parametrize("size", [6, 7, 8])
@pytest.mark.parametrize("variation", NAMES)
def test_each_plan_of_the_counted_family_would_be_accepted(variation, size):
    rng = random.Random(f"{variation} {size}")
    members = [plan for _ in range(60) if (plan := family_member(variation, size, rng))]
    assert len(members) > 15
    assert all(rules_matter(plan, variation != "basic") for plan in members)
    space = TASK.space(variation, size)
    assert not space.is_exact
    assert space.log10 > 30
