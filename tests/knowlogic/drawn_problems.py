"""One problem of each request that a scenario can keep: drawn once for all tests of the domains."""

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from perennial.schemas.ids import derive_rng
from perennial.schemas.knowlogic.things import DOMAINS, LANGUAGES, Argument, DomainName, Proposition, Question
from perennial.tasks.knowlogic.growing import ScenarioRequest, grow_scenario, list_answers, plan_scenarios
from perennial.tasks.knowlogic.problem import Domain, Problem, Request, find_domain
from perennial.warehouse.knowlogic.knowledge import load_knowledge

Drawn = tuple[tuple[Request, Problem], ...]


def domain_of(name: DomainName) -> Domain:
    return find_domain(name, load_knowledge())


SCENARIOS = [(name, scenario) for name in DOMAINS for scenario in domain_of(name).shares]


def list_requests(name: DomainName, scenario: str) -> Iterator[Request]:
    """What an edition may ask of a scenario: each difficulty, type and number of right and of own options."""
    for difficulty, share in domain_of(name).shares[scenario].items():
        for type_ in domain_of(name).types(scenario) if share else ():
            for right, own in sorted({(each.right, each.option_count) for each in list_answers(type_)}):
                yield Request(scenario, difficulty, type_, right, own)


@cache
def drawn(name: DomainName, scenario: str) -> Drawn:
    """The first problem of each request in so many draws; growing draws a hundred times."""
    found = []
    for request in list_requests(name, scenario):
        rngs = (derive_rng(number, f"test/{request}", 0) for number in range(40))
        problem = next(filter(None, (domain_of(name).draw(request, rng) for rng in rngs)), None)
        if problem is not None:
            found.append((request, problem))
    return tuple(found)


def say(template: str, *arguments: Argument) -> Proposition:
    return Proposition(template, arguments)


def drop_first(problem: Problem) -> Problem:
    return replace(problem, statements=problem.statements[1:])


def reorder(problem: Problem, rng: random.Random, new_names: dict[Argument, Argument]) -> Problem:
    """The problem with every list in another order, and with other names for what is arranged."""

    def rename(said: Proposition) -> Proposition:
        return Proposition(said.template, tuple(new_names.get(each, each) for each in said.arguments))

    def shuffle(said: tuple[Proposition, ...]) -> tuple[Proposition, ...]:
        return tuple(map(rename, rng.sample(said, len(said))))

    return replace(
        problem,
        entities=tuple(
            new_names.get(each, each) for each in rng.sample(problem.entities, len(problem.entities))
        ),
        details=tuple(new_names.get(each, each) for each in problem.details),
        statements=shuffle(problem.statements),
        asked=problem.asked and rename(problem.asked),
        options=shuffle(problem.options),
    )


# Freshly drawn questions of KnowLogic, in both languages.


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
