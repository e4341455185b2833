"""Sudoku with proved unique solutions."""

from perennial.tasks.beyondbench.hard.sudoku.task import TASK

__all__ = ["TASK"]
