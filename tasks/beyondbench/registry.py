"""The tasks of BeyondBench by name: a module and a name in it, imported when the task is first asked for."""

from collections.abc import Iterator, Mapping
from functools import cache
from pkgutil import resolve_name
from typing import Any

from perennial.schemas.errors import InvalidOption, suggest
from perennial.tasks.beyondbench.problem import Task

PATHS: dict[str, str] = {
    "addition": "easy.arithmetic:ADDITION",
    "subtraction": "easy.arithmetic:SUBTRACTION",
    "multiplication": "easy.arithmetic:MULTIPLICATION",
    "division": "easy.arithmetic:DIVISION",
    "absolute_difference": "easy.arithmetic:ABSOLUTE_DIFFERENCE",
    "alternating_sum": "easy.arithmetic:ALTERNATING_SUM",
    "sum_of_digits": "easy.arithmetic:SUM_OF_DIGITS",
    "odd_count": "easy.counting:ODD_COUNT",
    "even_count": "easy.counting:EVEN_COUNT",
    "count_negative": "easy.counting:COUNT_NEGATIVE",
    "count_unique": "easy.counting:COUNT_UNIQUE",
    "count_perfect_squares": "easy.counting:COUNT_PERFECT_SQUARES",
    "count_palindromic": "easy.counting:COUNT_PALINDROMIC",
    "count_multiples": "easy.counting:COUNT_MULTIPLES",
    "count_greater_than_previous": "easy.counting:COUNT_GREATER_THAN_PREVIOUS",
    "local_maxima_count": "easy.counting:LOCAL_MAXIMA_COUNT",
    "find_maximum": "easy.extremes:FIND_MAXIMUM",
    "find_minimum": "easy.extremes:FIND_MINIMUM",
    "second_maximum": "easy.extremes:SECOND_MAXIMUM",
    "range": "easy.extremes:RANGE",
    "index_of_maximum": "easy.extremes:INDEX_OF_MAXIMUM",
    "sum_of_max_indices": "easy.extremes:SUM_OF_MAX_INDICES",
    "max_adjacent_difference": "easy.extremes:MAX_ADJACENT_DIFFERENCE",
    "comparison": "easy.order:COMPARISON",
    "sorting": "easy.order:SORTING",
    "lis_length": "easy.order:LIS_LENGTH",
    "mean": "easy.order:MEAN",
    "median": "easy.order:MEDIAN",
    "mode": "easy.order:MODE",
    "fibonacci_sequence": "medium.sequence:FIBONACCI_SEQUENCE",
    "geometric_sequence": "medium.sequence:GEOMETRIC_SEQUENCE",
    "prime_sequence": "medium.sequence:PRIME_SEQUENCE",
    "complex_pattern": "medium.sequence:COMPLEX_PATTERN",
    "algebraic_sequence": "medium.sequence:ALGEBRAIC_SEQUENCE",
    "tower_of_hanoi": "hard.tower_of_hanoi:TASK",
    "n_queens": "hard.n_queens:TASK",
    "graph_coloring": "hard.graph_coloring:TASK",
    "boolean_sat": "hard.boolean_sat:TASK",
    "sudoku": "hard.sudoku:TASK",
    "cryptarithmetic": "hard.cryptarithmetic:TASK",
    "matrix_chain": "hard.matrix_chain:TASK",
    "modular_systems": "hard.modular_systems:TASK",
    "constraint_optimization": "hard.constraint_optimization:TASK",
    "logic_grid": "hard.logic_grid:TASK",
}

# What cells ask where the paper, or where it is silent its authors' package, asks something else: by task, or
# by TASK/VARIATION, which goes before.
_PAIRS = "numbers up to 3.2 * 10^7: the paper's 10^6 leave fewer than 10^15 pairs"
_FIGURE = "a v(n) + c from any n on: the paper's start and constants leave one sequence"
_UNLIKE_PAPER = {
    **dict.fromkeys(("subtraction", "division", "absolute_difference", "comparison"), _PAIRS),
    "sum_of_max_indices": "indices from 0, as the paper's prompt has them; its equation counts from 1",
    "fibonacci_sequence": "any first terms; the paper's are from 1 to 20",
    "fibonacci_sequence/lucas": "s(n) = a s(n-1) - b s(n-2), times c; the paper's is one sequence",
    "fibonacci_sequence/modified_recursive": "more coefficients: one pair of the paper's gives equal steps",
    "fibonacci_sequence/alternating_fibonacci": "signs that alternate: the paper does not define it",
    "geometric_sequence": _FIGURE,
    "geometric_sequence/geometric": "any first term; the paper's are from 1 to 10",
    "geometric_sequence/alternating_geometric": "any first term; the paper's are from 1 to 10",
    "geometric_sequence/double_exponential": "a 2^(2^i) + c: the paper's has four terms below a million",
    "geometric_sequence/compound_growth": "(a n + b) r^n + c; the authors' package has n 2^n alone",
    "prime_sequence": "from any number on, shifted or multiplied; the paper's begin at the first",
    "complex_pattern/layered_differences": "second differences in equal ratios; the package has a quadratic",
    "algebraic_sequence": "factors and added constants vary; the paper's leave one sequence",
    "algebraic_sequence/radical_recurrence": "factors and constants vary: as printed, the terms are n",
    "algebraic_sequence/transcendental": "floor(c e^(n/k)) + s: as printed, the terms are n + 1",
    "algebraic_sequence/lambert": "floor(c w) + s with w e^w = k n; the package divides n by a logarithm",
    "tower_of_hanoi": "the fewest moves; the authors' prompt and program take more",
    "n_queens": "up to three queens stand on the board and must stay; the paper's is empty",
    "n_queens/large": "two to six queens stand on the board and must stay; the paper's is empty",
    "n_queens/diagonal": "up to six queens stand on the board and must stay; the paper names no rules",
    "n_queens/toroidal": "up to six queens stand on the board and must stay; the paper names no rules",
    "n_queens/empty": "",
    "boolean_sat/xor": "sums that are even or odd; the paper's text has exactly one true literal",
    "sudoku": "one of eight kinds of ours: the paper counts eight and lists none",
    "sudoku/irregular_9": "the regions are shown; the authors' prompt does not show them",
    "sudoku/killer_9": "the cages are shown; the authors' prompt does not show them",
    "cryptarithmetic": "letters of drawn numbers; the paper's form words (cells *_words)",
    **dict.fromkeys(
        (
            f"cryptarithmetic/{name}_words"
            for name in ("addition", "subtraction", "multiplication", "division")
        ),
        "",
    ),
    "modular_systems": "the one solution in a stated range; the paper's is the first from 0 on",
    "constraint_optimization": "95% of the largest profit, and says so; the paper's asks for the largest",
}


def unlike_paper(task: str, variation: str) -> str:
    """What the cell asks that the paper does not ask; "" where it asks the same."""
    return _UNLIKE_PAPER.get(f"{task}/{variation}", _UNLIKE_PAPER.get(task, ""))


class _Tasks(Mapping[str, Task[Any]]):
    def __getitem__(self, name: str) -> Task[Any]:
        return _load(PATHS[name])

    def __iter__(self) -> Iterator[str]:
        return iter(PATHS)

    def __len__(self) -> int:
        return len(PATHS)


TASKS: Mapping[str, Task[Any]] = _Tasks()


def find_task(name: str) -> Task[Any]:
    """The task of that name; raise InvalidOption with what exists."""
    if name not in PATHS:
        raise InvalidOption(
            f"task {name!r} does not exist{suggest(name, PATHS)} (see `perennial tasks list`)"
        )
    return TASKS[name]


@cache
def _load(path: str) -> Task[Any]:
    task: Task[Any] = resolve_name(f"perennial.tasks.beyondbench.{path}")
    return task
