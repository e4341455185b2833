"""Exact search: expected steps and golden trajectories (Algorithm 3), and the optimum under the promise."""

from perennial.tasks.kumo.optimum.limits import NODE_LIMIT
from perennial.tasks.kumo.search.solve import (
    WORK_LIMIT,
    Optimum,
    Solution,
    has_promise,
    prepare,
    solve_instances,
)

__all__ = [
    "NODE_LIMIT",
    "WORK_LIMIT",
    "Optimum",
    "Solution",
    "has_promise",
    "prepare",
    "solve_instances",
]
