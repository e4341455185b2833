"""Domain time: a week and a life (section 2.1 and Appendix C of the paper)."""

from functools import partial

from perennial.schemas.knowlogic.knowledge import Knowledge
from perennial.schemas.knowlogic.things import DIFFICULTIES, LANGUAGES, QuestionType
from perennial.tasks.knowlogic.domain import Domain
from perennial.tasks.knowlogic.joined import join_domains
from perennial.tasks.knowlogic.people import read_people
from perennial.tasks.knowlogic.time.claims import LIFE, WEEK
from perennial.tasks.knowlogic.time.draw import draw
from perennial.tasks.knowlogic.time.labels import canonical, label
from perennial.tasks.knowlogic.time.search import decide
from perennial.tasks.knowlogic.time.solver import check
from perennial.tasks.knowlogic.time.tables import read_times
from perennial.tasks.knowlogic.time.text import make_phrasebook, read_intro, write_intro

TYPES: tuple[QuestionType, ...] = (
    "correct_statements",
    "precise_event",
    "incorrect_statements",
    "vague_event",
    "precise_slot",
)


def build(knowledge: Knowledge) -> Domain:
    """Return the domain of the knowledge base: a life and a week joined."""
    return join_domains("time", build_scenario(knowledge, LIFE), build_scenario(knowledge, WEEK))


def build_scenario(knowledge: Knowledge, scenario: str) -> Domain:
    """Return the domain of one scenario."""
    times, people = read_times(knowledge), read_people(knowledge)
    books = {language: make_phrasebook(times, people, scenario, language) for language in LANGUAGES}
    return Domain(
        "time",
        {scenario: dict.fromkeys(DIFFICULTIES, 1.0)},
        types=lambda _: TYPES,
        draw=partial(draw, times, people),
        decide=partial(decide, times),
        check=partial(check, times),
        labels=partial(label, times),
        canonical=partial(canonical, times),
        write_intro=partial(write_intro, people),
        read_intro=partial(read_intro, people, scenario),
        phrasebook=lambda _, language: books[language],
    )
