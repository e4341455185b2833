"""Difficulty classes from levels: two cut points a domain (Appendix D of the paper gives none)."""

from typing import NamedTuple

from schemas.knowlogic.things import Difficulty


class Cuts(NamedTuple):
    """Easy up to the first level, medium up to the second, hard above; both inclusive."""

    easy: float
    medium: float

    def classify(self, level: float) -> Difficulty:
        """Return the class of a level; levels are compared to nine digits."""
        rounded = round(level, 9)
        return "easy" if rounded <= self.easy else "medium" if rounded <= self.medium else "hard"
