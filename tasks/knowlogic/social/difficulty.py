"""Level and class of a social question (Appendix D of the paper), for both scenarios of the domain.

level = 0.4 cl + 0.3 nm + 0.3 ne. The paper's words on the variables, and what they are here:

- cl, "reasoning chain length": the fewest derivation steps that decide the hardest option.
- nm, "whether the entities in the question are explicitly mentioned in the text, nm = 1 when not": 1 where
  an option or the asked sentence means a person by a description only ('Dave's wife').
- ne, "relationship edges in network": the pairs of people between whom the text states a relation.

The class is ours (`perennial.tasks.knowlogic.difficulty`): easy up to three steps for four options, medium
with four, hard above; each can be drawn in both scenarios.
"""

from perennial.tasks.knowlogic.difficulty import Cuts

CUTS = Cuts(easy=5, medium=6)


def level_of(cl: int, nm: int, ne: int) -> float:
    """Return the level of a question."""
    return round(0.4 * cl + 0.3 * nm + 0.3 * ne, 9)
