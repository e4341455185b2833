"""How good a domain is: difficulty, early decisions, redundancy of actions, what gives answers away."""

from perennial.tasks.kumo.scoring.check import Check
from perennial.tasks.kumo.scoring.score import score_domain

__all__ = ["Check", "score_domain"]
