"""A domain whose scenarios are those of several parts, each a domain of its own."""

from perennial.schemas.knowlogic.things import DomainName, Language
from perennial.tasks.knowlogic.domain import Domain, Intro


def join_domains(name: DomainName, *parts: Domain) -> Domain:
    """Return a domain that hands each scenario to the part that has it (no scenario is in two parts)."""
    part_of = {scenario: part for part in parts for scenario in part.shares}

    def read_intro(text: str, language: Language) -> Intro:
        for part in parts:
            try:
                return part.read_intro(text, language)
            except ValueError:
                continue
        raise ValueError("the introduction is that of no scenario")

    return Domain(
        name,
        {scenario: shares for part in parts for scenario, shares in part.shares.items()},
        types=lambda scenario: part_of[scenario].types(scenario),
        draw=lambda request, rng: part_of[request.scenario].draw(request, rng),
        decide=lambda problem: part_of[problem.scenario].decide(problem),
        check=lambda problem: part_of[problem.scenario].check(problem),
        labels=lambda problem: part_of[problem.scenario].labels(problem),
        canonical=lambda problem: part_of[problem.scenario].canonical(problem),
        write_intro=lambda problem, language: part_of[problem.scenario].write_intro(problem, language),
        read_intro=read_intro,
        phrasebook=lambda scenario, language: part_of[scenario].phrasebook(scenario, language),
    )
