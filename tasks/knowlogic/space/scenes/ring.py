"""What can be said of a ring of six: steps to the left, steps clockwise, and the shorter way round.

Left is the left hand of who sits there: facing out it is counter-clockwise as seen from above, facing in
clockwise. Only the words clockwise and counter-clockwise tell the two rings apart (spec, convention 2).
"""

from collections.abc import Callable, Mapping

from perennial.tasks.knowlogic.space.geometry import Scene

Pair = Callable[[int, int], bool]
Triple = Callable[[int, int, int], bool]


def no_properties(scene: Scene) -> Mapping[str, Callable[[int], bool]]:
    """Return none: nothing tells one seat from another."""
    return {}


def _left_steps(scene: Scene) -> list[list[int]]:
    """Return how many times `scene.left_steps` leads from slot b to slot a, as `steps[a][b]`."""
    steps = [[0] * scene.size for _ in range(scene.size)]
    for start in range(scene.size):
        here = start
        for number in range(scene.size):
            steps[here][start] = number
            here = scene.left_steps[here]
    return steps


def ring_relations(scene: Scene) -> Mapping[str, Pair]:
    """Return tests of the slots of a and b; `left_2`: a is the second to the left of b."""
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

    ways = {
        "left": steps_left,
        "right": steps_right,
        "clockwise": steps_clockwise,
        "counter": steps_counter,
    }
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
    """Return tests of the slots of a, b and c."""
    left = _left_steps(scene)

    def apart(number: int) -> Triple:
        return lambda a, b, c: {left[a][b], left[a][c]} == {number, scene.size - number}

    return {"between": apart(1), "middle_of_five": apart(2)}
