"""Draw a hidden arrangement and the statements that leave no other (Appendix B of the paper, the Reasoner).

Random true facts are added until one arrangement modulo symmetry is left; each one added rules some out.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from perennial.tasks.knowlogic.arrangement.frame import drop_redundant
from perennial.tasks.knowlogic.space.board import Board, Fact, board

# How often facts that the others imply are dropped (else all that were drawn stay).
_MINIMAL = 0.75
# How often a fact is about one thing or about three, where the scenario has such predicates.
_SINGLE, _TRIPLE = 0.2, 0.08
# A property often names the slot outright, and ternary relations say much.
_MOST_SINGLE = 2
_MOST_FACTS, _MOST_DRAWS = 8, 80


@dataclass(frozen=True, slots=True)
class Layout:
    """A hidden arrangement (the slot of each entity), and statements that hold in it alone."""

    slots: tuple[int, ...]
    statements: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Sayings:
    """The names of what can be said of slots: of one, of each pair, and of some triples."""

    single: tuple[tuple[str, ...], ...]
    pairs: tuple[tuple[tuple[str, ...], ...], ...]
    triples: tuple[tuple[str, tuple[int, ...]], ...]


@lru_cache(maxsize=16)
def sayings(scenario: str) -> Sayings:
    """Return what holds of the slots of a scenario, as far as there are sentences that say it."""
    of = board(scenario)
    size = range(of.scene.size)
    spoken = {each.predicate for each in of.templates.values() if not any(each.is_slot)}
    said = [each for name, each in of.predicates.items() if name in spoken]

    def names(*slots: int) -> tuple[str, ...]:
        return tuple(each.name for each in said if slots in each.allowed)

    return Sayings(
        tuple(names(a) for a in size),
        tuple(tuple(names(a, b) for b in size) for a in size),
        tuple((each.name, slots) for each in said if each.arity == 3 for slots in sorted(each.allowed)),
    )


def draw_statements(of: Board, al: int, rng: random.Random) -> Layout | None:
    """Return an arrangement and its statements; None where this draw failed.

    With `al` 1 the statements name all entities but one, else all.
    """
    size = of.scene.size
    slots = tuple(rng.sample(range(size), size))
    named = rng.sample(range(size), size - al)
    facts = _draw_facts(of, slots, named, rng)
    if facts is None:
        return None
    if rng.random() < _MINIMAL:
        order = rng.sample(range(len(facts)), len(facts))
        kept = drop_redundant(of.frame, [of.mask(each) for each in facts], order)
        # What names an entity that no other statement names may be redundant: the last place is the only one.
        if _count_named([facts[place] for place in kept]) == len(named):
            facts = [facts[place] for place in kept]
    if _count_named(facts) != len(named):
        return None
    return Layout(slots, tuple(rng.sample(facts, len(facts))))


def _count_named(facts: Sequence[Fact]) -> int:
    return len({place for fact in facts for place in fact.places})


def _draw_facts(
    of: Board, slots: tuple[int, ...], named: Sequence[int], rng: random.Random
) -> list[Fact] | None:
    said = sayings(of.scene.name)
    entity_at = {slots[entity]: entity for entity in named}
    held, facts, singles = of.frame.full, list[Fact](), 0
    unnamed = list(named)
    for _ in range(_MOST_DRAWS):
        fact = _draw_fact(said, slots, named, unnamed or named, entity_at, rng)
        if fact is None or (len(fact.places) == 1 and singles == _MOST_SINGLE):
            continue
        left = held & of.mask(fact)
        if left == held:
            continue
        held = left
        facts.append(fact)
        singles += len(fact.places) == 1
        unnamed = [each for each in unnamed if each not in fact.places]
        if held.bit_count() == of.scene.order:
            return facts
        if len(facts) == _MOST_FACTS:
            return None
    return None


def _draw_fact(
    said: Sayings,
    slots: tuple[int, ...],
    named: Sequence[int],
    first: Sequence[int],
    entity_at: dict[int, int],
    rng: random.Random,
) -> Fact | None:
    """Return a random fact of the arrangement about named entities, one from `first`; None for no fact."""
    chance = rng.random()
    if chance < _TRIPLE and said.triples:
        name, places = said.triples[int(rng.random() * len(said.triples))]
        if any(slot not in entity_at for slot in places):
            return None
        return Fact(name, tuple(entity_at[slot] for slot in places))
    a = first[int(rng.random() * len(first))]
    if chance > 1 - _SINGLE:
        names = said.single[slots[a]]
        if names:
            return Fact(names[int(rng.random() * len(names))], (a,))
    b = named[int(rng.random() * len(named))]
    if a == b:
        return None
    names = said.pairs[slots[a]][slots[b]]
    return Fact(names[int(rng.random() * len(names))], (a, b))
