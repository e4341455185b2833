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
