"""Freshly drawn questions of KnowLogic, in both languages."""

from dataclasses import replace

from perennial.schemas.knowlogic.things import LANGUAGES, DomainName, Question
from perennial.tasks.knowlogic.growing import ScenarioRequest, grow_scenario, plan_scenarios
from perennial.tasks.knowlogic.problem import find_domain
from perennial.warehouse.knowlogic.knowledge import load_knowledge


def draw(name: DomainName, questions: int, seed: int, only: str = "") -> list[Question]:
    """Return freshly drawn questions of a domain in both languages, of types that end with `only`."""
    whole = find_domain(name, load_knowledge())
    domain = replace(
        whole, types=lambda scenario: tuple(t for t in whole.types(scenario) if t.endswith(only))
    )
    found: list[Question] = []
    for scenario, counts in plan_scenarios(domain, questions).items():
        grown = grow_scenario(ScenarioRequest(domain, scenario, counts, LANGUAGES, seed))
        found += [question for of in grown.drawn.values() for question in of]
    return found
