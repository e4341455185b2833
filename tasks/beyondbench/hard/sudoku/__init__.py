"""Sudoku with proved unique solutions."""

from tasks.beyondbench.hard.sudoku.task import TASK

__all__ = ["TASK"]
