"""Orders of the places of a list of any length: the moves of one axis, each as the places read in turn."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from itertools import islice, permutations, product
from operator import itemgetter

import numpy as np
import numpy.typing as npt

Parts = list[list[int]]
Change = Callable[[Parts], Iterable[list[int]]]
# From a length to the places that are read, in order.
Order = Callable[[int], list[int]]

_STEPS = range(1, 13)
_BLOCKS = (2, 3, 4, 5)
# What may be done to some of the places.
_CHANGES: dict[str, Callable[[list[int]], list[int]]] = {
    "reverse": lambda places: places[::-1],
    "rotate left": lambda places: places[1:] + places[:1],
    "rotate right": lambda places: places[-1:] + places[:-1],
}


def list_orders() -> dict[str, Order]:
    """Return rotations, blocks, parts, interleavings and repetitions, by name."""
    return {**_rotations(), **_blocks(), **_parts(), **_classes(), **_ends(), **_repetitions()}


# Those few that are tried on some slices only.
_SIMPLE = (
    *("reverse", "rotate 1", "rotate -1", "rotate 2", "rotate -2", "reverse blocks of 2"),
    *("swap halves", "swap ends"),
)


def _rearrange(n: int, cut: Callable[[int], Parts], change: Change) -> list[int]:
    """Cut the places into parts, change these, and read what comes of it in turn."""
    return [index for part in change(cut(n)) for index in part]


def _rotations() -> dict[str, Order]:
    orders: dict[str, Order] = {"reverse": lambda n: list(range(n))[::-1]}
    for step in _STEPS:
        for signed in (step, -step):
            orders[f"rotate {signed}"] = partial(_rotate, step=signed)
            orders[f"rotate {signed}, reversed"] = partial(_rotate, step=signed, is_reversed=True)
    for parts in (2, 3, 4, 5):
        for times in range(1, parts):
            for sign in (1, -1):
                for rounding in ("parts down", "down", "up"):
                    orders[f"rotate {sign * times}/{parts} ({rounding})"] = partial(
                        _rotate_part, parts=parts, times=times, sign=sign, rounding=rounding
                    )
    return orders


def _rotate(n: int, step: int, is_reversed: bool = False) -> list[int]:
    return [(index + step) % n for index in (range(n)[::-1] if is_reversed else range(n))]


def _rotate_part(n: int, parts: int, times: int, sign: int, rounding: str) -> list[int]:
    steps = {"parts down": times * (n // parts), "down": times * n // parts, "up": -(-times * n // parts)}
    return _rotate(n, sign * steps[rounding])


def _blocks() -> dict[str, Order]:
    orders: dict[str, Order] = {}
    for size, from_end in product(_BLOCKS, (False, True)):
        name = f"blocks of {size}{' from the end' if from_end else ''}"
        cut = partial(_cut_blocks, size=size, from_end=from_end)
        for way, change in _CHANGES.items():
            orders[f"{way} {name}"] = partial(_rearrange, cut=cut, change=partial(map, change))
        orders[f"reverse the order of {name}"] = partial(_rearrange, cut=cut, change=reversed)
    by_two = orders["reverse blocks of 2"]
    orders["reverse blocks of 2, shifted by one"] = lambda n: [0, *(index + 1 for index in by_two(n - 1))]
    return orders


def _cut_blocks(n: int, size: int, from_end: bool) -> Parts:
    places, first = list(range(n)), n % size if from_end else 0
    head = [places[:first]] if first else []
    return head + [places[start : start + size] for start in range(first, n, size)]


def _parts() -> dict[str, Order]:
    orders: dict[str, Order] = {
        "swap halves": lambda n: [
            *range(n - n // 2, n), *range(n // 2, n - n // 2), *range(n // 2)
        ],
        "reverse within halves": lambda n: [
            *range(n // 2)[::-1], *range(n // 2, n - n // 2), *range(n - n // 2, n)[::-1]
        ],
    }  # fmt: skip
    for count, is_up in product((2, 3, 4), (False, True)):
        name = f"{count} parts{' (up)' if is_up else ''}"
        cut = partial(_cut_parts, count=count, is_up=is_up)
        for chosen in islice(permutations(range(count)), 1, None):
            change = itemgetter(*chosen)
            orders[f"{name} in order {chosen}"] = partial(_rearrange, cut=cut, change=change)
        for turned in (*((number,) for number in range(count)), tuple(range(count))):
            turn = partial(_turn_parts, turned=turned)
            orders[f"{name}, {turned} reversed"] = partial(_rearrange, cut=cut, change=turn)
    return orders


def _turn_parts(parts: Parts, turned: tuple[int, ...]) -> Parts:
    return [part[::-1] if number in turned else part for number, part in enumerate(parts)]


def _cut_parts(n: int, count: int, is_up: bool) -> Parts:
    size = -(-n // count) if is_up else n // count
    places = list(range(n))
    return [places[i * size : (i + 1) * size if i < count - 1 else n] for i in range(count)]


def _classes() -> dict[str, Order]:
    orders: dict[str, Order] = {}
    for step in (2, 3, 4):
        for is_turned in (False, True):
            for is_last_first in (False, True):
                name = f"deal {step}{', every second turned' if is_turned else ''}"
                name += ", last pile first" if is_last_first else ""
                deal = partial(_deal, step=step, is_turned=is_turned, is_last_first=is_last_first)
                orders |= {name: deal, f"{name}, back": partial(_deal_back, deal=deal)}
        for rest in range(step):
            for way, change in _CHANGES.items():
                orders[f"{way} places {rest} modulo {step}"] = partial(
                    _of_class, step=step, rest=rest, change=change
                )
    orders["middle first"] = lambda n: _deal(n, 2, True, False)[::-1]
    orders["middle first, back"] = lambda n: _invert(_deal(n, 2, True, False)[::-1])
    orders["deal 2, reversed"] = lambda n: _deal(n, 2, False, False)[::-1]
    orders["interleave, shorter half first"] = lambda n: _invert(_deal(n, 2, False, True))
    orders["outside in, last first"] = lambda n: [n - 1 - p for p in _invert(_deal(n, 2, True, False))]
    orders["swap with mirror at even places"] = lambda n: (
        [p if p % 2 else n - 1 - p for p in range(n)]
        if (n % 2)
        else [n - 1 - p if min(p, n - 1 - p) % 2 == 0 else p for p in range(n)]
    )
    orders["swap with mirror at odd places"] = lambda n: [
        n - 1 - p if min(p, n - 1 - p) % 2 else p for p in range(n)
    ]
    return orders


def _deal(n: int, step: int, is_turned: bool, is_last_first: bool) -> list[int]:
    piles = [list(range(start, n, step)) for start in range(step)]
    piles = [pile[::-1] if is_turned and number % 2 else pile for number, pile in enumerate(piles)]
    return [index for pile in (piles[::-1] if is_last_first else piles) for index in pile]


def _deal_back(n: int, deal: Order) -> list[int]:
    return _invert(deal(n))


def _invert(order: list[int]) -> list[int]:
    back = [0] * len(order)
    for index, source in enumerate(order):
        back[source] = index
    return back


def _of_class(n: int, step: int, rest: int, change: Callable[[list[int]], list[int]]) -> list[int]:
    places = list(range(n))
    places[rest::step] = change(places[rest::step])
    return places


def _ends() -> dict[str, Order]:
    return {
        "swap ends": lambda n: [n - 1, *range(1, n - 1), 0] if n > 1 else [0],
        "swap first two": lambda n: [1, 0, *range(2, n)] if n > 1 else [0],
        "swap last two": lambda n: [*range(n - 2), n - 1, n - 2] if n > 1 else [0],
        "reverse all but the first": lambda n: [0, *range(n - 1, 0, -1)],
        "reverse all but the last": lambda n: [*range(n - 2, -1, -1), n - 1],
        "reverse all but the ends": lambda n: [0, *range(n - 2, 0, -1), n - 1] if n > 1 else [0],
        "rotate all but the first": lambda n: [0, *(1 + p for p in _rotate(n - 1, 1))] if n > 1 else [0],
        "rotate all but the last": lambda n: [*_rotate(n - 1, 1), n - 1] if n > 1 else [0],
    }


def _repetitions() -> dict[str, Order]:
    return {
        "append the reverse": lambda n: [*range(n), *range(n)[::-1]],
        "append the reverse without its first": lambda n: [*range(n), *range(n - 1)[::-1]],
        "prepend the reverse": lambda n: [*range(n)[::-1], *range(n)],
        "append itself": lambda n: [*range(n), *range(n)],
        "double each": lambda n: [index for index in range(n) for _ in range(2)],
        "treble each": lambda n: [index for index in range(n) for _ in range(3)],
        "double each, reversed": lambda n: [index for index in range(n) for _ in range(2)][::-1],
        "keep even places": lambda n: [*range(0, n, 2)],
        "keep odd places": lambda n: [*range(1, n, 2)],
        "keep the first half": lambda n: [*range(n // 2)],
        "keep the last half": lambda n: [*range(n // 2, n)],
        "drop the first": lambda n: [*range(1, n)],
        "drop the last": lambda n: [*range(n - 1)],
    }


# Ways to read the places of a grid: spirals, snakes, diagonals, and rings that turn.

Places = npt.NDArray[np.int64]
Reading = Callable[[Places], Places]


def list_readings() -> dict[str, Reading]:
    """Return readings by name: the places of a grid in the order in which they are written row by row."""
    readings: dict[str, Reading] = {}
    for name, turn in _TURNS.items():
        for order_name, read in (("spiral", _spiral), ("snake", _snake), ("diagonals", _diagonals)):
            readings[f"{order_name} of the grid {name}"] = partial(_read, read=read, turn=turn, is_back=False)
            readings[f"{order_name} of the grid {name}, reversed"] = partial(
                _read, read=read, turn=turn, is_back=True
            )
    for step in (1, 2, 3, -1, -2, -3):
        readings[f"rings turned by {step}"] = partial(_turn_rings, step=step, is_border_alone=False)
        readings[f"border turned by {step}"] = partial(_turn_rings, step=step, is_border_alone=True)
    return readings


_TURNS: dict[str, Reading] = {
    "": lambda grid: grid,
    "turned right": lambda grid: np.rot90(grid, -1),
    "turned half": lambda grid: np.rot90(grid, 2),
    "turned left": lambda grid: np.rot90(grid),
    "mirrored": lambda grid: grid.T,
    "mirrored, turned right": lambda grid: np.rot90(grid.T, -1),
    "mirrored, turned half": lambda grid: np.rot90(grid.T, 2),
    "mirrored, turned left": lambda grid: np.rot90(grid.T),
}


def _read(grid: Places, read: Reading, turn: Reading, is_back: bool) -> Places:
    places = read(turn(grid))
    return places[::-1] if is_back else places


def _spiral(grid: Places) -> Places:
    read: list[Places] = []
    while grid.size:
        read.append(grid[0])
        grid = np.rot90(grid[1:])
    return np.concatenate(read)


def _snake(grid: Places) -> Places:
    return np.concatenate([row[::-1] if number % 2 else row for number, row in enumerate(grid)])


def _diagonals(grid: Places) -> Places:
    rows, columns = grid.shape
    turned = grid[::-1]
    return np.concatenate([turned.diagonal(offset) for offset in range(-rows + 1, columns)])


def _turn_rings(grid: Places, step: int, is_border_alone: bool) -> Places:
    turned, rest = grid.copy(), grid
    start = 0
    while rest.size and (start == 0 or not is_border_alone):
        ring = _ring(rest)
        turned.ravel()[ring] = np.roll(ring, step)
        rest, start = rest[1:-1, 1:-1], start + 1
    return turned.ravel()


def _ring(grid: Places) -> Places:
    if 1 in grid.shape:
        return grid.ravel()
    return np.concatenate([grid[0], grid[1:, -1], grid[-1, -2::-1], grid[-2:0:-1, 0]])


# Rules that move tokens by their places alone, tried all at once: a matrix of places per shape.
#
# Each move is a function of an array of places; what it gives for a shape is computed once.

Shape = tuple[int, ...]
Move = Callable[[Places], Places]
Mask = Callable[[Places, int], npt.NDArray[np.bool_]]
_SHEARS = (1, -1, 2, -2, 3, -3)


# Of moves of one shape, by shape of the output: which moves, and the places that each reads.
Moved = dict[Shape, tuple[Places, npt.NDArray[np.int16]]]


@lru_cache(maxsize=3)
def list_moves(dimension: int) -> tuple[tuple[str, Move], ...]:
    """Return all moves of values of a dimension, by name."""
    moves: dict[str, Move] = {}
    orders = list_orders()
    for name, order in orders.items():
        for axis in range(dimension):
            moves[f"axis {axis + 1}: {name}"] = partial(_take, order=order, axis=axis)
        if dimension > 1:
            for axes in permutations(range(dimension)):
                moves[f"in reading order {axes}: {name}"] = partial(_take_flat, order=order, axes=axes)
    for axes in permutations(range(dimension)):
        for flips in product((False, True), repeat=dimension):
            turned = tuple(axis for axis, is_turned in enumerate(flips) if is_turned)
            moves[f"axes {axes}, turned {turned}"] = partial(_turn, axes=axes, turned=turned)
        if dimension > 1:
            moves[f"read by {axes}, written in rows"] = partial(_rewrite, axes=axes)
    for axis, others in _slices(dimension):
        for step, offset, is_from_end in product(_SHEARS, (0, 1), (False, True)):
            end = " from the end" if is_from_end else ""
            moves[f"axis {axis + 1} rotated by {step} times number of {others}{end}, {offset} first"] = (
                partial(_shear, axis=axis, others=others, step=step, offset=offset, is_from_end=is_from_end)
            )
        for mask, name in product(_MASKS, _SIMPLE):
            moves[f"axis {axis + 1} where {others} {mask}: {name}"] = partial(
                _take_some, axis=axis, others=others, mask=_MASKS[mask], order=orders[name]
            )
    for mask, axis in product(_MASKS if dimension > 2 else (), range(dimension)):
        moves[f"half turn where {axis + 1} {mask}"] = partial(_turn_some, axis=axis, mask=_MASKS[mask])
    if dimension > 1:
        for name, reading in list_readings().items():
            for back in (False, True):
                moves[f"{name}{', back' if back else ''}"] = partial(_reread, reading=reading, back=back)
    return tuple(moves.items())


@lru_cache(maxsize=512)
def find_places(shape: Shape) -> Moved:
    """Return what all moves give for values of a shape; a move that the shape does not allow is left out."""
    places = np.arange(int(np.prod(shape))).reshape(shape)
    groups: dict[Shape, tuple[list[int], list[Places]]] = {}
    for number, (_, move) in enumerate(list_moves(len(shape))):
        try:
            moved = move(places)
        except (ValueError, IndexError, ZeroDivisionError):
            continue
        numbers, rows = groups.setdefault(moved.shape, ([], []))
        numbers.append(number)
        rows.append(moved.ravel())
    return {
        key: (np.array(numbers), np.array(rows, dtype=np.int16)) for key, (numbers, rows) in groups.items()
    }


def fitting_moves(examples: Sequence[tuple[Places, Places]], query: Places) -> list[tuple[str, Places]]:
    """Return the moves that fit all examples (arrays of token numbers), and what they give for the query.

    Each different answer is given once.
    """
    names = list_moves(query.ndim)
    is_open = np.ones(len(names), dtype=bool)
    for source, wanted in examples:
        if not source.size:
            continue
        fits = np.zeros(len(names), dtype=bool)
        numbers, places = find_places(source.shape).get(wanted.shape, (None, None))
        if numbers is not None and places is not None:
            fits[numbers] = (source.ravel()[places] == wanted.ravel()).all(axis=1)
        is_open &= fits
        if not is_open.any():
            return []
    fitting: list[tuple[str, Places]] = []
    for shape, (numbers, places) in find_places(query.shape).items():
        chosen = np.flatnonzero(is_open[numbers])
        answers: dict[bytes, tuple[str, Places]] = {}
        for row in chosen:
            answer = query.ravel()[places[row]].reshape(shape)
            answers.setdefault(answer.tobytes(), (names[numbers[row]][0], answer))
        fitting += answers.values()
    return fitting


@lru_cache(maxsize=30_000)
def _order_places(order: Order, length: int) -> Places:
    return np.array(order(length), dtype=np.int64)


def _take(places: Places, order: Order, axis: int) -> Places:
    return places.take(_order_places(order, places.shape[axis]), axis=axis)


def _take_flat(places: Places, order: Order, axes: tuple[int, ...]) -> Places:
    read = places.transpose(axes)
    moved = read.ravel().take(_order_places(order, read.size)).reshape(read.shape)
    return moved.transpose(np.argsort(axes))


def _turn(places: Places, axes: tuple[int, ...], turned: tuple[int, ...]) -> Places:
    return np.flip(places.transpose(axes), turned)


def _rewrite(places: Places, axes: tuple[int, ...]) -> Places:
    return places.transpose(axes).reshape(places.shape)


def _reread(places: Places, reading: Callable[[Places], Places], back: bool) -> Places:
    if places.ndim == 3:
        return np.stack([_reread(layer, reading, back) for layer in places])
    return places.ravel()[_read_order(places.shape, reading, back)].reshape(places.shape)


@lru_cache(maxsize=4_096)
def _read_order(shape: Shape, reading: Callable[[Places], Places], back: bool) -> Places:
    read = reading(np.arange(int(np.prod(shape))).reshape(shape)).ravel()
    return np.argsort(read) if back else read


def _slices(dimension: int) -> list[tuple[int, tuple[int, ...]]]:
    """Return each axis with other axes, whose numbers decide what is done along it; numbers are added."""
    pairs = [(axis, (other,)) for axis, other in permutations(range(dimension), 2)]
    both = [(0, (1, 2)), (1, (0, 2)), (2, (0, 1))]
    return [*pairs, *(both if dimension == 3 else ())]


# Many moves of one shape ask for the same.
@lru_cache(maxsize=4_096)
def _numbers(shape: Shape, others: tuple[int, ...]) -> Places:
    """Return for each place the numbers of the other axes, added."""
    numbers: Places = np.indices(shape)[list(others)].sum(axis=0)
    return numbers


def _shear(
    places: Places, axis: int, others: tuple[int, ...], step: int, offset: int, is_from_end: bool
) -> Places:
    number = _numbers(places.shape, others)
    if is_from_end:
        number = number.max() - number
    index = list(np.indices(places.shape))
    index[axis] = (index[axis] + step * (number + offset)) % places.shape[axis]
    moved: Places = places[tuple(index)]
    return moved


# From the number of a slice and how many there are to whether it is one of them.
_MASKS: dict[str, Mask] = {
    "is even": lambda number, _: number % 2 == 0,
    "is odd": lambda number, _: number % 2 == 1,
    "is 0 modulo 3": lambda number, _: number % 3 == 0,
    "is 1 modulo 3": lambda number, _: number % 3 == 1,
    "is 2 modulo 3": lambda number, _: number % 3 == 2,
    "is first": lambda number, _: number == 0,
    "is not first": lambda number, _: number > 0,
    "is last": lambda number, n: number == n - 1,
    "is not last": lambda number, n: number < n - 1,
    "is second": lambda number, _: number == 1,
    "is at an end": lambda number, n: (number == 0) | (number == n - 1),
    "is inside": lambda number, n: (number > 0) & (number < n - 1),
    "is in the first half": lambda number, n: number < n // 2,
    "is not in the last half": lambda number, n: number < (n + 1) // 2,
    "is in the last half": lambda number, n: number >= (n + 1) // 2,
    "is not in the first half": lambda number, n: number >= n // 2,
    "is even from the end": lambda number, n: (n - 1 - number) % 2 == 0,
    "is odd from the end": lambda number, n: (n - 1 - number) % 2 == 1,
}


@lru_cache(maxsize=4_096)
def _select(shape: Shape, others: tuple[int, ...], mask: Mask) -> npt.NDArray[np.bool_]:
    number = _numbers(shape, others)
    return mask(number, int(number.max()) + 1)


def _take_some(places: Places, axis: int, others: tuple[int, ...], mask: Mask, order: Order) -> Places:
    return np.where(_select(places.shape, others, mask), _take(places, order, axis), places)


def _turn_some(places: Places, axis: int, mask: Mask) -> Places:
    turned = np.flip(places, tuple(other for other in range(places.ndim) if other != axis))
    return np.where(_select(places.shape, (axis,), mask), turned, places)
