"""Kinship: questions a second on one core, and how many of those drawn are distinct.

By hand: `python -m tests.benchmarks.knowlogic_kinship [NUMBER]` (6,000 if not given): easy, medium and hard
as 1:2:3, the types in turn, each with every number of right options that it has.
"""

import sys
import time
from collections import Counter
from itertools import count

from schemas.ids import canonical_json, derive_rng
from schemas.knowlogic.things import DIFFICULTIES, LANGUAGES, RATIO
from tasks.knowlogic.problem import Problem
from tasks.knowlogic.wording.layout import read_text, write_text
from tests.knowlogic.kinship.kinship_items import kinship, requests, terms


def main() -> None:
    """Draw, decide twice, write and read questions, and print what each step costs."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 6_000
    domain = kinship()
    asked = [each for each in requests() for _ in range(RATIO[each.difficulty]) if each.right]
    problems: list[Problem] = []
    failed: Counter[str] = Counter()
    began = time.process_time()
    for each in count():
        if len(problems) == number:
            break
        request = asked[len(problems) % len(asked)]
        problem = domain.draw(request, derive_rng(0, "benchmark", each))
        if problem is None:
            failed[f"{request.difficulty} {request.type}"] += 1
        else:
            problems.append(problem)
    report("draw", number, began)
    print("draws that failed:", dict(failed.most_common()))
    began = time.process_time()
    forms = {canonical_json(domain.canonical(each)) for each in problems}
    report("canonical form", number, began)
    print(f"distinct: {len(forms):,} of {number:,}")
    statements = {canonical_json([*map(list, sorted(each.statements))]) for each in problems}
    print(f"distinct statement sets with names: {len(statements):,}")
    for name, step in (("decide", domain.decide), ("check", domain.check), ("label", domain.labels)):
        began = time.process_time()
        for problem in problems:
            step(problem)
        report(name, number, began)
    for language in LANGUAGES:
        began = time.process_time()
        for problem in problems:
            read_text(domain, write_text(domain, problem, language), language)
        report(f"write and read ({language})", number, began)
    labels = [domain.labels(each) for each in problems]
    print("classes:", {each: sum(label.difficulty == each for label in labels) for each in DIFFICULTIES})
    print("chain lengths:", sorted(Counter(each.chain_length for each in labels).items()))
    used = {relation for each in labels for relation in each.relations}
    print(f"terms used: {len(used)} of {sum(term.used for term in terms().values())}")


def report(what: str, number: int, began: float) -> None:
    """Print how many a second were done since then."""
    print(f"{what}: {number / (time.process_time() - began):,.0f} a second")


if __name__ == "__main__":
    main()
