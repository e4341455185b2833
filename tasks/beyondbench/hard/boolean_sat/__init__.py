"""Boolean satisfiability: an assignment that makes all clauses true."""

from perennial.tasks.beyondbench.hard.boolean_sat.task import TASK

__all__ = ["TASK"]
