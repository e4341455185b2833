"""What every task must keep to, whatever it is: `pytest tests/beyondbench/test_every_task.py -k TASK`."""

import json
import math
import tomllib
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path

import pytest

from perennial.schemas.ids import derive_rng
from perennial.tasks.beyondbench.gate import TaskGame
from perennial.tasks.beyondbench.players import PLAYERS
from perennial.tasks.beyondbench.problem import TaskProblem, draw_problem
from perennial.tasks.beyondbench.registry import TASKS
from perennial.tasks.play import play_program

CELLS = [(name, variation.name) for name in TASKS for variation in TASKS[name].variations]
cells = pytest.mark.parametrize(("name", "variation"), CELLS)
INDICES = range(3)
# Worked by hand, ties and signs among them: problems, and answers with what is wrong with each.
GRADED = json.loads(Path(__file__).with_name("graded_answers.json").read_text(encoding="utf-8"))
REFUSED = tomllib.loads(Path(__file__).with_name("refused_payloads.toml").read_text(encoding="utf-8"))


def draw(name, variation, seed=7, sizes=None):
    task = TASKS[name]
    for size in sizes or {task.variation(variation).sizes[0], task.variation(variation).sizes[-1]}:
        for index in INDICES:
            yield draw_problem(task, variation, size, seed, index)[0]


@cache
def problems(name, variation):
    """Return the same problems to each test, which may read them alone."""
    return tuple(draw(name, variation))


def test_there_are_44_tasks_of_which_the_paper_counts_117_variations_beside_the_easy_ones():
    suites = {
        name: (task.suite, sum(variation.is_counted for variation in task.variations))
        for name, task in TASKS.items()
    }
    for suite, tasks, variations in (("easy", 29, 29), ("medium", 5, 49), ("hard", 10, 68)):
        counts = [count for of, count in suites.values() if of == suite]
        assert (len(counts), sum(counts)) == (tasks, variations)
    assert all(task.name == name for name, task in TASKS.items())


@cells
def test_parameters_are_typed_and_survive_json(name, variation):
    for problem in problems(name, variation):
        assert is_dataclass(problem.params)
        assert fields(problem.params)
        again = TaskProblem(problem.task, variation, problem.size, problem.task.params_of(problem.payload))
        assert again.params == problem.params
        assert (again.content_id, again.prompt) == (problem.content_id, problem.prompt)


@pytest.mark.parametrize("name", REFUSED)
def test_a_payload_that_is_none_of_the_task_is_refused(name):
    for payload in REFUSED[name]:
        with pytest.raises(ValueError):
            TASKS[name].params_of(payload)


@pytest.mark.parametrize("entry", GRADED, ids=lambda entry: entry["task"])
def test_grader_and_checker_agree_and_the_grader_says_what_is_wrong(entry):
    task = TASKS[entry["task"]]
    params = task.params_of(json.dumps(entry["payload"]))
    for detail, answer in entry["answers"]:
        assert task.verify(params, answer) == detail, answer
        assert task.check(params, answer) == (detail == ""), answer


@cells
def test_the_same_seed_gives_the_same_problem_and_another_another(name, variation):
    assert [p.payload for p in draw(name, variation)] == [p.payload for p in problems(name, variation)]
    sizes = TASKS[name].variation(variation).sizes[-1:]
    first, second = ([p.payload for p in draw(name, variation, seed, sizes)] for seed in (1, 2))
    assert (first == second) == TASKS[name].variation(variation).on_request


@cells
def test_all_solutions_verify_by_both_engines_and_are_as_many_as_claimed(name, variation):
    is_unique = TASKS[name].variation(variation).is_unique
    for problem in problems(name, variation):
        solutions = problem.solutions
        assert solutions.answers
        assert solutions.count >= len(solutions.answers)
        if is_unique:
            assert (solutions.count, solutions.is_complete) == (1, True)
        for answer in solutions.answers:
            assert problem.verify(answer) == ""
            assert problem.task.check(problem.params, answer)


@cells
def test_exact_solves_from_the_text_alone_in_the_required_format(name, variation):
    for problem in problems(name, variation):
        game = TaskGame(problem, problem.prompt)
        episode = play_program(PLAYERS["exact"], game, 0, derive_rng(0, "exact", 0))
        assert (episode.status, game.parsed.level) == ("solved", 1), (problem.prompt, episode.turns)


@cells
def test_careless_keeps_to_the_format_and_is_wrong_where_the_answer_is_unique(name, variation):
    is_unique = TASKS[name].variation(variation).is_unique
    for problem in problems(name, variation):
        game = TaskGame(problem, problem.prompt)
        episode = play_program(PLAYERS["careless"], game, 0, derive_rng(0, "careless", 0))
        assert game.parsed.level == 1
        assert problem.is_right(game.parsed.answer) == problem.task.check(problem.params, game.parsed.answer)
        if is_unique:
            assert episode.status == "wrong"


@cells
@pytest.mark.parametrize("player", ["random", "heuristic"])
def test_random_and_heuristic_give_an_answer_of_the_right_form(name, variation, player):
    for problem in problems(name, variation):
        game = TaskGame(problem, problem.prompt)
        play_program(PLAYERS[player], game, 0, derive_rng(0, player, 0))
        assert game.parsed.level == 1
        assert problem.is_right(game.parsed.answer) == problem.task.check(problem.params, game.parsed.answer)


@cells
def test_twenty_mutations_are_refused_unless_an_independent_checker_accepts_them(name, variation):
    for index, problem in enumerate(problems(name, variation)):
        found = list(
            problem.task.mutations(problem.params, problem.solutions.reference, derive_rng(3, name, index))
        )
        assert len({repr(answer) for _, answer in found}) >= 20, [kind for kind, _ in found]
        wrong = 0
        for kind, answer in found:
            right = problem.task.check(problem.params, answer)
            assert problem.is_right(answer) == right, (kind, answer)
            wrong += not right
        assert wrong >= 5


@cells
def test_tokens_and_space_are_figures(name, variation):
    task = TASKS[name]
    for size in task.variation(variation).sizes:
        prompt, solution = task.tokens(variation, size)
        assert prompt > 0
        assert solution > 0
        space = task.space(variation, size)
        assert math.isfinite(space.log10)
        assert space.log10 >= 0


@cells
def test_the_variations_name_is_not_in_a_medium_prompt(name, variation):
    if TASKS[name].suite == "medium":
        for problem in problems(name, variation):
            assert variation.replace("_", " ") not in problem.prompt.lower()


@pytest.mark.parametrize(
    "junk", ["", "I do not know.", "\\boxed{}", "<answer></answer>", "{" * 9_000, "1" * 9_000]
)
def test_junk_is_read_as_nothing_or_wrong_and_raises_nothing(junk):
    for name, variation in CELLS:
        problem = problems(name, variation)[0]
        answer = problem.parse(junk).answer
        assert answer is None or problem.verify(answer) != ""
