"""Difficulty of mix (Appendix D): level = 0.4 level_nature + level_space + (nm_q + nm_a) / 2, and the cuts.

- `level_nature`: as `kl` of nature, the sum of the difficulties of the distinct properties of descriptions in
  statements, question and options.
- `level_space`: 1 where the question is vague as in space (a gap that several fill; options with a predicate
  that leaves several places), else 0.
- `nm_q`: 1 where a thing in the question (of statements to choose from: in an option) is named by its own
  name in no statement, so that a reader must find out that a description means it.
- `nm_a`: likewise for a thing in a right option.
"""

from perennial.tasks.knowlogic.difficulty import Cuts

# As in space: two steps for four options, three, more.
CUTS = Cuts(easy=4, medium=5)


def rate(nature: float, space: float, nm_q: float, nm_a: float) -> float:
    """Return the level."""
    return round(0.4 * nature + space + (nm_q + nm_a) / 2, 9)
