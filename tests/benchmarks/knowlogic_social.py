"""General social relations: questions a second on one core, and distinct ones of those drawn.

`python -m tests.benchmarks.knowlogic_social [NUMBER]` (6,000 if not given): easy, medium and hard as 1:2:3.
"""

import sys
import time
from collections import Counter
from itertools import count

from schemas.ids import canonical_json, derive_rng
from schemas.knowlogic.things import DIFFICULTIES, LANGUAGES, LETTERS, RATIO
from tasks.knowlogic.domain import Request
from tasks.knowlogic.problem import Problem
from tasks.knowlogic.social.domain import TYPES
from tasks.knowlogic.social.text import SCENARIO
from tasks.knowlogic.wording.layout import read_text, write_text
from tests.knowlogic.social.social_items import general


def main() -> None:
    """Draw, decide twice, write and read questions, and print what each step costs."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 6_000
    domain, turns = general(), [each for each in DIFFICULTIES for _ in range(RATIO[each])]
    problems: list[Problem] = []
    failed, began = 0, time.process_time()
    for each in count():
        if len(problems) == number:
            break
        type_ = TYPES[each % len(TYPES)]
        right = 1 if type_ == "precise_entity" else 1 + each // len(TYPES) % len(LETTERS)
        request = Request(SCENARIO, turns[each % len(turns)], type_, right)
        problem = domain.draw(request, derive_rng(0, "benchmark", each))
        if problem is None:
            failed += 1
        else:
            problems.append(problem)
    report("draw", number, began)
    print(f"draws that failed: {failed}")
    began = time.process_time()
    forms = {canonical_json(domain.canonical(each)) for each in problems}
    report("canonical form", number, began)
    print(f"distinct: {len(forms):,} of {number:,}")
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
    print("chain lengths:", sorted(Counter(each.chain_length for each in labels).items()))
    print("relations used:", len({relation for each in labels for relation in each.relations}))


def report(what: str, number: int, began: float) -> None:
    """Print how many a second were done since then."""
    print(f"{what}: {number / (time.process_time() - began):,.0f} a second")


if __name__ == "__main__":
    main()
