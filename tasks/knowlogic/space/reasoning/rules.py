"""The rules of space by which facts follow from one fact or two, computed from the geometry (Table 6).

The paper lists 861 rules by hand. Here a rule is true because the sets of slots of its predicates are
included in each other, so the table of a scenario is complete for its kinds:

- `places`: a relation says of one of its things where it is;
- `moves`: where one thing is, and its relation to another, say where the other one is;
- `composes`: R(a,b) and S(b,c) make T(a,c).

What follows is always a smallest set that has a name; of several names the first one stands for it.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from perennial.tasks.knowlogic.space.board import board
from perennial.tasks.knowlogic.space.reasoning.pairs import (
    compose,
    first_slots,
    inverse,
    other_slot,
    pairs_mask,
)


class Rule(NamedTuple):
    """A rule: its kind, and what it says, such as `left_2(a,b) & left_3(b,c) -> opposite(a,c)`."""

    kind: str
    text: str


@dataclass(frozen=True)
class Vocabulary:
    """The named sets of slots (as pairs of equal ones) and of slot pairs of a scenario."""

    scenario: str

    @cached_property
    def size(self) -> int:
        """The number of slots."""
        return board(self.scenario).scene.size

    @cached_property
    def properties(self) -> dict[str, int]:
        """The properties."""
        return self._predicates(1)

    @cached_property
    def relations(self) -> dict[str, int]:
        """The relations of two things."""
        return self._predicates(2)

    def _predicates(self, arity: int) -> dict[str, int]:
        of = board(self.scenario)
        said = {template.predicate for template in of.templates.values()}
        return {
            name: pairs_mask(self.size, each.allowed)
            for name, each in of.predicates.items()
            if each.arity == arity and name in said and name != "is_at"
        }

    @cached_property
    def _cache(self) -> dict[tuple[int, bool], tuple[str, ...]]:
        return {}

    def names(self, pairs: int, *, single: bool) -> tuple[str, ...]:
        """Return the smallest named sets that hold all these pairs, one name for each; none for no pairs."""
        key = pairs, single
        if key not in self._cache:
            self._cache[key] = self._smallest(pairs, self.properties if single else self.relations)
        return self._cache[key]

    def _smallest(self, pairs: int, named: dict[str, int]) -> tuple[str, ...]:
        if not pairs:
            return ()
        holding = [(name, mask) for name, mask in named.items() if pairs & mask == pairs]
        first = {mask: name for name, mask in reversed(holding)}
        smallest = [
            mask for mask in first if not any(other != mask and other & mask == other for other in first)
        ]
        return tuple(
            sorted((first[mask] for mask in smallest), key=lambda name: (named[name].bit_count(), name))
        )


@lru_cache(maxsize=16)
def vocabulary(scenario: str) -> Vocabulary:
    """Return the vocabulary of a scenario, built once."""
    return Vocabulary(scenario)


def place_rules(of: Vocabulary, relation: str) -> list[Rule]:
    """Return what a relation says of where its first thing is."""
    slots = first_slots(of.size, of.relations[relation])
    return [Rule("places", f"{relation}(a,b) -> {name}(a)") for name in of.names(slots, single=True)]


def move_rules(of: Vocabulary, name: str, relation: str) -> list[Rule]:
    """Return where b is, of which the relation holds for a thing with the property."""
    slots = first_slots(
        of.size, inverse(of.size, compose(of.size, of.properties[name], of.relations[relation]))
    )
    found = of.names(slots, single=True)
    return [Rule("moves", f"{name}(a) & {relation}(a,b) -> {each}(b)") for each in found]


def compose_rules(of: Vocabulary, first: str, second: str) -> list[Rule]:
    """Return the relations of a and c that follow from a relation of a and b, and one of b and c."""
    pairs = compose(of.size, of.relations[first], of.relations[second]) & other_slot(of.size)
    found = of.names(pairs, single=False)
    return [Rule("composes", f"{first}(a,b) & {second}(b,c) -> {each}(a,c)") for each in found]
