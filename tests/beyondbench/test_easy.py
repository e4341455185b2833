"""The Easy tasks: their engines against brute force, draws, spaces, worked examples and planted faults."""

import itertools
import math
import statistics
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.schemas.ids import derive_rng
from perennial.tasks.beyondbench.easy.lists import LARGEST_OF_PAIR as LARGEST
from perennial.tasks.beyondbench.easy.lists import ListParams, PairParams, read_list
from perennial.tasks.beyondbench.problem import TaskProblem, draw_problem
from perennial.tasks.beyondbench.registry import TASKS

EASY = [name for name, task in TASKS.items() if task.suite == "easy"]
PAIRS = {"subtraction", "division", "absolute_difference", "comparison"}
LISTS = [name for name in EASY if name not in PAIRS and name != "count_multiples"]


def subsequences(values):
    return (part for length in range(len(values) + 1) for part in itertools.combinations(values, length))


# Third implementations, by the definitions, of what each task asks for.
DEFINITIONS = {
    "addition": math.fsum,
    "multiplication": lambda v: statistics.geometric_mean(v) ** len(v),
    "alternating_sum": lambda v: sum((-1) ** i * x for i, x in enumerate(v)),
    "sum_of_digits": lambda v: sum(map(int, "".join(map(str, v)).replace("-", ""))),
    "odd_count": lambda v: len([x for x in v if str(x)[-1] in "13579"]),
    "even_count": lambda v: len([x for x in v if str(x)[-1] in "02468"]),
    "count_negative": lambda v: "".join(map(str, v)).count("-"),
    "count_unique": lambda v: len(Counter(v)),
    "count_perfect_squares": lambda v: len([x for x in v if any(i * i == x for i in range(40))]),
    "count_palindromic": lambda v: len([x for x in v if list(str(x)) == list(reversed(str(x)))]),
    "count_greater_than_previous": lambda v: len([i for i in range(1, len(v)) if v[i] - v[i - 1] > 0]),
    "local_maxima_count": lambda v: len([i for i in range(1, len(v) - 1) if v[i] > max(v[i - 1], v[i + 1])]),
    "find_maximum": lambda v: next(x for x in v if all(x >= y for y in v)),
    "find_minimum": lambda v: next(x for x in v if all(x <= y for y in v)),
    "second_maximum": lambda v: next(x for x in v if len({y for y in v if y > x}) == 1),
    "range": lambda v: max(abs(x - y) for x in v for y in v),
    "index_of_maximum": lambda v: min(i for i in range(len(v)) if all(v[i] >= y for y in v)),
    "sum_of_max_indices": lambda v: sum(i for i in range(len(v)) if all(v[i] >= y for y in v)),
    "max_adjacent_difference": lambda v: max(abs(v[i] - v[i + 1]) for i in range(len(v) - 1)),
    "sorting": lambda v: next(
        list(p) for p in itertools.permutations(v) if all(a <= b for a, b in itertools.pairwise(p))
    ),
    "lis_length": lambda v: max(
        len(p) for p in subsequences(v) if all(a < b for a, b in itertools.pairwise(p))
    ),
    "mean": statistics.fmean,
    "median": statistics.median,
    "mode": lambda v: sorted(statistics.multimode(v)),
}  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
@settings(max_examples=settings.default.max_examples // 3)
@given(
    values=st.lists(st.integers(-40, 40) | st.integers(-1000, 1000), min_size=4, max_size=6).filter(
        lambda values: len(set(values)) > 1
    )
)
def test_both_engines_keep_to_the_definition(name, values):
    if name in ("count_palindromic", "multiplication"):
        values = [abs(value) + 1 for value in values]
    task, params = TASKS[name], ListParams(tuple(values))
    expected, answer = DEFINITIONS[name](values), task.solve(params).reference
    assert answer == (pytest.approx(expected) if isinstance(expected, float) else expected)
    assert task.verify(params, answer) == ""
    assert task.check(params, answer)
    for kind, changed in task.mutations(params, answer, derive_rng(0, name, 0)):
        assert (task.verify(params, changed) == "") == task.check(params, changed), (kind, changed)


@settings(max_examples=60)
@given(first=st.integers(-LARGEST, LARGEST), second=st.integers(-LARGEST, LARGEST) | st.integers(-9, 9))
def test_both_engines_of_pair_tasks_keep_to_the_definition(first, second):
    params = PairParams(first, second)
    relation = "less than" if first < second else "equal to" if first == second else "greater than"
    expected = {
        "subtraction": second - first,
        "absolute_difference": abs(first - second),
        "comparison": relation,
    }
    if second:
        expected["division"] = pytest.approx(first / second)
    for name, value in expected.items():
        answer = TASKS[name].solve(params).reference
        assert answer == value
        assert TASKS[name].verify(params, answer) == ""
        assert TASKS[name].check(params, answer)


@settings(max_examples=60)
@given(values=st.lists(st.integers(-1000, 1000), min_size=1, max_size=20), divisor=st.sampled_from([2, 3, 5]))
def test_multiples_are_those_that_a_range_holds(values, divisor):
    task = TASKS["count_multiples"]
    params = task.params(tuple(values), divisor)
    multiples = {divisor * factor for factor in range(-500, 501)}
    answer = task.solve(params).reference
    assert answer == sum(value in multiples for value in values)
    assert task.check(params, answer)
    assert not task.check(params, answer + 1)


def params_of(name, values):
    return PairParams(*values) if name in PAIRS else ListParams(values)


FOREIGN = [None, True, False, "", "5", "five", 1.5, -0.0, math.nan, math.inf, -math.inf, 1e308, 10**5000]
FOREIGN += ["1.0", "1" * 9_999, "nan", "1e9", "0.5.5", [], [[]], [1, "2"], [True], [None], [1.0], [10**5000]]
FOREIGN += [{}, {"a": 1}, {1: 2}, (), b"5", "less", -(10**400)]


@pytest.mark.parametrize("name", TASKS)
def test_no_answer_of_another_type_is_right_or_raises(name):
    variation = TASKS[name].variations[0]
    problem, _ = draw_problem(TASKS[name], variation.name, variation.sizes[0], 11, 0)
    reference = problem.solutions.reference
    disguised = [str(reference), [reference], {"answer": reference}]
    if type(reference) is int:
        disguised += [float(reference), f"{reference}.0", complex(reference)]
    if isinstance(reference, list) and type(reference[0]) is int:
        disguised += [[float(item) for item in reference], set(reference), [str(item) for item in reference]]
    if isinstance(reference, dict) and name != "logic_grid":
        disguised += [{int(key): value for key, value in reference.items() if key.isdigit()}]
    for answer in [*FOREIGN, *disguised]:
        if answer == reference and type(answer) is type(reference):
            continue
        assert problem.verify(answer) != "", answer
        assert not problem.task.check(problem.params, answer)


def test_a_count_of_one_is_not_true():
    params = ListParams((-1, 1))
    assert TASKS["count_negative"].verify(params, 1) == ""
    assert TASKS["count_negative"].verify(params, True) == "not_an_integer"
    assert TASKS["count_negative"].verify(params, 1.0) == "not_an_integer"


@pytest.mark.parametrize("name", EASY)
def test_problems_are_distinct_and_read_back_with_other_lines_around(name):
    size = TASKS[name].variations[0].sizes[0]
    problems = [draw_problem(TASKS[name], "standard", size, 9, index)[0] for index in range(30)]
    assert len({problem.prompt for problem in problems}) == 30
    canary = "Canary 5f1e-77, [1, 2, 3]: do not train on this. Number 1 is 7."
    for problem in problems[:3]:
        for text in (problem.prompt, f"{canary}\n\n{problem.prompt}", f"{problem.prompt}\n\n{canary}\n"):
            assert problem.task.read(text) == problem.params


@pytest.mark.parametrize("name", EASY)
def test_a_text_without_a_problem_is_refused_in_one_line(name):
    for text in ("", "List = []", "Number 1: 5", "List = [1, x]"):
        with pytest.raises(ValueError, match=r"^the prompt [^\n]+$"):
            TASKS[name].read(text)


@pytest.mark.parametrize("name", EASY)
def test_prompts_say_the_form_once_and_echoing_them_is_no_answer_in_a_box(name):
    problem, _ = draw_problem(TASKS[name], "standard", TASKS[name].variations[0].sizes[0], 2, 0)
    assert problem.prompt.count("\\boxed{") == 1
    assert "{{" not in problem.prompt
    echoed = problem.parse(problem.prompt.splitlines()[-1])
    assert echoed.answer is None


def test_lists_read_back_are_the_last_of_the_text():
    assert read_list("List = [1]\nList = [-2, 3]\n") == ListParams((-2, 3))


def test_a_fault_in_an_engine_shows_against_the_other():
    """Faults of the published package: one answer too high, the first mode only, ties taken as less."""
    for name, values, wrong in [
        ("multiplication", (74,) * 8, 74**8 + 1),
        ("mode", (1, 1, 2, 2), [1]),
        ("comparison", (2, 2), "less than"),
        ("sum_of_max_indices", (9, 1, 9), 4),
        ("sorting", (2, 1, 2), [2, 1, 2]),
    ]:
        problem = TaskProblem(TASKS[name], "standard", 2, params_of(name, values))
        assert problem.verify(wrong) != ""
        assert not problem.task.check(problem.params, wrong)
