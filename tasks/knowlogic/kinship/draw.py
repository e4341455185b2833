"""Draw a question of kinship: a family, statements that allow it alone, and four options."""

import random
from collections.abc import Mapping, Sequence
from itertools import count

from perennial.schemas.knowlogic.things import Argument, Difficulty, Proposition
from perennial.tasks.knowlogic.domain import Request
from perennial.tasks.knowlogic.kinship.models import holds
from perennial.tasks.knowlogic.kinship.options import FORMS, Options
from perennial.tasks.knowlogic.kinship.random_family import BornFamily, draw_family
from perennial.tasks.knowlogic.kinship.statements import Stated, draw_statements
from perennial.tasks.knowlogic.kinship.terms import Term
from perennial.tasks.knowlogic.kinship.wording import SCENARIO
from perennial.tasks.knowlogic.people import Person
from perennial.tasks.knowlogic.problem import Problem, fill
from perennial.tasks.knowlogic.social.difficulty import CUTS

_SIZES: dict[Difficulty, tuple[int, ...]] = {"easy": (5, 5, 5, 6), "medium": (5, 6, 6, 7), "hard": (7, 7, 8)}
BOTH = "holder_is_of_holder"
_TRIES = 60
# Options are drawn so often for the same statements.
_ATTEMPTS = 3
# What is asked, where it is a sentence with a gap, and the options.
_Asked = tuple[Proposition | None, list[Proposition]]


def draw(
    people: Sequence[Person], terms: Mapping[str, Term], request: Request, rng: random.Random
) -> Problem | None:
    """Return a problem that keeps the request; None where this draw failed."""
    born = _draw_family(terms, request, rng)
    stated = draw_statements(terms, born, request.difficulty, rng)
    if stated is None:
        return None
    options = Options(terms, stated)
    own = request.count_own(rng)
    drawer = _draw_gap if request.type in ("precise_entity", "vague_entity") else _draw_sentences
    for _ in range(_ATTEMPTS):
        found = drawer(options, request, own, rng)
        if found is not None:
            return _build(people, born.family.size, stated.statements, request, found, rng)
    return None


def _draw_family(terms: Mapping[str, Term], request: Request, rng: random.Random) -> BornFamily:
    """Return a family in which, if several people are to fit a gap, so many do (where one is found)."""
    is_vague = request.type == "vague_entity"
    sizes = _SIZES[request.difficulty]
    for _ in range(_TRIES):
        born = draw_family(max(rng.choice(sizes), 6 if is_vague else 0), rng, is_wide=is_vague)
        # One more than are shown: what a statement says is no option.
        if not is_vague or max(Options(terms, Stated((), born.model())).gaps.values()) > request.right:
            break
    return born


def _build(
    people: Sequence[Person],
    size: int,
    statements: Sequence[Proposition],
    request: Request,
    found: _Asked,
    rng: random.Random,
) -> Problem:
    """Return the problem with people in the place of numbers."""
    asked, chosen = found
    rng.shuffle(chosen)
    names = _name(people, size, rng)

    def with_names(said: Proposition) -> Proposition:
        return Proposition(
            said.template, tuple(names[each] if isinstance(each, int) else each for each in said.arguments)
        )

    return Problem(
        scenario=SCENARIO,
        entities=tuple(rng.sample(names, len(names))),
        details=(),
        statements=tuple(map(with_names, statements)),
        type=request.type,
        asked=with_names(asked) if asked else None,
        options=tuple(map(with_names, chosen)),
    )


def _name(people: Sequence[Person], size: int, rng: random.Random) -> list[Argument]:
    """Return the id of a person for each member of the family, whatever the sex that the name suggests."""
    return [each.id for each in rng.sample(people, size)]


def count_edges(statements: Sequence[Proposition]) -> int:
    """Return the pairs of people between whom a relation is stated (`ne` of the difficulty formula)."""
    return len({frozenset(each.arguments[:2]) for each in statements if each.template == "is"})


def _draw_sentences(options: Options, request: Request, own: int, rng: random.Random) -> _Asked | None:
    """Return options that are sentences, so many of them right."""
    forms = FORMS[request.difficulty]
    nm = int(rng.random() < forms.get(BOTH, 0))
    bounds = CUTS.list_steps(request.difficulty, request.type, own)
    true_is_right = request.type == "correct_statements"
    wanted = [true_is_right] * request.right + [not true_is_right] * (own - request.right)
    rng.shuffle(wanted)
    others = {form: weight for form, weight in forms.items() if nm or form != BOTH}
    chosen: list[Proposition] = []
    for number, truth in enumerate(wanted):
        # The first is the hardest, which gives the question its class.
        least, which = (1, others) if number else (bounds.start, {BOTH: 1.0} if nm else others)
        for attempt in count():
            if attempt == _TRIES:
                return None
            form = rng.choices(list(which), list(which.values()))[0]
            twins = options.draw_twins(form, range(least, bounds.stop), rng)
            if twins is not None and not set(twins) & set(chosen):
                chosen.append(twins[not truth])
                break
    return None, chosen


def _draw_gap(options: Options, request: Request, own: int, rng: random.Random) -> _Asked | None:
    """Return a sentence with a gap, and options that fill it, so many of them right."""
    bounds = CUTS.list_steps(request.difficulty, request.type, own)
    for _ in range(_TRIES):
        form = "is" if request.difficulty == "easy" or rng.random() < 0.6 else "is_of_holder"
        asked = options.draw_gap(form, max(request.right, 1 + (request.type == "vague_entity")), rng)
        if asked is None:
            continue
        filled = [
            option
            for x in range(options.stated.model.family.size)
            if x not in asked.arguments and (option := fill(asked, x)) not in options.stated.statements
        ]
        verdicts = {option: holds(options.terms, options.stated.model, option) for option in filled}
        steps = {option: options.steps(option) for option in filled}
        shown = [option for option in filled if (cost := steps[option]) is not None and cost < bounds.stop]
        right = [option for option in shown if verdicts[option]]
        wrong = [option for option in shown if options.is_fit(option, False, is_choice=True)]
        fitting = _count_fitting(options, asked)
        if (fitting > 1) != (request.type == "vague_entity"):
            continue
        if len(right) < request.right or len(wrong) < own - request.right:
            continue
        chosen = rng.sample(right, request.right) + rng.sample(wrong, own - request.right)
        if max(steps[option] or 0 for option in chosen) >= bounds.start:
            return asked, chosen
    return None


def _count_fitting(options: Options, asked: Proposition) -> int:
    """Return how many people may fit the gap (those whom an unknown age leaves open among them)."""
    people = [x for x in range(options.stated.model.family.size) if x not in asked.arguments]
    return sum(holds(options.terms, options.stated.model, fill(asked, x)) is not False for x in people)
