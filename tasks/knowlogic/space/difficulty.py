"""Difficulty of space questions (Appendix D of the paper): level = 0.3 nm + 0.5 pr + 0.2 al.

- `nm`: the number of entities that the introduction lists, 4 or 6.
- `pr`: 1 where the question is vague: a gap that several fill, or options of which one at least uses a
  predicate that leaves several slots (as 'above' does); 0 where it is precise. (The paper's words are "the
  number of entities involved in the question exceeds 2", and its labels are precise and vague.)
- `al`: 1 where the statements name one entity fewer than the introduction.

So a level is one of 1.2, 1.4, 1.7, 1.9 (four slots) and 1.8, 2.0, 2.3, 2.5 (six), whatever must be put
together to answer. The class is ours, by proof steps (`perennial.tasks.knowlogic.difficulty`): easy up to two
steps for four options, medium with three, hard above. Four slots have hardly any chain of four.
"""

from perennial.schemas.knowlogic.things import QuestionType
from perennial.tasks.knowlogic.difficulty import Cuts

CUTS = Cuts(easy=4, medium=5)


def level(nm: int, pr: int, al: int) -> float:
    """Return the paper's level."""
    return round(0.3 * nm + 0.5 * pr + 0.2 * al, 9)


def list_shapes(type_: QuestionType) -> list[tuple[int, int]]:
    """Return the values of (pr, al) that questions of a type can have."""
    kinds = (0,) if type_.startswith("precise") else (1,) if type_.startswith("vague") else (0, 1)
    return [(pr, al) for pr in kinds for al in (0, 1)]
