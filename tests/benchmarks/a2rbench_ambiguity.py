# mypy: disable-error-code="misc, no-untyped-call"
"""Search A2RBench items for a second rule, in plain Python that shares nothing with the engine's search.

By hand: `python -m tests.benchmarks.a2rbench_ambiguity [SEED]`

Draws the items of all seeds of an edition, and asks of each: does a single primitive fit all five examples
and give another answer? Is the answer the query, an example's output, or the query reversed or sorted?
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import permutations, product
from math import gcd
from typing import Any

from tests.benchmarks.a2rbench_draw import draw_items

# Coordinates of a token, and a value as its shape and its tokens by coordinates.
At = tuple[int, ...]
Cells = tuple[At, dict[At, str]]
# From coordinates in the output and the output's shape to coordinates in the input.
Source = Callable[[At, At], At]
Condition = Callable[[At, At], bool]

ALPHABETS = {
    "letters": list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "small letters": list("abcdefghijklmnopqrstuvwxyz"),
    "digits": list("0123456789"),
    "bits": list("01"),
    "elements": re.findall("[A-Z][a-z]?", "HHeLiBeBCNOFNeNaMgAlSiPSClArKCa"),
    "days": ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
}


def read_cells(value: Any, dimension: int) -> Cells | None:
    """Return a cuboid value by coordinates, None for another one."""
    cells: dict[At, str] = {}

    def walk(part: Any, at: At) -> None:
        if len(at) == dimension:
            cells[at] = part
            return
        for number, each in enumerate(part):
            walk(each, (*at, number))

    walk(value, ())
    shape = tuple(max((at[axis] for at in cells), default=-1) + 1 for axis in range(dimension))
    size = 1
    for side in shape:
        size *= side
    return (shape, cells) if size == len(cells) else None


def steps_of_axis() -> Iterator[tuple[str, Callable[[int, int], int]]]:
    """Yield moves along one axis: from a place in the output and the length to the place in the input."""
    yield "reverse", lambda i, n: n - 1 - i
    for k in range(-8, 9):
        if k:
            yield f"shift {k}", lambda i, n, k=k: (i + k) % n
            yield f"shift {k} and reverse", lambda i, n, k=k: (k - i) % n
    for p in (2, 3, 4, 5, 6):
        for t in range(1, p):
            for sign in (1, -1):
                yield f"shift {sign * t}/{p} down", lambda i, n, p=p, t=t, s=sign: (i + s * (n * t // p)) % n
                yield f"shift {sign * t}/{p} up", lambda i, n, p=p, t=t, s=sign: (i + s * -(-n * t // p)) % n
                yield f"shift {sign * t}*(n/{p})", lambda i, n, p=p, t=t, s=sign: (i + s * t * (n // p)) % n
    yield (
        "halves swapped",
        lambda i, n: i + n - n // 2 if i < n // 2 else i - (n - n // 2) if i >= n - n // 2 else i,
    )
    yield (
        "each half reversed",
        lambda i, n: n // 2 - 1 - i if i < n // 2 else n - 1 - (i - (n - n // 2)) if (i >= n - n // 2) else i,
    )
    yield "first half reversed", lambda i, n: n // 2 - 1 - i if i < n // 2 else i
    yield "first half reversed (up)", lambda i, n: (n + 1) // 2 - 1 - i if i < (n + 1) // 2 else i
    yield "last half reversed", lambda i, n: n - 1 - (i - n // 2) if i >= n // 2 else i
    yield "last half reversed (up)", lambda i, n: n - 1 - (i - (n + 1) // 2) if i >= (n + 1) // 2 else i
    for b in (2, 3, 4):
        yield f"blocks of {b} reversed", lambda i, n, b=b: i // b * b + min(b, n - i // b * b) - 1 - i % b
        yield (
            f"whole blocks of {b} reversed",
            lambda i, n, b=b: (i // b * b + b - 1 - i % b) if (i // b * b + b <= n) else i,
        )
        for r in (1, -1):
            yield (
                f"blocks of {b} turned {r}",
                lambda i, n, b=b, r=r: i // b * b + (i % b + r) % min(b, n - i // b * b),
            )
    for m in (2, 3):
        for r in range(m):
            # The places r, r + m, ...: how many there are, and which one this is.
            yield (
                f"places {r} of {m} reversed",
                lambda i, n, m=m, r=r: r + m * (len(range(r, n, m)) - 1 - (i - r) // m) if i % m == r else i,
            )
            for k in (1, -1):
                yield (
                    f"places {r} of {m} turned {k}",
                    lambda i, n, m=m, r=r, k=k: (
                        r + m * (((i - r) // m + k) % len(range(r, n, m))) if i % m == r else i
                    ),
                )
    for name, order in orders():
        yield name, lambda i, n, order=order: order(n)[i]
        yield f"{name}, back", lambda i, n, order=order: order(n).index(i)
        yield f"{name}, reversed", lambda i, n, order=order: order(n)[n - 1 - i]
    yield "ends swapped", lambda i, n: n - 1 - i if i in (0, n - 1) else i
    yield "inside reversed", lambda i, n: i if i in (0, n - 1) else n - 1 - i
    yield "all but first reversed", lambda i, n: n - i if i else 0
    yield "all but last reversed", lambda i, n: n - 2 - i if i < n - 1 else i
    yield "first two swapped", lambda i, n: 1 - i if i < 2 <= n else i
    yield "last two swapped", lambda i, n: 2 * n - 3 - i if i >= n - 2 >= 0 else i


def orders() -> Iterator[tuple[str, Callable[[int], list[int]]]]:
    """Yield ways to take the places of a list one after the other."""
    for m in (2, 3, 4):
        yield f"dealt to {m}", lambda n, m=m: sorted(range(n), key=lambda i: (i % m, i))
        yield f"dealt to {m}, last first", lambda n, m=m: sorted(range(n), key=lambda i: (-(i % m), i))
        yield (
            f"dealt to {m}, odd piles back",
            lambda n, m=m: sorted(range(n), key=lambda i: (i % m, -i if i % m % 2 else i)),
        )
    yield "outside in", lambda n: sorted(range(n), key=lambda i: (min(i, n - 1 - i), i))
    yield "outside in, last first", lambda n: sorted(range(n), key=lambda i: (min(i, n - 1 - i), -i))
    for p in (3, 4):
        for chosen in permutations(range(p)):
            yield (
                f"parts {chosen}",
                lambda n, p=p, o=chosen: [
                    i for part in o for i in range(n) if min(i // max(n // p, 1), p - 1) == part
                ],
            )


def conditions(axes: Iterable[int]) -> Iterator[tuple[str, Condition]]:
    """Yield conditions on where a token is."""
    axes = list(axes)
    for size in range(1, len(axes) + 1):
        for chosen in permutations(axes, size):
            if list(chosen) == sorted(chosen):
                for m in (2, 3):
                    for r in range(m):
                        yield (
                            f"{chosen} sum {r} mod {m}",
                            lambda at, _, c=chosen, m=m, r=r: sum(at[a] for a in c) % m == r,
                        )
    for a in axes:
        yield f"axis {a} first", lambda at, _, a=a: at[a] == 0
        yield f"axis {a} not first", lambda at, _, a=a: at[a] > 0
        yield f"axis {a} last", lambda at, shape, a=a: at[a] == shape[a] - 1
        yield f"axis {a} not last", lambda at, shape, a=a: at[a] < shape[a] - 1
        yield f"axis {a} first half", lambda at, shape, a=a: at[a] < shape[a] // 2
        yield f"axis {a} last half", lambda at, shape, a=a: at[a] >= shape[a] // 2
        yield f"axis {a} even from the end", lambda at, shape, a=a: (shape[a] - 1 - at[a]) % 2 == 0
        yield f"axis {a} ends", lambda at, shape, a=a: at[a] in (0, shape[a] - 1)
        yield f"axis {a} inside", lambda at, shape, a=a: at[a] not in (0, shape[a] - 1)
    yield "border", lambda at, shape: any(at[a] in (0, shape[a] - 1) for a in axes)
    yield "inside", lambda at, shape: all(at[a] not in (0, shape[a] - 1) for a in axes)


def along(axis: int, step: Callable[[int, int], int]) -> Source:
    """Return the move of whole values that a step along one axis makes."""
    return lambda at, shape: (*at[:axis], step(at[axis], shape[axis]), *at[axis + 1 :])


def moves(dimension: int) -> list[tuple[str, At, Source]]:
    """Return moves of places: a name, the input's axes in the order of the output's, and the source."""
    own = tuple(range(dimension))
    found: list[tuple[str, At, Source]] = []
    for axis in own:
        for name, step in steps_of_axis():
            move = along(axis, step)
            found.append((f"axis {axis}: {name}", own, move))
            if dimension > 1 and name.split()[0] in ("reverse", "shift", "halves", "ends", "blocks"):
                if name.startswith("shift") and name not in ("shift 1", "shift -1", "shift 2", "shift -2"):
                    continue
                for when, condition in conditions(other for other in own if other != axis):
                    found.append(
                        (
                            f"axis {axis} where {when}: {name}",
                            own,
                            lambda at, shape, c=condition, m=move: m(at, shape) if c(at, shape) else at,
                        )
                    )
        others = [other for other in own if other != axis]
        for chosen in [(o,) for o in others] + ([tuple(others)] if len(others) > 1 else []):
            for k, offset, is_back in product((-3, -2, -1, 1, 2, 3), (0, 1), (False, True)):
                found.append(
                    (
                        f"axis {axis} shifted by {k} times {chosen} + {offset}{' from the end' * is_back}",
                        own,
                        lambda at, shape, a=axis, c=chosen, k=k, o=offset, b=is_back: (
                            *at[:a],
                            (at[a] + k * (sum(shape[x] - 1 - at[x] if b else at[x] for x in c) + o))
                            % shape[a],
                            *at[a + 1 :],
                        ),
                    )
                )
    for axes in permutations(own):
        for flips in product((0, 1), repeat=dimension):
            # Output axis x is input axis axes[x], reversed where flips[x].
            found.append(
                (
                    f"axes {axes} flipped {flips}",
                    axes,
                    lambda at, shape, axes=axes, flips=flips: tuple(
                        shape[axes.index(y)] - 1 - at[axes.index(y)]
                        if flips[axes.index(y)]
                        else at[axes.index(y)]
                        for y in range(len(axes))
                    ),
                )
            )
    if dimension > 1:
        for name, step in steps_of_axis():
            for axes in permutations(own):
                found.append((f"read by {axes}: {name}", own, flat(axes, step)))
    return found


def flat(axes: At, step: Callable[[int, int], int]) -> Source:
    """Return the move that a step makes in the list of all tokens, read with these axes from slow to fast."""

    def source(at: At, shape: At) -> At:
        number, size = 0, 1
        for axis in axes:
            number, size = number * shape[axis] + at[axis], size * shape[axis]
        number = step(number, size)
        back = [0] * len(shape)
        for axis in reversed(axes):
            number, back[axis] = divmod(number, shape[axis])
        return tuple(back)

    return source


def apply(move: tuple[str, At, Source], value: Cells) -> Cells | None:
    """Return what a move gives; None where it leads outside."""
    shape, cells = value
    _, axes, source = move
    wanted = tuple(shape[axis] for axis in axes)
    try:
        return wanted, {at: cells[source(at, wanted)] for at in coordinates(wanted)}
    except (KeyError, ZeroDivisionError, ValueError, IndexError):
        return None


def gives(move: tuple[str, At, Source], given: Cells, wanted: Cells) -> bool:
    """Whether a move gives this output, token by token until one differs."""
    _, axes, source = move
    if not given[1]:
        return not wanted[1]
    if wanted[0] != tuple(given[0][axis] for axis in axes):
        return False
    try:
        return all(given[1][source(at, wanted[0])] == token for at, token in wanted[1].items())
    except (KeyError, ZeroDivisionError, ValueError, IndexError):
        return False


def coordinates(shape: At) -> Iterator[At]:
    """Yield all places of a shape."""
    return product(*map(range, shape))


def codes(examples: list[tuple[Cells, Cells]], query: Cells) -> Iterator[tuple[str, dict[At, str]]]:
    """Yield what arithmetic with the tokens' numbers gives for the query where it fits all examples."""
    pairs = [(given, wanted) for given, wanted in examples if given[1]]
    if any(given[0] != wanted[0] for given, wanted in pairs):
        return
    tokens = {token for cells in (*sum(pairs, ()), query) for token in cells[1].values()}
    dimension = len(query[0])
    for name, table in ALPHABETS.items():
        if not tokens <= set(table):
            continue
        number, m = {token: place for place, token in enumerate(table)}, len(table)
        triples = [
            (number[given[1][at]], number[token], at, given[0])
            for given, wanted in pairs
            for at, token in wanted[1].items()
        ]
        for when, condition in [("always", lambda at, shape: True), *conditions(range(dimension))]:
            chosen = [each for each in triples if condition(each[2], each[3])]
            if not chosen or any(c != w for c, w, at, shape in triples if not condition(at, shape)):
                continue
            # Small values first would hide nothing: the first token fixes the constant.
            for a in range(1, m):
                if gcd(a, m) > 1:
                    continue
                for steps in product((-2, -1, 0, 1, 2), repeat=dimension):
                    for ends in product((0, 1), repeat=dimension):
                        if any(end and not step for end, step in zip(ends, steps, strict=True)):
                            continue

                        def add(at: At, shape: At, steps: At = steps, ends: At = ends) -> int:
                            return sum(
                                s * (shape[x] - 1 - at[x] if ends[x] else at[x])
                                for x, s in enumerate(steps)
                                if s
                            )

                        c, w, at, shape = chosen[0]
                        b = w - a * c - add(at, shape)
                        if all((a * c + b + add(at, shape) - w) % m == 0 for c, w, at, shape in chosen):
                            answer = {
                                at: table[(a * number[token] + b + add(at, query[0])) % m]
                                if condition(at, query[0])
                                else token
                                for at, token in query[1].items()
                            }
                            yield f"{name}: {a}c+{b % m}, steps {steps} {ends}, {when}", answer
        for axis, is_back, (what, line) in product(range(dimension), (False, True), LINES.items()):
            if all(sums(given, axis, is_back, line, number, table) == wanted[1] for given, wanted in pairs):
                yield f"{name}: {what} along {axis}", sums(query, axis, is_back, line, number, table)
    substitution: dict[str, str] = {}
    for given, wanted in pairs:
        for at, token in wanted[1].items():
            if substitution.setdefault(given[1][at], token) != token:
                return
    if set(query[1].values()) <= set(substitution):
        yield "one token for another", {at: substitution[token] for at, token in query[1].items()}


LINES: dict[str, Callable[[list[int]], list[int]]] = {
    "sums": lambda x: [sum(x[: i + 1]) for i in range(len(x))],
    "sums of two": lambda x: [x[i] + (x[i - 1] if i else 0) for i in range(len(x))],
    "sums of two around": lambda x: [x[i] + x[i - 1] for i in range(len(x))],
    "differences": lambda x: [x[i] - (x[i - 1] if i else 0) for i in range(len(x))],
    "differences around": lambda x: [x[i] - x[i - 1] for i in range(len(x))],
    "differences the other way": lambda x: [(x[i - 1] if i else 0) - x[i] for i in range(len(x))],
    "plus the total": lambda x: [each + sum(x) for each in x],
    "total less each": lambda x: [sum(x) - each for each in x],
}


def sums(
    value: Cells,
    axis: int,
    is_back: bool,
    line: Callable[[list[int]], list[int]],
    number: dict[str, int],
    table: list[str],
) -> dict[At, str]:
    """Return the tokens after a rule on each line along an axis."""
    shape, cells = value
    found: dict[At, str] = {}
    for start in coordinates(tuple(1 if a == axis else side for a, side in enumerate(shape))):
        places = [(*start[:axis], i, *start[axis + 1 :]) for i in range(shape[axis])]
        places = places[::-1] if is_back else places
        for at, code in zip(places, line([number[cells[at]] for at in places]), strict=True):
            found[at] = table[code % len(table)]
    return found


def find_others(item: dict[str, Any]) -> list[str]:
    """Return the names of rules that fit the examples and give another answer."""
    dimension = item["dimension"]
    read = [[read_cells(value, dimension) for value in pair] for pair in item["examples"]]
    query, answer = read_cells(item["query"], dimension), read_cells(item["answer"], dimension)
    if query is None or answer is None or any(value is None for pair in read for value in pair):
        return []
    pairs: list[Any] = sorted(map(tuple, read), key=lambda pair: len(pair[0][1]) or 10**6)
    own = MOVES[dimension]
    fitting = [(move[0], apply(move, query)) for move in own if all(gives(move, *pair) for pair in pairs)]
    fitting += [(name, (query[0], cells)) for name, cells in codes(pairs, query)]
    return [name for name, found in fitting if found is not None and found != answer]


MOVES = {dimension: moves(dimension) for dimension in (1, 2, 3)}


def find_giveaway(item: dict[str, Any]) -> str:
    """Return how the answer is had without a rule: which of four ways, "" for none."""
    query, answer = item["query"], item["answer"]
    if answer == query:
        return "identity"
    if answer in [wanted for _, wanted in item["examples"]]:
        return "an example's output"
    flat_query, flat_answer = flatten(query), flatten(answer)
    for name, change in (
        ("reversed", lambda x: flatten(x)[::-1]),
        ("sorted", lambda x: sorted(flatten(x))),
    ):
        is_rule = all(change(given) == flatten(wanted) for given, wanted in item["examples"])
        if change(query) == flat_answer and len(flat_query) == len(flat_answer) and not is_rule:
            return name
    return ""


def flatten(value: Any) -> list[str]:
    """Return the tokens in reading order."""
    return [token for part in value for token in flatten(part)] if isinstance(value, list) else [value]


def main(seed: int) -> None:
    """Print what was found."""
    items = draw_items(seed)
    ambiguous: Counter[str] = Counter()
    giveaways: Counter[tuple[int, str]] = Counter()
    for item in items:
        others = find_others(item)
        ambiguous.update([item["rule"]] if others else [])
        if others:
            print(f"{item['rule']} V{item['variation']}: {others[0]} ({len(others)} fit)", flush=True)
        found = find_giveaway(item)
        giveaways.update([(item["variation"], found)] if found else [])
    print(f"singles: another answer on {ambiguous.total()} of {len(items):,} items; {dict(ambiguous)}")
    print(f"giveaways: {giveaways.total()} of {len(items):,} items; {dict(sorted(giveaways.items()))}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 0)
