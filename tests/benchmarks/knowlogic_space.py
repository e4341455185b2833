"""Space questions of KnowLogic: how many are drawn a second, how long labels take, how many differ.

python -m tests.benchmarks.knowlogic_space [--questions 6000]

Rates are of one process's CPU time, draws that failed included; a question has no text and no labels yet.
Requests take turns over difficulties, types and numbers of right options that the scenario can keep.
"""

import argparse
import time
from collections import Counter
from itertools import cycle

from schemas.ids import canonical_json, derive_rng
from schemas.knowlogic.things import DIFFICULTIES
from tasks.knowlogic.domain import Domain, Request
from tasks.knowlogic.problem import Problem
from tasks.knowlogic.space.domain import build
from warehouse.knowlogic.knowledge import load_knowledge

_LABELLED = 300


def main() -> None:
    """Print a line a scenario."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=6_000)
    questions = parser.parse_args().questions
    space = build(load_knowledge())
    heads = f"{'scenario':12}{'drawn/s':>9}{'failed':>8}{'distinct':>10}{'statements':>12}"
    print(f"{heads}{'labels ms':>11}  chain")
    for scenario in space.shares:
        print_scenario(space, scenario, questions)


def print_scenario(space: Domain, scenario: str, questions: int) -> None:
    """Print rate, failures, distinct forms, statements a question, time of labels, chain lengths."""
    requests = [each for each in _requests(space, scenario) if _is_kept(space, each)]
    drawn: list[Problem] = []
    tries, begun = 0, time.process_time()
    for request in cycle(requests):
        problem = space.draw(request, derive_rng(tries, scenario, 0))
        tries += 1
        if problem is not None:
            drawn.append(problem)
        if len(drawn) == questions:
            break
    rate = len(drawn) / (time.process_time() - begun)
    distinct = len({canonical_json(space.canonical(each)) for each in drawn})
    statements = sum(len(each.statements) for each in drawn) / len(drawn)
    begun = time.process_time()
    chains = Counter(space.labels(each).chain_length for each in drawn[:_LABELLED])
    labels = (time.process_time() - begun) / _LABELLED * 1000
    print(
        f"{scenario:12}{rate:9.0f}{tries - len(drawn):8}{distinct:10}{statements:12.2f}{labels:11.2f}"
        f"  {dict(sorted(chains.items()))}"
    )


def _requests(space: Domain, scenario: str) -> list[Request]:
    return [
        Request(scenario, difficulty, type_, right)
        for difficulty in DIFFICULTIES
        for type_ in space.types(scenario)
        for right in range(5)
    ]


def _is_kept(space: Domain, request: Request) -> bool:
    return any(space.draw(request, derive_rng(number, "trial", 0)) for number in range(5))


if __name__ == "__main__":
    main()
