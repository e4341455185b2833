"""Cryptarithms with proved unique solutions."""

from perennial.tasks.beyondbench.hard.cryptarithmetic.task import TASK

__all__ = ["TASK"]
