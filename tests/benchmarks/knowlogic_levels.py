"""The sixths of the levels of questions of KnowLogic's domains nature and mix, where any level will do.

By hand: `python -m tests.benchmarks.knowlogic_levels`. The cuts between difficulties were chosen from them.
"""

import random
from collections.abc import Iterator
from statistics import quantiles
from typing import Any

import tasks.knowlogic.mix.drawing as mix_drawing
import tasks.knowlogic.nature.draw as nature_draw
from schemas.knowlogic.things import DIFFICULTIES, RATIO, Difficulty, DomainName, QuestionType
from tasks.knowlogic.difficulty import Cuts
from tasks.knowlogic.domain import Domain, Request
from tasks.knowlogic.registry import find_domain
from warehouse.knowlogic.knowledge import load_knowledge

NAMES: tuple[DomainName, ...] = ("nature", "mix")
FREE = 400


def main() -> None:
    for name in NAMES:
        levels = free_levels(find_domain(name, load_knowledge()))
        sixths = ", ".join(f"{each:.1f}" for each in quantiles(levels, n=6))
        print(f"{name}: levels of {len(levels)} free draws, sixths at {sixths}")


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


def free_levels(domain: Domain) -> list[float]:
    """Return the levels of draws for medium questions of which none was thrown away for its level."""
    module: Any = nature_draw if domain.name == "nature" else mix_drawing
    cuts = module.CUTS
    try:
        module.CUTS = Cuts(0.0, 99.0)
        rng = random.Random(17)
        asked = [each for each in requests(domain, FREE, rng) if each.difficulty == "medium"]
        problems = [problem for each in asked if (problem := domain.draw(each, rng)) is not None]
    finally:
        module.CUTS = cuts
    return [domain.labels(problem).level for problem in problems]


if __name__ == "__main__":
    main()
