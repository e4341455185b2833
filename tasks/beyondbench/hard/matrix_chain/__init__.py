"""Matrix chain: the fewest scalar multiplications of a product of matrices."""

from perennial.tasks.beyondbench.hard.matrix_chain.task import TASK

__all__ = ["TASK"]
