"""Draw a logic grid puzzle: clues true of a random assignment until no other is left (Algorithm 29)."""

import random

from perennial.tasks.beyondbench.hard.logic_grid.names import CATEGORIES, NUMBERS, PEOPLE
from perennial.tasks.beyondbench.hard.logic_grid.params import (
    SIZES,
    Category,
    Clue,
    Item,
    Kind,
    LogicGridParams,
)

# Weights of direct, negative, comparison, conditional and chain clues.
KINDS: tuple[Kind, ...] = ("direct", "negative", "comparison", "conditional", "chain")
WEIGHTS = {
    "easy": (5, 3, 1, 1, 0),
    "medium": (3, 3, 2, 2, 0),
    "hard": (1, 3, 3, 3, 1),
    "extreme": (0, 2, 3, 3, 2),
}
VARIATIONS = {f"{level}_{size}": size for size in SIZES for level in WEIGHTS}
# By size. Chains say so much that a puzzle of chains alone would have two clues.
MAX_CHAINS = {3: 1, 4: 2, 5: 3}
MIN_CLUES = {3: 4, 4: 8, 5: 12}
_TRIES = 40  # draws of a clue's items before its kind is given up
_MAX_DRAWN = 60
_Assignment = list[list[int]]  # the person who has each value of each category, people themselves first


def draw(variation: str, size: int, rng: random.Random) -> LogicGridParams | None:
    """Return a puzzle with exactly one solution and no redundant clue; None where it has too few clues."""
    level, _, _ = variation.partition("_")
    clues = _draw_clues(size, WEIGHTS[level], rng)
    if clues is None or len(clues) < MIN_CLUES[size]:
        return None
    rng.shuffle(clues)
    names = rng.sample(sorted(CATEGORIES), size - 1)
    categories = [Category(name, tuple(rng.sample(CATEGORIES[name], size))) for name in names]
    name = rng.choice(sorted(NUMBERS))
    numbers = sorted(rng.sample(NUMBERS[name], size))
    categories.append(Category(name, tuple(map(str, numbers))))
    return LogicGridParams(tuple(rng.sample(PEOPLE, size)), tuple(categories), tuple(clues))


def _draw_clues(size: int, weights: tuple[int, ...], rng: random.Random) -> list[Clue] | None:
    import numpy as np

    from perennial.tasks.beyondbench.hard.logic_grid.engine import encode, find_assignments

    people = list(range(size))
    truth = [people, *(rng.sample(people, size) for _ in range(size))]
    avoid = np.array(truth, np.int64)
    clues: list[Clue] = []
    rows: list[list[int]] = []
    others: list[_Assignment] = []
    while (other := find_assignments(size, size, rows, avoid=avoid)[0]) is not None:
        n_chains = sum(clue.kind == "chain" for clue in clues)
        kinds = weights if n_chains < MAX_CHAINS[size] else (*weights[:-1], 0)
        others.append(other.tolist())
        clue = _draw_clue(rng.choices(KINDS, kinds)[0], truth, others[-1], rng)
        if clue is not None:
            clues.append(clue)
            rows.append(encode(clue))
        if len(clues) > _MAX_DRAWN:
            return None
    failing = [[clue for clue in clues if not is_true(clue, other)] for other in others]
    for clue in rng.sample(clues, len(clues)):
        # Only this clue rules out an assignment that is known: no search is needed.
        if any([each for each in fails if each in clues] == [clue] for fails in failing):
            continue
        place = clues.index(clue)
        if find_assignments(size, size, rows, skip=place, avoid=avoid)[0] is None:
            del clues[place], rows[place]
    return clues


def _draw_clue(kind: Kind, truth: _Assignment, other: _Assignment, rng: random.Random) -> Clue | None:
    """Return a clue of this kind that is true of one assignment and false of another."""
    for _ in range(_TRIES):
        clue = Clue(kind, _draw_items(kind, len(truth[0]), rng))
        if is_true(clue, truth) and not is_true(clue, other):
            return clue
    return None


def _draw_items(kind: Kind, size: int, rng: random.Random) -> tuple[Item, ...]:
    """Return random items; numbers are compared of people and of values that are no numbers."""

    def draw_item(categories: range) -> Item:
        return rng.choice(categories), rng.randrange(size)

    values, holders = range(1, size + 1), range(size)
    if kind in ("direct", "negative"):
        return draw_item(range(1)), draw_item(values)
    if kind == "comparison":
        return draw_item(holders), draw_item(holders)
    if kind == "conditional":
        one, other = rng.sample(values, 2)
        return draw_item(range(one, one + 1)), draw_item(range(other, other + 1))
    first, second, third = (draw_item(holders) for _ in range(3))
    other = rng.choice([category for category in range(1, size) if category != second[0]])
    return first, second, third, draw_item(range(other, other + 1))


def is_true(clue: Clue, assignment: _Assignment) -> bool:
    """Whether a clue is true of an assignment."""
    people = [assignment[category][value] for category, value in clue.items]
    if clue.kind in ("direct", "conditional"):
        return people[0] == people[1]
    if clue.kind == "negative":
        return people[0] != people[1]
    ranks = [assignment[-1].index(person) for person in people]
    if clue.kind == "comparison":
        return ranks[0] < ranks[1]
    return ranks[0] < ranks[1] < ranks[2] and people[1] == people[3]
