"""The tasks of BeyondBench by name, imported when first asked for, and how they differ from the paper."""

from collections.abc import Iterator, Mapping
from functools import cache
from pkgutil import resolve_name
from typing import Any, NamedTuple

from perennial.schemas.errors import InvalidOption, suggest
from perennial.tasks.beyondbench.problem import Task, Variation

# In the order of the catalog. A module of one task bears its name, and calls it TASK.
_MODULES: dict[str, tuple[str, ...]] = {
    "easy.arithmetic": (
        *("addition", "subtraction", "multiplication", "division"),
        *("absolute_difference", "alternating_sum", "sum_of_digits"),
    ),
    "easy.counting": (
        *("odd_count", "even_count", "count_negative", "count_unique", "count_perfect_squares"),
        *("count_palindromic", "count_multiples", "count_greater_than_previous", "local_maxima_count"),
    ),
    "easy.order": (
        *("find_maximum", "find_minimum", "second_maximum", "range", "index_of_maximum"),
        *("sum_of_max_indices", "max_adjacent_difference", "comparison", "sorting", "lis_length"),
        *("mean", "median", "mode"),
    ),
    "medium.sequence": (
        *("fibonacci_sequence", "geometric_sequence", "prime_sequence"),
        *("complex_pattern", "algebraic_sequence"),
    ),
    "hard": (
        *("tower_of_hanoi", "n_queens", "graph_coloring", "boolean_sat", "sudoku", "cryptarithmetic"),
        *("matrix_chain", "modular_systems", "constraint_optimization", "logic_grid"),
    ),
}
_PATHS = {
    name: f"{module}.{name}:TASK" if module == "hard" else f"{module}:{name.upper()}"
    for module, names in _MODULES.items()
    for name in names
}

# How hard tasks are as their size grows: complexity classes, ours and the paper's.
#
# `ours` is of the problem as it is asked, in general and in the worst case: for a task in P the time of an
# algorithm, in the number n of elements or terms, with M the largest value. `paper` is what tables 5, 6,
# 11, 16 and 17 say. A class says nothing about single problems of the sizes here, most of which are solved
# in a millisecond.


class Complexity(NamedTuple):
    """A complexity class by our reading, and by the paper's tables."""

    ours: str
    paper: str


_LINEAR = Complexity("O(n)", "O(n)")
_CONSTANT = Complexity("O(1)", "O(1)")
_SORTED = Complexity("O(n log n)", "O(n log n)")
_DIGITS = Complexity("O(n log M)", "O(n log M)")
_HARD = Complexity("NP-complete", "NP-complete")
_EASY = {
    "subtraction": _CONSTANT,
    "division": _CONSTANT,
    "absolute_difference": _CONSTANT,
    "comparison": _CONSTANT,
    "sum_of_digits": _DIGITS,
    "count_palindromic": _DIGITS,
    "sorting": _SORTED,
    "lis_length": _SORTED,
    # The middle element can be selected in linear time.
    "median": Complexity("O(n)", "O(n log n)"),
}
_OTHERS = {
    # To recognise the rule: each family is fitted in polynomial time.
    "fibonacci_sequence": Complexity("P", "O(n)"),
    "geometric_sequence": Complexity("P", "O(n)"),
    "prime_sequence": Complexity("P", "O(n^2)"),
    "complex_pattern": Complexity("P", "O(n^3)"),
    "algebraic_sequence": Complexity("P", "O(2^n)"),
    # The answer itself has up to 2^n - 1 moves.
    "tower_of_hanoi": Complexity("O(2^n)", "O(2^n), PSPACE-complete"),
    "n_queens": _HARD,
    "graph_coloring": Complexity("NP-hard", "NP-complete"),
    "boolean_sat": _HARD,
    "sudoku": _HARD,
    "cryptarithmetic": _HARD,
    "matrix_chain": Complexity("O(n^3)", "O(n^3)"),
    # The window holds few candidates, and each is tested in polynomial time.
    "modular_systems": Complexity("P", "O(k^2 log M)"),
    "constraint_optimization": Complexity("NP-hard", "NP-hard"),
    "logic_grid": _HARD,
}
# Variations that are easier than their task, which the paper does not say.
_IN_P = {
    "graph_coloring": {"complete", "cycle", "tree", "bipartite", "wheel", "grid"},
    "boolean_sat": {"horn", "xor"},
}


def complexity_of(task: Task[object], variation: Variation) -> Complexity:
    """The complexity of a variation of a task."""
    if task.suite == "easy":
        return _EASY.get(task.name, _LINEAR)
    complexity = _OTHERS[task.name]
    return complexity._replace(ours="P") if variation.name in _IN_P.get(task.name, ()) else complexity


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
        return _load(_PATHS[name])

    def __iter__(self) -> Iterator[str]:
        return iter(_PATHS)

    def __len__(self) -> int:
        return len(_PATHS)


TASKS: Mapping[str, Task[Any]] = _Tasks()


def find_task(name: str) -> Task[Any]:
    """The task of that name; raise InvalidOption with what exists."""
    if name not in _PATHS:
        raise InvalidOption(
            f"task {name!r} does not exist{suggest(name, _PATHS)} (see `perennial tasks list`)"
        )
    return TASKS[name]


@cache
def _load(path: str) -> Task[Any]:
    task: Task[Any] = resolve_name(f"perennial.tasks.beyondbench.{path}")
    return task
