"""Logic grid puzzles with proved unique solutions."""

from perennial.tasks.beyondbench.hard.logic_grid.task import TASK

__all__ = ["TASK"]
