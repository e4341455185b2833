"""The labels of a space question (section 3.3 of the paper)."""

from perennial.schemas.knowlogic.things import Labels
from perennial.tasks.knowlogic.arrangement.frame import fewest_statements
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.space.board import facts_of
from perennial.tasks.knowlogic.space.difficulty import CUTS, level
from perennial.tasks.knowlogic.space.reasoning.inference import rules_used


def labels(problem: Problem) -> Labels:
    """Return what is known of a problem beside its text."""
    of, statements, options = facts_of(problem)
    said = {fact.predicate: of.predicates[fact.predicate] for fact in (*statements, *options)}
    named = {place for fact in statements for place in fact.places if place >= 0}
    nm, al = len(problem.entities), int(len(named) < len(problem.entities))
    precise = (
        problem.type.startswith("precise")
        if problem.asked
        else all(of.predicates[fact.predicate].is_precise for fact in options)
    )
    masks = [of.mask(fact) for fact in statements]
    chain = max(fewest_statements(of.frame, masks, of.mask(option)) for option in options)
    return Labels(
        properties=tuple(sorted(name for name, each in said.items() if each.arity == 1)),
        relations=tuple(sorted(name for name, each in said.items() if each.arity > 1)),
        rules=tuple(rules_used(of, statements, options)),
        chain_length=chain,
        precision="precise" if precise else "vague",
        level=level(nm, int(not precise), al),
        difficulty=CUTS.classify(chain, problem.type, len(options)),
        variables={"nm": nm, "pr": int(not precise), "al": al},
    )
