"""How hard tasks are as their size grows: complexity classes, ours and the paper's.

`ours` is of the problem as it is asked, in general and in the worst case: for a task in P the time of an
algorithm, in the number n of elements or terms, with M the largest value. `paper` is what tables 5, 6, 11, 16
and 17 say. A class says nothing about single problems of the sizes here, most of which are solved in a
millisecond.
"""

from typing import NamedTuple

from perennial.tasks.beyondbench.task import Task, Variation


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
    """Return the complexity of a variation of a task."""
    if task.suite == "easy":
        return _EASY.get(task.name, _LINEAR)
    found = _OTHERS[task.name]
    return found._replace(ours="P") if variation.name in _IN_P.get(task.name, ()) else found
