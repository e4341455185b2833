"""The Tower of Hanoi, between two pegs and between any two positions."""

from perennial.tasks.beyondbench.hard.tower_of_hanoi.task import TASK

__all__ = ["TASK"]
