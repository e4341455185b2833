"""Graph colouring: a proper colouring with the fewest colours."""

from tasks.beyondbench.hard.graph_coloring.task import TASK

__all__ = ["TASK"]
