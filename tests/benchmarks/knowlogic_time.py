"""Time: questions a second on one core, and distinct ones of those drawn, for each scenario.

`python -m tests.benchmarks.knowlogic_time [NUMBER]` (6,000 if not given): easy, medium and hard as 1:2:3.
"""

import sys
import time
from collections import Counter
from itertools import count

from schemas.ids import canonical_json, derive_rng
from schemas.knowlogic.things import DIFFICULTIES, LANGUAGES, LETTERS, RATIO
from tasks.knowlogic.domain import Domain, Request
from tasks.knowlogic.problem import Problem
from tasks.knowlogic.time.domain import TYPES
from tasks.knowlogic.wording.layout import read_text, write_text
from tests.knowlogic.time.time_items import domain

# Problems that the second engine, the slowest step, decides too.
_CHECKED = 1_000


def main() -> None:
    """Measure both scenarios."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 6_000
    for scenario in domain().shares:
        print(f"scenario {scenario}")
        measure(domain(), scenario, number)


def measure(of: Domain, scenario: str, number: int) -> None:
    """Draw, decide twice, write and read questions, and print what each step costs."""
    turns = [each for each in DIFFICULTIES for _ in range(RATIO[each])]
    problems: list[Problem] = []
    failed, began = 0, time.process_time()
    for each in count():
        if len(problems) == number:
            break
        type_ = TYPES[each % len(TYPES)]
        right = 1 if type_.startswith("precise") else 1 + each // len(TYPES) % len(LETTERS)
        request = Request(scenario, turns[each // 7 % len(turns)], type_, right)
        problem = of.draw(request, derive_rng(0, scenario, each))
        if problem is None:
            failed += 1
        else:
            problems.append(problem)
    report("draw, with requests that cannot be met", number, began)
    print(f"draws that failed: {failed}")
    began = time.process_time()
    forms = {canonical_json(of.canonical(each)) for each in problems}
    report("canonical form", number, began)
    print(f"distinct: {len(forms):,} of {number:,}")
    began = time.process_time()
    decisions = [of.decide(each) for each in problems]
    report("decide", number, began)
    checked = problems[:_CHECKED]
    began = time.process_time()
    differ = sum(of.check(each) != decision for each, decision in zip(checked, decisions, strict=False))
    report("check", len(checked), began)
    print(f"engines differ: {differ} of {len(checked):,}")
    began = time.process_time()
    labels = [of.labels(each) for each in problems]
    report("label", number, began)
    for language in LANGUAGES:
        began = time.process_time()
        for problem in problems:
            read_text(of, write_text(of, problem, language), language)
        report(f"write and read ({language})", number, began)
    print("chain lengths:", sorted(Counter(each.chain_length for each in labels).items()))
    print("difficulties:", sorted(Counter(each.difficulty for each in labels).items()))


def report(what: str, number: int, began: float) -> None:
    """Print how many a second were done since then."""
    print(f"{what}: {number / (time.process_time() - began):,.0f} a second")


if __name__ == "__main__":
    main()
