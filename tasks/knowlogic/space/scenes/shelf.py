"""What can be said of the sections of a shelf (spec, convention 3).

Left and right without more mean the same tier; above and below any column; "directly" the same column, any
gap; "upper left" higher and further left, any gap. A name that ends in a number says the gap: `_1` the next
tier (or column), `_2` the one after it.
"""

from collections.abc import Callable, Mapping

from perennial.tasks.knowlogic.space.geometry import Scene

Single = Callable[[int], bool]
Pair = Callable[[int, int], bool]
Triple = Callable[[int, int, int], bool]

_UP, _SIDE = {"upper": 1, "lower": -1}, {"left": -1, "right": 1}


class _Grid:
    """Rows and columns of a shelf's slots."""

    def __init__(self, scene: Scene) -> None:
        self.places = [(int(slot.x), int(slot.y)) for slot in scene.slots]
        self.columns = 1 + max(x for x, _ in self.places)
        self.tiers = 1 + max(y for _, y in self.places)

    def gap(self, a: int, b: int) -> tuple[int, int]:
        """Return how far a is to the right of b, and how far above."""
        (ax, ay), (bx, by) = self.places[a], self.places[b]
        return ax - bx, ay - by

    def neighbor(self, a: int, x: int, y: int) -> int | None:
        """Return the slot beside a slot, None where there is none."""
        place = self.places[a][0] + x, self.places[a][1] + y
        return self.places.index(place) if place in self.places else None


def _gap(grid: _Grid, test: Callable[[int, int], bool]) -> Pair:
    return lambda a, b: test(*grid.gap(a, b))


def _straight(grid: _Grid) -> dict[str, Pair]:
    """Return tests along one axis."""

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
    """Return tests of upper left and the like, with any gap and with a stated one."""
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
    """Return tests with a stated gap, along the axis that has room for two."""
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
    """Return tests of what stands next to a: `right_neighbor_above` says that it is directly above b."""

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
    found = {
        f"{beside}_{name}": link(*(sides | over)[beside], tests[name])
        for beside, names in links.items()
        for name in names
    }
    pairs = [(a, b) for a in range(len(grid.places)) for b in range(len(grid.places)) if a != b]
    return {name: test for name, test in found.items() if any(test(a, b) for a, b in pairs)}


def shelf_relations(scene: Scene) -> Mapping[str, Pair]:
    """Return tests of the slots of a and b."""
    grid = _Grid(scene)
    tests = _straight(grid) | _gaps(grid) | _compare_diagonally(grid)
    return tests | _compare_neighbors(grid, tests)


def shelf_triples(scene: Scene) -> Mapping[str, Triple]:
    """Return tests of the slots of a, b and c: a between the other two, on a tier or in a column."""
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
    """Return tests of a slot: its tier and column, what they are not, what is beside it, and which one."""
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

    def at(place: str) -> Single:
        return lambda a: scene.slots[a].id == place

    return tests | {f"at_{slot.id}": at(slot.id) for slot in scene.slots}
