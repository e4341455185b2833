"""Scenario kinship of domain social (appendices A and C of the paper).

A text names five to eight people of one family of at most three generations, and says of some who is what of
whom. Its world is closed in words that a reader is shown: they are all related, everyone through whom they
are related is one of them, everyone has at most one spouse, a couple are the parents of each other's
children, siblings have both parents in common, and nobody is related to anybody in two ways. So a family is
a tree (`family`), the statements allow a finite number of families, and a question is kept where they allow
exactly one. This was preferred to a family whose shape the text tells, where the terms would be needed only
to put names on it, and to a family with people who have no names, whose number has no bound.

An option is right only if it holds in this family for every order of births that the statements allow; one
that needs an age which does not follow is refused. Terms are used from the person's own point of view: the
Chinese text says so, and the English one spells each term out as a path.

The first engine grows families statement by statement (`models`); the second is a SAT solver (`solver`). The
reasoning chain of an option is counted in compositions of stated relations (`derivation`).
"""

import random
from functools import cache

from perennial.schemas.knowlogic.knowledge import Knowledge
from perennial.schemas.knowlogic.things import Argument, Decision, Labels, Language, QuestionType
from perennial.tasks.knowlogic.domain import Domain, Intro, Request
from perennial.tasks.knowlogic.kinship.canonical import canonical
from perennial.tasks.knowlogic.kinship.draw import draw
from perennial.tasks.knowlogic.kinship.labels import label
from perennial.tasks.knowlogic.kinship.models import decide
from perennial.tasks.knowlogic.kinship.solver import check
from perennial.tasks.knowlogic.kinship.terms import read_terms
from perennial.tasks.knowlogic.kinship.wording import SCENARIO, build_phrasebook, read_intro, write_intro
from perennial.tasks.knowlogic.people import names_of, read_people
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.wording.phrasebook import Phrasebook

TYPES: tuple[QuestionType, ...] = (
    "correct_statements",
    "incorrect_statements",
    "precise_entity",
    "vague_entity",
)


def build(knowledge: Knowledge) -> Domain:
    """Return the scenario as a domain of its own; raise ValueError for a table that is faulty."""
    terms, people = read_terms(knowledge), read_people(knowledge)

    @cache
    def phrasebook(language: Language) -> Phrasebook:
        return build_phrasebook(people, terms, language)

    @cache
    def names(language: Language) -> dict[Argument, str]:
        return names_of(people, language)

    def draw_problem(request: Request, rng: random.Random) -> Problem | None:
        return draw(people, terms, request, rng)

    def decide_problem(problem: Problem) -> Decision:
        return decide(terms, problem)

    def check_problem(problem: Problem) -> Decision:
        return check(terms, problem)

    def label_problem(problem: Problem) -> Labels:
        return label(terms, problem)

    def read(text: str, language: Language) -> Intro:
        return read_intro(names(language), text, language)

    return Domain(
        "social",
        {SCENARIO: {"easy": 1.0, "medium": 1.0, "hard": 1.0}},
        types=lambda _: TYPES,
        draw=draw_problem,
        decide=decide_problem,
        check=check_problem,
        labels=label_problem,
        canonical=canonical,
        write_intro=lambda problem, language: write_intro(names(language), problem, language),
        read_intro=read,
        phrasebook=lambda _, language: phrasebook(language),
    )
