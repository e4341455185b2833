"""Difficulty of a nature question (Appendix D): level = 0.4 kl + 0.3 cl + 0.5 nm, and the cuts of classes.

- `kl`: the sum of the difficulties (column `difficulty` of `nature/properties`) of the distinct properties
  that statements, question and options use.
- `cl`: the fewest statements that decide the hardest option.
- `nm`: 1 where a place (enclosure, field, photo) that the question is about is named by no statement, else 0.
  All four things are listed in the introduction, so the paper's "entity not mentioned" can only be a place:
  in its Table 2 nothing is said of enclosure No.1, which is asked for. Of a question that asks for a place
  the right options count; of statements to choose from, every place that they name.
"""

from collections.abc import Collection

from perennial.schemas.knowlogic.things import GAP, Proposition
from perennial.tasks.knowlogic.difficulty import Cuts
from perennial.tasks.knowlogic.nature.meaning import Meaning

# One step for four options, two, more: four things need no more than four statements, nearly always.
CUTS = Cuts(easy=3, medium=4)


def rate(kl: float, cl: float, nm: float) -> float:
    """Return the level."""
    return round(0.4 * kl + 0.3 * cl + 0.5 * nm, 9)


def slots_of(meaning: Meaning, said: Proposition) -> set[int]:
    """Return the places that a proposition names."""
    return {int(slot) for slot in said.arguments[: meaning.slots] if slot != GAP}


def is_unmentioned(named: Collection[int], wanted: Collection[int]) -> bool:
    """Whether one of the wanted places is not among those that the statements name."""
    return not set(wanted) <= set(named)
