"""The six scenes of domain space as coordinates and facings (appendix I of the paper, figures 26 and 29).

A plan (ring, booth, plots) is seen from above with y to the north; a shelf is seen by a viewer who stands in
front of it, with x to the viewer's right and y upwards. Everything that may be said of a scene
(`perennial.tasks.knowlogic.space.relations`) follows from these numbers.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Family = Literal["ring", "booth", "shelf", "plots"]


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for one thing: its id, coordinates, and the direction in which who sits there looks."""

    id: str
    x: float
    y: float
    facing: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class Scene:
    """A scenario: its slots, and the permutations of slots that no statement can tell apart.

    `symmetries[k][slot]` is where symmetry `k` puts what is at that slot; the first one changes nothing.
    """

    name: str
    family: Family
    slots: tuple[Slot, ...]
    symmetries: tuple[tuple[int, ...], ...]

    @property
    def size(self) -> int:
        """The number of slots, and of things on them."""
        return len(self.slots)

    @property
    def order(self) -> int:
        """The number of arrangements that count as one."""
        return len(self.symmetries)

    @cached_property
    def slot_numbers(self) -> dict[str | int, int]:
        """The number of each slot by its id."""
        return {slot.id: number for number, slot in enumerate(self.slots)}

    @property
    def has_slot_questions(self) -> bool:
        """Whether a slot can be named: not where a symmetry moves it (spec, convention 1)."""
        return self.order == 1

    @cached_property
    def left_steps(self) -> tuple[int, ...]:
        """For each slot of a ring, the slot of the left-hand neighbor: nearest, and left of the facing."""
        return tuple(self._left_neighbor(slot) for slot in self.slots)

    def _left_neighbor(self, here: Slot) -> int:
        """Return the nearest slot on the left: the cross product of facing and direction is positive."""
        x, y = here.facing
        left = [
            (math.dist((here.x, here.y), (other.x, other.y)), number)
            for number, other in enumerate(self.slots)
            if x * (other.y - here.y) - y * (other.x - here.x) > 1e-9
        ]
        return min(left)[1]


def _ring(name: str, outwards: int) -> Scene:
    """Return six seats on the corners of a hexagon, numbered clockwise as seen from above."""
    slots = []
    for number in range(6):
        angle = math.pi / 2 - number * math.pi / 3
        x, y = math.cos(angle), math.sin(angle)
        slots.append(Slot(f"seat_{number}", x, y, (outwards * x, outwards * y)))
    turns = tuple(tuple((number + turn) % 6 for number in range(6)) for turn in range(6))
    return Scene(name, "ring", tuple(slots), turns)


def _shelf(name: str, tiers: tuple[str, ...], columns: tuple[str, ...]) -> Scene:
    """Return the sections of a shelf, from the top left; its back is at the south wall: left is east."""
    slots = tuple(
        Slot(f"{tier}_{column}", x, y)
        for y, tier in reversed(list(enumerate(tiers)))
        for x, column in enumerate(columns)
    )
    return Scene(name, "shelf", slots, (tuple(range(len(slots))),))


def _booth() -> Scene:
    """Return two benches for two that face each other; nothing tells one bench from the other."""
    slots = (
        Slot("north_west", 0, 1, (0, -1)),
        Slot("north_east", 1, 1, (0, -1)),
        Slot("south_east", 1, 0, (0, 1)),
        Slot("south_west", 0, 0, (0, 1)),
    )
    return Scene("booth", "booth", slots, ((0, 1, 2, 3), (2, 3, 0, 1)))


def _plots() -> Scene:
    """Return four plots of a square field."""
    places = {"north_west": (0, 1), "north_east": (1, 1), "south_west": (0, 0), "south_east": (1, 0)}
    return Scene(
        "plots", "plots", tuple(Slot(name, x, y) for name, (x, y) in places.items()), ((0, 1, 2, 3),)
    )


SCENES: Mapping[str, Scene] = {
    scene.name: scene
    for scene in (
        _ring("ring_out", 1),
        _ring("ring_in", -1),
        _shelf("shelf_3x2", ("bottom", "middle", "top"), ("left", "right")),
        _shelf("shelf_2x3", ("bottom", "top"), ("left", "center", "right")),
        _booth(),
        _plots(),
    )
}
