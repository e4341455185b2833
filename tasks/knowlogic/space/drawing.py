"""Draw a problem that keeps a request: scenario, difficulty, type, and number of right options."""

import random
from collections.abc import Callable

from perennial.schemas.knowlogic.things import GAP, LETTERS, Argument, Proposition
from perennial.tasks.knowlogic.arrangement.frame import fewest_statements, verdict
from perennial.tasks.knowlogic.domain import Request
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.space.board import Board, board, mask_all
from perennial.tasks.knowlogic.space.difficulty import CUTS, list_shapes
from perennial.tasks.knowlogic.space.questions import Asked, Sentence, draw_gap, draw_statement_options, say
from perennial.tasks.knowlogic.space.statements import Layout, draw_statements

_MOST_TRIES = 12
_OTHER_RING = {"ring_out": "ring_in", "ring_in": "ring_out"}

# From a scenario, returns the setting and the entities of a problem, as many as there are slots.
Cast = Callable[[str, random.Random], tuple[str, tuple[Argument, ...]]]


def draw(request: Request, rng: random.Random, cast: Cast) -> Problem | None:
    """Return a problem that keeps the request, None where a dozen tries gave none or none exists."""
    of = board(request.scenario)
    if not _is_possible(of, request):
        return None
    kinds = list_shapes(request.type)
    steps = CUTS.list_steps(request.difficulty, request.type, own_of(of, request))
    for _ in range(_MOST_TRIES):
        pr, al = kinds[int(rng.random() * len(kinds))]
        layout = draw_statements(of, al, rng)
        asked = layout and _draw_asked(of, layout, pr, request, rng)
        if layout and asked and count_steps(of, layout, asked) in steps and needs_facing(of, layout, asked):
            return _write(of, layout, asked, request, rng, cast)
    return None


def _is_possible(of: Board, request: Request) -> bool:
    """Whether a question of this type can have so many right options."""
    own = own_of(of, request)
    if request.type.endswith("statements"):
        return own == len(LETTERS) and 1 <= request.right <= own
    if request.type.endswith("slot") and not of.scene.has_slot_questions:
        return False
    # All four of four things are options: one fits at least, and what is asked for is not among them.
    has_all = of.scene.size == len(LETTERS)
    if has_all and own < len(LETTERS):
        return False
    if request.type.startswith("precise"):
        return request.right == 1 or (not has_all and own < len(LETTERS) and request.right == 0)
    if own == len(LETTERS):
        return (2 if has_all else 1) <= request.right < own
    return 0 <= request.right <= own


def own_of(of: Board, request: Request) -> int:
    """Return the number of own options: where it is left open, all four of four things, three of six."""
    if request.own is not None:
        return request.own
    is_gap = not request.type.endswith("statements")
    return len(LETTERS) - (is_gap and of.scene.size > len(LETTERS))


def _draw_asked(of: Board, layout: Layout, pr: int, request: Request, rng: random.Random) -> Asked | None:
    if request.type.endswith("statements"):
        wanted = request.type == "correct_statements"
        truths = [wanted] * request.right + [not wanted] * (len(LETTERS) - request.right)
        return draw_statement_options(of, layout, pr, rng.sample(truths, len(truths)), rng)
    is_slot = request.type.endswith("slot")
    count = request.right, own_of(of, request)
    return draw_gap(of, layout, count, rng, precise=not pr, is_slot=is_slot)


def count_steps(of: Board, layout: Layout, asked: Asked) -> int:
    """Return the fewest statements that decide the hardest option."""
    masks = [of.mask(fact) for fact in layout.statements]
    return max(fewest_statements(of.frame, masks, of.mask(option.fact)) for option in asked.options)


def needs_facing(of: Board, layout: Layout, asked: Asked) -> bool:
    """Whether a reader who takes one ring for the other goes wrong (always so for other scenarios).

    Without both clockwise and left or right, 703 of 703 questions had the same answer in both rings (spec,
    convention 2): two such scenarios would be one.
    """
    other = _OTHER_RING.get(of.scene.name)
    if other is None:
        return True
    turned = board(other)
    held, misread = mask_all(of, layout.statements), mask_all(turned, layout.statements)
    if misread.bit_count() != of.scene.order:
        return True
    facts = [option.fact for option in asked.options]
    return any(verdict(held, of.mask(each)) != verdict(misread, turned.mask(each)) for each in facts)


def _write(
    of: Board, layout: Layout, asked: Asked, request: Request, rng: random.Random, cast: Cast
) -> Problem | None:
    """Return the problem in templates and ids."""
    setting, entities = cast(of.scene.name, rng)
    said = [say(of, layout, fact, rng) for fact in layout.statements]
    statements = tuple(_proposition(of, entities, each) for each in said if each)
    options = tuple(_proposition(of, entities, each) for each in asked.options)
    question = None
    if asked.gap is not None:
        arguments = options[0].arguments
        question = Proposition(
            options[0].template, (*arguments[: asked.gap], GAP, *arguments[asked.gap + 1 :])
        )
    return Problem(
        scenario=of.scene.name,
        entities=entities,
        details=(setting,),
        statements=statements,
        type=request.type,
        asked=question,
        options=options,
    )


def _proposition(of: Board, entities: tuple[Argument, ...], sentence: Sentence) -> Proposition:
    places = sentence.places
    names = (entities[each] if each >= 0 else of.scene.slots[-1 - each].id for each in places)
    return Proposition(sentence.template.name, tuple(names))
