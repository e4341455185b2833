"""Graders of tasks with structured answers: whatever JSON may hold is graded, and nothing raises."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.tasks.beyondbench.problem import draw_problem
from perennial.tasks.beyondbench.registry import TASKS

NAMES = ("tower_of_hanoi", "n_queens", "graph_coloring", "boolean_sat", "matrix_chain")
keys = st.sampled_from(["", "0", "1", "2", "3", "7", "8", "x1"])
scalars = st.sampled_from(
    [None, True, False, 0, 1, 2, -1, 10**400, 1.0, float("nan"), "", "A", "B", "1", "True"]
)
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=8) | st.dictionaries(keys, inner), max_leaves=10
)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, deadline=None)
@given(answer=json_values)
def test_any_json_is_graded_and_the_checker_agrees(name, answer):
    task = TASKS[name]
    variation = task.variations[0]
    problem, _ = draw_problem(task, variation.name, variation.sizes[0], 5, 0)
    detail = problem.verify(answer)
    assert isinstance(detail, str)
    assert (detail == "") == task.check(problem.params, answer)


@pytest.mark.parametrize("name", NAMES)
def test_one_part_of_another_type_makes_a_right_answer_wrong(name):
    task = TASKS[name]
    for variation in task.variations:
        problem, _ = draw_problem(task, variation.name, variation.sizes[-1], 5, 0)
        right = problem.solutions.reference
        assert problem.is_right(right)
        for other in (None, 1.0, True, [], {}, "1", 10**30, float("nan")):
            if isinstance(right, dict):
                first = next(iter(right))
                changed = {**right, first: other}
            elif isinstance(right, list):
                changed = [other, *right[1:]]
            else:
                changed = other
            assert problem.is_right(changed) == task.check(problem.params, changed)
            if not (name in ("graph_coloring", "boolean_sat") and type(other) is type(right[first])):
                assert not problem.is_right(changed), (variation.name, other)
