"""What is known of a question about times beside its text, and its form without names and orders."""

from perennial.schemas.knowlogic.things import Labels, Proposition
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.time.claims import claim_of
from perennial.tasks.knowlogic.time.difficulty import CUTS, level_of
from perennial.tasks.knowlogic.time.draw import measure
from perennial.tasks.knowlogic.time.proofs import count_steps, prove
from perennial.tasks.knowlogic.time.search import decide
from perennial.tasks.knowlogic.time.tables import Times

# The paper's eight relations, by template.
_RELATIONS = {
    "before": "distance",
    "after": "distance",
    "anchor_before": "distance",
    "anchor_after": "distance",
    "same": "same_time",
    "anchor_same": "same_time",
    "earlier": "before",
    "anchor_earlier": "before",
    "later": "after",
    "anchor_later": "after",
    "gap": "gap",
    "longer": "longer_duration",
    "shorter": "shorter_duration",
    "as_long": "same_duration",
}
_DURATIONS = ("lasts", "longer", "shorter", "as_long")
# Templates that fit several times.
_VAGUE = ("earlier", "later", "anchor_earlier", "anchor_later", "longer", "shorter")


def label(times: Times, problem: Problem) -> Labels:
    """Return properties, relations, rules, chain length, precision and level.

    The chain length is the number of statements that the proof of the hardest option rests on. Vague is a
    question for several events, or one with an option that fits several times, such as 'in an earlier year'.
    """
    verdicts = decide(times, problem).verdicts
    right = verdicts.count(problem.type != "incorrect_statements")
    variables = measure(times, problem, right)
    proofs = prove(times, problem)
    said = (*problem.statements, *problem.options)
    rules: set[str] = set()
    chain_length = count_steps(proofs, problem)
    for option in problem.options:
        claim = claim_of(times, problem.scenario, option)
        try:
            rules |= proofs.rules_for(claim)
        except KeyError:
            # The rules are too weak; all statements together decide it.
            continue
    if any(each.template in _DURATIONS for each in said):
        rules.add("duration_from_start_to_end")
    is_vague = problem.type == "vague_event" or any(each.template in _VAGUE for each in problem.options)
    return Labels(
        properties=_properties_of(times, said),
        relations=tuple(sorted({_RELATIONS[each.template] for each in said if each.template in _RELATIONS})),
        rules=tuple(sorted(rules)),
        chain_length=chain_length,
        precision="vague" if is_vague else "precise",
        level=level_of(variables),
        difficulty=CUTS.classify(chain_length, problem.type, len(problem.options)),
        variables=variables,
    )


def _properties_of(times: Times, said: tuple[Proposition, ...]) -> tuple[str, ...]:
    """Return which of the paper's four properties occur: time of occurrence, start, end, duration."""
    named = {each for one in said for each in one.arguments}
    found = {"time_of_occurrence"}
    found |= {"start" for span in times.spans.values() if span.start in named}
    found |= {"end" for span in times.spans.values() if span.end in named}
    found |= {"duration" for each in said if each.template in _DURATIONS}
    return tuple(sorted(found))


def canonical(times: Times, problem: Problem) -> object:
    """Return a value that is equal for questions that differ by the person, by words or by order alone.

    A week that names no day is left as it is by rotation, for it holds differences only.
    """

    def form(said: Proposition) -> list[object]:
        claim = claim_of(times, problem.scenario, said)
        return [claim.kind, claim.left, claim.right, claim.number]

    asked = problem.asked and [problem.asked.template, *problem.asked.arguments[1:]]
    return [
        problem.scenario,
        problem.type if problem.asked is None else "gap",
        sorted(map(form, problem.statements)),
        asked,
        sorted(map(form, problem.options)),
        problem.has_none,
    ]
