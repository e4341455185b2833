"""The guesser: one answer for a cell, size and form, whatever the problem states."""

import pytest

from perennial.schemas.ids import derive_rng
from perennial.tasks.beyondbench.forms.lists import MovesForm
from perennial.tasks.beyondbench.forms.mappings import LettersForm
from perennial.tasks.beyondbench.gate import TaskGame
from perennial.tasks.beyondbench.players import (
    PLAYERS,
    guess,
    shape_of,
    usual_answers,
)
from perennial.tasks.beyondbench.problem import draw_problem
from perennial.tasks.beyondbench.registry import TASKS
from perennial.tasks.play import play_program

tasks = pytest.mark.parametrize("name", TASKS)


@tasks
def test_it_answers_in_the_required_format_and_alike_whatever_is_stated(name):
    task = TASKS[name]
    for variation in task.variations:
        shapes = set()
        for index in range(2):
            problem, _ = draw_problem(task, variation.name, variation.sizes[-1], 13, index)
            game = TaskGame(problem, "nothing of the prompt is read")
            play_program(PLAYERS["guesser"], game, 0, derive_rng(0, "guesser", 0))
            assert game.parsed.level == 1
            form = task.form(problem.params)
            shapes.add((shape_of(form).describe(form, game.parsed.answer), len(getattr(form, "letters", ()))))
        # Cryptarithms of one size may have other numbers of letters, for which other digits are usual.
        assert len({shape for shape, _ in shapes}) == len({letters for _, letters in shapes})


@tasks
def test_the_shape_of_a_solution_is_that_solution(name):
    task = TASKS[name]
    for variation in task.variations:
        problem, _ = draw_problem(task, variation.name, variation.sizes[0], 17, 0)
        form = task.form(problem.params)
        shape = shape_of(form)
        assert problem.is_right(shape.write(form, shape.describe(form, problem.solutions.reference)))


@pytest.mark.parametrize(
    ("name", "variation", "low", "high"),
    [
        # Vertices without an edge between them share a color; the sum of the last two is the next term.
        ("graph_coloring", "complete", 10, 10),
        ("graph_coloring", "tree", 0, 0),
        ("fibonacci_sequence", "fibonacci", 10, 10),
        ("fibonacci_sequence", "tribonacci", 0, 0),
        ("constraint_optimization", "basic", 2, 10),
        ("boolean_sat", "graph_based", 1, 9),
    ],
)
def test_the_heuristic_is_right_as_often_as_its_rule(name, variation, low, high):
    task = TASKS[name]
    solved = 0
    for index in range(10):
        problem, _ = draw_problem(task, variation, task.variation(variation).sizes[0], 23, index)
        game = TaskGame(problem, problem.prompt)
        solved += play_program(PLAYERS["heuristic"], game, 0, derive_rng(0, "", 0)).status == "solved"
    assert low <= solved <= high


def test_names_are_those_of_the_problem():
    letters, one, two = LettersForm(("Q", "R")), MovesForm(1, "XYZ", 0), MovesForm(2, "ABC", 0)
    assert shape_of(letters).write(letters, "71") == {"Q": 7, "R": 1}
    assert shape_of(one).write(one, "102") == [[1, "X", "Z"]]
    assert shape_of(two).fixed(two, 2) == [[1, "A", "B"], [2, "A", "C"], [1, "B", "C"]]


def test_a_cell_in_which_nothing_was_learned_gets_the_fixed_answer_of_the_form():
    form = LettersForm(("A", "B"))
    assert guess("cryptarithmetic", "never_heard_of", 3, form) == shape_of(form).fixed(form, 3)


def test_what_was_learned_belongs_to_cells_and_sizes_that_exist():
    for key in usual_answers():
        task, variation, size = key.split()
        assert int(size) in TASKS[task].variation(variation).sizes


# What a definition makes necessary (warehouse/beyondbench/rules/guesser_stays_at_chance.sql), with five
# standard errors of 300 problems; `python -m tests.benchmarks.beyondbench_guesser` measures all of them.
@pytest.mark.parametrize(
    ("name", "variation", "bound"),
    [
        ("comparison", "standard", 1 / 3),
        ("local_maxima_count", "standard", 0.13),
        ("odd_count", "standard", 0.1),
        ("lis_length", "standard", 0.1),
        ("find_maximum", "standard", 0.1),
        ("tower_of_hanoi", "disks_3", 1 / 6),
        ("n_queens", "queens_4", 1 / 2),
        ("boolean_sat", "random_k", 0.1),
        ("graph_coloring", "complete", 0.1),
    ],
)
def test_it_stays_at_chance(name, variation, bound):
    task = TASKS[name]
    sizes = task.variation(variation).sizes
    right = 0
    for index in range(300):
        problem, _ = draw_problem(task, variation, sizes[index % len(sizes)], 19, index)
        answer = guess(name, variation, problem.size, task.form(problem.params))
        right += problem.is_right(answer)
    assert right / 300 < bound + 5 * (bound * (1 - bound) / 300) ** 0.5
