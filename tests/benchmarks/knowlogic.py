"""KnowLogic: what drawing, deciding and writing cost on one core, and how many drawn questions are distinct.

By hand: `python -m tests.benchmarks.knowlogic DOMAIN [NUMBER]`: NUMBER questions per scenario (6,000), easy,
medium and hard as 1:2:3. Rates are of this process's CPU time, draws that failed included.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import cycle
from time import process_time
from typing import TypeVar

from perennial.schemas.ids import canonical_json, derive_rng
from perennial.schemas.knowlogic.things import DIFFICULTIES, DOMAINS, LANGUAGES, RATIO
from perennial.tasks.knowlogic.layout import read_text, write_text
from perennial.tasks.knowlogic.problem import Domain, Problem, Request, find_domain, right_letters
from perennial.warehouse.knowlogic.knowledge import load_knowledge

Result = TypeVar("Result")
# Problems that the slowest steps take.
_FEW = 1_000


def main(name: str, number: int) -> None:
    """Measure every scenario of a domain."""
    domain = find_domain(next(each for each in DOMAINS if each == name), load_knowledge())
    for scenario in domain.shares:
        print(f"{scenario}:")
        measure(domain, scenario, number)


def measure(domain: Domain, scenario: str, number: int) -> None:
    """Print what each step costs, and what was drawn."""
    problems = draw(domain, scenario, number)
    few = problems[:_FEW]
    forms = time_each("canonical form", lambda each: canonical_json(domain.canonical(each)), problems)
    decisions = time_each("decide", domain.decide, problems)
    checks = time_each("check", domain.check, few)
    labels = time_each("label", domain.labels, few)
    for language in LANGUAGES:
        time_each(
            f"write and read ({language})",
            lambda each, language=language: read_text(  # type: ignore[misc]
                domain, write_text(domain, each, language), language
            ),
            few,
        )
    statements = {canonical_json([*map(list, sorted(each.statements, key=repr))]) for each in problems}
    letters = map(right_letters, problems, (each.verdicts for each in decisions))
    differ = sum(one != other for one, other in zip(decisions, checks, strict=False))
    print(f"  distinct: {len(set(forms)):,} of {len(problems):,}; sets of statements: {len(statements):,}")
    print(f"  engines differ: {differ} of {len(checks):,}")
    print(f"  chain lengths: {count(each.chain_length for each in labels)}")
    print(f"  right letters: {count(map(len, letters))}")
    print(f"  statements: {sum(len(each.statements) for each in problems) / len(problems):.2f} a question")


def draw(domain: Domain, scenario: str, number: int) -> list[Problem]:
    """Return so many drawn problems, of all requests that the scenario can keep in turn."""
    requests = [
        request
        for type_ in domain.types(scenario)
        for right in range(5)
        for difficulty in DIFFICULTIES
        for request in [Request(scenario, difficulty, type_, right)] * RATIO[difficulty]
        if is_kept(domain, request)
    ]
    problems: list[Problem] = []
    began, tries = process_time(), 0
    for request in cycle(requests):
        if len(problems) == number:
            break
        if problem := domain.draw(request, derive_rng(0, scenario, tries)):
            problems.append(problem)
        tries += 1
    report("draw", number, began)
    print(f"  draws that failed: {tries - number:,}")
    return problems


def is_kept(domain: Domain, request: Request) -> bool:
    """Whether some of a few draws give what is asked for."""
    trials = (domain.draw(request, derive_rng(number, "trial", 0)) for number in range(5))
    return any(problem is not None and (request.right or problem.has_none) for problem in trials)


def time_each(step: str, do: Callable[[Problem], Result], problems: list[Problem]) -> list[Result]:
    """Return what a step gives for each problem, and print its rate."""
    began = process_time()
    results = [do(problem) for problem in problems]
    report(step, len(problems), began)
    return results


def count(values: Iterable[int]) -> dict[int, int]:
    """Return how often each value is there."""
    return dict(sorted(Counter(values).items()))


def report(step: str, number: int, began: float) -> None:
    """Print how many were done per second since then."""
    print(f"  {step}: {number / (process_time() - began):,.0f} a second")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 6_000)
