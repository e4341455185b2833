"""Domain social: general relations, kinship and surnames (section 2.1 and Appendix C of the paper)."""

from perennial.schemas.knowlogic.knowledge import Knowledge
from perennial.schemas.knowlogic.things import LANGUAGES
from perennial.tasks.knowlogic.domain import Domain
from perennial.tasks.knowlogic.joined import join_domains
from perennial.tasks.knowlogic.kinship import domain as kinship
from perennial.tasks.knowlogic.people import read_people
from perennial.tasks.knowlogic.social.canonical import canonical
from perennial.tasks.knowlogic.social.decide import decide
from perennial.tasks.knowlogic.social.draw import draw
from perennial.tasks.knowlogic.social.labels import label
from perennial.tasks.knowlogic.social.relations import read_relations
from perennial.tasks.knowlogic.social.solver import check
from perennial.tasks.knowlogic.social.text import SCENARIO, make_phrasebook, read_intro, write_intro
from perennial.tasks.knowlogic.surnames import domain as surnames

TYPES = kinship.TYPES


def build(knowledge: Knowledge) -> Domain:
    """Return the domain of the knowledge base: its scenarios joined."""
    return join_domains(
        "social", build_general(knowledge), kinship.build(knowledge), surnames.build(knowledge)
    )


def build_general(knowledge: Knowledge) -> Domain:
    """Return the scenario of general relations."""
    relations, people = read_relations(knowledge), read_people(knowledge)
    books = {language: make_phrasebook(relations, people, language) for language in LANGUAGES}
    return Domain(
        "social",
        {SCENARIO: {"easy": 1.0, "medium": 1.0, "hard": 1.0}},
        types=lambda _: TYPES,
        draw=lambda request, rng: draw(relations, people, request, rng),
        decide=lambda problem: decide(relations, problem),
        check=lambda problem: check(relations, problem),
        labels=lambda problem: label(relations, problem),
        canonical=canonical,
        write_intro=lambda problem, language: write_intro(people, problem, language),
        read_intro=lambda text, language: read_intro(people, text, language),
        phrasebook=lambda _, language: books[language],
    )
