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

tasks = pytest.mark.parametrize("name", TASKS)
INDICES = range(2)
# Worked by hand, ties and signs among them: problems, and answers with what is wrong with each.
GRADED = json.loads(Path(__file__).with_name("graded_answers.json").read_text(encoding="utf-8"))
REFUSED = tomllib.loads(Path(__file__).with_name("refused_payloads.toml").read_text(encoding="utf-8"))


def draw(name, variation, seed=7, sizes=None):
    task = TASKS[name]
    for size in sizes or {task.variation(variation).sizes[0], task.variation(variation).sizes[-1]}:
        for index in INDICES:
            yield draw_problem(task, variation, size, seed, index)[0]


@cache
def problems(name):
    """Return the same problems of all variations to each test, which may read them alone."""
    return tuple(problem for variation in TASKS[name].variations for problem in draw(name, variation.name))


def is_unique(problem):
    return problem.task.variation(problem.variation).is_unique


def test_there_are_44_tasks_of_which_the_paper_counts_117_variations_beside_the_easy_ones():
    suites = {
        name: (task.suite, sum(variation.is_counted for variation in task.variations))
        for name, task in TASKS.items()
    }
    for suite, tasks, variations in (("easy", 29, 29), ("medium", 5, 49), ("hard", 10, 68)):
        counts = [count for of, count in suites.values() if of == suite]
        assert (len(counts), sum(counts)) == (tasks, variations)
    assert all(task.name == name for name, task in TASKS.items())


@tasks
def test_parameters_are_typed_and_survive_json(name):
    for problem in problems(name):
        assert is_dataclass(problem.params)
        assert fields(problem.params)
        again = TaskProblem(
            problem.task, problem.variation, problem.size, problem.task.params_of(problem.payload)
        )
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


@tasks
def test_the_same_seed_gives_the_same_problem_and_another_another(name):
    for variation in TASKS[name].variations:
        again, another = (
            [problem.payload for problem in draw(name, variation.name, seed, variation.sizes[:1])]
            for seed in (7, 8)
        )
        drawn = (problem for problem in problems(name) if problem.variation == variation.name)
        first = [problem.payload for problem in drawn if problem.size == variation.sizes[0]]
        assert first == again
        assert (first == another) == variation.on_request, variation.name


@tasks
def test_all_solutions_verify_by_both_engines_and_are_as_many_as_claimed(name):
    for problem in problems(name):
        solutions = problem.solutions
        assert solutions.answers
        assert solutions.count >= len(solutions.answers)
        if is_unique(problem):
            assert (solutions.count, solutions.is_complete) == (1, True)
        for answer in solutions.answers:
            assert problem.verify(answer) == ""
            assert problem.task.check(problem.params, answer)


@tasks
def test_exact_solves_from_the_text_alone_in_the_required_format(name):
    for problem in problems(name):
        game = TaskGame(problem, problem.prompt)
        episode = play_program(PLAYERS["exact"], game, 0, derive_rng(0, "exact", 0))
        assert (episode.status, game.parsed.level) == ("solved", 1), (problem.prompt, episode.turns)


@tasks
def test_careless_keeps_to_the_format_and_is_wrong_where_the_answer_is_unique(name):
    for problem in problems(name):
        game = TaskGame(problem, problem.prompt)
        episode = play_program(PLAYERS["careless"], game, 0, derive_rng(0, "careless", 0))
        assert game.parsed.level == 1
        assert problem.is_right(game.parsed.answer) == problem.task.check(problem.params, game.parsed.answer)
        if is_unique(problem):
            assert episode.status == "wrong"


@tasks
@pytest.mark.parametrize("player", ["random", "heuristic"])
def test_random_and_heuristic_give_an_answer_of_the_right_form(name, player):
    for problem in problems(name):
        game = TaskGame(problem, problem.prompt)
        play_program(PLAYERS[player], game, 0, derive_rng(0, player, 0))
        assert game.parsed.level == 1
        assert problem.is_right(game.parsed.answer) == problem.task.check(problem.params, game.parsed.answer)


@tasks
def test_twenty_mutations_are_refused_unless_an_independent_checker_accepts_them(name):
    for index, problem in enumerate(problems(name)):
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


@tasks
def test_tokens_and_space_are_figures(name):
    task = TASKS[name]
    for variation, size in ((each.name, size) for each in task.variations for size in each.sizes):
        prompt, solution = task.tokens(variation, size)
        assert prompt > 0
        assert solution > 0
        space = task.space(variation, size)
        assert math.isfinite(space.log10)
        assert space.log10 >= 0


@pytest.mark.parametrize(
    "junk", ["", "I do not know.", "\\boxed{}", "<answer></answer>", "{" * 9_000, "1" * 9_000]
)
def test_junk_is_read_as_nothing_or_wrong_and_raises_nothing(junk):
    firsts = {(name, problem.variation): problem for name in TASKS for problem in reversed(problems(name))}
    for problem in firsts.values():
        answer = problem.parse(junk).answer
        assert answer is None or problem.verify(answer) != ""
