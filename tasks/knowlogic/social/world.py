"""The one world that statements describe: what follows from them, and what is wrong with them.

The world is closed: a relation holds if and only if it follows (the introduction says so).
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from perennial.schemas.knowlogic.things import EngineDecision, Labels, Proposition, Verdict
from perennial.tasks.knowlogic.closure import Closure, Inference, close
from perennial.tasks.knowlogic.problem import Cuts, Problem, Sex
from perennial.tasks.knowlogic.social.relations import (
    SEXES,
    Description,
    Fact,
    RelationClaim,
    Relations,
    claim_of,
    facts_of,
)


class InferredWorld:
    """What follows from facts, with the steps that made each fact."""

    def __init__(self, relations: Relations, people: Sequence[str], facts: Iterable[Fact]) -> None:
        self.relations = relations
        self.people = tuple(people)
        self.closure: Closure[Fact] = close(facts, self._chain)

    def holds(self, relation: str, holder: str, ego: str) -> bool:
        """Whether the relation follows."""
        return (relation, holder, ego) in self.closure.steps

    def may_hold(self, relation: str, holder: str, ego: str) -> bool:
        """Whether it follows, or a near relation does, whose holder some readers also call so."""
        near = self.relations.by_id[relation].near
        return any(self.holds(term, holder, ego) for term in (relation, *near))

    def holders(self, relation: str, ego: str) -> tuple[str, ...]:
        """Who holds the relation to a person."""
        return self._holders.get((relation, ego), ())

    def certain_holders(self, relation: str, ego: str) -> tuple[str, ...]:
        """Who holds the relation to a person; nobody where a reader may count another one."""
        holders = self.holders(relation, ego)
        near = self.relations.by_id[relation].near
        if any(person not in holders for other in near for person in self.holders(other, ego)):
            return ()
        return holders

    @cached_property
    def _holders(self) -> dict[tuple[str, str], tuple[str, ...]]:
        holders: dict[tuple[str, str], list[str]] = {}
        for relation, holder, ego in self.facts:
            holders.setdefault((relation, ego), []).append(holder)
        return {key: tuple(sorted(names)) for key, names in holders.items()}

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """All relations that hold, sorted, without sexes."""
        return tuple(sorted(fact for fact in self.closure.steps if fact[0] not in SEXES))

    def has_sex(self, person: str, sex: Sex) -> bool:
        """Whether the person's sex follows and is this one."""
        return (sex, person, "") in self.closure.steps

    def open_sexes(self) -> tuple[str, ...]:
        """The people whose sex a term of their relations needs and no statement gives, sorted."""
        people = set()
        for relation, holder, ego in self.facts:
            row = self.relations.by_id[relation]
            people |= {ego} if row.inverse_needs_sex else set()
            people |= {holder} if row.narrowed else set()
        return tuple(sorted(who for who in people if not any(self.has_sex(who, sex) for sex in SEXES)))

    def contradictions(self) -> list[str]:
        """What cannot be, in words; empty where the statements agree."""
        faults = [f"{person} is a man and a woman" for person in self.people if self._has_two_sexes(person)]
        faults += [f"{holder} is {ego}'s {relation}" for relation, holder, ego in self.facts if holder == ego]
        for (relation, ego), holders in sorted(self._holders.items()):
            if self.relations.by_id[relation].has_one_holder and len(holders) > 1:
                faults.append(f"{ego} has {len(holders)} holders of {relation}")
        for first, second in self.relations.exclusive:
            for holder, ego in product(self.people, repeat=2):
                if self.holds(first, holder, ego) and self.holds(second, holder, ego):
                    faults.append(f"{holder} is {ego}'s {first} and {second}")
        return faults

    def _has_two_sexes(self, person: str) -> bool:
        return all(self.has_sex(person, sex) for sex in SEXES)

    def _chain(
        self, steps: dict[Fact, Inference[Fact]], new: list[Fact]
    ) -> Iterator[tuple[Fact, Inference[Fact]]]:
        """What the new facts make; a new sex may complete any fact."""
        for fact in list(steps) if any(other[0] in SEXES for other in new) else new:
            relation, holder, ego = fact
            if relation in SEXES:
                continue
            row = self.relations.by_id[relation]
            if row.holder_sex:
                yield (row.holder_sex, holder, ""), Inference(f"sex: {relation}", (fact,))
            for implied in row.implies:
                yield (implied, holder, ego), Inference(f"implied: {relation}", (fact,))
            for sex in SEXES:
                if not row.inverse_needs_sex:
                    yield (row.inverse[sex], ego, holder), Inference(f"inverse: {relation}", (fact,))
                elif (sex, ego, "") in steps:
                    premises = (fact, (sex, ego, ""))
                    yield (row.inverse[sex], ego, holder), Inference(f"inverse: {relation}", premises)
                if sex in row.narrowed and (sex, holder, "") in steps:
                    premises = (fact, (sex, holder, ""))
                    yield (row.narrowed[sex], holder, ego), Inference(f"narrowed: {relation}", premises)


def world_of(relations: Relations, people: Sequence[str], statements: Iterable[Proposition]) -> InferredWorld:
    """The world that statements describe."""
    return InferredWorld(
        relations, people, (fact for statement in statements for fact in facts_of(statement).facts)
    )


# The first engine: statements closed by forward chaining, claims looked up in the closure.

# A person that a description may mean, and the facts that lead there.
Denoted = tuple[str, tuple[Fact, ...]]


@dataclass(frozen=True, slots=True)
class ClaimFinding:
    """The verdict on a claim, the facts that decide it, and the number of pairs found without a fact."""

    verdict: Verdict
    facts: tuple[Fact, ...] = ()
    absent: int = 0


def decide(relations: Relations, problem: Problem) -> EngineDecision:
    """1 arrangement where the statements agree and leave no sex open that a term needs.

    0 where they contradict each other; twice as many for each open sex. A claim whose description denotes
    nobody, several people or a person that readers may disagree on is left open (None).
    """
    world = world_of(relations, tuple(map(str, problem.entities)), problem.statements)
    several = [fact for statement in problem.statements for fact in facts_of(statement).several]
    is_lone = any(len(world.holders(relation, ego)) < 2 for relation, _, ego in several)
    arrangements = 0 if is_lone or world.contradictions() else 2 ** len(world.open_sexes())
    return EngineDecision(
        arrangements, tuple(judge(world, claim_of(option)).verdict for option in problem.options)
    )


def judge(world: InferredWorld, claim: RelationClaim) -> ClaimFinding:
    """What the world says of a claim.

    'One of his bosses is ...' is true where exactly one of them is, false where none is.
    """
    left, right = resolve(world, claim.left), resolve(world, claim.right)
    if not left or len(right) != 1:
        return ClaimFinding(None)
    target, way = right[0]
    verdicts = [_relates(world, claim, person, target) for person, _ in left]
    if None in verdicts or verdicts.count(True) > 1:
        return ClaimFinding(None)
    if True in verdicts:
        person, mine = left[verdicts.index(True)]
        return ClaimFinding(True, (*mine, *way, (claim.relation, person, target)))
    return ClaimFinding(False, (*(fact for _, mine in left for fact in mine), *way), len(left))


def resolve(world: InferredWorld, description: Description) -> list[Denoted]:
    """The person that a description denotes; all holders where it says 'one of'; else nobody."""
    if description.form == "chain":
        return _follow(world, description)
    holders = world.certain_holders(description.chain[0], description.person)
    if description.form == "mark":
        shared = world.relations.marks[description.mark].shared_by
        holders = holders if [holder for holder in holders if holder in shared] == [description.mark] else ()
    if len(holders) < 2:
        return []
    meant = (description.mark,) if description.form == "mark" else holders
    relation = description.chain[0]
    return [(holder, ((relation, holder, description.person),)) for holder in meant]


def _follow(world: InferredWorld, description: Description) -> list[Denoted]:
    """The end of a chain each of whose relations has one holder."""
    person, facts = description.person, []
    for relation in description.chain:
        holders = world.certain_holders(relation, person)
        if len(holders) != 1:
            return []
        facts.append((relation, holders[0], person))
        person = holders[0]
    return [(person, tuple(facts))]


def _relates(world: InferredWorld, claim: RelationClaim, person: str, target: str) -> Verdict:
    if world.holds(claim.relation, person, target):
        is_alone = len(world.certain_holders(claim.relation, target)) < 2
        return None if claim.is_among and is_alone else True
    return None if world.may_hold(claim.relation, person, target) else False


# Level and class of a social question (Appendix D of the paper), for both scenarios of the domain.
#
# level = 0.4 cl + 0.3 nm + 0.3 ne. The paper's words on the variables, and what they are here:
#
# - cl, "reasoning chain length": the fewest derivation steps that decide the hardest option.
# - nm, "whether the entities in the question are explicitly mentioned in the text, nm = 1 when not": 1 where
#   an option or the asked sentence means a person by a description only ('Dave's wife').
# - ne, "relationship edges in network": the pairs of people between whom the text states a relation.
#
# The class is ours (`perennial.tasks.knowlogic.problem`): easy up to three steps for four options, medium
# with four, hard above; each can be drawn in both scenarios.

CUTS = Cuts(easy=5, medium=6)


def level_of(cl: int, nm: int, ne: int) -> float:
    """The level of a question."""
    return round(0.4 * cl + 0.3 * nm + 0.3 * ne, 9)


# Claims about a world, each true one with a false one of the same words.

# Longest chains of relations: of the person on the left, and before the last relation on the right.
_LONGEST = 2
# How often a false claim is about two people who are related, where one can be.
_RELATED = 0.5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A claim with its finding and the fewest steps that decide it."""

    claim: RelationClaim
    finding: ClaimFinding
    steps: int


def count_steps(world: InferredWorld, finding: ClaimFinding) -> int:
    """The fewest derivation steps: a step for each fact looked up or found absent, and for each rule.

    The rules are those of the smallest proofs that the closure keeps, each application counted once.
    """
    rules = {made for fact in finding.facts for made in world.closure.proof(fact)}
    return len(rules) + len(set(finding.facts)) + finding.absent


class ClaimMaker:
    """Draws claims about the people of a world."""

    def __init__(self, world: InferredWorld, stated: frozenset[Fact], rng: random.Random) -> None:
        """Take the facts that the statements say, which no claim repeats."""
        self.world = world
        self.stated = stated
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
        """A true claim and a false one of the same words about somebody else.

        `is_plain`: without described people. Whoever shows either as often as the other gives nothing away
        by words: husbands and wives, of whom there is one at most, would rarely be true. None where this
        draw failed.
        """
        relation, person, target = self._true_fact()
        left, right = self._pick(self.lefts, person, is_plain), self._pick(self.rights, target, is_plain)
        if left.form == right.form == "mark":
            return None
        true = self.judge(RelationClaim(left, relation, right))
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
        return [{holder, ego} for _, holder, ego in self.world.facts]

    def _change_people(self, claim: RelationClaim) -> Iterator[RelationClaim]:
        """The claim the other way round, and with another person in the place of one."""
        left, right = claim.left, claim.right
        yield replace(
            claim, left=replace(left, person=right.person), right=replace(right, person=left.person)
        )
        for person in self.world.people:
            if person not in (left.person, right.person):
                yield replace(claim, left=replace(left, person=person))
                yield replace(claim, right=replace(right, person=person))

    def _allows_sex(self, claim: RelationClaim) -> bool:
        """Whether the relation can be held by whom the left side means, as far as sexes are known."""
        sex = self.world.relations.by_id[claim.relation].holder_sex
        other: dict[Sex | None, Sex] = {"m": "f", "f": "m"}
        return sex is None or not any(
            self.world.has_sex(person, other[sex]) for person, _ in resolve(self.world, claim.left)
        )

    def draw_asked(self, *, is_vague: bool) -> RelationClaim | None:
        """A claim whose left side is to be asked for: several fit where it is vague, else one.

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
        return RelationClaim(Description("chain", fitting[0]), relation, right, is_among)

    def split(self, asked: RelationClaim) -> tuple[list[Candidate], list[Candidate]]:
        """The people who fit the gap, and the others, as claims.

        Those who are named or passed on the way of the description are no options: they cannot fit.
        """
        fitting: list[Candidate] = []
        others: list[Candidate] = []
        for person in self.world.people:
            candidate = self.judge(replace(asked, left=Description("chain", person)))
            if candidate:
                (fitting if candidate.finding.verdict else others).append(candidate)
        return fitting, others

    def judge(self, claim: RelationClaim) -> Candidate | None:
        """The claim where it is decided and worth asking, else None."""
        if not self._is_worth_asking(claim):
            return None
        finding = judge(self.world, claim)
        if finding.verdict is None:
            return None
        return Candidate(claim, finding, count_steps(self.world, finding))

    def _is_worth_asking(self, claim: RelationClaim) -> bool:
        """Whether the sides meet in nobody and the claim repeats no statement."""
        left, right = self._people(claim.left), self._people(claim.right)
        repeats = claim.names_everyone and (
            (claim.relation, claim.left.person, claim.right.person) in self.stated
        )
        return not repeats and not left & right

    def _people(self, description: Description) -> set[str]:
        on_way = {
            person for _, facts in resolve(self.world, description) for fact in facts for person in fact[1:]
        }
        return on_way | {description.person}

    def _true_fact(self) -> Fact:
        return self.rng.choice(self.world.facts)

    def _pick(self, table: dict[str, list[Description]], person: str, is_plain: bool) -> Description:
        return Description("chain", person) if is_plain else self.rng.choice(table[person])

    def _by_person(
        self, denotations: Iterator[tuple[Description, list[Denoted]]]
    ) -> dict[str, list[Description]]:
        table: dict[str, list[Description]] = {person: [] for person in self.world.people}
        for description, denoted in denotations:
            for person, _ in denoted:
                table[person].append(description)
        return table

    def _descriptions(self, *, is_left: bool) -> Iterator[tuple[Description, list[Denoted]]]:
        """Descriptions with whom they denote: names, chains, holders among several."""
        chains = [Description("chain", person) for person in self.world.people]
        for _ in range(_LONGEST + 1):
            longer = []
            for chain in chains:
                denoted = resolve(self.world, chain)
                yield chain, denoted
                end, way = denoted[0]
                passed = {chain.person, *(fact[1] for fact in way)}
                for relation, ego in self._relations_to(end):
                    holders = self.world.certain_holders(relation, ego)
                    if len(holders) == 1 and holders[0] not in passed:
                        longer.append(Description("chain", chain.person, (*chain.chain, relation)))
            chains = longer
        for relation, ego in sorted({(fact[0], fact[2]) for fact in self.world.facts}):
            forms = [Description("some", ego, (relation,))] if is_left else []
            holders = self.world.certain_holders(relation, ego)
            marked = [holder for holder in holders if holder in self.world.relations.marks]
            forms += [Description("mark", ego, (relation,), holder) for holder in marked]
            for description in forms:
                denoted = resolve(self.world, description)
                if denoted:
                    yield description, denoted

    def _relations_to(self, person: str) -> list[tuple[str, str]]:
        return [(fact[0], person) for fact in self.world.facts if fact[2] == person]


# What is known of a question of general relations beside its text.


def label(relations: Relations, problem: Problem) -> Labels:
    """Properties, relations, rules, chain length, precision and level.

    Vague is a question for several people, or one that says 'one of' in an option.
    """
    world = world_of(relations, tuple(map(str, problem.entities)), problem.statements)
    claims = [claim_of(option) for option in problem.options]
    findings = [judge(world, claim) for claim in claims]
    facts = [fact for statement in problem.statements for fact in facts_of(statement).facts]
    used = {fact for finding in findings for fact in finding.facts}
    rules = {step.rule for fact in used for step in world.closure.proof(fact).values()}
    pairs = {frozenset(fact[1:]) for fact in facts if fact[0] not in SEXES}
    cl = max(count_steps(world, finding) for finding in findings)
    nm, ne = int(any(not claim.names_everyone for claim in claims)), len(pairs)
    is_vague = problem.type == "vague_entity" or any(claim.left.form == "some" for claim in claims)
    properties = {"sex" for fact in facts if fact[0] in SEXES}
    properties |= {"given_name" for claim in claims if "mark" in (claim.left.form, claim.right.form)}
    return Labels(
        properties=tuple(sorted(properties)),
        relations=tuple(sorted({fact[0] for fact in facts if fact[0] not in SEXES} | _relations_of(claims))),
        rules=tuple(sorted(rules)),
        chain_length=cl,
        precision="vague" if is_vague else "precise",
        level=level_of(cl, nm, ne),
        difficulty=CUTS.classify(cl, problem.type, len(problem.options)),
        variables={"cl": cl, "nm": nm, "ne": ne},
    )


def _relations_of(claims: list[RelationClaim]) -> set[str]:
    return {name for claim in claims for name in (*claim.left.chain, claim.relation, *claim.right.chain)}
