"""Claims about a world, each true one with a false one of the same words."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from perennial.tasks.knowlogic.people import Sex
from perennial.tasks.knowlogic.social.claims import Claim, Description, Fact
from perennial.tasks.knowlogic.social.decide import Denoted, Finding, judge, resolve
from perennial.tasks.knowlogic.social.world import World

# Longest chains of relations: of the person on the left, and before the last relation on the right.
_LONGEST = 2
# How often a false claim is about two people who are related, where one can be.
_RELATED = 0.5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A claim with its finding and the fewest steps that decide it."""

    claim: Claim
    finding: Finding
    steps: int


def count_steps(world: World, finding: Finding) -> int:
    """Return the fewest derivation steps: a step for each fact looked up or found absent, and for each rule.

    The rules are those of the smallest proofs that the closure keeps, each application counted once.
    """
    rules = {made for fact in finding.facts for made in world.closure.proof(fact)}
    return len(rules) + len(set(finding.facts)) + finding.absent


class ClaimMaker:
    """Draws claims about the people of a world."""

    def __init__(self, world: World, given: frozenset[Fact], rng: random.Random) -> None:
        """Take the facts that the statements say, which no claim repeats."""
        self.world = world
        self.given = given
        self.rng = rng

    @cached_property
    def lefts(self) -> dict[str, list[Description]]:
        """Descriptions of each person for the left side."""
        return self._by_person(self._descriptions(is_left=True))

    @cached_property
    def rights(self) -> dict[str, list[Description]]:
        """Descriptions of each person for the right side."""
        return self._by_person(self._descriptions(is_left=False))

    def draw_twins(self, *, is_plain: bool) -> tuple[Candidate, Candidate] | None:
        """Return a true claim and a false one of the same words about somebody else.

        `is_plain`: without described people. Whoever shows either as often as the other gives nothing away
        by words: husbands and wives, of whom there is one at most, would rarely be true. None where this
        draw failed.
        """
        relation, person, target = self._true_fact()
        left, right = self._pick(self.lefts, person, is_plain), self._pick(self.rights, target, is_plain)
        if left.form == right.form == "mark":
            return None
        true = self.judge(Claim(left, relation, right))
        if true is None or not true.finding.verdict:
            return None
        changed = list(self._change_people(true.claim))
        self.rng.shuffle(changed)
        if self.rng.random() < _RELATED:
            changed.sort(key=lambda claim: {claim.left.person, claim.right.person} not in self._related)
        for claim in changed:
            false = self.judge(claim)
            if false and not false.finding.verdict and self._allows_sex(claim):
                return true, false
        return None

    @cached_property
    def _related(self) -> list[set[str]]:
        return [{holder, of} for _, holder, of in self.world.facts]

    def _change_people(self, claim: Claim) -> Iterator[Claim]:
        """Yield the claim the other way round, and with another person in the place of one."""
        left, right = claim.left, claim.right
        yield replace(
            claim, left=replace(left, person=right.person), right=replace(right, person=left.person)
        )
        for person in self.world.people:
            if person not in (left.person, right.person):
                yield replace(claim, left=replace(left, person=person))
                yield replace(claim, right=replace(right, person=person))

    def _allows_sex(self, claim: Claim) -> bool:
        """Whether the relation can be held by whom the left side means, as far as sexes are known."""
        sex = self.world.relations.by_id[claim.relation].holder_sex
        other: dict[Sex | None, Sex] = {"m": "f", "f": "m"}
        return sex is None or not any(
            self.world.has_sex(person, other[sex]) for person, _ in resolve(self.world, claim.left)
        )

    def draw_asked(self, *, is_vague: bool) -> Claim | None:
        """Return a claim whose left side is to be asked for: several fit where it is vague, else one.

        Several beside those who are named or passed on the way of the description.
        """
        relation, _, target = self._true_fact()
        fitting = self.world.certain_holders(relation, target)
        right = self.rng.choice(self.rights[target])
        if not fitting or (len(fitting) > 1) is not is_vague:
            return None
        if is_vague and len(set(fitting) - self._people(right)) < 2:
            return None
        is_among = is_vague and not right.chain
        return Claim(Description("chain", fitting[0]), relation, right, is_among)

    def split(self, asked: Claim) -> tuple[list[Candidate], list[Candidate]]:
        """Return the people who fit the gap, and the others, as claims.

        Those who are named or passed on the way of the description are no options: they cannot fit.
        """
        fitting: list[Candidate] = []
        others: list[Candidate] = []
        for person in self.world.people:
            found = self.judge(replace(asked, left=Description("chain", person)))
            if found:
                (fitting if found.finding.verdict else others).append(found)
        return fitting, others

    def judge(self, claim: Claim) -> Candidate | None:
        """Return the claim where it is decided and worth asking, else None."""
        if not self._is_worth_asking(claim):
            return None
        finding = judge(self.world, claim)
        if finding.verdict is None:
            return None
        return Candidate(claim, finding, count_steps(self.world, finding))

    def _is_worth_asking(self, claim: Claim) -> bool:
        """Whether the sides meet in nobody and the claim repeats no statement."""
        left, right = self._people(claim.left), self._people(claim.right)
        repeats = claim.names_everyone and (
            (claim.relation, claim.left.person, claim.right.person) in self.given
        )
        return not repeats and not left & right

    def _people(self, description: Description) -> set[str]:
        """Return everybody on the way of a description."""
        on_way = {
            each for _, facts in resolve(self.world, description) for fact in facts for each in fact[1:]
        }
        return on_way | {description.person}

    def _true_fact(self) -> Fact:
        return self.rng.choice(self.world.facts)

    def _pick(self, table: dict[str, list[Description]], person: str, is_plain: bool) -> Description:
        return Description("chain", person) if is_plain else self.rng.choice(table[person])

    def _by_person(
        self, denotations: Iterator[tuple[Description, list[Denoted]]]
    ) -> dict[str, list[Description]]:
        table: dict[str, list[Description]] = {each: [] for each in self.world.people}
        for description, denoted in denotations:
            for person, _ in denoted:
                table[person].append(description)
        return table

    def _descriptions(self, *, is_left: bool) -> Iterator[tuple[Description, list[Denoted]]]:
        """Yield descriptions with whom they denote: names, chains, holders among several."""
        chains = [Description("chain", person) for person in self.world.people]
        for _ in range(_LONGEST + 1):
            longer = []
            for chain in chains:
                denoted = resolve(self.world, chain)
                yield chain, denoted
                end, way = denoted[0]
                passed = {chain.person, *(fact[1] for fact in way)}
                for relation, of in self._relations_to(end):
                    holders = self.world.certain_holders(relation, of)
                    if len(holders) == 1 and holders[0] not in passed:
                        longer.append(Description("chain", chain.person, (*chain.chain, relation)))
            chains = longer
        for relation, of in sorted({(fact[0], fact[2]) for fact in self.world.facts}):
            forms = [Description("some", of, (relation,))] if is_left else []
            holders = self.world.certain_holders(relation, of)
            marked = [each for each in holders if each in self.world.relations.marks]
            forms += [Description("mark", of, (relation,), each) for each in marked]
            for each in forms:
                denoted = resolve(self.world, each)
                if denoted:
                    yield each, denoted

    def _relations_to(self, person: str) -> list[tuple[str, str]]:
        return [(fact[0], person) for fact in self.world.facts if fact[2] == person]
