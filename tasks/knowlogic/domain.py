"""What a domain of KnowLogic is made of: the same few functions, whatever it is about.

A domain is built from the tables of the knowledge base (`perennial.schemas.knowlogic.knowledge`) by a
function `build(knowledge)` of its folder; `perennial.tasks.knowlogic.registry` lists them.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from perennial.schemas.knowlogic.things import (
    LETTERS,
    Decision,
    Difficulty,
    DomainName,
    Labels,
    Language,
    QuestionType,
)
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.wording.phrasebook import Phrasebook

# How often three options stand beside 'none of the above' without need.
_NONE = 0.2


@dataclass(frozen=True, slots=True)
class Request:
    """What to draw: a question of this scenario, difficulty and type with so many right options.

    `right` counts right options of the problem's own: 0 asks for 'none of the above' as the right answer.
    `own` is the number of own options: four, or three and 'none of the above'; None leaves it to the domain.
    """

    scenario: str
    difficulty: Difficulty
    type: QuestionType
    right: int
    own: int | None = None

    def count_own(self, rng: random.Random) -> int:
        """Return the number of own options; three, where it is left open, if none is right and at times."""
        if self.own is not None:
            return self.own
        has_none = self.right == 0 or (self.right < len(LETTERS) and rng.random() < _NONE)
        return len(LETTERS) - has_none


@dataclass(frozen=True, slots=True)
class Intro:
    """What an introduction says: scenario, entities in order, and details (`Problem`)."""

    scenario: str
    entities: tuple[str | int, ...]
    details: tuple[str | int, ...] = ()


@dataclass(frozen=True)
class Domain:
    """A domain.

    - `shares`: for each scenario and difficulty, the weight of the domain's questions of that difficulty that
      it gets (weights are compared within a difficulty; a scenario without a weight gets none).
    - `types`: the question types of a scenario, in the order in which they take turns.
    - `draw(request, rng)`: returns a problem that keeps the request: its statements allow one arrangement
      modulo symmetry, every option is decided, no option repeats a statement. None where this draw failed.
    - `decide(problem)`: the first engine; reads what the problem says, in all arrangements.
    - `check(problem)`: the second engine, independent of the first (python-sat).
    - `labels(problem)`: properties, relations, rules, chain length, precision, level.
    - `canonical(problem)`: a JSON value that is equal for problems that differ by renaming, symmetry, order
      of statements or order of options alone.
    - `write_intro(problem, language)`: the introduction with the conventions that a reader needs; one line or
      more, without statements.
    - `read_intro(text, language)`: what it says; raises ValueError for any other text.
    - `phrasebook(scenario, language)`: the sentences of statements and options.
    """

    name: DomainName
    shares: Mapping[str, Mapping[Difficulty, float]]
    types: Callable[[str], tuple[QuestionType, ...]]
    draw: Callable[[Request, random.Random], Problem | None]
    decide: Callable[[Problem], Decision]
    check: Callable[[Problem], Decision]
    labels: Callable[[Problem], Labels]
    canonical: Callable[[Problem], object]
    write_intro: Callable[[Problem, Language], str]
    read_intro: Callable[[str, Language], Intro]
    phrasebook: Callable[[str, Language], Phrasebook]
