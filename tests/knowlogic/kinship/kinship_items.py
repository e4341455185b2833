"""What the tests of kinship share: the scenario, problems drawn, and problems made of plain sentences."""

from functools import cache

from perennial.schemas.ids import derive_rng
from perennial.schemas.knowlogic.things import DIFFICULTIES, LETTERS, Difficulty, Proposition
from perennial.tasks.knowlogic.kinship.domain import SCENARIO, build
from perennial.tasks.knowlogic.kinship.models import draw_family, holds
from perennial.tasks.knowlogic.kinship.terms import Term, read_terms
from perennial.tasks.knowlogic.problem import Domain, Problem
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.knowlogic.drawn_problems import say


@cache
def kinship() -> Domain:
    return build(load_knowledge())


@cache
def terms() -> dict[str, Term]:
    return read_terms(load_knowledge())


def problem(people: str, statements: list[Proposition], options: list[Proposition]) -> Problem:
    """Return a problem about people of one-letter names."""
    return Problem(SCENARIO, tuple(people), (), tuple(statements), "correct_statements", None, tuple(options))


def random_claims(seed: int) -> Problem:
    """Return a problem of a random family whose statements may allow several families, or none."""
    rng = derive_rng(0, "kinship claims", seed)
    difficulty: Difficulty = rng.choice(DIFFICULTIES)
    size = rng.choice((4, 5, 5, 6, 7))
    model = draw_family(size, rng, is_wide=rng.random() < 0.5).model()
    used = [term for term in terms().values() if term.used]
    true = [
        each
        for term in used
        for of in range(size)
        for who in range(size)
        if holds(terms(), model, each := say("is", who, of, term.id))
    ]
    basic = [term.id for term in used if term.length == 1]
    count = size - 1 if difficulty == "easy" else size + rng.randrange(2)
    statements = rng.sample(true, min(count, len(true)))
    if rng.random() < 0.3:
        statements.append(say("older", *rng.sample(range(size), 2)))
    if rng.random() < 0.3:
        statements.append(say(rng.choice(("male", "female")), rng.randrange(size)))
    if rng.random() < 0.1:
        statements.append(say("is", *rng.sample(range(size), 2), rng.choice(used).id))

    def option(number: int) -> Proposition:
        one, other = rng.choice(true).arguments, rng.choice(true).arguments
        a, b = rng.sample(range(size), 2)
        any_, step = rng.choice(used).id, rng.choice(basic)
        return (
            rng.choice(true),
            say("is", a, b, any_),
            say("holder_is", one[1], one[2], b, rng.choice((any_, str(other[2])))),
            say("is_of_holder", a, one[1], one[2], step),
            say("holder_is_of_holder", one[1], one[2], other[1], other[2], step),
        )[number]

    options = tuple(option(rng.randrange(5)) for _ in LETTERS)
    return Problem(SCENARIO, tuple(range(size)), (), tuple(statements), "correct_statements", None, options)
