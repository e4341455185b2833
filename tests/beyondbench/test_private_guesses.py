"""What an edition's public problems show of its private ones: no more than those of another edition do."""

import random
from collections import Counter, defaultdict

import pytest

from perennial.schemas.ids import canonical_json
from perennial.tasks.beyondbench.registry import TASKS
from tests.beyondbench.test_growing import PLAN, grow

pytestmark = pytest.mark.slow

EDITIONS, SHARE = 2, 0.45
# Draws are slow, and answers so varied that hardly one comes twice: a part of the variations says as much.
HARDLY_REPEATED = ("cryptarithmetic", "logic_grid")
Problems = list[tuple[int, str, str]]  # size, answer, origin


def split(problems: Problems, rng: random.Random) -> tuple[Problems, Counter[tuple[int, str]]]:
    """Return the private problems, and how often each answer is that of a public one."""
    origins = sorted({origin for *_, origin in problems})
    chosen = set(rng.sample(origins, max(1, round(SHARE * len(origins)))))
    public = Counter((size, answer) for size, answer, origin in problems if origin not in chosen)
    return [problem for problem in problems if problem[2] in chosen], public


def test_the_rarest_and_the_commonest_public_answer_are_right_as_often_as_those_of_another_edition() -> None:
    hits: Counter[str] = Counter()
    for task in TASKS.values():
        for variation in task.variations[:: 8 if task.name in HARDLY_REPEATED else 3]:
            editions: list[Problems] = [
                [
                    (draw.problem.size, canonical_json(draw.problem.solutions.reference), draw.problem.origin)
                    for draw in grow(task.name, variation.name, plan=PLAN, seed=seed).drawn.values()
                ]
                for seed in range(EDITIONS)
            ]
            answers: defaultdict[int, set[str]] = defaultdict(set)
            for size, answer, _ in (problem for problems in editions for problem in problems):
                answers[size].add(answer)
            for number, problems in enumerate(editions):
                rng = random.Random(f"{task.name} {variation.name} {number}")
                private, public = split(problems, rng)
                _, elsewhere = split(editions[number - 1], rng)
                for size, answer, _ in private:
                    order = {answer: rng.random() for answer in sorted(answers[size])}
                    for name, counts in (("public", public), ("elsewhere", elsewhere)):
                        rarest = min(order, key=lambda one: (counts[size, one], order[one]))
                        commonest = max(order, key=lambda one: (counts[size, one], order[one]))
                        hits[f"rarest {name}"] += rarest == answer
                        hits[f"commonest {name}"] += commonest == answer
    for kind in ("rarest", "commonest"):
        here, there = hits[f"{kind} public"], hits[f"{kind} elsewhere"]
        assert there > 60
        assert abs(here - there) < 3 * (here + there) ** 0.5, (kind, hits)
