"""The first engine: statements closed by forward chaining, claims looked up in the closure."""

from dataclasses import dataclass

from perennial.schemas.knowlogic.things import Decision, Verdict
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.social.claims import Claim, Description, Fact, claim_of, facts_of
from perennial.tasks.knowlogic.social.relations import Relations
from perennial.tasks.knowlogic.social.world import World, world_of

# A person that a description may mean, and the facts that lead there.
Denoted = tuple[str, tuple[Fact, ...]]


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict on a claim, the facts that decide it, and the number of pairs found without a fact."""

    verdict: Verdict
    facts: tuple[Fact, ...] = ()
    absent: int = 0


def decide(relations: Relations, problem: Problem) -> Decision:
    """Return 1 arrangement where the statements agree and leave no sex open that a term needs.

    0 where they contradict each other; twice as many for each open sex. A claim whose description denotes
    nobody, several people or a person that readers may disagree on is left open (None).
    """
    world = world_of(relations, tuple(map(str, problem.entities)), problem.statements)
    several = [fact for each in problem.statements for fact in facts_of(each).several]
    is_lone = any(len(world.holders(relation, of)) < 2 for relation, _, of in several)
    arrangements = 0 if is_lone or world.contradictions() else 2 ** len(world.open_sexes())
    return Decision(arrangements, tuple(judge(world, claim_of(each)).verdict for each in problem.options))


def judge(world: World, claim: Claim) -> Finding:
    """Return what the world says of a claim.

    'One of his bosses is ...' is true where exactly one of them is, false where none is.
    """
    left, right = resolve(world, claim.left), resolve(world, claim.right)
    if not left or len(right) != 1:
        return Finding(None)
    target, way = right[0]
    verdicts = [_relates(world, claim, person, target) for person, _ in left]
    if None in verdicts or verdicts.count(True) > 1:
        return Finding(None)
    if True in verdicts:
        person, mine = left[verdicts.index(True)]
        return Finding(True, (*mine, *way, (claim.relation, person, target)))
    return Finding(False, (*(fact for _, mine in left for fact in mine), *way), len(left))


def resolve(world: World, description: Description) -> list[Denoted]:
    """Return the person that a description denotes; all holders where it says 'one of'; else nobody."""
    if description.form == "chain":
        return _follow(world, description)
    holders = world.certain_holders(description.chain[0], description.person)
    if description.form == "mark":
        shared = world.relations.marks[description.mark].shared_by
        holders = holders if [each for each in holders if each in shared] == [description.mark] else ()
    if len(holders) < 2:
        return []
    meant = (description.mark,) if description.form == "mark" else holders
    relation = description.chain[0]
    return [(each, ((relation, each, description.person),)) for each in meant]


def _follow(world: World, description: Description) -> list[Denoted]:
    """Return the end of a chain each of whose relations has one holder."""
    person, facts = description.person, []
    for relation in description.chain:
        holders = world.certain_holders(relation, person)
        if len(holders) != 1:
            return []
        facts.append((relation, holders[0], person))
        person = holders[0]
    return [(person, tuple(facts))]


def _relates(world: World, claim: Claim, person: str, target: str) -> Verdict:
    if world.holds(claim.relation, person, target):
        is_alone = len(world.certain_holders(claim.relation, target)) < 2
        return None if claim.is_among and is_alone else True
    return None if world.may_hold(claim.relation, person, target) else False
