"""The golden texts of surnames: each template, each surname, each term of kin, the introduction."""

from functools import lru_cache

from perennial.schemas.knowlogic.things import GAP, Language, Proposition
from perennial.tasks.knowlogic.kinship.terms import Term, read_terms
from perennial.tasks.knowlogic.problem import Domain, Problem
from perennial.tasks.knowlogic.surnames import SCENARIO, build, keeps_surname
from perennial.warehouse.knowlogic.knowledge import load_knowledge


@lru_cache(maxsize=1)
def surnames() -> Domain:
    """Return the scenario, built once."""
    return build(load_knowledge())


def terms() -> dict[str, Term]:
    """Return the terms that statements use."""
    every = read_terms(load_knowledge()).items()
    return {name: term for name, term in every if term.used and keeps_surname(term)}


def surname_ids() -> list[str]:
    """Return the ids of all surnames."""
    return [row["id"] for row in load_knowledge().rows("social/properties") if row["kind"] == "surname"]


def propositions() -> list[Proposition]:
    """Return each template, the questions, each surname and each term."""
    first, second = "m13", "f13"
    return [
        *(Proposition("surname", (first, each)) for each in surname_ids()),
        Proposition("surname_not", (first, "surname_li")),
        *(Proposition(each, (first, second)) for each in ("same", "different")),
        *(Proposition(each, (GAP, "surname_li")) for each in ("surname", "surname_not")),
        *(Proposition(each, (GAP, second)) for each in ("same", "different")),
        *(Proposition("kin", (first, second, each)) for each in terms()),
    ]


def write(language: Language) -> str:
    """Return the introduction and all sentences."""
    people, details = ("m01", "f01", "m02"), ("surname_wang", "surname_li")
    problem = Problem(SCENARIO, people, details, (), "correct_statements", None, ())
    book = surnames().phrasebook(SCENARIO, language)
    return "\n".join([surnames().write_intro(problem, language), *map(book.write, propositions())]) + "\n"
