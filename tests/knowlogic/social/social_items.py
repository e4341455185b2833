"""Problems of general social relations for tests: by hand, and at random without any regard to sense."""

import random
from collections.abc import Sequence
from functools import lru_cache

from perennial.schemas.knowlogic.things import Proposition, QuestionType
from perennial.tasks.knowlogic.problem import Domain, Problem
from perennial.tasks.knowlogic.social.domain import SCENARIO, build_general
from perennial.tasks.knowlogic.social.relations import (
    Description,
    RelationClaim,
    Relations,
    proposition_of,
    read_relations,
)
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.knowlogic.drawn_problems import say


@lru_cache(maxsize=1)
def general() -> Domain:
    """Return the scenario, built once."""
    return build_general(load_knowledge())


@lru_cache(maxsize=1)
def table() -> Relations:
    """Return the relations of the knowledge base."""
    return read_relations(load_knowledge())


def problem(
    people: Sequence[str],
    statements: Sequence[Proposition],
    options: Sequence[Proposition],
    type_: QuestionType = "correct_statements",
) -> Problem:
    """Return a problem with options that are statements."""
    return Problem(SCENARIO, tuple(people), (), tuple(statements), type_, None, tuple(options))


def random_problem(rng: random.Random) -> Problem:
    """Return a problem of random facts and claims; it may contradict itself or leave much open."""
    people = rng.sample(["m01", "m11", "f04", "f05", "f12", "f22"], rng.randint(3, 5))
    relations = rng.sample(sorted(table().by_id), 4)
    relations += rng.sample(["husband", "wife", "spouse", "ex_wife", "boss", "desk_mate", "friend"], 3)

    def fact(template: str = "name_1") -> Proposition:
        holder, of = rng.sample(people, 2) if rng.random() < 0.97 else [people[0]] * 2
        return say(template, holder, of, rng.choice(relations))

    statements = [fact("among" if rng.random() < 0.2 else "name_1") for _ in range(rng.randint(1, 7))]
    statements += [say(rng.choice(["male", "female"]), each) for each in people if rng.random() < 0.5]

    def describe(*forms: str) -> Description:
        form, person = rng.choice(forms), rng.choice(people)
        length = rng.randint(0, 2) if form == "chain" else 1
        chain = tuple(rng.choice(relations) for _ in range(length))
        marked = [each for each in people if each in table().marks]
        return Description(form, person, chain, rng.choice(marked) if form == "mark" else "")

    options: list[Proposition] = []
    while len(options) < 4:
        right = describe("chain", "chain", "mark")
        left = describe("chain", "some", *([] if right.form == "mark" else ["mark"]))
        options.append(proposition_of(RelationClaim(left, rng.choice(relations), right)))
    return problem(people, statements, options)
