"""Exact search: expected steps and golden trajectories (Algorithm 3)."""

from tasks.kumo.search.solve import Preparation, Solution, prepare, solve_instances

__all__ = ["Preparation", "Solution", "prepare", "solve_instances"]
