"""Draw what is asked and the options (Appendix B of the paper, the Question Generator).

The statements leave one arrangement modulo symmetry and no predicate tells symmetric ones apart, so each fact
is decided. An option must not say what a statement says, in these or other words (equal masks); nor may two
statements to choose from.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from perennial.schemas.knowlogic.things import LETTERS
from perennial.tasks.knowlogic.space.board import Board, Fact, board, slot_place
from perennial.tasks.knowlogic.space.sentences import Template
from perennial.tasks.knowlogic.space.statements import Layout

_MOST_DRAWS = 60


@dataclass(frozen=True, slots=True)
class Sentence:
    """A fact in the words of a template."""

    template: Template
    places: tuple[int, ...]

    @property
    def fact(self) -> Fact:
        """What it says."""
        return Fact(self.template.predicate, self.places)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its options; of a gap question, they differ in the place `gap` alone."""

    options: tuple[Sentence, ...]
    gap: int | None = None


@dataclass(frozen=True, slots=True)
class Phrases:
    """The templates of a scenario by use: statements by predicate, vague ones, gaps by kind and precision."""

    by_predicate: dict[str, tuple[Template, ...]]
    precise: tuple[Template, ...]
    vague: tuple[Template, ...]
    entity_gaps: dict[bool, tuple[tuple[Template, int], ...]]
    slot_gaps: dict[bool, tuple[tuple[Template, int], ...]]


@lru_cache(maxsize=16)
def phrases(scenario: str) -> Phrases:
    """Return the templates of a scenario by use."""
    of = board(scenario)
    said = [each for each in of.templates.values() if not any(each.is_slot)]
    by_predicate: dict[str, tuple[Template, ...]] = {}
    for each in said:
        by_predicate[each.predicate] = (*by_predicate.get(each.predicate, ()), each)

    def is_precise(template: Template) -> bool:
        return of.predicates[template.predicate].is_precise

    def gaps(*, is_slot: bool, precise: bool) -> tuple[tuple[Template, int], ...]:
        return tuple(
            (template, place)
            for template in of.templates.values()
            if any(template.is_slot) == is_slot and is_precise(template) == precise
            for place in range(len(template.is_slot))
            if template.is_slot[place] == is_slot
        )

    return Phrases(
        by_predicate,
        tuple(each for each in said if is_precise(each)),
        tuple(each for each in said if not is_precise(each)),
        {precise: gaps(is_slot=False, precise=precise) for precise in (True, False)},
        {precise: gaps(is_slot=True, precise=precise) for precise in (True, False)},
    )


def say(of: Board, layout: Layout, fact: Fact, rng: random.Random) -> Sentence | None:
    """Return a fact in the words of a template that fits the arrangement; None where none does."""
    fitting = [
        each
        for each in phrases(of.scene.name).by_predicate[fact.predicate]
        if _speaks(of, layout, each, fact.places)
    ]
    return Sentence(rng.choice(fitting), fact.places) if fitting else None


def draw_statement_options(
    of: Board, layout: Layout, pr: int, truths: Sequence[bool], rng: random.Random
) -> Asked | None:
    """Return statements with these truth values; with `pr` 1 the first one is of a vague predicate."""
    use = phrases(of.scene.name)
    every = use.vague + use.precise if pr else use.precise
    seen = {of.mask(fact) for fact in layout.statements}
    options: list[Sentence] = []
    for truth in truths:
        templates = every if options or not pr else use.vague
        found = _draw_statement(of, layout, templates, truth, seen, rng)
        if found is None:
            return None
        seen.add(of.mask(found.fact))
        options.append(found)
    return Asked(tuple(rng.sample(options, len(options))))


def _draw_statement(
    of: Board, layout: Layout, templates: Sequence[Template], truth: bool, seen: set[int], rng: random.Random
) -> Sentence | None:
    """Return a statement of this truth value; the template is drawn first, so that it tells nothing."""
    size = of.scene.size
    for _ in range(_MOST_DRAWS // 4):
        template = templates[int(rng.random() * len(templates))]
        allowed = of.predicates[template.predicate].allowed
        for _ in range(_MOST_DRAWS // 4):
            places = tuple(rng.sample(range(size), len(template.is_slot)))
            is_true = tuple([layout.slots[each] for each in places]) in allowed
            if is_true is not truth or not _speaks(of, layout, template, places):
                continue
            if of.mask(Fact(template.predicate, places)) not in seen:
                return Sentence(template, places)
    return None


def draw_gap(
    of: Board, layout: Layout, count: tuple[int, int], rng: random.Random, *, precise: bool, is_slot: bool
) -> Asked | None:
    """Return a gap question of which so many options fit, of so many.

    Of a precise question exactly one thing fits, of a vague one several, whether they are options or not.
    """
    use = phrases(of.scene.name)
    gaps = (use.slot_gaps if is_slot else use.entity_gaps)[precise]
    masks = {of.mask(fact) for fact in layout.statements}
    for _ in range(_MOST_DRAWS if gaps else 0):
        template, gap = gaps[int(rng.random() * len(gaps))]
        others = rng.sample(range(of.scene.size), len(template.is_slot) - 1)
        choices = _draw_choices(of, layout, template, gap, others, count, rng)
        options = tuple(Sentence(template, (*others[:gap], each, *others[gap:])) for each in choices)
        if options and not any(of.mask(option.fact) in masks for option in options):
            return Asked(options, gap)
    return None


def _draw_choices(
    of: Board,
    layout: Layout,
    template: Template,
    gap: int,
    others: list[int],
    count: tuple[int, int],
    rng: random.Random,
) -> list[int]:
    """Return places for the gap, so many of which fit; none where this gap does not fit the request."""
    right, own = count
    size, predicate, is_slot = of.scene.size, of.predicates[template.predicate], template.is_slot[gap]
    has_all = size == len(LETTERS)
    # With all four as options, the one named in the question would be on the same side as itself.
    if has_all and predicate.is_reflexive and not is_slot:
        return []
    if not _speaks(of, layout, template, (*others[:gap], None, *others[gap:])):
        return []
    slots = [layout.slots[each] for each in others]
    choices = [(slot_place(slot), slot) for slot in range(size)] if is_slot else list(enumerate(layout.slots))
    fitting = [choice for choice, slot in choices if (*slots[:gap], slot, *slots[gap:]) in predicate.allowed]
    if (len(fitting) != 1) if predicate.is_precise else (len(fitting) < 2):
        return []

    def speaks(choice: int) -> bool:
        # A slot is there, whatever fills it.
        return choice < 0 or _speaks(of, layout, template, (*others[:gap], choice, *others[gap:]))

    if has_all:
        every = [choice for choice, _ in choices]
        return rng.sample(every, size) if len(fitting) == right and all(map(speaks, every)) else []
    rest = [
        choice
        for choice, _ in choices
        if choice not in fitting
        and choice not in others
        and speaks(choice)
        # What can be nowhere needs no statement to be wrong.
        and of.mask(Fact(template.predicate, (*others[:gap], choice, *others[gap:])))
    ]
    wrong = own - right
    if wrong < 0 or len(fitting) < right or len(rest) < wrong:
        return []
    chosen = rng.sample(fitting, right) + rng.sample(rest, wrong)
    rng.shuffle(chosen)
    return chosen


def _speaks(of: Board, layout: Layout, template: Template, places: Sequence[int | None]) -> bool:
    """Whether what the sentence speaks of is there (the gap, None, is not asked)."""
    return all(
        place is None or (layout.slots[place],) in of.predicates[need].allowed
        for need, place in zip(template.needs, places, strict=False)
    )
