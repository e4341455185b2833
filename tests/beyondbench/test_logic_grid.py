import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.tasks.beyondbench.forms.mappings import AssignmentTableForm
from perennial.tasks.beyondbench.hard.logic_grid import (
    CATEGORIES,
    MAX_CHAINS,
    MIN_CLUES,
    N_ITEMS,
    NUMBERS,
    PEOPLE,
    TASK,
    VARIATIONS,
    Category,
    Clue,
    LogicGridParams,
    encode,
    find_assignments,
    is_true,
    solve_by_sat,
)
from perennial.tasks.beyondbench.parse import parse_reply
from perennial.tasks.beyondbench.problem import draw_problem

PETS = Category("pet", ("cat", "dog", "rabbit"))
AGES = Category("age", ("20", "30", "40"))
PUPILS = ("Anna", "Boris", "Clara")
# Boris is younger than who has the dog, who is younger than Clara, who is no friend of cats.
CLUES = (
    Clue("chain", ((0, 1), (1, 1), (0, 2), (1, 1))),
    Clue("negative", ((0, 2), (1, 0))),
)
PUZZLE = LogicGridParams(PUPILS, (PETS, AGES), CLUES)
TABLE = {
    "Anna": {"pet": "dog", "age": "30"},
    "Boris": {"pet": "cat", "age": "20"},
    "Clara": {"pet": "rabbit", "age": "40"},
}


def count_by_brute_force(params):
    """Evaluate all clues on all assignments."""
    orders = [list(order) for order in itertools.permutations(range(params.n))]
    assignments = itertools.product(orders, repeat=len(params.categories))
    people = list(range(params.n))
    return sum(all(is_true(clue, [people, *a]) for clue in params.clues) for a in assignments)


@st.composite
def puzzles(draw):
    """Any clues, true together or not, on three people and two or three categories."""
    fruits = Category("fruit", ("pear", "plum", "kiwi"))
    categories = draw(st.sampled_from([(PETS, AGES), (PETS, fruits, AGES)]))
    item = st.tuples(st.integers(0, len(categories)), st.integers(0, 2))
    kinds = draw(st.lists(st.sampled_from(sorted(N_ITEMS)), max_size=5))
    clues = [Clue(kind, tuple(draw(item) for _ in range(N_ITEMS[kind]))) for kind in kinds]
    return LogicGridParams(PUPILS, categories, tuple(clues))


@settings(max_examples=30, deadline=None)
@given(puzzles())
def test_search_brute_force_and_sat_agree_on_any_clues(params):
    expected = count_by_brute_force(params)
    rows = [encode(clue) for clue in params.clues]
    assert find_assignments(3, len(params.categories), rows, limit=1_000)[1] == expected
    table, is_unique = solve_by_sat(params)
    assert (table is not None, is_unique) == (expected > 0, expected == 1)
    if expected == 1:
        assert TASK.solve(params).answers == (table,)
        assert TASK.verify(params, table) == ""


@pytest.mark.slow
@settings(max_examples=24, deadline=None)
@given(st.sampled_from(sorted(VARIATIONS)), st.integers(0, 2**32))
def test_a_drawn_puzzle_has_one_solution_and_no_redundant_clue(variation, index):
    size = VARIATIONS[variation]
    problem, _ = draw_problem(TASK, variation, size, 13, index)
    params = problem.params
    assert solve_by_sat(params) == (problem.solutions.reference, True)
    assert (params.n, len(params.categories)) == (size, size)
    assert len(params.clues) >= MIN_CLUES[size]
    kinds = [clue.kind for clue in params.clues]
    assert kinds.count("chain") <= MAX_CHAINS[size]
    assert "direct" not in kinds or "extreme" not in variation
    for k in range(len(params.clues)):
        fewer = replace(params, clues=params.clues[:k] + params.clues[k + 1 :])
        assert not solve_by_sat(fewer)[1]
    assert TASK.read(f"1. canary: Anna, Boris\n{problem.prompt}\n2. canary") == params


def test_every_kind_of_clue_is_drawn():
    kinds = {
        clue.kind
        for variation in ("easy_3", "extreme_4")
        for index in range(3)
        for clue in draw_problem(TASK, variation, VARIATIONS[variation], 1, index)[0].params.clues
    }
    assert kinds == set(N_ITEMS)


def test_each_name_and_value_is_one_word_in_one_place():
    words = [*PEOPLE, *CATEGORIES, *NUMBERS, *itertools.chain(*CATEGORIES.values())]
    assert len({word.lower() for word in words}) == len(words)
    assert all(word.isalpha() for word in words)


def test_the_example_has_its_solution():
    assert TASK.solve(PUZZLE).answers == (TABLE,)
    assert TASK.verify(PUZZLE, TABLE) == ""
    assert TASK.check(PUZZLE, TABLE)
    assert count_by_brute_force(PUZZLE) == 1


def test_a_puzzle_with_more_solutions_is_not_called_solved():
    solutions = TASK.solve(replace(PUZZLE, clues=CLUES[:1]))
    assert (solutions.count, solutions.is_complete) == (2, False)
    with pytest.raises(ValueError, match="no solution"):
        TASK.solve(replace(PUZZLE, clues=(*CLUES, Clue("direct", ((0, 0), (1, 0))))))


@pytest.mark.parametrize(
    "changes",
    [
        {"people": ("Anna", "Boris")},
        {"people": ("Anna", "Boris", "anna")},
        {"people": ("Anna", "Boris", "Clara D.")},
        {"categories": (PETS, Category("age", ("20", "30")))},
        {"categories": (PETS, Category("age", ("30", "20", "40")))},
        {"categories": (AGES, PETS)},
        {"clues": (Clue("direct", ((0, 0),)),)},
        {"clues": (Clue("direct", ((0, 0), (3, 0))),)},
        {"clues": CLUES * 50},
    ],
)
def test_parameters_out_of_bounds_are_refused(changes):
    with pytest.raises(ValueError):
        replace(PUZZLE, **changes)


FORM = TASK.form(PUZZLE)
TEXT = FORM.write(TABLE)


def test_the_form_writes_what_the_prompt_asks_for():
    assert TEXT == (
        "Anna: pet: dog, Anna: age: 30, Boris: pet: cat, Boris: age: 20, Clara: pet: rabbit, Clara: age: 40"
    )


def test_a_cell_with_two_values_is_not_read():
    assert parse_reply(f"\\boxed{{{TEXT}, Anna: pet: cat}}", FORM).answer is None


def test_an_unknown_value_is_read_and_is_wrong():
    parsed = parse_reply(f"\\boxed{{{TEXT.replace('dog', 'cow')}}}", FORM)
    assert parsed.level == 1
    assert TASK.verify(PUZZLE, parsed.answer) == "value_unknown"
    assert AssignmentTableForm(PUPILS, ()).read("Anna: pet: dog") is None
