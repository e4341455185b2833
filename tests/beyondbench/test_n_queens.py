"""N queens: the counts of solutions, three engines, the grader's codes, and how positions are read."""

from itertools import combinations, permutations
from math import log10

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from perennial.schemas.ids import derive_rng
from perennial.tasks.beyondbench.hard.n_queens import (
    TASK,
    VARIATIONS,
    QueensParams,
    find_completions,
    placed_range,
)
from perennial.tasks.beyondbench.problem import draw_problems


def brute_force(size, rules="plain"):
    modulus = size if rules == "toroidal" else 2 * size
    return [
        list(board)
        for board in permutations(range(size))
        if len({(row + column) % modulus for row, column in enumerate(board)}) == size
        and len({(row - column) % modulus for row, column in enumerate(board)}) == size
        and (
            rules != "diagonal"
            or (
                any(row == column for row, column in enumerate(board))
                and any(row + column == size - 1 for row, column in enumerate(board))
            )
        )
    ]


@pytest.mark.parametrize(("size", "count", "distinct"), [(4, 2, 1), (5, 10, 2), (6, 4, 1), (8, 92, 12)])
def test_the_counts_of_solutions_and_of_those_up_to_symmetry(size, count, distinct):
    solutions = TASK.solve(QueensParams(size, ()))
    assert solutions.count == len(solutions.answers) == count
    assert sorted(solutions.answers) == sorted(brute_force(size))

    def turn(board):
        return [size - 1 - board.index(row) for row in range(size)]

    def images(board):
        for _ in range(4):
            yield tuple(board)
            yield tuple(reversed(board))
            board = turn(board)

    assert len({min(images(board)) for board in solutions.answers}) == distinct


@pytest.mark.parametrize(
    ("size", "up_to_two", "all_of_them"), [(4, 21, 29), (5, 126, 226), (6, 85, 165), (8, 1117, 5149)]
)
def test_the_space_is_the_number_of_boards_that_can_be_completed(size, up_to_two, all_of_them):
    boards = boards_of(size, "plain")
    assert sum(len(placed) <= 2 for placed in boards) == up_to_two
    assert len(boards) == all_of_them == round(10 ** TASK.space(f"queens_{size}", size).log10)
    drawn = (TASK.draw(f"queens_{size}", size, derive_rng(seed, "queens", 0)) for seed in range(900))
    assert {params.placed for params in drawn if params} <= boards


def boards_of(size, rules):
    return {
        placed
        for solution in brute_force(size, rules)
        for count in placed_range(size)
        for placed in combinations(enumerate(solution), count)
    }


@pytest.mark.parametrize(("variation", "size"), [("large", 7), ("diagonal", 7), ("toroidal", 7)])
def test_other_rules_have_the_solutions_and_the_space_of_brute_force(variation, size):
    rules, _ = VARIATIONS[variation]
    empty = QueensParams(size, (), rules)
    assert sorted(TASK.solve(empty).answers) == sorted(brute_force(size, rules))
    assert len(boards_of(size, rules)) == round(10 ** TASK.space(variation, size).log10)
    # No solution, so that these sizes are left out.
    assert not find_completions(QueensParams(6, (), "diagonal")).count
    assert not find_completions(QueensParams(8, (), "toroidal")).count


# Known counts of solutions: the paper's table for plain boards, A007705 for toroidal ones.
@pytest.mark.parametrize(
    ("rules", "size", "count"),
    [("plain", 9, 352), ("plain", 10, 724), ("toroidal", 5, 10), ("toroidal", 11, 88)],
)
def test_the_counts_of_solutions_are_the_known_ones(rules, size, count):
    assert find_completions(QueensParams(size, (), rules)).count == count


def solve_by_sat(params):
    """Return all completions by python-sat, from attacks between squares alone."""
    size = params.size
    squares = [(row, column) for row in range(size) for column in range(size)]
    number = {square: place for place, square in enumerate(squares, 1)}

    def attacks(one, other):
        down, right = other[0] - one[0], other[1] - one[1]
        if not (down and right):
            return True
        turns = (0, size, -size) if params.rules == "toroidal" else (0,)
        return any(right - sign * down in turns for sign in (1, -1))

    with Solver("cadical153") as solver:
        for one, other in combinations(squares, 2):
            if attacks(one, other):
                solver.add_clause([-number[one], -number[other]])
        for row in range(size):
            solver.add_clause([number[row, column] for column in range(size)])
        for square in params.placed:
            solver.add_clause([number[square]])
        if params.rules == "diagonal":
            solver.add_clause([number[n, n] for n in range(size)])
            solver.add_clause([number[n, size - 1 - n] for n in range(size)])
        found = []
        while solver.solve():
            true = [literal for literal in solver.get_model() if literal > 0]
            solver.add_clause([-literal for literal in true])
            found.append(
                [column for square, place in number.items() if place in true for column in square[1:]]
            )
        return sorted(found)


CELLS = [(name, size) for name, (_, sizes) in VARIATIONS.items() for size in sizes]
params = st.builds(
    lambda cell, seed: next(draw_problems(TASK, *cell, seed, 0))[0].params,
    st.sampled_from(CELLS),
    st.integers(0, 9_999),
)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(params)
def test_search_and_sat_find_the_same_completions(params):
    assert solve_by_sat(params) == sorted(TASK.solve(params).answers)
    assert len(params.placed) in placed_range(params.size)


def test_the_space_of_large_boards_is_a_bound_on_placements():
    assert 9 < TASK.space("large", 16).log10 < log10(8008 * 5_765_760 + 4368 * 524_160)


@settings(max_examples=60, deadline=None)
@given(params, st.data())
def test_grader_and_table_agree_on_any_board(params, data):
    size = params.size
    solution = data.draw(st.sampled_from(TASK.solve(params).answers))
    assert TASK.verify(params, solution) == ""
    for board in (
        data.draw(st.permutations(solution)),
        data.draw(st.lists(st.integers(-1, size), min_size=size - 1, max_size=size + 1)),
        data.draw(st.sampled_from(TASK.solve(QueensParams(size, params.placed, "plain")).answers)),
    ):
        assert (TASK.verify(params, board) == "") == TASK.check(params, board)
        assert TASK.check(params, board) == (board in TASK.solve(params).answers)
