"""The domain space: scenarios, question types, and how the questions of a difficulty are shared out."""

from collections.abc import Mapping

from perennial.schemas.knowlogic.knowledge import Knowledge
from perennial.schemas.knowlogic.things import DIFFICULTIES, LETTERS, Difficulty, QuestionType
from perennial.tasks.knowlogic.domain import Domain
from perennial.tasks.knowlogic.space.board import canonical, check, decide
from perennial.tasks.knowlogic.space.drawing import draw
from perennial.tasks.knowlogic.space.geometry import SCENES
from perennial.tasks.knowlogic.space.labels import labels
from perennial.tasks.knowlogic.space.wording import read_wording

_TYPES: tuple[QuestionType, ...] = (
    "correct_statements",
    "incorrect_statements",
    "precise_entity",
    "vague_entity",
)
_SLOT_TYPES: tuple[QuestionType, ...] = ("precise_slot", "vague_slot")


def types(scenario: str) -> tuple[QuestionType, ...]:
    """Return the question types of a scenario: of slots only where slots have names."""
    return _TYPES + (_SLOT_TYPES if SCENES[scenario].has_slot_questions else ())


def _shares() -> Mapping[str, Mapping[Difficulty, float]]:
    """Return the weights: four slots have few different questions, and hardly a chain of four steps."""
    four: dict[Difficulty, float] = {"easy": 0.5, "medium": 0.25}
    six: dict[Difficulty, float] = dict.fromkeys(DIFFICULTIES, 1.0)
    return {scenario: six if scene.size > len(LETTERS) else four for scenario, scene in SCENES.items()}


def build(knowledge: Knowledge) -> Domain:
    """Return the domain space."""
    wording = read_wording(knowledge)
    return Domain(
        "space",
        _shares(),
        types=types,
        draw=lambda request, rng: draw(request, rng, wording.cast),
        decide=decide,
        check=check,
        labels=labels,
        canonical=canonical,
        write_intro=wording.write_intro,
        read_intro=wording.read_intro,
        phrasebook=wording.book,
    )
