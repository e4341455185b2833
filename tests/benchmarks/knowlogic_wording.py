"""Faults that a machine finds in the words of freshly drawn questions of KnowLogic, in both languages.

By hand: `python -m tests.benchmarks.knowlogic_wording [QUESTIONS] [SEED]`, questions per domain (2,000).
"""

import sys
from collections import Counter
from dataclasses import replace

from perennial.schemas.knowlogic.things import DOMAINS, LANGUAGES, DomainName, Question
from perennial.tasks.knowlogic.growing import ScenarioRequest, grow_scenario, plan_scenarios
from perennial.tasks.knowlogic.problem import find_domain
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.knowlogic.wording_checks import find_faults, find_missing_referents

QUESTIONS, SEED = 2000, 20261124


def main(arguments: list[str]) -> None:
    """Print the number of texts, faults by what they are, and options about nothing, by domain."""
    questions, seed = (*map(int, arguments), *(QUESTIONS, SEED)[len(arguments) :])
    for name in DOMAINS:
        drawn = draw(name, questions, seed)
        faults: Counter[str] = Counter()
        missing = 0
        for question in drawn:
            faults.update(
                f"{question.language}: {each}" for each in find_faults(question.prompt, question.language)
            )
            missing += bool(find_missing_referents(question))
        print(
            f"{name}: {len(drawn):,} texts, {sum(faults.values())} faults, {missing} about nothing",
            flush=True,
        )
        for fault, number in faults.most_common(40):
            print(f"    {number} {fault}", flush=True)


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


if __name__ == "__main__":
    main(sys.argv[1:])
