"""What may be asked of four things at four places: the question, its options, and which of them are right."""

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from schemas.knowlogic.things import GAP, LETTERS, Argument, Proposition, QuestionType
from tasks.knowlogic.domain import Request
from tasks.knowlogic.nature.facts import FRAME, Cells, Fact, Facts, values_to_say
from tasks.knowlogic.nature.meaning import HOLDS, SIZE, SLOTS, Meaning, constrain
from tasks.knowlogic.problem import fill

# How often a precise question asks for the name of what is at a place, or the place of a named thing.
_HOLDS_SHARE = 0.6


class Question(NamedTuple):
    """A question: `masks` and `properties` of its options, and the places that it is about (`nm`)."""

    asked: Proposition | None
    options: tuple[Proposition, ...]
    masks: tuple[int, ...]
    properties: frozenset[str]
    wanted: frozenset[int]
    facts: tuple[Fact, ...] = ()


class Gap(NamedTuple):
    """A proposition with a gap, its property (None: `holds`), and the choices that are right."""

    asked: Proposition
    about: str | None
    rights: tuple[Argument, ...]


def choose_statements(
    request: Request, facts: Sequence[Facts], meanings: Mapping[str, Meaning], rng: random.Random
) -> Question | None:
    """Return statements to choose from, so many right as requested; None where there are too few."""
    count = len(LETTERS)
    true = request.right if request.type == "correct_statements" else count - request.right
    chosen: list[Fact] = []
    for is_true, wanted in ((True, true), (False, count - true)):
        groups = [group for each in facts for group in (each.true if is_true else each.false)]
        for _ in range(wanted):
            fact = _draw_fact(groups, chosen, rng)
            if fact is None:
                return None
            chosen.append(fact)
    rng.shuffle(chosen)
    places = frozenset(
        int(place) for fact in chosen for place in fact.said.arguments[: meanings[fact.said.template].slots]
    )
    options = tuple(fact.said for fact in chosen)
    masks = tuple(fact.mask for fact in chosen)
    return Question(None, options, masks, frozenset(fact.about for fact in chosen), places, tuple(chosen))


def choose_gap(
    request: Request,
    four: Sequence[str],
    listed: Sequence[str],
    cells: Mapping[str, Cells],
    meanings: Mapping[str, Meaning],
    rng: random.Random,
) -> Question | None:
    """Return a question with a gap and so many right choices as requested; None where there is none.

    The four things and the four places are the options, things in the order of the introduction.
    """
    of_slots = request.type in ("precise_slot", "vague_slot")
    if request.type in ("precise_entity", "precise_slot") and rng.random() < _HOLDS_SHARE:
        place = rng.randrange(SIZE)
        slot, entity = SLOTS[place], four[place]
        gaps = [
            Gap(Proposition(HOLDS, (GAP, entity)), None, (slot,))
            if of_slots
            else Gap(Proposition(HOLDS, (slot, GAP)), None, (entity,))
        ]
    else:
        make = _slot_gaps if of_slots else _entity_gaps
        gaps = [gap for gap in make(four, cells, meanings) if len(gap.rights) == request.right]
        templates = sorted({gap.asked.template for gap in gaps})
        if not gaps:
            return None
        template = rng.choice(templates)
        gaps = [gap for gap in gaps if gap.asked.template == template]
    gap = rng.choice(gaps)
    options = tuple(fill(gap.asked, choice) for choice in (SLOTS if of_slots else listed))
    meaning = meanings[gap.asked.template]
    own = cells[gap.about] if gap.about else ()
    masks = tuple(FRAME.mask(constrain(meaning, option.arguments, four, own)) for option in options)
    wanted = gap.rights if of_slots else gap.asked.arguments[:1]
    properties = frozenset({gap.about} if gap.about else ())
    return Question(gap.asked, options, masks, properties, frozenset(int(each) for each in wanted))


def right_count(type_: QuestionType, masks: Sequence[int]) -> int:
    """Return how many options of these masks are right in the hidden arrangement."""
    held = sum(mask & 1 for mask in masks)
    return len(masks) - held if type_ == "incorrect_statements" else held


def _draw_fact(
    groups: Sequence[Sequence[Fact]], chosen: Collection[Fact], rng: random.Random, tries: int = 8
) -> Fact | None:
    """Return a fact that says nothing that a chosen one says or denies by the same property."""
    if not groups:
        return None
    said = {(fact.about, mask) for fact in chosen for mask in (fact.mask, fact.mask ^ FRAME.full)}
    for _ in range(tries):
        fact = rng.choice(rng.choice(groups))
        if (fact.about, fact.mask) not in said:
            return fact
    return None


def _slot_gaps(
    four: Sequence[str], cells: Mapping[str, Cells], meanings: Mapping[str, Meaning]
) -> Iterator[Gap]:
    """Yield "the animal in enclosure No.____ has a shell" and the like."""
    for meaning in meanings.values():
        if meaning.about not in cells or meaning.relation or not meaning.fits(cells[meaning.about]):
            continue
        own = cells[meaning.about]
        for arguments in values_to_say(meaning, own):
            value = arguments[0] if arguments else meaning.value
            rights = tuple(
                slot for slot, cell in zip(SLOTS, own, strict=True) if meaning.holds(cell, str(value))
            )
            yield Gap(Proposition(meaning.template, (GAP, *arguments)), meaning.about, rights)


def _entity_gaps(
    four: Sequence[str], cells: Mapping[str, Cells], meanings: Mapping[str, Meaning]
) -> Iterator[Gap]:
    """Yield "the animal in enclosure No.1 has more legs than ____" and the like."""
    for meaning in meanings.values():
        if meaning.about not in cells or not meaning.with_entity or not meaning.fits(cells[meaning.about]):
            continue
        own = cells[meaning.about]
        for place, slot in enumerate(SLOTS):
            rights = tuple(
                entity
                for other, entity in enumerate(four)
                if other != place and meaning.compares(own[place], own[other])
            )
            yield Gap(Proposition(meaning.template, (slot, GAP)), meaning.about, rights)
