"""Exact search: expected steps and golden trajectories (Algorithm 3)."""

from tasks.kumo.search.solve import WORK_LIMIT, Solution, prepare, solve_instances

__all__ = ["WORK_LIMIT", "Solution", "prepare", "solve_instances"]
