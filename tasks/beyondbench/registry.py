"""The tasks of BeyondBench by name: a module each, imported when the task is first asked for."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from perennial.schemas.errors import InvalidOption, suggest
from perennial.tasks.beyondbench.task import Task

MODULES: dict[str, str] = {
    "addition": "easy.arithmetic.addition",
    "subtraction": "easy.arithmetic.subtraction",
    "multiplication": "easy.arithmetic.multiplication",
    "division": "easy.arithmetic.division",
    "absolute_difference": "easy.arithmetic.absolute_difference",
    "alternating_sum": "easy.arithmetic.alternating_sum",
    "sum_of_digits": "easy.arithmetic.sum_of_digits",
    "odd_count": "easy.counting.odd_count",
    "even_count": "easy.counting.even_count",
    "count_negative": "easy.counting.count_negative",
    "count_unique": "easy.counting.count_unique",
    "count_perfect_squares": "easy.counting.count_perfect_squares",
    "count_palindromic": "easy.counting.count_palindromic",
    "count_multiples": "easy.counting.count_multiples",
    "count_greater_than_previous": "easy.counting.count_greater_than_previous",
    "local_maxima_count": "easy.counting.local_maxima_count",
    "find_maximum": "easy.extremes.find_maximum",
    "find_minimum": "easy.extremes.find_minimum",
    "second_maximum": "easy.extremes.second_maximum",
    "range": "easy.extremes.range",
    "index_of_maximum": "easy.extremes.index_of_maximum",
    "sum_of_max_indices": "easy.extremes.sum_of_max_indices",
    "max_adjacent_difference": "easy.extremes.max_adjacent_difference",
    "comparison": "easy.order.comparison",
    "sorting": "easy.order.sorting",
    "lis_length": "easy.order.lis_length",
    "mean": "easy.order.mean",
    "median": "easy.order.median",
    "mode": "easy.order.mode",
    "fibonacci_sequence": "medium.fibonacci_sequence",
    "geometric_sequence": "medium.geometric_sequence",
    "prime_sequence": "medium.prime_sequence",
    "complex_pattern": "medium.complex_pattern",
    "algebraic_sequence": "medium.algebraic_sequence",
    "tower_of_hanoi": "hard.tower_of_hanoi",
    "n_queens": "hard.n_queens",
    "graph_coloring": "hard.graph_coloring",
    "boolean_sat": "hard.boolean_sat",
    "sudoku": "hard.sudoku",
    "cryptarithmetic": "hard.cryptarithmetic",
    "matrix_chain": "hard.matrix_chain",
    "modular_systems": "hard.modular_systems",
    "constraint_optimization": "hard.constraint_optimization",
    "logic_grid": "hard.logic_grid",
}


class _Tasks(Mapping[str, Task[Any]]):
    def __getitem__(self, name: str) -> Task[Any]:
        return _load(MODULES[name])

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


TASKS: Mapping[str, Task[Any]] = _Tasks()


def find_task(name: str) -> Task[Any]:
    """Return the task of that name; raise InvalidOption with what exists."""
    if name not in MODULES:
        raise InvalidOption(
            f"task {name!r} does not exist{suggest(name, MODULES)} (see `perennial tasks list`)"
        )
    return TASKS[name]


@cache
def _load(module: str) -> Task[Any]:
    task: Task[Any] = import_module(f"perennial.tasks.beyondbench.{module}").TASK
    return task
