"""Scenario surnames: people who have the same surname, or another one, by statements and by kinship.

A name gives no surname away: people are called by first names (`wording`). The first engine counts the ways
to give everybody a surname by masks, the second is a SAT solver (`judge`).
"""

from perennial.schemas.knowlogic.knowledge import Knowledge
from perennial.schemas.knowlogic.things import LANGUAGES, Language
from perennial.tasks.knowlogic.domain import Domain
from perennial.tasks.knowlogic.kinship.domain import TYPES
from perennial.tasks.knowlogic.kinship.terms import read_terms
from perennial.tasks.knowlogic.people import read_people
from perennial.tasks.knowlogic.surnames.draw import Drawer
from perennial.tasks.knowlogic.surnames.judge import canonical, check, decide, label
from perennial.tasks.knowlogic.surnames.meaning import keeps_surname
from perennial.tasks.knowlogic.surnames.wording import SCENARIO, make_phrasebook, read_intro, write_intro

# Half as many questions as of each other scenario: little but logic is to be known.
_SHARE = 0.5


def build(knowledge: Knowledge) -> Domain:
    """Return the scenario as a domain of its own."""
    people = read_people(knowledge)
    surnames: dict[str, dict[Language, str]] = {
        row["id"]: {"zh": row["zh"], "en": row["en"]}
        for row in knowledge.rows("social/properties")
        if row["kind"] == "surname"
    }
    terms = {id_: term for id_, term in read_terms(knowledge).items() if term.used and keeps_surname(term)}
    books = {language: make_phrasebook(people, surnames, terms, language) for language in LANGUAGES}
    drawer = Drawer([each.id for each in people], list(surnames), terms)
    return Domain(
        "social",
        {SCENARIO: {"easy": _SHARE, "medium": _SHARE, "hard": _SHARE}},
        types=lambda _: TYPES,
        draw=drawer.draw,
        decide=lambda problem: decide(terms, problem),
        check=lambda problem: check(terms, problem),
        labels=lambda problem: label(terms, problem),
        canonical=canonical,
        write_intro=lambda problem, language: write_intro(books[language], problem),
        read_intro=lambda text, language: read_intro(books[language], text),
        phrasebook=lambda _, language: books[language],
    )
