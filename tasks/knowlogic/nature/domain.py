"""The domain nature, built from its tables and sentences."""

import random

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.knowledge import Knowledge
from perennial.schemas.knowlogic.things import Language, QuestionType
from perennial.tasks.knowlogic.domain import Domain, Intro, Request
from perennial.tasks.knowlogic.nature.draw import Drawer
from perennial.tasks.knowlogic.nature.facts import FactMaker
from perennial.tasks.knowlogic.nature.judge import Judge
from perennial.tasks.knowlogic.nature.meaning import read_meanings
from perennial.tasks.knowlogic.nature.questions import GapMaker
from perennial.tasks.knowlogic.nature.scenarios import SCENARIOS, Choice
from perennial.tasks.knowlogic.nature.tables import read_nature
from perennial.tasks.knowlogic.nature.wording import Wording
from perennial.tasks.knowlogic.problem import Problem

TYPES: tuple[QuestionType, ...] = (
    "correct_statements",
    "precise_entity",
    "vague_slot",
    "incorrect_statements",
    "precise_slot",
    "vague_entity",
)


def build(knowledge: Knowledge) -> Domain:
    """Return the domain; raise KeyError where a table of nature is missing."""
    nature, sentences = read_nature(knowledge), load_sentences("nature")
    meanings = read_meanings(sentences, nature)
    judge, facts, gaps = Judge(nature, meanings), FactMaker(meanings), GapMaker(meanings)
    choices = {scenario.name: Choice(scenario, nature) for scenario in SCENARIOS}
    drawers = {name: Drawer(choice, meanings, facts, gaps) for name, choice in choices.items()}
    wordings = {
        scenario.name: Wording(sentences, meanings, nature, scenario.name, scenario.kinds)
        for scenario in SCENARIOS
    }

    def draw(request: Request, rng: random.Random) -> Problem | None:
        return drawers[request.scenario].draw(request, rng)

    def read_intro(text: str, language: Language) -> Intro:
        for wording in wordings.values():
            if wording.is_of(text, language):
                return wording.read_intro(text, language)
        raise ValueError("the introduction is that of no scenario")

    return Domain(
        "nature",
        {name: {"easy": 1, "medium": 1, "hard": 1} for name in choices},
        types=lambda scenario: TYPES,
        draw=draw,
        decide=judge.decide,
        check=judge.check,
        labels=judge.labels,
        canonical=judge.canonical,
        write_intro=lambda problem, language: wordings[problem.scenario].write_intro(
            problem.entities, problem.details, language
        ),
        read_intro=read_intro,
        phrasebook=lambda scenario, language: wordings[scenario].books[language],
    )
