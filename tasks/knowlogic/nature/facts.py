"""All that may be said of four things by one property, true or false, each with its mask of arrangements.

The hidden arrangement has the first thing at slot 1, the second at slot 2, ...: the first of the frame, so
that a proposition is true where the lowest bit of its mask is set. What may be said depends on the four
cells alone, and is kept for the next four things with the same cells.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, permutations
from typing import NamedTuple

from perennial.schemas.knowlogic.things import Proposition
from perennial.tasks.knowlogic.arrangement.frame import Constraint, frame
from perennial.tasks.knowlogic.nature.meaning import COUNTS, SIZE, SLOTS, SYMMETRIC, Meaning, allow

FRAME = frame(SIZE, SIZE)
HIDDEN = 1
REMEMBERED = 20_000
_ONES = [(slot,) for slot in SLOTS]
_PAIRS = list(combinations(SLOTS, 2))
_ORDERED_PAIRS = list(permutations(SLOTS, 2))

Cells = tuple[str, ...]


class Fact(NamedTuple):
    """A proposition about slots, what it says by which property, and its mask."""

    said: Proposition
    about: str
    mask: int

    @property
    def is_true(self) -> bool:
        """Whether the hidden arrangement keeps it."""
        return bool(self.mask & HIDDEN)


class Facts(NamedTuple):
    """True and false facts, by template."""

    true: tuple[tuple[Fact, ...], ...]
    false: tuple[tuple[Fact, ...], ...]


class FactMaker:
    """Makes the facts of a property from four cells."""

    def __init__(self, meanings: Mapping[str, Meaning]) -> None:
        self.by_property: dict[str, list[Meaning]] = {}
        for meaning in meanings.values():
            if meaning.about is not None:
                self.by_property.setdefault(meaning.about, []).append(meaning)
        self.make = lru_cache(maxsize=REMEMBERED)(self._make)

    def _make(self, name: str, cells: Cells) -> Facts:
        true, false = [], []
        for meaning in self.by_property.get(name, ()):
            if not meaning.with_entity and meaning.fits(cells):
                facts = tuple(_facts(meaning, name, cells))
                true.append(tuple(fact for fact in facts if fact.is_true))
                false.append(tuple(fact for fact in facts if not fact.is_true))
        return Facts(tuple(filter(None, true)), tuple(filter(None, false)))


def values_to_say(meaning: Meaning, cells: Cells) -> list[tuple[str, ...]]:
    """Return the value arguments with which a property's template says something of these things."""
    if meaning.value is not None:
        return [()]
    return [(value,) for value in meaning.values if value in cells]


def _facts(meaning: Meaning, name: str, cells: Cells) -> Iterator[Fact]:
    """Yield what the template says; not what is true, or false, in every arrangement."""
    if meaning.relation is None:
        slots: Sequence[tuple[int, ...]] = _ONES
    else:
        slots = _PAIRS if meaning.relation in SYMMETRIC else _ORDERED_PAIRS
    for rest in numbers_to_say(meaning, cells) if meaning.relation else values_to_say(meaning, cells):
        allowed = allow(meaning, rest, (), cells)
        for places in slots:
            mask = mask_of(places, allowed)
            if 0 < mask < FRAME.full:
                yield Fact(Proposition(meaning.template, (*places, *rest)), name, mask)


def numbers_to_say(meaning: Meaning, cells: Cells) -> list[tuple[int, ...]]:
    """Return the number arguments with which a comparison is true of some pair, as far as it counts."""
    if meaning.relation not in COUNTS:
        return [()]
    count = COUNTS[meaning.relation]
    numbers = [int(cell) for cell in cells]
    return [(k,) for k in sorted({count(x, y) for x, y in permutations(numbers, 2)}) if k > 0]


@lru_cache(maxsize=REMEMBERED)
def mask_of(slots: tuple[int, ...], allowed: frozenset[tuple[int, ...]]) -> int:
    """Return the mask of what allows these things (places in the list of four) at these slots."""
    return FRAME.mask(Constraint(tuple(slot - 1 for slot in slots), allowed))
