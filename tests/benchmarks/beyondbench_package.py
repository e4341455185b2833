"""Times the generators of package `beyondbench` 0.2.1 in its own environment, for `beyondbench_rates`.

Run by that one: `python beyondbench_package.py SECONDS TASK...` prints a JSON line per task: problems per
second, and how many of those that were looked at are distinct.
"""

import contextlib
import importlib
import inspect
import io
import json
import logging
import random
import sys
import tempfile
import time
from typing import Any

_SHARED = {
    "num_folds": 1,
    "num_samples": 50,
    "store_details": False,
    "temperature": 0.0,
    "top_p": 1.0,
    "max_tokens": 64,
}
_EASY = {
    "addition": "sum",
    "lis_length": "longest_increasing_subsequence",
}
_LENGTHS = {"absolute_difference": (2,), "multiplication": (2, 4, 6, 8)}
_MEDIUM = (
    "fibonacci_sequence",
    "geometric_sequence",
    "prime_sequence",
    "complex_pattern",
    "algebraic_sequence",
)
# Module, arguments of the class, and for one problem: method and its arguments, drawn each time.
_HARD: dict[str, tuple[str, dict[str, Any], dict[str, tuple[Any, ...]]]] = {
    "tower_of_hanoi": ("tower_hanoi", {"num_disks_list": [3]}, {"num_disks": (3, 4, 5, 6, 7, 8)}),
    "n_queens": ("n_queens", {"board_sizes": [4]}, {"n": (4, 5, 6, 8)}),
    "graph_coloring": (
        "graph_coloring",
        {"graph_types": ["tree"], "num_vertices_list": [8]},
        {
            "graph_type": (
                *("complete", "cycle", "tree", "bipartite", "planar", "wheel", "grid", "dense_random"),
            ),
            "n": (8, 12, 16, 20, 24, 28),
        },
    ),
    "boolean_sat": (
        "boolean_sat",
        {"num_variables_list": [4], "sat_types_list": ["random_k"], "clause_ratios_list": [3.0]},
        {
            "num_vars": (4, 6, 8, 10, 12),
            "sat_type": ("random_k", "horn", "xor", "mixed", "graph_based"),
            "clause_ratio": (2.5, 3.0, 3.5, 4.0, 4.5),
        },
    ),
    "sudoku": (
        "sudoku",
        {"min_val": 1, "max_val": 9, "grid_sizes": [4], "difficulty_levels": ["easy"]},
        {
            "size": (4, 6, 9),
            "difficulty": ("easy", "medium", "hard"),
            "constraint_type": ("standard", "diagonal"),
        },
    ),
    "cryptarithmetic": (
        "cryptarithmetic",
        {"word_lengths": [3], "puzzle_types": ["addition"], "difficulty_levels": ["medium"]},
        {"word_length": (3, 4, 5)},
    ),
    "matrix_chain": (
        "matrix_chain_multiplication",
        {"matrix_counts_list": [3], "dimension_patterns": ["random"]},
        {
            "pattern": ("random", "increasing", "decreasing", "sparse", "mixed"),
            "matrix_count": (3, 5, 8, 10, 15, 20),
        },
    ),
    "modular_systems": (
        "modular_systems_solver",
        {"num_equations_list": [3], "constraint_types": ["basic"]},
        {
            "constraint_type": ("basic", "prime", "range", "divisible", "mixed"),
            "num_equations": (3, 4, 5),
        },
    ),
    "constraint_optimization": (
        "constraint_optimization",
        {"num_projects_list": [4], "constraint_types": ["basic"]},
        {
            "constraint_type": ("basic", "quality", "dependency", "risk", "mixed"),
            "num_projects": (4, 5, 6),
        },
    ),
    "logic_grid": (
        "logic_grid_puzzles_task_enhanced",
        {"grid_sizes": [3], "difficulty_levels": ["easy"]},
        {"size": (3, 4), "difficulty": ("easy", "medium", "hard", "extreme")},
    ),
}


class _NoModel:
    """Stands for the package's model handler: no model is asked."""

    model_name = tokenizer = engine = ""

    def get_model_info(self) -> dict[str, str]:
        """Return nothing about no model."""
        return {}


def main() -> None:
    """Time the tasks of the command line."""
    logging.disable(logging.CRITICAL)
    seconds = float(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[2:]:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                found = _time(name, folder, seconds)
            print(json.dumps(found), flush=True)


def _time(name: str, folder: str, seconds: float) -> dict[str, Any]:
    make = _maker(name, folder)
    made, counted, distinct = 0, 0, set()
    rng = random.Random(0)
    elapsed = 0.0
    while elapsed < seconds:
        start = time.perf_counter()
        problems = make(rng)
        elapsed += time.perf_counter() - start
        made += len(problems)
        if len(distinct) < 20_000:
            counted = made
            distinct.update(json.dumps(problem, sort_keys=True, default=str) for problem in problems)
    return {"task": name, "rate": made / elapsed, "counted": counted, "distinct": len(distinct)}


def _maker(name: str, folder: str) -> Any:
    if name in _HARD:
        module, arguments, choices = _HARD[name]
        task = _task("hard", module, {**_SHARED, **arguments, "output_dir": folder})
        if name == "logic_grid":
            task = importlib.import_module(f"beyondbench.tasks.hard.{module}").LogicGridGenerator
        return lambda rng: [task.generate_problem(**{key: rng.choice(of) for key, of in choices.items()})]
    suite = "medium" if name in _MEDIUM else "easy"
    arguments = {**_SHARED, "output_dir": folder, "min_val": -1000, "max_val": 1000, "num_samples": 200}
    task = _task(suite, _EASY.get(name, name), arguments)
    parameters = inspect.signature(task.generate_data).parameters
    sizes = {"list_size": _LENGTHS.get(name, (8, 16, 32, 64)), "sequence_length": (8,)}
    given = next((key for key in sizes if key in parameters), "")
    return lambda rng: task.generate_data(**({given: rng.choice(sizes[given])} if given else {}))


def _task(suite: str, module: str, arguments: dict[str, Any]) -> Any:
    path = module if module.endswith("_enhanced") else f"{module}_task"
    found = importlib.import_module(f"beyondbench.tasks.{suite}.{path}")
    base = importlib.import_module("beyondbench.core.base_task").BaseTask
    kinds = [
        each
        for each in vars(found).values()
        if inspect.isclass(each) and issubclass(each, base) and each.__module__ == found.__name__
    ]
    known = [set(inspect.signature(kind.__init__).parameters) for kind in kinds]
    fitting = [kind for kind, names in zip(kinds, known, strict=True) if set(arguments) <= names]
    kind = (fitting or kinds)[-1]
    return kind(model_handler=_NoModel(), **arguments)


if __name__ == "__main__":
    main()
