"""Queens that do not attack each other, on plain, diagonal and toroidal boards."""

from perennial.tasks.beyondbench.hard.n_queens.task import TASK

__all__ = ["TASK"]
