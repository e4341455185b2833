import itertools
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.schemas.ids import derive_rng
from perennial.tasks.beyondbench.hard import sudoku_engine as engine
from perennial.tasks.beyondbench.hard.sudoku import BANDS, EXACT, TASK, WITNESSES, solve_by_sat
from perennial.tasks.beyondbench.hard.sudoku_params import Cage, SudokuParams, box_grid
from perennial.tasks.beyondbench.problem import draw_problem

CELLS = [(name, high, low) for name, bands in BANDS.items() for low, high in bands]
SOLVED = [[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 2, 1]]
EMPTY = ((0,) * 4,) * 4


def rows_of(text):
    n = math.isqrt(len(text))
    return tuple(tuple(map(int, text[n * row : n * row + n])) for row in range(n))


@cache
def all_grids(is_diagonal):
    """All 4x4 grids, by trying all rows."""
    found = []
    for rows in itertools.product(list(itertools.permutations(range(1, 5))), repeat=4):
        lines = [*zip(*rows, strict=True)]
        if any(len(set(line)) < 4 for line in lines):
            continue
        lines += [rows[r][c : c + 2] + rows[r + 1][c : c + 2] for r in (0, 2) for c in (0, 2)]
        if is_diagonal:
            lines += [[rows[k][k] for k in range(4)], [rows[k][3 - k] for k in range(4)]]
        if all(len(set(line)) == 4 for line in lines):
            found.append(sum(rows, ()))
    return found


def neighbours_connect(cells):
    seen, todo = set(), [min(cells)]
    while todo:
        row, column = cell = todo.pop()
        if cell in cells and cell not in seen:
            seen.add(cell)
            todo += [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
    return seen == set(cells)


@pytest.mark.parametrize(
    ("kind", "n", "count"), [("standard", 4, 288), ("diagonal", 4, 48), ("diagonal", 6, 8_640)]
)
def test_the_search_finds_every_grid_of_the_known_counts(kind, n, count):
    assert engine.find_solutions(engine.blank(kind, n), 1_000_000)[1] == count


@pytest.mark.slow
@pytest.mark.parametrize("variation", EXACT)
def test_exact_spaces_are_what_counting_all_removals_from_all_grids_gives(variation):
    grids = np.array(all_grids(variation.startswith("diagonal")))
    sizes = np.array([mask.bit_count() for mask in range(1 << 16)])
    counted = np.zeros(17, int)
    for grid in grids:
        # Removed cells leave another solution where they hold all cells in which another grid differs.
        is_ambiguous = np.zeros(1 << 16, bool)
        differing = (grids != grid) @ (1 << np.arange(16))
        is_ambiguous[differing[differing > 0]] = True
        for cell in range(16):
            halves = is_ambiguous.reshape(-1, 2, 1 << cell)
            halves[:, 1] |= halves[:, 0]
        counted += np.bincount(sizes[~is_ambiguous], minlength=17)
    assert tuple(counted[counted > 0]) == EXACT[variation]


@pytest.mark.parametrize(("kind", "n"), WITNESSES)
def test_the_grids_that_bound_the_spaces_have_one_solution(kind, n):
    params = SudokuParams(kind, rows_of(WITNESSES[kind, n]))
    assert solve_by_sat(params)[1]
    assert engine.find_solutions(params) == (solve_by_sat(params)[0], 1)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.sampled_from(CELLS), st.integers(0, 2**32))
def test_a_drawn_sudoku_has_the_one_solution_that_sat_finds_and_keeps_to_its_band(cell, index):
    variation, high, low = cell
    problem, _ = draw_problem(TASK, variation, high, 11, index)
    params = problem.params
    grid, is_unique = solve_by_sat(params)
    assert is_unique
    assert problem.solutions.answers == ([list(row) for row in grid],)
    assert low <= sum(row.count(0) for row in params.givens) <= high
    assert TASK.read(f"canary 1 2 3 4\n{problem.prompt}\ncanary r1c1") == params


def test_regions_are_connected_and_differ_and_cages_are_neighbours():
    layouts = set()
    for index in range(5):
        params = draw_problem(TASK, "irregular_9", 40, 3, index)[0].params
        layouts.add(params.regions)
        for region in range(1, 10):
            cells = {(r, c) for r in range(9) for c in range(9) if params.regions[r][c] == region}
            assert len(cells) == 9
            assert neighbours_connect(cells)
        cages = draw_problem(TASK, "killer_9", 40, 3, index)[0].params.cages
        assert all(2 <= len(cage.cells) <= 4 and neighbours_connect(cage.cells) for cage in cages)
        assert sum(len(cage.cells) for cage in cages) < 81
    assert len(layouts | {box_grid(9)}) == 6


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["standard", "diagonal"]), st.lists(st.integers(0, 4), min_size=16, max_size=16))
def test_both_engines_agree_on_any_givens(kind, cells):
    cells = [value if k % 3 == 0 else 0 for k, value in enumerate(cells)]
    params = SudokuParams(kind, rows_of("".join(map(str, cells))))
    grid, is_unique = solve_by_sat(params)
    found, count = engine.find_solutions(params)
    assert (found is None) == (grid is None)
    assert (count == 1) == is_unique
    brute = [
        g for g in all_grids(kind == "diagonal") if all(v in (0, w) for v, w in zip(cells, g, strict=True))
    ]
    assert engine.find_solutions(params, 1_000)[1] == len(brute)


def test_a_sudoku_with_more_solutions_is_not_called_solved():
    solutions = TASK.solve(SudokuParams("standard", EMPTY))
    assert (solutions.count, solutions.is_complete) == (2, False)
    with pytest.raises(ValueError, match="no solution"):
        TASK.solve(SudokuParams("standard", ((1, 1, 0, 0), *EMPTY[1:])))


IRREGULAR = ((1, 1, 2, 2), (1, 1, 2, 2), (3, 3, 3, 4), (3, 4, 4, 4))


@pytest.mark.parametrize(
    ("params", "answer", "detail"),
    [
        (SudokuParams("standard", EMPTY), SOLVED, ""),
        (SudokuParams("standard", EMPTY), SOLVED[:3], "wrong_shape"),
        (SudokuParams("standard", EMPTY), [*SOLVED[:3], [4, 3, 2]], "wrong_shape"),
        (SudokuParams("standard", EMPTY), [*SOLVED[:3], [4, 3, 2, True]], "not_a_digit"),
        (SudokuParams("standard", EMPTY), [*SOLVED[:3], [4, 3, 2, 1.0]], "not_a_digit"),
        (SudokuParams("standard", EMPTY), [*SOLVED[:3], [4, 3, 2, 0]], "not_a_digit"),
        (SudokuParams("standard", ((2, 0, 0, 0), *EMPTY[1:])), SOLVED, "given_changed"),
        (SudokuParams("standard", EMPTY), [*SOLVED[:3], [4, 3, 2, 2]], "row_repeats"),
        (SudokuParams("standard", EMPTY), [*SOLVED[:3], SOLVED[0]], "column_repeats"),
        (SudokuParams("standard", EMPTY), [SOLVED[0], SOLVED[2], SOLVED[1], SOLVED[3]], "region_repeats"),
        (SudokuParams("irregular", EMPTY, IRREGULAR), SOLVED, "region_repeats"),
        (SudokuParams("diagonal", EMPTY), SOLVED, "diagonal_repeats"),
        (SudokuParams("killer", EMPTY, (), (Cage(3, ((1, 1), (1, 2))),)), SOLVED, ""),
        (SudokuParams("killer", EMPTY, (), (Cage(4, ((1, 1), (1, 2))),)), SOLVED, "cage_sum"),
        (SudokuParams("killer", EMPTY, (), (Cage(2, ((1, 1), (3, 2))),)), SOLVED, "cage_repeats"),
    ],
)
def test_the_grader_names_the_rule_that_is_broken(params, answer, detail):
    assert TASK.verify(params, answer) == detail


def test_a_guess_keeps_the_givens():
    params = draw_problem(TASK, "standard_6", 14, 2, 0)[0].params
    guess = TASK.guess(params, derive_rng(0, "guess", 0))
    assert all(
        g in (0, v) for a, b in zip(params.givens, guess, strict=True) for g, v in zip(a, b, strict=True)
    )
