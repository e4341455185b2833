"""A family drawn at random: at most three generations, everybody with a year of birth."""

import random
from dataclasses import dataclass

from perennial.tasks.knowlogic.kinship.family import Ages, Family
from perennial.tasks.knowlogic.kinship.growth import begin
from perennial.tasks.knowlogic.kinship.models import Model
from perennial.tasks.knowlogic.kinship.terms import LETTERS

# How often a family grows by a step: siblings and children more often than parents, so that it has width.
_WEIGHTS = {"f": 3, "m": 3, "s": 4, "d": 4, "b": 3, "z": 3, "h": 4, "w": 4}
_WIDE = {"f": 2, "m": 2, "s": 6, "d": 6, "b": 4, "z": 4, "h": 2, "w": 2}
_RISE = {"f": 1, "m": 1, "s": -1, "d": -1, "b": 0, "z": 0, "h": 0, "w": 0}
GENERATIONS = 3
_SPAN = 26


@dataclass(frozen=True)
class BornFamily:
    """A family with the year of birth of each person (all different; parents before children)."""

    family: Family
    births: tuple[int, ...]

    def model(self) -> Model:
        """Return the family with all ages known."""
        people = range(self.family.size)
        return Model(
            self.family,
            Ages(tuple(sum(1 << y for y in people if self.births[x] < self.births[y]) for x in people)),
        )


def draw_family(size: int, rng: random.Random, *, is_wide: bool = False) -> BornFamily:
    """Return a family of so many persons; a wide one has more siblings."""
    weights = _WIDE if is_wide else _WEIGHTS
    grown = begin(size).set_sex(0, rng.choice("mf"))
    assert grown is not None
    generations = [0]
    while len(generations) < size:
        x, y = rng.randrange(len(generations)), len(generations)
        letter = rng.choices(list(weights), list(weights.values()))[0]
        generation = generations[x] + _RISE[letter]
        if max(*generations, generation) - min(*generations, generation) >= GENERATIONS:
            continue
        step = LETTERS[letter]
        if letter in "hw" and grown.sexes[x] == step.sex:
            continue
        joined = grown.join(x, step.leaves, y, step.enters)
        joined = joined and joined.set_sex(y, step.sex)
        if joined is None:
            continue
        grown = joined
        generations.append(generation)
    years = {generation: rng.sample(range(20), size) for generation in sorted(set(generations), reverse=True)}
    births = tuple(1960 - _SPAN * each + years[each][place] for place, each in enumerate(generations))
    return BornFamily(grown.family(), births)
