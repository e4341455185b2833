"""The gate finds planted faults: of graders, checkers, solvers, readers, forms and claims."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from perennial.schemas.beyondbench.things import Answer, Solutions, only_solution
from perennial.schemas.ids import derive_rng
from perennial.tasks.beyondbench.forms.form import Form
from perennial.tasks.beyondbench.gate import check_problem
from perennial.tasks.beyondbench.problem import RIGHT, Task, TaskProblem, draw_problem
from perennial.tasks.beyondbench.registry import TASKS

NUMBERS = 5


def problems(task: Task[Any]) -> list[TaskProblem]:
    """Return some problems of a task, of its first and last variation, smallest and largest."""
    cells = [(task.variations[0], 0), (task.variations[-1], -1)]
    return [
        draw_problem(task, variation.name, variation.sizes[place], 11, index)[0]
        for variation, place in cells
        for index in range(NUMBERS)
    ]


def faults(task: Task[Any]) -> list[str]:
    return [
        fault
        for number, problem in enumerate(problems(task))
        for fault in check_problem(problem, derive_rng(2, "gate", number)).faults
    ]


def accepts_also(name: str, accepts: Callable[[Any, Answer, Answer], bool]) -> Task[Any]:
    """Return the task whose grader accepts besides what this does, given parameters, answer and reference."""
    task = TASKS[name]

    def verify(params: Any, answer: Answer) -> str:
        reference = task.solve(params).reference
        return RIGHT if accepts(params, answer, reference) else task.verify(params, answer)

    return replace(task, verify=verify)


def is_list(answer: Answer, reference: Answer) -> bool:
    return type(answer) is list and len(answer) == len(reference)


def with_form(name: str, method: str, change: Callable[..., Any]) -> Task[Any]:
    """Return the task of whose form one method is another function, of the form and its arguments."""
    task = TASKS[name]

    def changed(params: Any) -> Any:
        form = task.form(params)
        methods = {attribute: getattr(form, attribute) for attribute in dir(form) if attribute[0] != "_"}
        return SimpleNamespace(**methods | {method: partial(change, form)})

    return replace(task, form=changed)


def solving(name: str, change: Callable[[Solutions], Solutions]) -> Task[Any]:
    task = TASKS[name]
    return replace(task, solve=lambda params: change(task.solve(params)))


def reading(name: str, change: Callable[[str], str]) -> Task[Any]:
    """Return the task of which a player reads another text than is shown."""
    task = TASKS[name]
    return replace(task, read=lambda prompt: task.read(change(prompt)))


def not_rows(rows: list[list[int]], reference: list[list[int]]) -> bool:
    return type(rows) is list and sorted(map(str, rows)) == sorted(map(str, reference))


PLANTED: dict[str, Callable[[], Task[Any]]] = {
    "the grader accepts everything": lambda: accepts_also("addition", lambda *_: True),
    "the grader refuses everything": lambda: replace(TASKS["addition"], verify=lambda *_: "wrong_number"),
    "one too many is right": lambda: accepts_also("odd_count", lambda _, a, r: a == r + 1),
    "one too few is right": lambda: accepts_also("lis_length", lambda _, a, r: a == r - 1),
    "the sign does not count": lambda: accepts_also(
        "alternating_sum", lambda _, a, r: type(a) is int and abs(a) == abs(r)
    ),
    "an error below 1 % is right": lambda: accepts_also(
        "sum_of_digits", lambda _, a, r: type(a) is int and abs(a - r) <= 0.01 * abs(r)
    ),
    "an error of 1 is right": lambda: accepts_also(
        "range", lambda _, a, r: type(a) is int and abs(a - r) <= 1
    ),
    "texts are compared": lambda: accepts_also(
        "addition", lambda _, a, r: str(a).strip("-") == str(r).strip("-")
    ),
    "any order is sorted": lambda: accepts_also(
        "sorting", lambda _, a, r: type(a) is list and sorted(map(str, a)) == sorted(map(str, r))
    ),
    "a sorted list may lack its end": lambda: accepts_also(
        "sorting", lambda _, a, r: type(a) is list and a == r[: len(a)] and len(a) > 0
    ),
    "one of two modes is enough": lambda: accepts_also(
        "mode", lambda _, a, r: type(a) is list and set(map(str, a)) < set(map(str, r)) and len(a) > 0
    ),
    "a term off by one is right": lambda: accepts_also(
        "fibonacci_sequence", lambda _, a, r: type(a) is int and type(r) is int and abs(a - r) <= 1
    ),
    "queens may attack on diagonals": lambda: accepts_also(
        "n_queens", lambda _, a, r: is_list(a, r) and sorted(map(str, a)) == sorted(map(str, r))
    ),
    "queens may be anywhere": lambda: accepts_also("n_queens", lambda _, a, r: is_list(a, r)),
    "a longer path is right": lambda: accepts_also(
        "tower_of_hanoi", lambda _, a, r: type(a) is list and len(a) > len(r)
    ),
    "the path may stop early": lambda: accepts_also(
        "tower_of_hanoi", lambda _, a, r: type(a) is list and a == r[: len(a)] and len(a) > 0
    ),
    "a cost above the least is right": lambda: accepts_also(
        "matrix_chain", lambda _, a, r: type(a) is int and a > r
    ),
    "the window of a system does not count": lambda: accepts_also(
        "modular_systems",
        lambda params, a, _: (
            type(a) is int and all((a - residue) % modulus == 0 for residue, modulus in _congruences(params))
        ),
    ),
    "rows of a grid may be swapped": lambda: accepts_also("sudoku", lambda _, a, r: not_rows(a, r)),
    "there is no solution": lambda: solving("addition", lambda _: Solutions((), 0, True)),
    "the solution is wrong": lambda: solving("addition", lambda found: only_solution(found.reference + 1)),
    "the second solution is wrong": lambda: solving(
        "addition", lambda found: Solutions((found.reference, found.reference + 2), 2, True)
    ),
    "uniqueness is claimed and not proved": lambda: solving(
        "addition", lambda found: replace(found, is_complete=False)
    ),
    "there are two solutions where one is claimed": lambda: solving(
        "lis_length", lambda found: replace(found, count=2)
    ),
    "the checker refuses everything": lambda: replace(TASKS["addition"], check=lambda *_: False),
    "the checker refuses negative sums": lambda: replace(
        TASKS["addition"], check=lambda params, answer: answer == sum(params.values) and answer >= 0
    ),
    "the text lacks the list": lambda: reading("addition", lambda prompt: prompt.partition("List")[0]),
    "the text lacks a number": lambda: reading("addition", lambda prompt: prompt.replace(", ", " ", 1)),
    "the text shows other numbers": lambda: reading("sorting", lambda prompt: prompt.replace("1", "2")),
    "the text lacks a term": lambda: reading("addition", lambda prompt: prompt.replace("[", "[5, ")),
    "an answer is written without its sign": lambda: with_form(
        "alternating_sum", "write", lambda form, answer: form.write(answer).lstrip("-")
    ),
    "an answer is written with words": lambda: with_form(
        "addition", "write", lambda form, answer: f"the sum {form.write(answer)}"
    ),
    "an answer is written without a comma": lambda: with_form(
        "sorting", "write", lambda form, answer: form.write(answer).replace(",", "")
    ),
    "too few changed answers are tried": lambda: _with_mutations(3),
    "no changed answer is tried": lambda: _with_mutations(0),
    "the variation claims one solution": lambda: replace(
        TASKS["n_queens"],
        variations=tuple(replace(each, is_unique=True) for each in TASKS["n_queens"].variations),
    ),
}


def _congruences(params: Any) -> list[tuple[int, int]]:
    return list(zip(params.residues, params.moduli, strict=True))


def _with_mutations(number: int, repeated: int = 1) -> Task[Any]:
    def mutations(_form: Form, answer: Answer, _rng: Any) -> Any:
        steps = [*range(1, number + 1)] * repeated
        yield from ((f"off by {step}", answer + step) for step in steps)

    return with_form("addition", "mutations", mutations)


def test_at_least_thirty_faults_are_planted() -> None:
    assert len(PLANTED) >= 30


# What is said of some of them, to the word: first of all, of the first problem.
SAID = {
    "the grader accepts everything": "the grader accepts a changed answer (off by 1): 24",
    "the checker refuses everything": "the independent checker refuses the solution 23",
    "there is no solution": "there is no solution",
    "the solution is wrong": "the grader refuses the solution 24 (wrong_number)",
    "uniqueness is claimed and not proved": "the solution is not proved to be the only one (1 are known)",
    "the text lacks the list": "the text alone cannot be solved (ValueError: the prompt holds no list of "
    "integers)",
    "the text lacks a term": "what the text alone leads to is refused: 28",
    "an answer is written with words": "the solution 23 is not read back from its own text",
    "too few changed answers are tried": "7 changed answers were tried, 20 are needed",
}


@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_fault_is_found(planted: str) -> None:
    found = faults(PLANTED[planted]())
    assert found
    assert found[0] == SAID.get(planted, found[0])


def test_a_grader_that_refuses_what_the_checker_accepts_is_named() -> None:
    task = _with_mutations(20)
    lenient = replace(task, check=lambda params, answer: answer in (23, 24))
    problem = problems(task)[0]
    assert problem.solutions.reference == 23
    assert check_problem(replace(problem, task=lenient), derive_rng(2, "gate", 0)).faults == [
        "the grader refuses a changed answer (off by 1): 24"
    ]


def test_changed_answers_are_counted_each_once() -> None:
    task = _with_mutations(20, repeated=3)

    def check(params: Any, answer: Answer) -> bool:
        return type(answer) is int and answer - sum(params.values) in (0, 2, 4, 6)

    even = replace(task, check=check, verify=lambda params, a: RIGHT if check(params, a) else "wrong_number")
    tested = check_problem(replace(problems(task)[0], task=even), derive_rng(2, "gate", 0))
    assert (tested.faults, tested.mutations, tested.refused, tested.also_right) == ([], 24, 21, 3)


@pytest.mark.parametrize(
    "name", ["addition", "sorting", "n_queens", "tower_of_hanoi", "modular_systems", "sudoku"]
)
def test_a_sound_task_has_no_fault(name: str) -> None:
    assert faults(TASKS[name]) == []


def test_twenty_changed_answers_are_enough_and_nineteen_are_not() -> None:
    # The task adds four of its own to those of its form.
    assert faults(_with_mutations(16)) == []
    assert set(faults(_with_mutations(15))) == {"19 changed answers were tried, 20 are needed"}


def test_a_task_that_takes_every_changed_answer_is_faulty() -> None:
    accepting = replace(_with_mutations(20), verify=lambda *_: RIGHT, check=lambda *_: True)
    assert set(faults(accepting)) == {"no changed answer was refused"}
