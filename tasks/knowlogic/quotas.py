"""How many questions of each scenario, difficulty, type and set of right letters an edition holds."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, TypeVar

from perennial.schemas.knowlogic.things import DIFFICULTIES, LETTERS, RATIO, Difficulty, QuestionType
from perennial.tasks.knowlogic.answers import letter_sets
from perennial.tasks.knowlogic.domain import Domain

K = TypeVar("K")

# Turns of a type of statements and of a vague gap for one of a precise gap. With them the best guess from the
# form alone is right in less than one of twelve: statements have 15 sets of letters, a precise gap has 4.
_STATEMENTS, _GAPS = 20, 5


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


class Answer(NamedTuple):
    """The right letters of a question, and how many options it has beside 'none of the above'."""

    letters: str
    own: int

    @property
    def right(self) -> int:
        """How many of its own options are right."""
        return sum(letter in LETTERS[: self.own] for letter in self.letters)


@lru_cache
def list_answers(type_: QuestionType) -> tuple[Answer, ...]:
    """Return the answers that questions of a type may have; of a gap, with three own options too."""
    four, three = len(LETTERS), len(LETTERS) - 1
    found = [Answer(letters, four) for letters in letter_sets(four)]
    if not type_.endswith("statements"):
        found += [Answer(letters, three) for letters in [*letter_sets(three), LETTERS[three]]]
    return tuple(each for each in found if each.right <= 1 or not is_precise(type_))


def weigh_type(type_: QuestionType) -> int:
    """Return how often a type has its turn: an answer to a precise question is guessed once in four."""
    return 1 if is_precise(type_) else _GAPS if type_.startswith("vague") else _STATEMENTS


@dataclass
class Quotas:
    """What is to be drawn next of a scenario.

    Types take turns by their weights in each difficulty. Of a type every answer is as likely as another one
    (with three own options, half as likely), as far as the scenario has it: neither the form of a question
    nor the number of its right letters gives an answer away. Each question's is drawn for itself: if they
    were dealt from a deck, those that are rarest among public questions would be right of private ones.
    """

    types: Sequence[QuestionType]
    rng: random.Random
    starts: dict[QuestionType, float] = field(init=False)
    turns: Counter[tuple[Difficulty, QuestionType]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.starts = {type_: self.rng.random() for type_ in self.types}

    def choices(self, difficulty: Difficulty) -> list[tuple[QuestionType, Answer]]:
        """Return types and answers to try for the next question, the wanted one first."""
        turns = sorted(self.types, key=lambda type_: self._count_turns(difficulty, type_))
        return [(type_, answer) for type_ in turns for answer in self._draw_answers(type_)]

    def add(self, difficulty: Difficulty, type_: QuestionType) -> None:
        """Count a problem that was drawn."""
        self.turns[difficulty, type_] += 1

    def _count_turns(self, difficulty: Difficulty, type_: QuestionType) -> float:
        # What starts between two turns is drawn: else a few questions would always have the same types.
        return (self.turns[difficulty, type_] + self.starts[type_]) / weigh_type(type_)

    def _draw_answers(self, type_: QuestionType) -> list[Answer]:
        def draw(answer: Answer) -> float:
            is_rare = answer.own < len(LETTERS) and not is_precise(type_)
            return self.rng.expovariate(0.5 if is_rare else 1)

        return sorted(list_answers(type_), key=draw)
