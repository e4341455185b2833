"""The rules of space: which facts follow from one fact or two, computed from the geometry (Table 6).

The paper lists 861 rules by hand. Here a rule is true because the sets of slots of its predicates are
included in each other, so the table of a scenario is complete for its kinds:

- `equivalent`, `implies`, `excludes`: between two facts about the same things;
- `places`: a relation says of one of its things where it is;
- `compares`: where two things are makes a relation between them;
- `moves`: where one thing is, and its relation to another, say where the other one is;
- `composes`: R(a,b) and S(b,c) make T(a,c).

What follows is always a smallest set that has a name; of several names the first one stands for it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from typing import NamedTuple

from tasks.knowlogic.space.board import board
from tasks.knowlogic.space.reasoning.pairs import (
    compose,
    first_slots,
    inverse,
    other_slot,
    pairs_mask,
    same_slot,
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


def _between_names(of: Vocabulary) -> Iterator[Rule]:
    """Yield the rules between two facts about the same one thing, or the same two."""
    for single, named in ((True, of.properties), (False, of.relations)):
        here, there = ("(a)", "(a)") if single else ("(a,b)", "(a,b)")
        for (one, first), (two, second) in combinations(named.items(), 2):
            yield from _compare(one + here, first, two + there, second)
    # A fact and one with the things exchanged; where a set is its own inverse, the rules above say it.
    for one, first in of.relations.items():
        for two, second in of.relations.items():
            turned = inverse(of.size, second)
            if turned == second and one != two:
                continue
            if one < two:
                yield from _compare(f"{one}(a,b)", first, f"{two}(b,a)", turned)
            elif one == two:
                if turned == first:
                    yield Rule("equivalent", f"{one}(a,b) <-> {one}(b,a)")
                elif not turned & first:
                    yield Rule("excludes", f"{one}(a,b) -> not {one}(b,a)")


def _compare(one: str, first: int, two: str, second: int) -> Iterator[Rule]:
    if first == second:
        yield Rule("equivalent", f"{one} <-> {two}")
    elif first & second == first:
        yield Rule("implies", f"{one} -> {two}")
    elif first & second == second:
        yield Rule("implies", f"{two} -> {one}")
    elif not first & second:
        yield Rule("excludes", f"{one} -> not {two}")


def _compare_places(of: Vocabulary) -> Iterator[Rule]:
    """Yield the relations that follow from where two things are."""
    anything = same_slot(of.size) | other_slot(of.size)
    for one, first in of.properties.items():
        for two, second in of.properties.items():
            through = compose(of.size, compose(of.size, first, anything), second) & other_slot(of.size)
            for each in of.names(through, single=False):
                yield Rule("compares", f"{one}(a) & {two}(b) -> {each}(a,b)")


@lru_cache(maxsize=16)
def rules(scenario: str) -> tuple[Rule, ...]:
    """Return the rules of a scenario."""
    of = vocabulary(scenario)
    found = [*_between_names(of), *_compare_places(of)]
    for relation in of.relations:
        found += place_rules(of, relation)
    found += [
        rule for name in of.properties for relation in of.relations for rule in move_rules(of, name, relation)
    ]
    found += [
        rule for first in of.relations for second in of.relations for rule in compose_rules(of, first, second)
    ]
    return tuple(sorted(set(found)))


# The number of rules of space in Table 6.
RULES_OF_PAPER = 861


def coverage(scenarios: tuple[str, ...]) -> list[tuple[str, str, int]]:
    """Return (scenario, kind, number of rules), and last the numbers of different rules of all scenarios."""
    rows = []
    for name, found in [(each, set(rules(each))) for each in scenarios] + [
        ("all", {rule for each in scenarios for rule in rules(each)})
    ]:
        kinds = sorted({rule.kind for rule in found})
        rows += [(name, kind, sum(rule.kind == kind for rule in found)) for kind in kinds]
        rows.append((name, "total", len(found)))
    return rows
