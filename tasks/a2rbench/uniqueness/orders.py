"""Orders of the places of a list of any length: the moves of one axis, each as the places read in turn."""

from collections.abc import Callable
from functools import partial
from itertools import permutations

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


def simple_orders(orders: dict[str, Order]) -> dict[str, Order]:
    """Return those few that are tried on some slices only."""
    names = ("reverse", "rotate 1", "rotate -1", "rotate 2", "rotate -2", "reverse blocks of 2")
    return {name: orders[name] for name in (*names, "swap halves", "swap ends")}


def _rotations() -> dict[str, Order]:
    orders: dict[str, Order] = {"reverse": lambda n: list(range(n))[::-1]}
    for step in _STEPS:
        for signed in (step, -step):
            orders[f"rotate {signed}"] = partial(_rotate, step=signed)
            orders[f"rotate {signed}, reversed"] = partial(_rotate_back, step=signed)
    for parts in (2, 3, 4, 5):
        for times in range(1, parts):
            for sign in (1, -1):
                for rounding in ("parts down", "down", "up"):
                    orders[f"rotate {sign * times}/{parts} ({rounding})"] = partial(
                        _rotate_part, parts=parts, times=times, sign=sign, rounding=rounding
                    )
    return orders


def _rotate(n: int, step: int) -> list[int]:
    return [(place + step) % n for place in range(n)]


def _rotate_back(n: int, step: int) -> list[int]:
    return _rotate(n, step)[::-1]


def _rotate_part(n: int, parts: int, times: int, sign: int, rounding: str) -> list[int]:
    steps = {"parts down": times * (n // parts), "down": times * n // parts, "up": -(-times * n // parts)}
    return _rotate(n, sign * steps[rounding])


def _blocks() -> dict[str, Order]:
    orders: dict[str, Order] = {}
    for size in _BLOCKS:
        for from_end in (False, True):
            name = f"blocks of {size}{' from the end' if from_end else ''}"
            for way, change in _CHANGES.items():
                orders[f"{way} {name}"] = partial(_of_blocks, size=size, from_end=from_end, change=change)
            orders[f"reverse the order of {name}"] = partial(_turn_blocks, size=size, from_end=from_end)
    orders["reverse blocks of 2, shifted by one"] = lambda n: [
        0,
        *(place + 1 for place in _of_blocks(n - 1, 2, False, lambda b: b[::-1])),
    ]
    return orders


def _cut_blocks(n: int, size: int, from_end: bool) -> list[list[int]]:
    places, first = list(range(n)), n % size if from_end else 0
    head = [places[:first]] if first else []
    return head + [places[start : start + size] for start in range(first, n, size)]


def _turn_blocks(n: int, size: int, from_end: bool) -> list[int]:
    return [place for block in _cut_blocks(n, size, from_end)[::-1] for place in block]


def _of_blocks(n: int, size: int, from_end: bool, change: Callable[[list[int]], list[int]]) -> list[int]:
    return [place for block in _cut_blocks(n, size, from_end) for place in change(block)]


def _parts() -> dict[str, Order]:
    orders: dict[str, Order] = {
        "swap halves": lambda n: [
            *range(n - n // 2, n), *range(n // 2, n - n // 2), *range(n // 2)
        ],
        "reverse within halves": lambda n: [
            *range(n // 2)[::-1], *range(n // 2, n - n // 2), *range(n - n // 2, n)[::-1]
        ],
    }  # fmt: skip
    for count in (2, 3, 4):
        for is_up in (False, True):
            name = f"{count} parts{' (up)' if is_up else ''}"
            for chosen in permutations(range(count)):
                if chosen != tuple(range(count)):
                    orders[f"{name} in order {chosen}"] = partial(_order_parts, is_up=is_up, order=chosen)
            for turned in (*((number,) for number in range(count)), tuple(range(count))):
                orders[f"{name}, {turned} reversed"] = partial(
                    _turn_parts, count=count, is_up=is_up, turned=turned
                )
    return orders


def _order_parts(n: int, is_up: bool, order: tuple[int, ...]) -> list[int]:
    parts = _cut(n, len(order), is_up)
    return [place for part in order for place in parts[part]]


def _turn_parts(n: int, count: int, is_up: bool, turned: tuple[int, ...]) -> list[int]:
    parts = enumerate(_cut(n, count, is_up))
    return [place for number, part in parts for place in (part[::-1] if number in turned else part)]


def _cut(n: int, count: int, is_up: bool) -> list[list[int]]:
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
    return [place for pile in (piles[::-1] if is_last_first else piles) for place in pile]


def _deal_back(n: int, deal: Order) -> list[int]:
    return _invert(deal(n))


def _invert(order: list[int]) -> list[int]:
    back = [0] * len(order)
    for place, source in enumerate(order):
        back[source] = place
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
        "double each": lambda n: [place for place in range(n) for _ in range(2)],
        "treble each": lambda n: [place for place in range(n) for _ in range(3)],
        "double each, reversed": lambda n: [place for place in range(n) for _ in range(2)][::-1],
        "keep even places": lambda n: [*range(0, n, 2)],
        "keep odd places": lambda n: [*range(1, n, 2)],
        "keep the first half": lambda n: [*range(n // 2)],
        "keep the last half": lambda n: [*range(n // 2, n)],
        "drop the first": lambda n: [*range(1, n)],
        "drop the last": lambda n: [*range(n - 1)],
    }
