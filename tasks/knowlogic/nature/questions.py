"""What may be asked of four things at four places: the question, its options, and which of them are right."""

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from perennial.schemas.knowlogic.things import GAP, LETTERS, Argument, Proposition
from perennial.tasks.knowlogic.domain import Request
from perennial.tasks.knowlogic.nature.facts import (
    FRAME,
    HIDDEN,
    REMEMBERED,
    Cells,
    Fact,
    Facts,
    mask_of,
    values_to_say,
)
from perennial.tasks.knowlogic.nature.meaning import HOLDS, SIZE, SLOTS, Meaning, allow
from perennial.tasks.knowlogic.problem import fill

# How often a precise question asks for the name of what is at a place, or the place of a named thing.
_HOLDS_SHARE = 0.6


class Question(NamedTuple):
    """A question: the masks of its options, properties and places that it is about, options as facts."""

    asked: Proposition | None
    options: tuple[Proposition, ...]
    masks: tuple[int, ...]
    abouts: frozenset[str]
    wanted: frozenset[int]
    facts: tuple[Fact, ...] = ()

    @property
    def about(self) -> str | None:
        """The property of a question with a gap."""
        return next(iter(self.abouts), None)


class Gap(NamedTuple):
    """A proposition with a gap: its arguments, the masks of the four choices, the places that it is about."""

    meaning: Meaning
    arguments: tuple[Argument, ...]
    masks: tuple[int, ...]
    wanted: tuple[int, ...]


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
    return Question(
        asked=None,
        options=options,
        masks=masks,
        abouts=frozenset(fact.about for fact in chosen),
        wanted=places,
        facts=tuple(chosen),
    )


def choose_gap(
    request: Request,
    four: Sequence[str],
    cells: Mapping[str, Cells],
    maker: "GapMaker",
    rng: random.Random,
) -> Question | None:
    """Return a question with a gap and so many right choices as requested; None where there is none.

    The four things, in their order here, and the four places are the options.
    """
    is_precise = request.type.startswith("precise")
    # All four are options: of a vague question two fit at least.
    if (request.right != 1) if is_precise else (request.right < 2):
        return None
    of_slots = request.type in ("precise_slot", "vague_slot")
    if is_precise and rng.random() < _HOLDS_SHARE:
        place = rng.randrange(SIZE)
        arguments: tuple[Argument, ...] = (GAP, four[place]) if of_slots else (SLOTS[place], GAP)
        masks = tuple(mask_of((SLOTS[place],), frozenset({(each,)})) for each in range(SIZE))
        if of_slots:
            masks = tuple(mask_of((slot,), frozenset({(place,)})) for slot in SLOTS)
        return _ask(Proposition(HOLDS, arguments), masks, (SLOTS[place],), None, four)
    for name in rng.sample(list(cells), len(cells)):
        templates = maker.make(name, cells[name]).get((of_slots, request.right))
        if templates:
            gap = rng.choice(rng.choice(templates))
            return _ask(
                Proposition(gap.meaning.template, gap.arguments),
                gap.masks,
                gap.wanted,
                gap.meaning.about,
                four,
            )
    return None


def _ask(
    asked: Proposition,
    masks: tuple[int, ...],
    wanted: tuple[int, ...],
    about: str | None,
    four: Sequence[str],
) -> Question:
    choices = SLOTS if asked.arguments[0] == GAP else four
    options = tuple(fill(asked, choice) for choice in choices)
    return Question(asked, options, masks, frozenset({about} if about else ()), frozenset(wanted))


class GapMaker:
    """Makes the questions with a gap that four cells of a property allow."""

    def __init__(self, meanings: Mapping[str, Meaning]) -> None:
        self._meanings = [meaning for meaning in meanings.values() if meaning.about is not None]
        self.make = lru_cache(maxsize=REMEMBERED)(self._make)

    def _make(self, name: str, cells: Cells) -> dict[tuple[bool, int], list[list[Gap]]]:
        """Return gaps by whether a place is asked for and number of right choices, a list per template."""
        found: dict[tuple[bool, int], list[list[Gap]]] = {}
        for meaning in self._meanings:
            if meaning.about != name or not meaning.fits(cells):
                continue
            if meaning.relation is None:
                gaps = list(_slot_gaps(meaning, cells))
            else:
                gaps = list(_entity_gaps(meaning, cells)) if meaning.with_entity else []
            by_right: dict[int, list[Gap]] = {}
            for gap in gaps:
                by_right.setdefault(sum(mask & HIDDEN for mask in gap.masks), []).append(gap)
            for right, same in by_right.items():
                found.setdefault((meaning.relation is None, right), []).append(same)
        return found


def _slot_gaps(meaning: Meaning, cells: Cells) -> Iterator[Gap]:
    """Yield "the animal in enclosure No.____ has a shell" and the like."""
    for rest in values_to_say(meaning, cells):
        allowed = allow(meaning, rest, (), cells)
        masks = tuple(mask_of((slot,), allowed) for slot in SLOTS)
        rights = tuple(slot for slot, mask in zip(SLOTS, masks, strict=True) if mask & HIDDEN)
        yield Gap(meaning, (GAP, *rest), masks, rights)


def _entity_gaps(meaning: Meaning, cells: Cells) -> Iterator[Gap]:
    """Yield "the animal in enclosure No.1 has more legs than ____" and the like."""
    for slot in SLOTS:
        masks = tuple(mask_of((slot,), allow(meaning, (place,), range(SIZE), cells)) for place in range(SIZE))
        yield Gap(meaning, (slot, GAP), masks, (slot,))


def _draw_fact(
    groups: Sequence[Sequence[Fact]], chosen: Collection[Fact], rng: random.Random, tries: int = 8
) -> Fact | None:
    """Return a fact that says nothing that a chosen one says or denies by the same property."""
    if not groups:
        return None
    said = {(fact.about, mask) for fact in chosen for mask in (fact.mask, fact.mask ^ FRAME.full)}
    for _ in range(tries):
        group = groups[int(rng.random() * len(groups))]
        fact = group[int(rng.random() * len(group))]
        if (fact.about, fact.mask) not in said:
            return fact
    return None
