"""Grade a sudoku's answer by its rules; check it again by a SAT solver, which proves that it is unique."""

from functools import lru_cache
from itertools import combinations, permutations

from perennial.schemas.beyondbench.things import Answer
from perennial.tasks.beyondbench.hard.sudoku.params import Grid, SudokuParams, cage_cells, region_grid, units
from perennial.tasks.beyondbench.task import RIGHT


def verify(params: SudokuParams, answer: Answer) -> str:
    """Return "" for a right grid, else the first rule that it breaks."""
    n = params.n
    if not _is_row(answer, n) or not all(_is_row(row, n) for row in answer):
        return "wrong_shape"
    if any(type(number) is not int or not 1 <= number <= n for row in answer for number in row):
        return "not_a_digit"
    every = set(range(1, n + 1))
    for row, givens in zip(answer, params.givens, strict=True):
        if any(given not in (0, number) for number, given in zip(row, givens, strict=True)):
            return "given_changed"
    if any(set(row) != every for row in answer):
        return "row_repeats"
    if any(set(column) != every for column in zip(*answer, strict=True)):
        return "column_repeats"
    regions: list[set[int]] = [set() for _ in range(n)]
    for numbers, row in zip(answer, region_grid(params), strict=True):
        for number, region in zip(numbers, row, strict=True):
            regions[region - 1].add(number)
    if any(region != every for region in regions):
        return "region_repeats"
    if params.kind == "diagonal":
        falling, rising = ({answer[k][k] for k in range(n)}, {answer[k][~k] for k in range(n)})
        if falling != every or rising != every:
            return "diagonal_repeats"
    for cage in params.cages:
        caged = [answer[row - 1][column - 1] for row, column in cage.cells]
        if len(set(caged)) < len(caged):
            return "cage_repeats"
        if sum(caged) != cage.total:
            return "cage_sum"
    return RIGHT


def _is_row(value: Answer, n: int) -> bool:
    return isinstance(value, list) and len(value) == n


def check(params: SudokuParams, answer: Answer) -> bool:
    """Whether the answer is the grid that the SAT solver finds, and proves to be the only one."""
    grid, is_unique = solve_by_sat(params)
    # Texts are compared, as True equals 1 and 1.0 equals 1.
    return is_unique and grid is not None and repr(answer) == repr([list(row) for row in grid])


@lru_cache(maxsize=64)
def solve_by_sat(params: SudokuParams) -> tuple[Grid | None, bool]:
    """Return the first grid that python-sat finds, None for none, and whether it is the only one.

    The solver is a new one for each sudoku, so that nothing which it learned elsewhere can matter.
    """
    from pysat.solvers import Solver

    n = params.n
    with Solver("cadical153", bootstrap_with=_clauses(params)) as solver:
        for cell, given in enumerate(sum(params.givens, ())):
            if given:
                solver.add_clause([n * cell + given])
        if not solver.solve():
            return None, False
        true = [literal for literal in solver.get_model() if literal > 0]
        solver.add_clause([-literal for literal in true])
        digits = [(literal - 1) % n + 1 for literal in true]
        return tuple(tuple(digits[n * row : n * row + n]) for row in range(n)), not solver.solve()


def _clauses(params: SudokuParams) -> list[list[int]]:
    """Return the rules as clauses; literal n * cell + digit says that the cell holds the digit."""
    n = params.n
    clauses = list(_clauses_of_units(n, tuple(tuple(sorted(cells)) for cells in units(params))))
    for cage in params.cages:
        cells = cage_cells(params, cage)
        for one, other in combinations(cells, 2):
            clauses += [[-n * one - digit, -n * other - digit] for digit in range(1, n + 1)]
        for chosen in permutations(range(1, n + 1), len(cells)):
            if sum(chosen) != cage.total:
                clauses.append([-n * cell - digit for cell, digit in zip(cells, chosen, strict=True)])
    return clauses


@lru_cache(maxsize=8)
def _clauses_of_units(n: int, lists: tuple[tuple[int, ...], ...]) -> tuple[list[int], ...]:
    digits = range(1, n + 1)
    clauses = []
    for cell in range(n * n):
        clauses.append([n * cell + digit for digit in digits])
        clauses += [[-n * cell - one, -n * cell - other] for one, other in combinations(digits, 2)]
    pairs = {pair for cells in lists for pair in combinations(cells, 2)}
    clauses += [[-n * one - digit, -n * other - digit] for one, other in sorted(pairs) for digit in digits]
    return tuple(clauses)
