"""What can be said of four slots: a booth with two benches, and a field with four plots."""

from collections.abc import Callable, Mapping

from perennial.tasks.knowlogic.space.geometry import Scene

Pair = Callable[[int, int], bool]
Single = Callable[[int], bool]


def booth_relations(scene: Scene) -> Mapping[str, Pair]:
    """Return tests of the slots of a and b; left and right hold on one bench only (spec, convention 4)."""
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
    """Return tests of a slot: the left or right one of its bench, for who sits there."""
    is_left_of = booth_relations(scene)["left"]

    def has(side: Pair) -> Single:
        return lambda a: any(side(a, b) for b in range(scene.size))

    return {"seat_left": has(is_left_of), "seat_right": has(lambda a, b: is_left_of(b, a))}


_COMPASS = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}


def plot_relations(scene: Scene) -> Mapping[str, Pair]:
    """Return tests of the slots of a and b; `north` of: in the northern half, b in the southern one."""
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
    """Return tests of a slot: in a half of the field, in a plot, not in a plot."""
    slots = scene.slots
    middle = sum(slot.x for slot in slots) / scene.size

    def half(x: int, y: int) -> Single:
        return lambda a: (slots[a].x - middle) * x + (slots[a].y - middle) * y > 0

    def at(place: str) -> Single:
        return lambda a: slots[a].id == place

    def not_at(place: str) -> Single:
        return lambda a: slots[a].id != place

    names = [slot.id for slot in slots]
    tests = {f"half_{name}": half(x, y) for name, (x, y) in _COMPASS.items()}
    return (
        tests | {f"at_{name}": at(name) for name in names} | {f"not_{name}": not_at(name) for name in names}
    )
