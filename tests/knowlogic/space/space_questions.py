"""Questions of domain space for tests: drawn ones, and lists of all that can be asked for."""

from collections.abc import Iterator
from functools import lru_cache

from perennial.schemas.ids import derive_rng
from perennial.schemas.knowlogic.things import DIFFICULTIES
from perennial.tasks.knowlogic.problem import Domain, Problem, Request
from perennial.tasks.knowlogic.space.domain import build
from perennial.warehouse.knowlogic.knowledge import load_knowledge


@lru_cache(maxsize=1)
def space() -> Domain:
    """Return the domain, built once."""
    return build(load_knowledge())


def requests(scenario: str) -> Iterator[Request]:
    """Yield all requests of a scenario, those that it cannot keep too."""
    for difficulty in DIFFICULTIES:
        for type_ in space().types(scenario):
            for right in range(5):
                yield Request(scenario, difficulty, type_, right)


def draw_problems(scenario: str, times: int) -> list[tuple[Request, Problem]]:
    """Return problems of a scenario: so many draws of each request, without those that gave nothing."""
    found = []
    for request in requests(scenario):
        for number in range(times):
            rng = derive_rng(number, f"test/{request}", 0)
            problem = space().draw(request, rng)
            if problem is not None:
                found.append((request, problem))
    return found
