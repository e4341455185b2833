"""Rules that move tokens by their places alone, tried all at once: a matrix of places per shape.

Each move is a function of an array of places; what it gives for a shape is computed once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import permutations, product

import numpy as np
import numpy.typing as npt

from perennial.tasks.a2rbench.uniqueness.orders import Order, list_orders, simple_orders
from perennial.tasks.a2rbench.uniqueness.readings import list_readings

Shape = tuple[int, ...]
Places = npt.NDArray[np.int64]
Move = Callable[[Places], Places]
Mask = Callable[[Places, int], npt.NDArray[np.bool_]]
_SHEARS = (1, -1, 2, -2, 3, -3)


@dataclass(frozen=True, slots=True)
class Moved:
    """What moves give for inputs of one shape: by shape of the output, which moves, and the places read."""

    by_shape: dict[Shape, tuple[Places, npt.NDArray[np.int16]]]


@lru_cache(maxsize=1)
def _orders() -> dict[str, Order]:
    return list_orders()


@lru_cache(maxsize=3)
def list_moves(dimension: int) -> tuple[tuple[str, Move], ...]:
    """Return all moves of values of a dimension, by name."""
    moves: dict[str, Move] = {}
    for name, order in _orders().items():
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
        for mask, (name, order) in product(_MASKS, simple_orders(_orders()).items()):
            moves[f"axis {axis + 1} where {others} {mask}: {name}"] = partial(
                _take_some, axis=axis, others=others, mask=_MASKS[mask], order=order
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
    found: dict[Shape, tuple[list[int], list[Places]]] = {}
    for number, (_, move) in enumerate(list_moves(len(shape))):
        try:
            moved = move(places)
        except (ValueError, IndexError, ZeroDivisionError):
            continue
        numbers, rows = found.setdefault(moved.shape, ([], []))
        numbers.append(number)
        rows.append(moved.ravel())
    return Moved(
        {of: (np.array(numbers), np.array(rows, dtype=np.int16)) for of, (numbers, rows) in found.items()}
    )


def fitting_moves(examples: Sequence[tuple[Places, Places]], query: Places) -> list[tuple[str, Places]]:
    """Return the moves that fit all examples (arrays of token numbers), and what they give for the query.

    Each different answer is given once.
    """
    names = list_moves(query.ndim)
    is_open = np.ones(len(names), dtype=bool)
    for given, wanted in examples:
        if not given.size:
            continue
        fits = np.zeros(len(names), dtype=bool)
        numbers, places = find_places(given.shape).by_shape.get(wanted.shape, (None, None))
        if numbers is not None and places is not None:
            fits[numbers] = (given.ravel()[places] == wanted.ravel()).all(axis=1)
        is_open &= fits
        if not is_open.any():
            return []
    found: list[tuple[str, Places]] = []
    for shape, (numbers, places) in find_places(query.shape).by_shape.items():
        chosen = np.flatnonzero(is_open[numbers])
        answers: dict[bytes, tuple[str, Places]] = {}
        for row in chosen:
            answer = query.ravel()[places[row]].reshape(shape)
            answers.setdefault(answer.tobytes(), (names[numbers[row]][0], answer))
        found += answers.values()
    return found


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
    read = reading(np.arange(places.size).reshape(places.shape)).ravel()
    return places.ravel()[np.argsort(read) if back else read].reshape(places.shape)


def _slices(dimension: int) -> list[tuple[int, tuple[int, ...]]]:
    """Return each axis with other axes, whose numbers decide what is done along it; numbers are added."""
    pairs = [(axis, (other,)) for axis, other in permutations(range(dimension), 2)]
    return pairs + ([(axis, _others(axis)) for axis in range(3)] if dimension == 3 else [])


def _others(axis: int) -> tuple[int, ...]:
    return tuple(other for other in range(3) if other != axis)


def _numbers(places: Places, others: tuple[int, ...]) -> Places:
    """Return for each place the numbers of the other axes, added."""
    numbers: Places = np.indices(places.shape)[list(others)].sum(axis=0)
    return numbers


def _shear(
    places: Places, axis: int, others: tuple[int, ...], step: int, offset: int, is_from_end: bool
) -> Places:
    number = _numbers(places, others)
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


def _select(places: Places, others: tuple[int, ...], mask: Mask) -> npt.NDArray[np.bool_]:
    number = _numbers(places, others)
    return mask(number, int(number.max()) + 1)


def _take_some(places: Places, axis: int, others: tuple[int, ...], mask: Mask, order: Order) -> Places:
    return np.where(_select(places, others, mask), _take(places, order, axis), places)


def _turn_some(places: Places, axis: int, mask: Mask) -> Places:
    turned = np.flip(places, tuple(other for other in range(places.ndim) if other != axis))
    return np.where(_select(places, (axis,), mask), turned, places)
