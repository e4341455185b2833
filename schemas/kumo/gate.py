"""The thresholds that the operator sets for an edition before it is published, in addition to its audit."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """Thresholds of the gate; collisions with earlier editions and grader failures have none: they block.

    `max_trivial_share`: largest share of instances whose answer needs no test; `min_distinct_books`: least
    share of distinct texts among an edition's played books; `max_collision_probability`: largest probability
    that fresh draws of this number would repeat an earlier instance, in any domain and setting.
    """

    max_trivial_share: float = 0.0
    min_distinct_books: float = 1.0
    max_collision_probability: float = 1e-6


NO_THRESHOLDS = GatePolicy(max_trivial_share=1.0, min_distinct_books=0.0, max_collision_probability=1.0)
