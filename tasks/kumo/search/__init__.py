"""Exact search: expected steps and golden trajectories (Algorithm 3)."""

from tasks.kumo.search.solve import Solution, prepare, solve_instances

__all__ = ["Solution", "prepare", "solve_instances"]
