"""What is known of a question of general relations beside its text."""

from perennial.schemas.knowlogic.things import Labels
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.social.claims import Claim, claim_of, facts_of
from perennial.tasks.knowlogic.social.decide import judge
from perennial.tasks.knowlogic.social.difficulty import CUTS, level_of
from perennial.tasks.knowlogic.social.options import count_steps
from perennial.tasks.knowlogic.social.relations import SEXES, Relations
from perennial.tasks.knowlogic.social.world import world_of


def label(relations: Relations, problem: Problem) -> Labels:
    """Return properties, relations, rules, chain length, precision and level.

    Vague is a question for several people, or one that says 'one of' in an option.
    """
    world = world_of(relations, tuple(map(str, problem.entities)), problem.statements)
    claims = [claim_of(each) for each in problem.options]
    findings = [judge(world, claim) for claim in claims]
    given = [fact for each in problem.statements for fact in facts_of(each).facts]
    used = {fact for finding in findings for fact in finding.facts}
    rules = {step.rule for fact in used for step in world.closure.proof(fact).values()}
    pairs = {frozenset(fact[1:]) for fact in given if fact[0] not in SEXES}
    cl = max(count_steps(world, finding) for finding in findings)
    nm, ne = int(any(not each.names_everyone for each in claims)), len(pairs)
    is_vague = problem.type == "vague_entity" or any(each.left.form == "some" for each in claims)
    properties = {"sex" for fact in given if fact[0] in SEXES}
    properties |= {"given_name" for each in claims if "mark" in (each.left.form, each.right.form)}
    return Labels(
        properties=tuple(sorted(properties)),
        relations=tuple(sorted({fact[0] for fact in given if fact[0] not in SEXES} | _relations_of(claims))),
        rules=tuple(sorted(rules)),
        chain_length=cl,
        precision="vague" if is_vague else "precise",
        level=level_of(cl, nm, ne),
        difficulty=CUTS.classify(cl, problem.type, len(problem.options)),
        variables={"cl": cl, "nm": nm, "ne": ne},
    )


def _relations_of(claims: list[Claim]) -> set[str]:
    return {each for claim in claims for each in (*claim.left.chain, claim.relation, *claim.right.chain)}
