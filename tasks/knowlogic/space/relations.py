"""What can be said of the slots of a scene: predicates, each the set of slot tuples for which it holds.

A property holds for slots, a relation for pairs (the slots of a and of b), a few for triples. They are
computed from the scene's geometry, so that rules between them need not be listed (`reasoning.rules` has
them all).
The sentences that say them are in `prompts/knowlogic/space_*.toml`, by the names used here.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

from perennial.tasks.knowlogic.space.geometry import SCENES, Family, Scene
from perennial.tasks.knowlogic.space.scenes.across import (
    booth_properties,
    booth_relations,
    plot_properties,
    plot_relations,
)
from perennial.tasks.knowlogic.space.scenes.ring import no_properties, ring_relations, ring_triples
from perennial.tasks.knowlogic.space.scenes.shelf import shelf_properties, shelf_relations, shelf_triples

Test = Callable[..., bool]


@dataclass(frozen=True, slots=True)
class Predicate:
    """A property (arity 1) or relation: the tuples of distinct slots for which it holds.

    `is_precise`: whatever place is asked for, the other slots leave one slot at most (Table 3 of the paper).
    `is_reflexive`: it would hold of a thing and itself, as "on the same tier" does.
    """

    name: str
    arity: int
    allowed: frozenset[tuple[int, ...]]
    is_precise: bool
    is_reflexive: bool


def _predicate(scene: Scene, name: str, arity: int, test: Test) -> Predicate:
    allowed = frozenset(slots for slots in permutations(range(scene.size), arity) if test(*slots))
    is_precise = all(
        len({slots[:place] + slots[place + 1 :] for slots in allowed}) == len(allowed)
        for place in range(arity)
    )
    is_reflexive = arity == 2 and any(test(slot, slot) for slot in range(scene.size))
    return Predicate(name, arity, allowed, is_precise, is_reflexive)


_Tests = Callable[[Scene], Mapping[str, Test]]
_TESTS: Mapping[Family, tuple[_Tests, ...]] = {
    "ring": (no_properties, ring_relations, ring_triples),
    "booth": (booth_properties, booth_relations),
    "shelf": (shelf_properties, shelf_relations, shelf_triples),
    "plots": (plot_properties, plot_relations),
}


def _predicates(scene: Scene) -> Iterator[Predicate]:
    for arity, tests in enumerate(_TESTS[scene.family], start=1):
        for name, test in tests(scene).items():
            yield _predicate(scene, name, arity, test)


@lru_cache(maxsize=16)
def predicates(scenario: str) -> Mapping[str, Predicate]:
    """Return the predicates of a scenario by name, properties first."""
    return {predicate.name: predicate for predicate in _predicates(SCENES[scenario])}
