"""What can be said of the slots of each family of scenes."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations
from typing import Literal

# The six scenes of domain space as coordinates and facings (appendix I of the paper, figures 26 and 29).
#
# A plan (ring, booth, plots) is seen from above with y to the north; a shelf is seen by a viewer who stands
# in front of it, with x to the viewer's right and y upwards. Everything that may be said of a scene
# (`perennial.tasks.knowlogic.space.scenes`) follows from these numbers.

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
        """The nearest slot on the left: the cross product of facing and direction is positive."""
        x, y = here.facing
        left = [
            (math.dist((here.x, here.y), (other.x, other.y)), number)
            for number, other in enumerate(self.slots)
            # Corners are computed by cosines: who sits straight ahead gives 0 but for rounding.
            if x * (other.y - here.y) - y * (other.x - here.x) > 1e-9
        ]
        return min(left)[1]


def _ring(name: str, outwards: int) -> Scene:
    """Six seats on the corners of a hexagon, numbered clockwise as seen from above."""
    slots = []
    for number in range(6):
        angle = math.pi / 2 - number * math.pi / 3
        x, y = math.cos(angle), math.sin(angle)
        slots.append(Slot(f"seat_{number}", x, y, (outwards * x, outwards * y)))
    turns = tuple(tuple((number + turn) % 6 for number in range(6)) for turn in range(6))
    return Scene(name, "ring", tuple(slots), turns)


def _shelf(name: str, tiers: tuple[str, ...], columns: tuple[str, ...]) -> Scene:
    """The sections of a shelf, from the top left; its back is at the south wall: left is east."""
    slots = tuple(
        Slot(f"{tier}_{column}", x, y)
        for y, tier in reversed(list(enumerate(tiers)))
        for x, column in enumerate(columns)
    )
    return Scene(name, "shelf", slots, (tuple(range(len(slots))),))


def _booth() -> Scene:
    """Two benches for two that face each other; nothing tells one bench from the other."""
    slots = (
        Slot("north_west", 0, 1, (0, -1)),
        Slot("north_east", 1, 1, (0, -1)),
        Slot("south_east", 1, 0, (0, 1)),
        Slot("south_west", 0, 0, (0, 1)),
    )
    return Scene("booth", "booth", slots, ((0, 1, 2, 3), (2, 3, 0, 1)))


def _plots() -> Scene:
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


# What can be said of four slots: a booth with two benches, and a field with four plots.

Pair = Callable[[int, int], bool]
Single = Callable[[int], bool]


def booth_relations(scene: Scene) -> Mapping[str, Pair]:
    """Tests of the slots of a and b; left and right hold on one bench only (spec, convention 4)."""
    slots = scene.slots

    def same_bench(a: int, b: int) -> bool:
        return slots[a].facing == slots[b].facing

    def is_left_of(a: int, b: int) -> bool:
        (x, y), here, other = slots[b].facing, slots[b], slots[a]
        return same_bench(a, b) and x * (other.y - here.y) - y * (other.x - here.x) > 0

    def opposite(a: int, b: int) -> bool:
        return not same_bench(a, b) and slots[a].x == slots[b].x

    def diagonal(a: int, b: int) -> bool:
        return not same_bench(a, b) and slots[a].x != slots[b].x

    def across(a: int) -> int:
        return next(slot for slot in range(scene.size) if opposite(slot, a))

    def beside(a: int) -> int:
        return next(slot for slot in range(scene.size) if slot != a and same_bench(slot, a))

    return {
        "left": is_left_of,
        "right": lambda a, b: is_left_of(b, a),
        "beside": lambda a, b: a != b and same_bench(a, b),
        "opposite": opposite,
        "diagonal": diagonal,
        "other_bench": lambda a, b: not same_bench(a, b),
        "not_beside": lambda a, b: a == b or not same_bench(a, b),
        "not_opposite": lambda a, b: not opposite(a, b),
        "not_diagonal": lambda a, b: not diagonal(a, b),
        "diagonal_is_left": lambda a, b: is_left_of(beside(across(a)), b),
        "diagonal_is_right": lambda a, b: is_left_of(b, beside(across(a))),
        "opposite_is_left": lambda a, b: is_left_of(across(a), b),
        "opposite_is_right": lambda a, b: is_left_of(b, across(a)),
        # Slots are numbered clockwise as seen from above.
        "next_clockwise": lambda a, b: (a - b) % scene.size == 1,
        "next_counter": lambda a, b: (b - a) % scene.size == 1,
    }


def booth_properties(scene: Scene) -> Mapping[str, Single]:
    """Tests of a slot: the left or right one of its bench, for who sits there."""
    is_left_of = booth_relations(scene)["left"]

    def has(side: Pair) -> Single:
        return lambda a: any(side(a, b) for b in range(scene.size))

    return {"seat_left": has(is_left_of), "seat_right": has(lambda a, b: is_left_of(b, a))}


_COMPASS = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}


def plot_relations(scene: Scene) -> Mapping[str, Pair]:
    """Tests of the slots of a and b; `north` of: in the northern half, b in the southern one."""
    slots = scene.slots

    def gap(a: int, b: int) -> tuple[float, float]:
        return slots[a].x - slots[b].x, slots[a].y - slots[b].y

    def along(x: int, y: int) -> Pair:
        return lambda a, b: gap(a, b)[0] * x + gap(a, b)[1] * y > 0

    def exactly(x: int, y: int) -> Pair:
        return lambda a, b: gap(a, b) == (x, y)

    tests = {name: along(x, y) for name, (x, y) in _COMPASS.items()}
    tests |= {f"due_{name}": exactly(x, y) for name, (x, y) in _COMPASS.items()}
    tests |= {
        f"{north}_{east}": exactly(_COMPASS[east][0], _COMPASS[north][1])
        for north in ("north", "south")
        for east in ("east", "west")
    }
    return tests | {
        "edge": lambda a, b: sum(map(abs, gap(a, b))) == 1,
        "corner": lambda a, b: sum(map(abs, gap(a, b))) == 2,
        "not_corner": lambda a, b: sum(map(abs, gap(a, b))) != 2,
        "same_half_north": lambda a, b: gap(a, b)[1] == 0,
        "same_half_east": lambda a, b: gap(a, b)[0] == 0,
        "other_half_north": lambda a, b: gap(a, b)[1] != 0,
        "other_half_east": lambda a, b: gap(a, b)[0] != 0,
    }


def plot_properties(scene: Scene) -> Mapping[str, Single]:
    """Tests of a slot: in a half of the field, in a plot, not in a plot."""
    slots = scene.slots
    middle = sum(slot.x for slot in slots) / scene.size

    def half(x: int, y: int) -> Single:
        return lambda a: (slots[a].x - middle) * x + (slots[a].y - middle) * y > 0

    def at(slot: str) -> Single:
        return lambda a: slots[a].id == slot

    def not_at(slot: str) -> Single:
        return lambda a: slots[a].id != slot

    names = [slot.id for slot in slots]
    tests = {f"half_{name}": half(x, y) for name, (x, y) in _COMPASS.items()}
    return (
        tests | {f"at_{name}": at(name) for name in names} | {f"not_{name}": not_at(name) for name in names}
    )


# What can be said of a ring of six: steps to the left, steps clockwise, and the shorter way round.
#
# Left is the left hand of who sits there: facing out it is counter-clockwise as seen from above, facing in
# clockwise. Only the words clockwise and counter-clockwise tell the two rings apart (spec, convention 2).

Triple = Callable[[int, int, int], bool]


def _left_steps(scene: Scene) -> list[list[int]]:
    """How many times `scene.left_steps` leads from slot b to slot a, as `steps[a][b]`."""
    steps = [[0] * scene.size for _ in range(scene.size)]
    for start in range(scene.size):
        here = start
        for number in range(scene.size):
            steps[here][start] = number
            here = scene.left_steps[here]
    return steps


def ring_relations(scene: Scene) -> Mapping[str, Pair]:
    """Tests of the slots of a and b; `left_2`: a is the second to the left of b."""
    left = _left_steps(scene)
    size = scene.size

    def shorter(a: int, b: int) -> int:
        return min(left[a][b], left[b][a])

    def steps_left(number: int) -> Pair:
        return lambda a, b: left[a][b] == number

    def steps_right(number: int) -> Pair:
        return lambda a, b: left[b][a] == number

    # Slots are numbered clockwise as seen from above.
    def steps_clockwise(number: int) -> Pair:
        return lambda a, b: (a - b) % size == number

    def steps_counter(number: int) -> Pair:
        return lambda a, b: (b - a) % size == number

    ways = {"left": steps_left, "right": steps_right, "clockwise": steps_clockwise, "counter": steps_counter}
    tests = {f"{name}_{number}": steps(number) for name, steps in ways.items() for number in range(1, size)}
    return tests | {
        "left_side": lambda a, b: left[a][b] in (1, 2),
        "right_side": lambda a, b: left[b][a] in (1, 2),
        "adjacent": lambda a, b: shorter(a, b) == 1,
        "one_between": lambda a, b: shorter(a, b) == 2,
        "opposite": lambda a, b: shorter(a, b) == 3,
        "not_adjacent": lambda a, b: shorter(a, b) != 1,
        "not_opposite": lambda a, b: shorter(a, b) != 3,
    }


def ring_triples(scene: Scene) -> Mapping[str, Triple]:
    """Tests of the slots of a, b and c."""
    left = _left_steps(scene)

    def apart(number: int) -> Triple:
        return lambda a, b, c: {left[a][b], left[a][c]} == {number, scene.size - number}

    return {"between": apart(1), "middle_of_five": apart(2)}


# What can be said of the sections of a shelf (spec, convention 3).
#
# Left and right without more mean the same tier; above and below any column; "directly" the same column, any
# gap; "upper left" higher and further left, any gap. A name that ends in a number says the gap: `_1` the next
# tier (or column), `_2` the one after it.

_UP, _SIDE = {"upper": 1, "lower": -1}, {"left": -1, "right": 1}


class _Grid:
    """Rows and columns of a shelf's slots."""

    def __init__(self, scene: Scene) -> None:
        self.places = [(int(slot.x), int(slot.y)) for slot in scene.slots]
        self.columns = 1 + max(x for x, _ in self.places)
        self.tiers = 1 + max(y for _, y in self.places)

    def gap(self, a: int, b: int) -> tuple[int, int]:
        """How far a is to the right of b, and how far above."""
        (ax, ay), (bx, by) = self.places[a], self.places[b]
        return ax - bx, ay - by

    def neighbor(self, a: int, x: int, y: int) -> int | None:
        position = self.places[a][0] + x, self.places[a][1] + y
        return self.places.index(position) if position in self.places else None


def _gap(grid: _Grid, test: Callable[[int, int], bool]) -> Pair:
    return lambda a, b: test(*grid.gap(a, b))


def _straight(grid: _Grid) -> dict[str, Pair]:
    def on(test: Callable[[int, int], bool]) -> Pair:
        return _gap(grid, test)

    return {
        "left": on(lambda x, y: y == 0 and x < 0),
        "right": on(lambda x, y: y == 0 and x > 0),
        "above": on(lambda x, y: y > 0),
        "below": on(lambda x, y: y < 0),
        "directly_above": on(lambda x, y: x == 0 and y > 0),
        "directly_below": on(lambda x, y: x == 0 and y < 0),
        "further_left": on(lambda x, y: x < 0),
        "further_right": on(lambda x, y: x > 0),
        "same_tier": on(lambda x, y: y == 0),
        "different_tier": on(lambda x, y: y != 0),
        "same_column": on(lambda x, y: x == 0),
        "different_column": on(lambda x, y: x != 0),
        "one_over_other": on(lambda x, y: x == 0 and abs(y) == 1),
        "share_edge": on(lambda x, y: abs(x) + abs(y) == 1),
    }


def _compare_diagonally(grid: _Grid) -> dict[str, Pair]:
    """Tests of upper left and the like, with any gap and with a stated one."""
    tests: dict[str, Pair] = {}
    for up, dy in _UP.items():
        for side, dx in _SIDE.items():

            def quadrant(x: int, y: int, dx: int = dx, dy: int = dy) -> bool:
                return x * dx > 0 and y * dy > 0

            def at_gap(number: int, axis: int, test: Callable[[int, int], bool] = quadrant) -> Pair:
                return _gap(grid, lambda x, y: test(x, y) and abs((x, y)[axis]) == number)

            tests[f"{up}_{side}"] = _gap(grid, quadrant)
            for number in (1, 2):
                if grid.tiers > 2:
                    tests[f"{up}_{side}_{number}"] = at_gap(number, 1)
                if grid.columns > 2:
                    tests[f"{up}_{side}_column_{number}"] = at_gap(number, 0)
    return tests


def _gaps(grid: _Grid) -> dict[str, Pair]:
    """Tests with a stated gap, along the axis that has room for two."""
    if grid.tiers > 2:
        return {
            "above_1": _gap(grid, lambda x, y: y == 1),
            "above_2": _gap(grid, lambda x, y: y == 2),
            "below_1": _gap(grid, lambda x, y: y == -1),
            "below_2": _gap(grid, lambda x, y: y == -2),
            "directly_above_1": _gap(grid, lambda x, y: x == 0 and y == 1),
            "directly_above_2": _gap(grid, lambda x, y: x == 0 and y == 2),
            "directly_below_1": _gap(grid, lambda x, y: x == 0 and y == -1),
            "directly_below_2": _gap(grid, lambda x, y: x == 0 and y == -2),
            "adjacent_tiers": _gap(grid, lambda x, y: abs(y) == 1),
            "tier_between": _gap(grid, lambda x, y: abs(y) == 2),
        }
    return {
        "left_1": _gap(grid, lambda x, y: y == 0 and x == -1),
        "left_2": _gap(grid, lambda x, y: y == 0 and x == -2),
        "right_1": _gap(grid, lambda x, y: y == 0 and x == 1),
        "right_2": _gap(grid, lambda x, y: y == 0 and x == 2),
        "next_on_tier": _gap(grid, lambda x, y: y == 0 and abs(x) == 1),
        "adjacent_columns": _gap(grid, lambda x, y: abs(x) == 1),
        "column_between": _gap(grid, lambda x, y: abs(x) == 2),
    }


def _compare_neighbors(grid: _Grid, tests: Mapping[str, Pair]) -> dict[str, Pair]:
    """Tests of what stands next to a: `right_neighbor_above` says that it is directly above b."""

    def link(x: int, y: int, test: Pair) -> Pair:
        def holds(a: int, b: int) -> bool:
            beside = grid.neighbor(a, x, y)
            return beside is not None and beside != b and test(beside, b)

        return holds

    sides = {f"{side}_neighbor": (dx, 0) for side, dx in _SIDE.items()}
    over = {"next_above": (0, 1), "next_below": (0, -1)}
    slanted = [f"{up}_{side}" for up in _UP for side in _SIDE]
    links = dict.fromkeys(sides, (*slanted, "directly_above", "directly_below"))
    links |= dict.fromkeys(over, ("left", "right"))
    tests_of_grid = {
        f"{beside}_{name}": link(*(sides | over)[beside], tests[name])
        for beside, names in links.items()
        for name in names
    }
    pairs = [(a, b) for a in range(len(grid.places)) for b in range(len(grid.places)) if a != b]
    return {name: test for name, test in tests_of_grid.items() if any(test(a, b) for a, b in pairs)}


def shelf_relations(scene: Scene) -> Mapping[str, Pair]:
    """Tests of the slots of a and b."""
    grid = _Grid(scene)
    tests = _straight(grid) | _gaps(grid) | _compare_diagonally(grid)
    return tests | _compare_neighbors(grid, tests)


def shelf_triples(scene: Scene) -> Mapping[str, Triple]:
    """Tests of the slots of a, b and c: a between the other two, on a tier or in a column."""
    grid = _Grid(scene)
    axis = 1 if grid.tiers > 2 else 0

    def between(a: int, b: int, c: int) -> bool:
        first, second = grid.gap(b, a), grid.gap(c, a)
        return (
            first[1 - axis] == 0 == second[1 - axis]
            and abs(first[axis]) == 1
            and first[axis] == -second[axis]
        )

    return {"between": between}


def shelf_properties(scene: Scene) -> Mapping[str, Single]:
    """Tests of a slot: its tier and column, what they are not, what is beside it, and which one."""
    ids = [slot.id.split("_") for slot in scene.slots]

    def has(part: int, value: str) -> Single:
        return lambda a: ids[a][part] == value

    def has_not(part: int, value: str) -> Single:
        return lambda a: ids[a][part] != value

    tiers = list(dict.fromkeys(tier for tier, _ in ids))
    columns = list(dict.fromkeys(column for _, column in ids))
    tests = {f"tier_{tier}": has(0, tier) for tier in tiers}
    tests |= {f"column_{column}": has(1, column) for column in columns}
    if len(tiers) > 2:
        tests |= {f"not_tier_{tier}": has_not(0, tier) for tier in tiers}
    else:
        tests |= {f"not_column_{column}": has_not(1, column) for column in columns}

    grid = _Grid(scene)

    def has_beside(x: int, y: int) -> Single:
        return lambda a: grid.neighbor(a, x, y) is not None

    tests |= {f"has_{side}": has_beside(x, 0) for side, x in _SIDE.items()}
    tests |= {"has_above": has_beside(0, 1), "has_below": has_beside(0, -1)}

    def at(slot: str) -> Single:
        return lambda a: scene.slots[a].id == slot

    return tests | {f"at_{slot.id}": at(slot.id) for slot in scene.slots}


# What can be said of the slots of a scene: predicates, each the set of slot tuples for which it holds.
#
# A property holds for slots, a relation for pairs (the slots of a and of b), a few for triples. They are
# computed from the scene's geometry, so that rules between them need not be listed (`reasoning.rules` has
# them all).
# The sentences that say them are in `prompts/knowlogic/space_*.toml`, by the names used here.

Test = Callable[..., bool]


@dataclass(frozen=True, slots=True)
class Predicate:
    """A property (arity 1) or relation: the tuples of distinct slots for which it holds.

    `is_precise`: whatever place is asked for, the other slots leave one slot at most (Table 3 of the paper).
    `is_reflexive`: it would hold of a thing and itself, as "on the same tier" does.
    """

    name: str
    arity: int
    allowed: frozenset[tuple[int, ...]]
    is_precise: bool
    is_reflexive: bool


def _predicate(scene: Scene, name: str, arity: int, test: Test) -> Predicate:
    allowed = frozenset(slots for slots in permutations(range(scene.size), arity) if test(*slots))
    is_precise = all(
        len({slots[:position] + slots[position + 1 :] for slots in allowed}) == len(allowed)
        for position in range(arity)
    )
    is_reflexive = arity == 2 and any(test(slot, slot) for slot in range(scene.size))
    return Predicate(name, arity, allowed, is_precise, is_reflexive)


_Tests = Callable[[Scene], Mapping[str, Test]]
# By the number of slots that are tested: nothing tells one seat of a ring from another.
_TESTS: Mapping[Family, Mapping[int, _Tests]] = {
    "ring": {2: ring_relations, 3: ring_triples},
    "booth": {1: booth_properties, 2: booth_relations},
    "shelf": {1: shelf_properties, 2: shelf_relations, 3: shelf_triples},
    "plots": {1: plot_properties, 2: plot_relations},
}


def _predicates(scene: Scene) -> Iterator[Predicate]:
    for arity, tests in _TESTS[scene.family].items():
        for name, test in tests(scene).items():
            yield _predicate(scene, name, arity, test)


@lru_cache(maxsize=16)
def predicates(scenario: str) -> Mapping[str, Predicate]:
    """The predicates of a scenario by name, properties first."""
    return {predicate.name: predicate for predicate in _predicates(SCENES[scenario])}
