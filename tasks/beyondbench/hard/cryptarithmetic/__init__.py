"""Cryptarithms with proved unique solutions."""

from tasks.beyondbench.hard.cryptarithmetic.task import TASK

__all__ = ["TASK"]
