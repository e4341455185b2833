"""Notations of right answers that no prompt asks for, and that a careful reader would accept."""

import json

import pytest

from perennial.tasks.beyondbench.problem import TaskProblem, draw_problem
from perennial.tasks.beyondbench.registry import TASKS


def problem_of(name: str) -> TaskProblem:
    task = TASKS[name]
    return draw_problem(task, task.variations[0].name, task.variations[0].sizes[0], 78, 0)[0]


def table(head: str, rows: list[list[object]]) -> str:
    rule = "|" + "---|" * (head.count("|") - 1)
    return "\n".join([head, rule, *("| " + " | ".join(map(str, row)) + " |" for row in rows)])


NOTATIONS = {
    "tower_of_hanoi": (
        lambda right: table(
            "| step | disk | from | to |", [[step, *move] for step, move in enumerate(right, 1)]
        ),
        lambda right: table("| disk | from | to |", right),
        lambda right: json.dumps({"moves": right}),
        lambda right: f"moves = {right}",
        lambda right: json.dumps(
            {"moves": [{"disk": disk, "from": a, "to": b} for disk, a, b in right]}, indent=1
        ),
    ),
    "n_queens": (
        lambda right: "\n".join(f"Row {row}: column {column}" for row, column in enumerate(right)),
        lambda right: ", ".join(f"({row}, {column})" for row, column in enumerate(right)),
    ),
    "graph_coloring": (lambda right: table("| vertex | colour |", [list(pair) for pair in right.items()]),),
    "boolean_sat": (
        lambda right: table("| variable | value |", [[f"x{name}", value] for name, value in right.items()]),
    ),
    "cryptarithmetic": (lambda right: table("| letter | digit |", [list(pair) for pair in right.items()]),),
    "sudoku": (
        lambda right: "\n".join(
            f"Row {number}: {' '.join(map(str, row))}" for number, row in enumerate(right, 1)
        ),
    ),
    "constraint_optimization": (
        lambda right: "{" + ", ".join(map(str, right)) + "}",
        lambda right: ", ".join(f"Project {number}" for number in right),
    ),
}


@pytest.mark.parametrize("name", NOTATIONS)
@pytest.mark.parametrize("frame", ["<answer>{}</answer>", "The final answer is:\n\n{}"])
def test_it_is_read(name: str, frame: str) -> None:
    problem = problem_of(name)
    for notation in NOTATIONS[name]:
        found = problem.parse(frame.replace("{}", notation(problem.solutions.reference)))
        assert found.answer == problem.solutions.reference
        assert found.level in (2, 3)
