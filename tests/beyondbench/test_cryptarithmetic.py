import itertools
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from perennial.tasks.beyondbench.forms.mappings import LettersForm
from perennial.tasks.beyondbench.hard.cryptarithmetic import (
    FACTORS,
    PRODUCTS,
    SYMBOLS,
    TASK,
    VARIATIONS,
    WITNESSES,
    WORD_VARIATIONS,
    CryptarithmParams,
    find_solutions,
    load_words,
    overlap,
)
from perennial.tasks.beyondbench.parse import parse_reply
from perennial.tasks.beyondbench.problem import draw_problem, least_share

CELLS = [(name, size) for name, sizes in VARIATIONS.items() for size in sizes]
MONEY = CryptarithmParams("addition", "SEND", "MORE", "MONEY")
SOLUTION = {"D": 7, "E": 5, "M": 1, "N": 6, "O": 0, "R": 8, "S": 9, "Y": 2}
WORDS = st.text("ABCDE", min_size=1, max_size=3)


@cache
def arrangements(n_letters):
    return np.array(list(itertools.permutations(range(10), n_letters)))


def count_by_brute_force(params):
    """Try all digits for all letters at once."""
    table = arrangements(len(params.letters))
    columns = dict(zip(params.letters, table.T, strict=True))
    values = [
        sum(columns[letter] * 10**place for place, letter in enumerate(word[::-1])) for word in params.words
    ]
    first, second, result = values
    is_right = {
        "addition": first + second == result,
        "subtraction": first - second == result,
        "multiplication": first * second == result,
        "division": result * second == first,
    }[params.operation]
    for letter in params.leading:
        is_right = is_right & (columns[letter] != 0)
    return int(is_right.sum())


def test_the_classic_puzzle_has_its_known_solution():
    assert find_solutions(MONEY, 100).answers == (SOLUTION,)
    assert find_solutions(MONEY, 100).count == 1
    assert TASK.verify(MONEY, SOLUTION) == ""


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(SYMBOLS)), WORDS, WORDS, st.text("ABCDE", min_size=1, max_size=5))
def test_the_search_counts_as_many_solutions_as_brute_force(operation, first, second, result):
    params = CryptarithmParams(operation, first, second, result)
    assert find_solutions(params, 100_000).count == count_by_brute_force(params)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(CELLS), st.integers(0, 2**32))
def test_a_drawn_cryptarithm_is_as_its_level_says(cell, index):
    variation, size = cell
    operation, _, level = variation.partition("_")
    problem, _ = draw_problem(TASK, variation, size, 9, index)
    params = problem.params
    assert params.operation == operation
    assert (problem.solutions.count, problem.solutions.is_complete) == (1, True)
    assert TASK.check(params, problem.solutions.reference)
    if operation in ("addition", "subtraction"):
        assert (len(params.first), len(params.second)) == (size, size)
        assert level != "extreme" or overlap(*params.words) >= 0.3
    else:
        one, other, _ = params.forwards
        assert {len(one), len(other)} == set(FACTORS[level])
    assert TASK.read(f"canary A + B = C\n{problem.prompt}\ncanary: D + E = F") == params


@pytest.mark.parametrize(
    ("variation", "size"), [(name, size) for name, sizes in WORD_VARIATIONS.items() for size in sizes]
)
def test_word_cryptarithms_are_of_english_words_and_have_one_solution(variation, size):
    problem, _ = draw_problem(TASK, variation, size, 3, 0)
    params = problem.params
    assert variation == f"{params.operation}_words"
    assert all(word in load_words()[len(word)] for word in params.words)
    assert len(set(params.words)) == 3
    one, other, _ = params.forwards
    assert (len(one), len(other)) == (size, 3 if params.operation in ("multiplication", "division") else size)
    assert (problem.solutions.count, problem.solutions.is_complete) == (1, True)
    if len(params.letters) <= 7:
        assert count_by_brute_force(params) == 1


def test_words_are_different_and_of_capital_letters():
    words = [word for listed in load_words().values() for word in listed]
    assert len(set(words)) == len(words) > 1_400
    assert all(word.isalpha() and word.isupper() and word.isascii() for word in words)


def test_the_least_share_is_below_what_was_seen_and_has_a_chance_of_one_in_a_million():
    for found, tries in [(20, 20_000), (500, 1_000), (1_000, 1_000)]:
        share = least_share(found, tries)
        assert 0 < share < found / tries
        assert binom.sf(found - 1, tries, share) < 1e-6


@pytest.mark.parametrize("cell", WITNESSES)
def test_the_equations_that_bound_the_spaces_are_sound(cell):
    numbers = [str(number) for number in WITNESSES[cell]]
    renaming = str.maketrans("0123456789", "ABCDEFGHIJ")
    words = [number.translate(renaming) for number in numbers]
    assert find_solutions(CryptarithmParams(cell[0].split("_")[0], *words)).count == 1
    assert len(numbers[0]) == len(numbers[1]) == cell[1]
    assert "extreme" not in cell[0] or overlap(*numbers) >= 0.3


def test_the_number_of_sound_products_is_what_counting_a_slice_of_all_pairs_suggests():
    counted = sum(PRODUCTS[3, 2].values())
    sound = 0
    for one, other in itertools.product(range(100, 1000, 9), range(10, 100, 9)):
        numbers = [str(one), str(other), str(one * other)]
        words = [number.translate(str.maketrans("0123456789", "ABCDEFGHIJ")) for number in numbers]
        is_long_enough = len(set("".join(numbers))) >= 4
        sound += is_long_enough and find_solutions(CryptarithmParams("multiplication", *words)).count == 1
    assert abs(sound / 1_000 - counted / 81_000) < 0.05


FORM = LettersForm(("A", "B", "C"))


def test_a_letter_with_two_digits_is_not_read_in_the_required_format():
    assert parse_reply('<answer>{"A": 1, "A": 2, "B": 2, "C": 0}</answer>', FORM).level != 1
