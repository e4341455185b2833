"""How many questions of each scenario, difficulty, type and number of right letters an edition holds."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from schemas.knowlogic.things import DIFFICULTIES, LETTERS, RATIO, Difficulty, QuestionType
from tasks.knowlogic.domain import Domain
from tasks.knowlogic.problem import Problem

K = TypeVar("K")

# Of the questions with three options of their own, every so manieth has none that is right.
NONE_EVERY = 8


def split_total(total: int, weights: Mapping[K, float]) -> dict[K, int]:
    """Return whole numbers that add up to the total, by largest remainders; ties in the weights' order."""
    whole = sum(weights.values())
    if not whole:
        return dict.fromkeys(weights, 0)
    exact = {key: total * weight / whole for key, weight in weights.items()}
    found = {key: int(value + 1e-9) for key, value in exact.items()}
    order = sorted(exact, key=lambda key: found[key] - exact[key])
    for key in order[: total - sum(found.values())]:
        found[key] += 1
    return found


def plan_scenarios(domain: Domain, questions: int) -> dict[str, dict[Difficulty, int]]:
    """Return how many questions of each difficulty each scenario has: easy, medium, hard as 1:2:3."""
    counts: dict[str, dict[Difficulty, int]] = {scenario: {} for scenario in domain.shares}
    for difficulty, number in split_total(questions, RATIO).items():
        weights = {scenario: shares.get(difficulty, 0.0) for scenario, shares in domain.shares.items()}
        for scenario, share in split_total(number, weights).items():
            if share:
                counts[scenario][difficulty] = share
    return {
        scenario: {each: of[each] for each in DIFFICULTIES if each in of}
        for scenario, of in counts.items()
        if of
    }


def is_precise(type_: QuestionType) -> bool:
    """Whether exactly one choice fits what questions of this type ask for."""
    return type_.startswith("precise")


@dataclass
class Quotas:
    """What was drawn of a scenario so far, and what is to be drawn next.

    Types take turns. Of each type the numbers of right letters stay as even as it allows; of the questions
    with three options of their own, about one in eight has none that is right. Ties are broken by an order
    that the scenario's generator draws, so that small editions do not all begin alike.
    """

    types: Sequence[QuestionType]
    rng: random.Random
    turn: int = field(init=False)
    order: list[int] = field(init=False)
    with_none: Counter[QuestionType] = field(init=False)
    drawn: Counter[tuple[QuestionType, int]] = field(default_factory=Counter)
    own_options: dict[QuestionType, set[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.turn = self.rng.randrange(len(self.types))
        self.order = self.rng.sample(range(1, len(LETTERS) + 1), len(LETTERS))
        # Each type begins anywhere in its first eight: editions of a few questions have their share too.
        self.with_none = Counter({type_: self.rng.randrange(NONE_EVERY) for type_ in self.types})

    def choices(self) -> list[tuple[QuestionType, int]]:
        """Return types and numbers of right options to try for the next question, the wanted one first."""
        start = self.turn % len(self.types)
        turns = [*self.types[start:], *self.types[:start]]
        return [(type_, right) for type_ in turns for right in self._numbers(type_)]

    def add(self, problem: Problem, right: int) -> None:
        """Count a problem that was drawn; the next type has its turn."""
        self.drawn[problem.type, right] += 1
        self.own_options.setdefault(problem.type, set()).add(len(problem.options))
        self.with_none[problem.type] += problem.has_none
        self.turn = self.types.index(problem.type) + 1

    def _numbers(self, type_: QuestionType) -> list[int]:
        # Types that were not drawn yet may have three options or four.
        most = max(self.own_options.get(type_, {len(LETTERS)}))
        numbers = [1] if is_precise(type_) else [number for number in self.order if number <= most]
        numbers.sort(key=lambda number: self.drawn[type_, number])
        if min(self.own_options.get(type_, {0})) == len(LETTERS):
            return numbers
        is_due = self.drawn[type_, 0] < (self.with_none[type_] + 1) // NONE_EVERY
        return [0, *numbers] if is_due else [*numbers, 0]
