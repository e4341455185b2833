"""Draw a question about times that keeps a request."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from perennial.schemas.knowlogic.things import GAP, Difficulty, Proposition
from perennial.tasks.knowlogic.domain import Request
from perennial.tasks.knowlogic.people import Person
from perennial.tasks.knowlogic.problem import Problem, fill
from perennial.tasks.knowlogic.time.claims import DAYS, LIFE, WEEK
from perennial.tasks.knowlogic.time.difficulty import CUTS, hardness_of, variables_of
from perennial.tasks.knowlogic.time.hidden import Text, draw_life, draw_week
from perennial.tasks.knowlogic.time.options import OptionMaker
from perennial.tasks.knowlogic.time.proofs import count_steps, prove
from perennial.tasks.knowlogic.time.tables import Times

# Numbers of events, and most anchors of a text.
SIZES = {WEEK: range(4, 10), LIFE: range(4, 13)}
_ANCHORS = 5
# Fewest events of a text: long proofs need many.
_FEWEST: dict[Difficulty, int] = {"easy": 4, "medium": 5, "hard": 6}
# Texts tried for a request, options and gaps tried for a text.
_TEXTS, _DRAWS, _GAPS = 200, 60, 15
# The place of a template that a question for a time leaves open; all others have an event there.
_EVENT_PLACE = 1
_SLOTS = ("on", "year", "after", "before", "lasts", "anchor_after", "anchor_before")
_NO_EVENTS = ("lasts", "longer", "shorter", "as_long")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a text shall have: events, of which `hub` share a day, the hardest statement (cg), anchors."""

    events: int
    hub: int
    hardest: int
    anchors: tuple[str, ...]


def draw(times: Times, people: Sequence[Person], request: Request, rng: random.Random) -> Problem | None:
    """Return a problem that keeps the request, or None where this draw failed."""
    makers: dict[str, Callable[..., tuple[Proposition | None, list[Proposition]] | None]] = {
        "precise_event": _draw_event,
        "vague_event": _draw_event,
        "precise_slot": _draw_slot,
    }
    number = request.count_own(rng)
    steps = CUTS.list_steps(request.difficulty, request.type, number)
    for _ in range(_TEXTS):
        plan = _plan(times, request, number, rng)
        if plan is None:
            return None
        text = _draw_text(times, people, request.scenario, plan, rng)
        if text is None:
            continue
        maker = OptionMaker(times, text, rng)
        drawn = makers.get(request.type, _draw_statements)(maker, request, number, rng)
        if drawn is None:
            continue
        asked, options = drawn
        problem = Problem(
            request.scenario,
            entities=(text.person,),
            details=(),
            statements=text.statements,
            type=request.type,
            asked=asked,
            options=tuple(options),
        )
        if count_steps(prove(times, problem), problem) in steps:
            return problem
    return None


def measure(times: Times, problem: Problem, right: int) -> dict[str, float]:
    """Return the variables of the difficulty formula, given the number of right options."""
    said = (*problem.statements, *problem.options)
    anchors = {each for one in said for each in one.arguments if each in times.history}
    return variables_of(
        problem.scenario,
        problem.type,
        lc=len(said),
        cg=max(hardness_of(each.template) for each in problem.statements),
        right=right,
        dk=sum(times.history[str(each)].obscurity for each in anchors),
    )


def _plan(times: Times, request: Request, number: int, rng: random.Random) -> Plan | None:
    """Return a plan with events enough for so many options; None where a text cannot have as many."""
    is_vague_week = request.type == "vague_event" and request.scenario == WEEK
    hub = max(2, request.right) if is_vague_week else 0
    fewest = hub + number - request.right + 1 if hub else number + 1 if "event" in request.type else 0
    sizes = [size for size in SIZES[request.scenario] if size >= max(fewest, _FEWEST[request.difficulty])]
    if not sizes or (request.type.startswith("precise") and request.right > 1):
        return None
    # Of few events, short proofs decide all options.
    size, hardest, anchors = rng.choice(sizes[:2] if request.difficulty == "easy" else sizes), 2, list[str]()
    if request.scenario == LIFE:
        hardest = rng.randint(1, 3)
        if hardest > 1:
            anchors = rng.sample(sorted(times.history), rng.randint(0, min(_ANCHORS, size)))
    return Plan(size, hub, hardest, tuple(anchors))


def _draw_text(
    times: Times, people: Sequence[Person], scenario: str, plan: Plan, rng: random.Random
) -> Text | None:
    """Return a text that the plan describes, or None where years do not fit."""
    person = rng.choice(people).id
    if scenario == WEEK:
        return draw_week(times, person, plan.events, plan.hub, rng)
    return draw_life(times, person, plan.events, plan.hardest, plan.anchors, rng)


def _draw_statements(
    maker: OptionMaker, request: Request, number: int, rng: random.Random
) -> tuple[None, list[Proposition]] | None:
    """Return options that are statements."""
    true = request.right if request.type == "correct_statements" else number - request.right
    wanted = [True] * true + [False] * (number - true)
    chosen: list[Proposition] = []
    keys = set()
    for _ in range(_DRAWS):
        said = maker.draw(is_true=wanted[len(chosen)])
        if said is not None and maker.key(said) not in keys:
            chosen.append(said)
            keys.add(maker.key(said))
            if len(chosen) == number:
                return None, rng.sample(chosen, number)
    return None


def _draw_event(
    maker: OptionMaker, request: Request, number: int, rng: random.Random
) -> tuple[Proposition, list[Proposition]] | None:
    """Return a sentence without its event, and events for it: one fits, or several do."""
    is_vague = request.type == "vague_event"
    for _ in range(_GAPS):
        said = maker.draw_vague() if is_vague else maker.draw(is_true=True)
        if said is None or said.template in _NO_EVENTS:
            continue
        asked = _open(said, _EVENT_PLACE)
        filled = [fill(asked, event) for event in maker.events if event not in said.arguments[2:]]
        fitting = [each for each in filled if maker.is_true(each)]
        if (len(fitting) > 1) is not is_vague:
            continue
        right = [each for each in fitting if maker.accept(each, is_true=True)]
        wrong = [each for each in filled if maker.accept(each, is_true=False)]
        if len(right) >= request.right and len(wrong) >= number - request.right:
            chosen = rng.sample(right, request.right) + rng.sample(wrong, number - request.right)
            return asked, rng.sample(chosen, number)
    return None


def _draw_slot(
    maker: OptionMaker, request: Request, number: int, rng: random.Random
) -> tuple[Proposition, list[Proposition]] | None:
    """Return a sentence without its year, day or number, and choices for it, of which one fits."""
    for _ in range(_GAPS):
        said = maker.draw(is_true=True)
        if said is None or said.template not in _SLOTS:
            continue
        asked, value = _open(said, len(said.arguments) - 1), said.arguments[-1]
        assert isinstance(value, int)
        near = range(value - 6, value + 7) if maker.text.scenario == LIFE else range(DAYS)
        lowest = 0 if said.template == "on" else 1
        filled = [fill(asked, each) for each in near if each >= lowest]
        wrong = [each for each in filled if maker.accept(each, is_true=False)]
        if len(wrong) >= number - request.right:
            return asked, rng.sample(
                [said] * request.right + rng.sample(wrong, number - request.right), number
            )
    return None


def _open(said: Proposition, place: int) -> Proposition:
    arguments = (*said.arguments[:place], GAP, *said.arguments[place + 1 :])
    return Proposition(said.template, arguments)
