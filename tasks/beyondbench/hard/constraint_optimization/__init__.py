"""Constraint optimization: the projects with the largest total profit (App. K.9 of the paper)."""

from perennial.tasks.beyondbench.hard.constraint_optimization.task import TASK

__all__ = ["TASK"]
