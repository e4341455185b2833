"""The one world that statements describe: what follows from them, and what is wrong with them.

The world is closed: a relation holds if and only if it follows (the introduction says so).
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import product

from perennial.schemas.knowlogic.things import Proposition
from perennial.tasks.knowlogic.closure import Closure, Step, close
from perennial.tasks.knowlogic.people import Sex
from perennial.tasks.knowlogic.social.claims import Fact, facts_of
from perennial.tasks.knowlogic.social.relations import SEXES, Relations


class World:
    """What follows from facts, with the steps that made each fact."""

    def __init__(self, relations: Relations, people: Sequence[str], given: Iterable[Fact]) -> None:
        """Close the given facts."""
        self.relations = relations
        self.people = tuple(people)
        self.closure: Closure[Fact] = close(given, self._chain)

    def holds(self, relation: str, holder: str, of: str) -> bool:
        """Whether the relation follows."""
        return (relation, holder, of) in self.closure.steps

    def may_hold(self, relation: str, holder: str, of: str) -> bool:
        """Whether it follows, or a near relation does, whose holder some readers also call so."""
        near = self.relations.by_id[relation].near
        return any(self.holds(each, holder, of) for each in (relation, *near))

    def holders(self, relation: str, of: str) -> tuple[str, ...]:
        """Return who holds the relation to a person."""
        return self._holders.get((relation, of), ())

    def certain_holders(self, relation: str, of: str) -> tuple[str, ...]:
        """Return who holds the relation to a person; nobody where a reader may count another one."""
        found = self.holders(relation, of)
        near = self.relations.by_id[relation].near
        if any(each not in found for other in near for each in self.holders(other, of)):
            return ()
        return found

    @cached_property
    def _holders(self) -> dict[tuple[str, str], tuple[str, ...]]:
        found: dict[tuple[str, str], list[str]] = {}
        for relation, holder, of in self.facts:
            found.setdefault((relation, of), []).append(holder)
        return {key: tuple(sorted(names)) for key, names in found.items()}

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """All relations that hold, sorted, without sexes."""
        return tuple(sorted(fact for fact in self.closure.steps if fact[0] not in SEXES))

    def has_sex(self, person: str, sex: Sex) -> bool:
        """Whether the person's sex follows and is this one."""
        return (sex, person, "") in self.closure.steps

    def open_sexes(self) -> tuple[str, ...]:
        """Return the people whose sex a term of their relations needs and no statement gives, sorted."""
        found = set()
        for relation, holder, of in self.facts:
            row = self.relations.by_id[relation]
            found |= {of} if row.inverse_needs_sex else set()
            found |= {holder} if row.narrowed else set()
        return tuple(sorted(each for each in found if not any(self.has_sex(each, sex) for sex in SEXES)))

    def contradictions(self) -> list[str]:
        """Return what cannot be, in words; empty where the statements agree."""
        found = [f"{each} is a man and a woman" for each in self.people if self._has_two_sexes(each)]
        found += [f"{holder} is {of}'s {relation}" for relation, holder, of in self.facts if holder == of]
        for (relation, of), holders in sorted(self._holders.items()):
            if self.relations.by_id[relation].has_one_holder and len(holders) > 1:
                found.append(f"{of} has {len(holders)} holders of {relation}")
        for first, second in self.relations.exclusive:
            for holder, of in product(self.people, repeat=2):
                if self.holds(first, holder, of) and self.holds(second, holder, of):
                    found.append(f"{holder} is {of}'s {first} and {second}")
        return found

    def _has_two_sexes(self, person: str) -> bool:
        return all(self.has_sex(person, sex) for sex in SEXES)

    def _chain(self, steps: dict[Fact, Step[Fact]], new: list[Fact]) -> Iterator[tuple[Fact, Step[Fact]]]:
        """Yield what the new facts make; a new sex may complete any fact."""
        for fact in list(steps) if any(each[0] in SEXES for each in new) else new:
            relation, holder, of = fact
            if relation in SEXES:
                continue
            row = self.relations.by_id[relation]
            if row.holder_sex:
                yield (row.holder_sex, holder, ""), Step(f"sex: {relation}", (fact,))
            for implied in row.implies:
                yield (implied, holder, of), Step(f"implied: {relation}", (fact,))
            for sex in SEXES:
                if not row.inverse_needs_sex:
                    yield (row.inverse[sex], of, holder), Step(f"inverse: {relation}", (fact,))
                elif (sex, of, "") in steps:
                    premises = (fact, (sex, of, ""))
                    yield (row.inverse[sex], of, holder), Step(f"inverse: {relation}", premises)
                if sex in row.narrowed and (sex, holder, "") in steps:
                    premises = (fact, (sex, holder, ""))
                    yield (row.narrowed[sex], holder, of), Step(f"narrowed: {relation}", premises)


def world_of(relations: Relations, people: Sequence[str], statements: Iterable[Proposition]) -> World:
    """Return the world that statements describe."""
    return World(relations, people, (fact for each in statements for fact in facts_of(each).facts))
