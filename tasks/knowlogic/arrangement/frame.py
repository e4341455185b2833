"""All arrangements of a few variables on values, as bits of one integer.

A space question has people as variables and seats as values; a nature question plots as variables and
plants as values. These are distinct; surnames of people may repeat. A constraint on one, two or three
variables is the set of value tuples that it allows; its mask is the set of arrangements that keep it. AND
of masks is "all of these hold".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations, product


@dataclass(frozen=True, slots=True)
class Constraint:
    """Which tuples of values these variables (distinct indices) may have, in their order."""

    variables: tuple[int, ...]
    allowed: frozenset[tuple[int, ...]]


@dataclass(frozen=True)
class Frame:
    """All maps of `size` variables to `values` values, injective unless said, in lexicographic order."""

    size: int
    values: int
    is_injective: bool = True

    @cached_property
    def arrangements(self) -> tuple[tuple[int, ...], ...]:
        """The arrangements: the value of each variable."""
        values = range(self.values)
        return tuple(
            permutations(values, self.size) if self.is_injective else product(values, repeat=self.size)
        )

    @cached_property
    def full(self) -> int:
        """The mask of all arrangements."""
        return (1 << len(self.arrangements)) - 1

    @cached_property
    def at(self) -> tuple[tuple[int, ...], ...]:
        """`at[variable][value]`: the mask of arrangements with that value."""
        found = [[0] * self.values for _ in range(self.size)]
        for number, arrangement in enumerate(self.arrangements):
            for variable, value in enumerate(arrangement):
                found[variable][value] |= 1 << number
        return tuple(tuple(row) for row in found)

    def mask(self, constraint: Constraint) -> int:
        """Return the mask of the arrangements that keep the constraint."""
        found = 0
        for values in constraint.allowed:
            held = self.full
            for variable, value in zip(constraint.variables, values, strict=True):
                held &= self.at[variable][value]
            found |= held
        return found

    def arrangement(self, mask: int) -> tuple[int, ...]:
        """Return the first arrangement of a mask that is not empty."""
        return self.arrangements[(mask & -mask).bit_length() - 1]


@lru_cache(maxsize=16)
def frame(size: int, values: int, *, is_injective: bool = True) -> Frame:
    """Return the frame of so many variables and values, built once."""
    return Frame(size, values, is_injective)


def verdict(held: int, option: int) -> bool | None:
    """Return whether an option's mask covers all arrangements that are held (True), none (False), or some."""
    return True if held & option == held else False if not held & option else None


def all_of(frame_: Frame, masks: Iterable[int]) -> int:
    """Return the arrangements that keep all of these masks."""
    found = frame_.full
    for each in masks:
        found &= each
    return found


def drop_redundant(frame_: Frame, masks: Sequence[int], order: Sequence[int]) -> list[int]:
    """Return the places of masks that are kept when, in this order, each is dropped that the others imply."""
    kept = list(range(len(masks)))
    goal = all_of(frame_, masks)
    for place in order:
        rest = [each for each in kept if each != place]
        if all_of(frame_, (masks[each] for each in rest)) == goal:
            kept = rest
    return kept


def fewest_statements(frame_: Frame, masks: Sequence[int], option: int) -> int:
    """Return the size of the smallest set of statements that decides the option, true or false.

    It is the size of a smallest unsatisfiable core of "the answer is false" (0: the frame decides it alone).
    Raises ValueError where all statements together leave it open.
    """
    reached = {frame_.full}
    for size in range(len(masks) + 1):
        if any(verdict(held, option) is not None for held in reached):
            return size
        reached = {held & mask for held in reached for mask in masks if held & mask != held}
    raise ValueError("the statements leave the option open")
