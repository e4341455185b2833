"""Draw a question of general relations that keeps a request."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from perennial.schemas.knowlogic.things import GAP, LETTERS, Difficulty, Proposition
from perennial.tasks.knowlogic.domain import Request
from perennial.tasks.knowlogic.people import Person
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.social.claims import Fact, facts_of, proposition_of
from perennial.tasks.knowlogic.social.difficulty import CUTS
from perennial.tasks.knowlogic.social.graph import GraphMaker, write_statements
from perennial.tasks.knowlogic.social.options import Candidate, ClaimMaker
from perennial.tasks.knowlogic.social.relations import Relations
from perennial.tasks.knowlogic.social.text import SCENARIO
from perennial.tasks.knowlogic.social.world import World, world_of

# Numbers of people and of pairs with a relation, for each difficulty.
SIZES: dict[Difficulty, tuple[tuple[int, int], ...]] = {
    "easy": ((4, 3), (4, 4), (4, 5), (5, 4), (5, 5), (6, 5)),
    "medium": ((4, 4), (4, 5), (4, 6), (5, 4), (5, 5), (5, 6), (5, 7), (6, 5), (6, 6), (6, 7), (7, 7)),
    "hard": ((4, 6), (5, 5), (5, 6), (5, 7), (5, 8), (6, 6), (6, 7), (6, 8), (6, 9), (7, 7), (7, 8)),
}
# Options tried for a text, gaps tried for a text, and texts tried for a question.
_DRAWS, _GAP_DRAWS, _TEXTS = 100, 30, 24
# How often an easy question names all people.
_PLAIN = 0.3


@dataclass(frozen=True, slots=True)
class Text:
    """A world as its statements describe it."""

    people: tuple[str, ...]
    edges: int
    statements: tuple[Proposition, ...]
    world: World
    given: frozenset[Fact]


def draw(
    relations: Relations, people: Sequence[Person], request: Request, rng: random.Random
) -> Problem | None:
    """Return a problem that keeps the request, or None where this draw failed."""
    is_gap = request.type in ("precise_entity", "vague_entity")
    for _ in range(_TEXTS):
        text = _draw_text(relations, people, request, rng)
        problem = text and (_draw_gap if is_gap else _draw_statements)(text, request, rng)
        if problem:
            return problem
    return None


def _draw_text(
    relations: Relations, people: Sequence[Person], request: Request, rng: random.Random
) -> Text | None:
    """Return a text with enough people for the options, or None where no graph came of it."""
    hub = max(2, request.right) if request.type == "vague_entity" else 0
    fewest = hub + 1 + max(0, (request.own or len(LETTERS) - 1) - request.right) if hub else 0
    # Where steps are to be many, somebody else is passed on the way to the person asked about.
    fewest += bool(hub) and request.difficulty != "easy"
    size, edges = rng.choice([each for each in SIZES[request.difficulty] if each[0] >= fewest])
    chosen = rng.sample(people, size)
    maker = GraphMaker(relations, chosen, edges, rng)
    hidden = maker.make(hub)
    if hidden is None:
        return None
    ids = tuple(rng.sample(maker.people, size))
    statements = write_statements(hidden, maker.facts, rng)
    given = frozenset(fact for each in statements for fact in facts_of(each).facts)
    return Text(ids, edges, statements, world_of(relations, ids, statements), given)


def _draw_statements(text: Text, request: Request, rng: random.Random) -> Problem | None:
    """Return a question whose options are statements."""
    number = request.count_own(rng)
    true = request.right if request.type == "correct_statements" else number - request.right
    is_plain = request.difficulty == "easy" and rng.random() < _PLAIN
    maker = ClaimMaker(text.world, text.given, rng)
    wanted = {True: true, False: number - true}
    chosen: list[Candidate] = []
    for _ in range(_DRAWS):
        verdict = rng.choice([each for each in (True, False) if wanted[each]])
        twins = maker.draw_twins(is_plain=is_plain)
        if twins is None or any(_repeats(each, chosen) for each in twins):
            continue
        is_last = len(chosen) + 1 == number
        if not all(_fits(request, [*chosen, each], number, is_last=is_last) for each in twins):
            continue
        chosen.append(twins[not verdict])
        wanted[verdict] -= 1
        if len(chosen) == number:
            break
    else:
        return None
    rng.shuffle(chosen)
    options = tuple(proposition_of(each.claim) for each in chosen)
    return Problem(
        scenario=SCENARIO,
        entities=text.people,
        details=(),
        statements=text.statements,
        type=request.type,
        asked=None,
        options=options,
    )


def _repeats(candidate: Candidate, chosen: Sequence[Candidate]) -> bool:
    """Whether an option already claims the same of the same pair, or shares both descriptions."""
    mine = (candidate.claim.left, candidate.claim.right)
    return any(
        mine == (each.claim.left, each.claim.right)
        or (each.finding.facts and candidate.finding == each.finding)
        for each in chosen
    )


def _fits(request: Request, options: Sequence[Candidate], own: int, *, is_last: bool) -> bool:
    """Whether options can belong to a question of the difficulty; exactly do so where no more come."""
    steps = CUTS.list_steps(request.difficulty, request.type, own)
    longest = max(each.steps for each in options)
    return longest in steps if is_last else longest < steps.stop


def _draw_gap(text: Text, request: Request, rng: random.Random) -> Problem | None:
    """Return a question for the people who have a relation to a person that is described."""
    maker = ClaimMaker(text.world, text.given, rng)
    for _ in range(_GAP_DRAWS):
        asked = maker.draw_asked(is_vague=request.type == "vague_entity")
        if asked is None:
            continue
        fitting, others = maker.split(asked)
        number = request.count_own(rng)
        if request.own is None and not number - len(others) <= request.right <= len(fitting):
            number = len(LETTERS) - 1
        if not number - len(others) <= request.right <= min(number, len(fitting)):
            continue
        chosen = rng.sample(fitting, request.right) + rng.sample(others, number - request.right)
        if not _fits(request, chosen, number, is_last=True):
            continue
        rng.shuffle(chosen)
        options = tuple(proposition_of(each.claim) for each in chosen)
        gap = Proposition(options[0].template, (GAP, *options[0].arguments[1:]))
        return Problem(
            scenario=SCENARIO,
            entities=text.people,
            details=(),
            statements=text.statements,
            type=request.type,
            asked=gap,
            options=options,
        )
    return None
