"""Questions to which an answer is typed: a person plays BeyondBench through the same seam."""

import pytest

from perennial.flows.benchmark import find_benchmark
from perennial.schemas.game import Episode, Turn
from perennial.tasks.beyondbench.gate import TaskGame
from perennial.tasks.beyondbench.problem import TaskProblem, draw_problem
from perennial.tasks.beyondbench.registry import TASKS


def _draw(name: str) -> TaskProblem:
    task = TASKS[name]
    variation = task.variations[0]
    return draw_problem(task, variation.name, variation.sizes[0], 1, 0)[0]


@pytest.mark.parametrize("name", ["addition", "sorting", "n_queens"])
def test_a_typed_answer_is_read_with_and_without_its_container(name: str) -> None:
    problem = _draw(name)
    written = problem.write_answer(problem.solutions.reference)
    bare = problem.task.form(problem.params).write(problem.solutions.reference)
    for typed in (written, bare):
        game = TaskGame(problem, problem.prompt)
        sheet = find_benchmark("beyondbench").draw_sheet(game)
        assert (sheet.truths, sheet.actions, sheet.book) == ((), (), problem.prompt)
        game.take(sheet.reply(typed))
        result = game.result()
        assert result is not None
        assert result.success
        assert Episode("human:abcdef", 0, (Turn(1, typed, None),), result, game).success
