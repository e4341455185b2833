"""The domain mix, built from the tables of nature and the sentences of shelves."""

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.knowledge import Knowledge
from perennial.schemas.knowlogic.things import QuestionType
from perennial.tasks.knowlogic.domain import Domain
from perennial.tasks.knowlogic.mix.descriptions import Descriptions
from perennial.tasks.knowlogic.mix.drawing import Drawer
from perennial.tasks.knowlogic.mix.judge import Judge
from perennial.tasks.knowlogic.mix.wording import SCENARIOS, Wording
from perennial.tasks.knowlogic.nature.tables import read_nature

TYPES: tuple[QuestionType, ...] = (
    "correct_statements",
    "precise_entity",
    "incorrect_statements",
    "vague_entity",
)


def build(knowledge: Knowledge) -> Domain:
    """Return the domain; raise KeyError where a table of nature is missing."""
    descriptions = Descriptions(read_nature(knowledge), load_sentences("mix"))
    judge, wording = Judge(descriptions), Wording(descriptions)
    return Domain(
        "mix",
        {scenario: {"easy": 1, "medium": 1, "hard": 1} for scenario in SCENARIOS},
        types=lambda scenario: TYPES,
        draw=Drawer(descriptions).draw,
        decide=judge.decide,
        check=judge.check,
        labels=judge.labels,
        canonical=judge.canonical,
        write_intro=wording.write_intro,
        read_intro=wording.read_intro,
        phrasebook=lambda scenario, language: wording.books[scenario, language],
    )
