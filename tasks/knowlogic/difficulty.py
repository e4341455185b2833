"""Difficulty classes: easy, medium and hard by the work that a question asks for.

The paper's level (Appendix D) counts what a question looks like: in space the proof plays no part in it. So
the level is kept as a column, and the class comes from the *effort* of a question: its chain length, and
half a step for each option to decide. Where exactly one of four choices fits, one option is to decide;
elsewhere each of the own options is. Each domain has two cuts.
"""

from typing import NamedTuple

from perennial.schemas.knowlogic.things import LETTERS, Difficulty, QuestionType

_MOST_STEPS = 40


def count_decisions(type_: QuestionType, own: int) -> int:
    """Return how many options a reader has to decide, of so many beside 'none of the above'."""
    return 1 if type_.startswith("precise") and own == len(LETTERS) else own


def measure_effort(chain: int, type_: QuestionType, own: int) -> float:
    """Return the steps of the hardest option and half the number of options to decide."""
    return chain + count_decisions(type_, own) / 2


class Cuts(NamedTuple):
    """Easy up to the first effort, medium up to the second, hard above; both inclusive."""

    easy: float
    medium: float

    def classify(self, chain: int, type_: QuestionType, own: int) -> Difficulty:
        """Return the class of a question with this chain length and so many own options."""
        effort = measure_effort(chain, type_, own)
        return "easy" if effort <= self.easy else "medium" if effort <= self.medium else "hard"

    def list_steps(self, difficulty: Difficulty, type_: QuestionType, own: int) -> range:
        """Return the chain lengths that questions of this class have; none where the range is empty."""
        fitting = [chain for chain in range(1, _MOST_STEPS) if self.classify(chain, type_, own) == difficulty]
        return range(fitting[0], fitting[-1] + 1) if fitting else range(0)
