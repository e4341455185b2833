"""Make compiled generators ready before they are needed, and say what that took."""

import random
from time import perf_counter

from perennial.tasks.beyondbench.registry import TASKS

# Tasks with compiled code, and the variations that use all of it.
_COMPILED = {
    "n_queens": ("queens_4",),
    "graph_coloring": ("cycle", "planar", "ramsey"),
    "sudoku": ("standard_4", "irregular_9", "killer_9"),
    "cryptarithmetic": ("addition_medium", "multiplication_medium"),
    "matrix_chain": ("random",),
    "logic_grid": ("easy_3",),
}


def prepare_kernels() -> str:
    """Draw and solve a problem of each task with compiled code; return a clause that says how long."""
    start = perf_counter()
    for name, variations in _COMPILED.items():
        task = TASKS[name]
        for variation in variations:
            rng = random.Random(0)  # what is drawn here is thrown away
            size = task.variation(variation).sizes[0]
            while (params := task.draw(variation, size, rng)) is None:
                pass
            task.solve(params)
    return f"compiled generators ready in {perf_counter() - start:.1f} s"
