"""Speed and variety of KnowLogic's domains nature and mix.

Run by hand: `python -m tests.benchmarks.knowlogic_nature [COUNT]`: COUNT questions a domain (6,000), in the
ratio 1:2:3 of difficulties, scenarios and types in turn. One core; CPU seconds of this process, beside the
machine's load. For each domain also the sixths of the levels of the questions that are drawn when any level
will do, from which the cuts were chosen.
"""

import os
import random
import sys
from collections import Counter
from collections.abc import Iterator
from statistics import quantiles
from time import process_time
from typing import Any

import tasks.knowlogic.mix.drawing as mix_drawing
import tasks.knowlogic.nature.draw as nature_draw
from schemas.knowlogic.things import DIFFICULTIES, LETTERS, RATIO, Difficulty, DomainName, QuestionType
from tasks.knowlogic.difficulty import Cuts
from tasks.knowlogic.domain import Domain, Request
from tasks.knowlogic.problem import Problem, right_letters
from tasks.knowlogic.registry import find_domain
from tasks.knowlogic.wording.layout import write_text
from warehouse.knowlogic.knowledge import load_knowledge

NAMES: tuple[DomainName, ...] = ("nature", "mix")
FREE = 400


def main(count: int) -> None:
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"load {load} on {os.cpu_count()} cores")
    for name in NAMES:
        domain = find_domain(name, load_knowledge())
        measure(domain, count)
        levels = free_levels(domain)
        sixths = ", ".join(f"{each:.1f}" for each in quantiles(levels, n=6))
        print(f"  levels of {len(levels)} free draws, sixths at {sixths}")


def measure(domain: Domain, count: int) -> None:
    """Print the rate of draws and of texts, how many requests failed, and how many questions differ."""
    rng = random.Random(16)
    begun = process_time()
    drawn = [domain.draw(request, rng) for request in requests(domain, count, rng)]
    seconds = process_time() - begun
    made = [problem for problem in drawn if problem is not None]
    print(f"{domain.name}: {len(made)} of {count} requests, {len(made) / seconds:,.0f} questions a second")
    begun = process_time()
    for problem in made:
        write_text(domain, problem, "en")
    print(f"  {len(made) / (process_time() - begun):,.0f} English texts a second")
    forms = {repr(domain.canonical(problem)) for problem in made}
    sets = {repr(sorted(problem.statements, key=repr)) + repr(sorted(problem.entities)) for problem in made}
    print(f"  {len(forms)} distinct of {len(made)}, {len(sets)} distinct sets of statements")
    print(f"  letters {letters_of(domain, made)}; statements {mean_statements(made):.2f} a question")


def requests(domain: Domain, count: int, rng: random.Random) -> Iterator[Request]:
    """Yield requests in the ratio of difficulties, with a number of right options that the type can have."""
    turns: list[Difficulty] = [each for each in DIFFICULTIES for _ in range(RATIO[each])]
    scenarios = list(domain.shares)
    for number in range(count):
        scenario = scenarios[number % len(scenarios)]
        types = domain.types(scenario)
        type_ = types[number // len(scenarios) % len(types)]
        yield Request(scenario, turns[number // 7 % len(turns)], type_, rng.choice(rights(domain, type_)))


def rights(domain: Domain, type_: QuestionType) -> tuple[int, ...]:
    """Return the numbers of right options that questions of a type can have."""
    if type_.endswith("statements"):
        return (1, 2, 3, 4)
    if domain.name == "mix":
        return (0, 1) if type_.startswith("precise") else (0, 1, 2, 3)
    return (1,) if type_.startswith("precise") else (2, 3)


def letters_of(domain: Domain, made: list[Problem]) -> dict[int, int]:
    """Return how many questions have so many right letters."""
    found = Counter(len(right_letters(each, domain.decide(each).verdicts)) for each in made)
    return {number: found[number] for number in range(1, len(LETTERS) + 1)}


def mean_statements(made: list[Problem]) -> float:
    """Return the mean number of statements."""
    return sum(len(each.statements) for each in made) / len(made)


def free_levels(domain: Domain) -> list[float]:
    """Return the levels of draws for medium questions of which none was thrown away for its level."""
    module: Any = nature_draw if domain.name == "nature" else mix_drawing
    cuts = module.CUTS
    try:
        module.CUTS = Cuts(0.0, 99.0)
        rng = random.Random(17)
        asked = [each for each in requests(domain, FREE, rng) if each.difficulty == "medium"]
        made = [problem for each in asked if (problem := domain.draw(each, rng)) is not None]
    finally:
        module.CUTS = cuts
    return [domain.labels(problem).level for problem in made]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 6_000)
