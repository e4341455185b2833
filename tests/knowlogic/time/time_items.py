"""The domain time, and how to say problems of it in tests."""

from functools import lru_cache

from perennial.schemas.knowlogic.things import Argument, Proposition, QuestionType
from perennial.tasks.knowlogic.problem import Domain, Problem
from perennial.tasks.knowlogic.time.claims import Times, read_times
from perennial.tasks.knowlogic.time.domain import build
from perennial.warehouse.knowlogic.knowledge import load_knowledge

PERSON = "m01"


@lru_cache(maxsize=1)
def domain() -> Domain:
    """Return the domain."""
    return build(load_knowledge())


@lru_cache(maxsize=1)
def table() -> Times:
    """Return its tables."""
    return read_times(load_knowledge())


def say(template: str, *arguments: Argument) -> Proposition:
    """Return a proposition about `PERSON`."""
    return Proposition(template, (PERSON, *arguments))


def problem(
    scenario: str,
    statements: list[Proposition],
    options: list[Proposition],
    type_: QuestionType = "correct_statements",
    asked: Proposition | None = None,
) -> Problem:
    """Return a problem about `PERSON`."""
    return Problem(scenario, (PERSON,), (), tuple(statements), type_, asked, tuple(options))
