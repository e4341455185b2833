"""Replies that commit to no answer are not right, whatever the task; those that do keep what they say."""

import pytest

from perennial.schemas.ids import derive_rng
from perennial.tasks.beyondbench.problem import TaskProblem, draw_problem
from perennial.tasks.beyondbench.registry import TASKS

HEDGES = (
    "{wrong_boxed} or {right_boxed}",
    "{right_boxed} or {wrong_boxed}",
    "{open}{wrong} or {right}{close}",
    "{open}{right} or {wrong}{close}",
    "{open}either {wrong} or {right}{close}",
    "{open}not {right}{close}",
    "The answer is {wrong} or {right}.",
    "The answer is {right} or {wrong}.",
    "The answer is not {right}.",
    "The answer isn't {right}",
    "I think it is {wrong} or {right}",
    # Wordings of somebody who did not write the parser.
    "{open}{wrong} or else {right}{close}",
    "{open}{right} (or {wrong}){close}",
    "{open}{right}, otherwise {wrong}{close}",
    "{open}perhaps {wrong}, perhaps {right}{close}",
    "{open}anything but {right}{close}",
    "It is certainly not {right_boxed}.",
    "{wrong_boxed} or possibly {right_boxed}",
    "Either {wrong_boxed}\nor\n{right_boxed}",
    "It could be {wrong_boxed}, it could also be {right_boxed}.",
    "{right} is wrong.",
    "{right} is not the answer.",
    "A wrong answer would be {right}",
    "The answer is one of {wrong}, {right}.",
    "Candidates are:\n- {wrong}\n- {right}\nI cannot tell which.",
    "Option 1: {wrong}\nOption 2: {right}",
    "First guess: {wrong}. Second guess: {right}.",
    "The answer is {wrong}; alternatively, {right}.",
)
COMMITTED = (
    "{right_boxed}",
    "Is it {wrong}? No.\nSo:\n{right_boxed}",
    "{wrong_boxed}\n\nNo, that fails. The corrected answer:\n\n{right_boxed}",
    "It is not {wrong}.\n\n{right_boxed}",
    "I first thought of {wrong}, but that is wrong.\n\n{right_boxed}",
    "Is it {wrong} or {right}? A check decides for the latter: {right_boxed}",
    "{right_boxed}\n\nAny other answer would be wrong.",
    "This was not too hard: {right_boxed}",
    "Unless I am mistaken, the answer is {right_boxed}.",
    "Option 1 was to count, option 2 to sort first. I took the second option.\n{right_boxed}",
    "I can't tell at first sight, so I computed it: {right_boxed}",
    "The final answer is **{right}**.",
)


def texts_of(problem: TaskProblem) -> dict[str, str]:
    form = problem.task.form(problem.params)
    right = problem.solutions.reference
    # The careless answer may be right too, in tasks of several solutions.
    changed = problem.task.mutations(problem.params, right, derive_rng(5, problem.task.name, 0))
    wrong = next(
        answer
        for answer in (form.careless(right), *(one for _, one in changed))
        if not problem.is_right(answer)
    )
    start, close = ("\\boxed{", "}") if form.container == "boxed" else ("<answer>", "</answer>")
    texts = {"right": form.write(right).strip(), "wrong": form.write(wrong).strip()}
    boxed = {f"{name}_boxed": f"{start}{text}{close}" for name, text in texts.items()}
    return {**texts, **boxed, "open": start, "close": close}


@pytest.mark.parametrize("name", TASKS)
def test_a_hedge_is_never_right_and_what_is_committed_is(name: str) -> None:
    task = TASKS[name]
    variation = task.variations[0]
    problem = draw_problem(task, variation.name, variation.sizes[0], 7, 0)[0]
    texts = texts_of(problem)
    right = [hedge for hedge in HEDGES if problem.is_right(problem.parse(hedge.format(**texts)).answer)]
    assert right == []
    wrong = [text for text in COMMITTED if not problem.is_right(problem.parse(text.format(**texts)).answer)]
    assert wrong == []


@pytest.mark.parametrize("name", TASKS)
def test_a_repeated_prompt_states_no_answer_in_a_container(name: str) -> None:
    task = TASKS[name]
    for variation in task.variations:
        problem = draw_problem(task, variation.name, variation.sizes[0], 7, 0)[0]
        found = problem.parse(problem.prompt)
        assert found.level != 1
        assert not problem.is_right(found.answer)
