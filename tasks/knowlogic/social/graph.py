"""A hidden graph of relations between people, and the statements that describe it."""

import random
from collections.abc import Sequence
from itertools import combinations

from perennial.schemas.knowlogic.things import Argument, Proposition
from perennial.tasks.knowlogic.people import Person, Sex
from perennial.tasks.knowlogic.social.claims import Fact
from perennial.tasks.knowlogic.social.relations import Relation, Relations
from perennial.tasks.knowlogic.social.world import World

_TRIES = 12
# How many different relations (with their inverses) a graph draws from, and how often two facts of one
# person share a sentence.
_PALETTE = (3, 6)
_SHARED_SENTENCES = 0.6
# How often a fact is stated by its inverse; the facts of a hub together.
_FLIPPED = 0.5
_FLIPPED_HUB = 0.7
_WEIGHTS = {"couple": 2.0, "siblings": 0.7, "": 1.0}


class GraphMaker:
    """Draws facts between people: each pair has one relation at most, and all are connected."""

    def __init__(
        self, relations: Relations, people: Sequence[Person], edges: int, rng: random.Random
    ) -> None:
        """Choose the relations to draw from; people rank above those who come after them."""
        self.relations = relations
        self.rng = rng
        self.edges = edges
        self.people = [each.id for each in people]
        self.sexes: dict[str, Sex] = {each.id: each.sex for each in people}
        rows = list(relations.by_id.values())
        weights = [_WEIGHTS[row.pairing] for row in rows]
        self.palette = rng.choices(rows, weights, k=rng.randint(*_PALETTE))
        self.facts: list[Fact] = []
        self.pairs: set[frozenset[str]] = set()

    def make(self, hub: int = 0) -> World | None:
        """Return a world with the wanted number of facts, and so many holders of one relation; else None."""
        if hub and not self._add_hub(hub):
            return None
        if not self._connect():
            return None
        pairs = [frozenset(pair) for pair in combinations(self.people, 2)]
        self.rng.shuffle(pairs)
        for pair in pairs:
            if len(self.facts) >= self.edges:
                break
            if pair not in self.pairs:
                self._add(*self.rng.sample(sorted(pair), 2))
        if len(self.facts) != self.edges:
            return None
        sexes = [(sex, person, "") for person, sex in self.sexes.items()]
        # The facts of the hub come first; said from the other side, no option repeats them.
        flips = [self.rng.random() < _FLIPPED for _ in self.facts]
        if self.rng.random() < _FLIPPED_HUB:
            flips[:hub] = [True] * hub
        self.facts = [
            self._flip(fact) if is_flipped else fact
            for fact, is_flipped in zip(self.facts, flips, strict=True)
        ]
        world = World(self.relations, self.people, (*self.facts, *sexes))
        return None if world.contradictions() else world

    def _flip(self, fact: Fact) -> Fact:
        relation, holder, of = fact
        return (self.relations.by_id[relation].inverse[self.sexes[of]], of, holder)

    def _add_hub(self, holders: int) -> bool:
        """Give somebody so many holders of one relation; return whether one fits."""
        rows = [row for row in self.relations.by_id.values() if not row.has_one_holder]
        for row in self.rng.sample(rows, _TRIES):
            of = self.rng.choice(self.people)
            fitting = [each for each in self.people if each != of and self._fits(row, each, of)]
            if len(fitting) >= holders and row.pairing != "siblings":
                self.palette.append(row)
                for holder in self.rng.sample(fitting, holders):
                    self._put(row, holder, of)
                return True
        return False

    def _connect(self) -> bool:
        """Link all people; return whether that worked."""
        order = self.rng.sample(self.people, len(self.people))
        linked = [order.pop(0)]
        while True:
            grown = [each for each in order if any(frozenset((each, old)) in self.pairs for old in linked)]
            for each in grown:
                order.remove(each)
                linked.append(each)
            if grown:
                continue
            if not order:
                return True
            if len(self.facts) >= self.edges or not self._add(order[0], self.rng.choice(linked)):
                return False

    def _add(self, first: str, second: str) -> bool:
        """Give two people a relation of the palette, or of the table; return whether one fits."""
        rows = list(self.relations.by_id.values())
        for number in range(_TRIES):
            row = self.rng.choice(self.palette if number < _TRIES // 2 else rows)
            for holder, of in ((first, second), (second, first)):
                if self._fits(row, holder, of):
                    self._put(row, holder, of)
                    return True
        return False

    def _put(self, row: Relation, holder: str, of: str) -> None:
        self.facts.append((row.id, holder, of))
        self.pairs.add(frozenset((holder, of)))

    def _fits(self, row: Relation, holder: str, of: str) -> bool:
        """Whether holder can be of's relation beside the facts so far."""
        if row.holder_sex not in (None, self.sexes[holder]):
            return False
        if row.rank and (row.rank == "up") != (self.people.index(holder) < self.people.index(of)):
            return False
        if row.pairing == "couple" and self.sexes[holder] == self.sexes[of]:
            return False
        if row.pairing == "siblings" and any(self._pairing(fact) == "siblings" for fact in self.facts):
            return False
        if row.has_one_holder and not row.pairing:
            return not any(fact[0] == row.id and {holder, of} & set(fact[1:]) for fact in self.facts)
        if row.pairing == "couple" and row.has_one_holder:
            taken = {each for fact in self.facts if self._lasts(fact) for each in fact[1:]}
            return not taken & {holder, of}
        return True

    def _pairing(self, fact: Fact) -> str:
        return self.relations.by_id[fact[0]].pairing

    def _lasts(self, fact: Fact) -> bool:
        """Whether it is a couple that lasts: nobody is in two of them."""
        return self._pairing(fact) == "couple" and self.relations.by_id[fact[0]].has_one_holder


def write_statements(world: World, facts: Sequence[Fact], rng: random.Random) -> tuple[Proposition, ...]:
    """Return statements of facts in random order, with the sexes that terms need and no fact gives.

    Two facts of one person may share a sentence. 'One of' is said where others hold the relation too.
    """
    stated = World(world.relations, world.people, facts)
    statements = [
        Proposition("male" if world.has_sex(each, "m") else "female", (each,)) for each in stated.open_sexes()
    ]
    waiting = rng.sample(list(facts), len(facts))
    while waiting:
        fact = waiting.pop()
        same = [each for each in waiting if each[1] == fact[1]]
        if same and rng.random() < _SHARED_SENTENCES:
            waiting.remove(same[0])
            statements.append(_statement(world, fact, same[0]))
        else:
            statements.append(_statement(world, fact))
    rng.shuffle(statements)
    return tuple(statements)


def _statement(world: World, *facts: Fact) -> Proposition:
    forms = ["one" if len(world.holders(relation, of)) < 2 else "among" for relation, _, of in facts]
    template = "_and_".join(forms)
    arguments: list[Argument] = [facts[0][1]]
    for relation, _, of in facts:
        arguments += [of, relation]
    return Proposition("name_1" if template == "one" else template, tuple(arguments))
