"""Graph coloring: a proper coloring with the fewest colors."""

from perennial.tasks.beyondbench.hard.graph_coloring.task import TASK

__all__ = ["TASK"]
