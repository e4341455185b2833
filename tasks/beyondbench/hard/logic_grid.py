"""Logic grid puzzles with proved unique solutions."""

import math
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from typing import Any, Literal

import numpy as np

from perennial.schemas.beyondbench.things import Answer, Solutions, Space
from perennial.tasks.beyondbench.forms.mappings import AssignmentTableForm
from perennial.tasks.beyondbench.problem import RIGHT, Task, Variation

# Names of people, categories and values that logic grids are drawn from: single words, each in one place.

PEOPLE = (
    *("Anna", "Boris", "Clara", "David", "Elena", "Felix", "Greta", "Hugo"),
    *("Irene", "Jonas", "Klara", "Leon", "Marta", "Nils", "Olga", "Pavel"),
    *("Rosa", "Simon", "Tessa", "Ulrich", "Vera", "Walter", "Yara", "Zeno"),
)
CATEGORIES = {
    name: tuple(values.split())
    for name, values in {
        "pet": "cat dog rabbit parrot turtle hamster goldfish lizard",
        "drink": "tea coffee milk cocoa lemonade cider water smoothie",
        "hobby": "chess pottery knitting gardening origami photography juggling baking",
        "color": "red blue green yellow purple brown white black",
        "instrument": "piano violin flute guitar drums trumpet harp cello",
        "fruit": "apple pear plum cherry mango grape lemon kiwi",
        "city": "Oslo Lisbon Vienna Athens Dublin Prague Helsinki Madrid",
        "sport": "tennis hockey rowing judo fencing archery cycling volleyball",
        "job": "baker doctor lawyer pilot teacher plumber painter chemist",
        "flower": "rose tulip daisy orchid lily violet poppy iris",
        "vehicle": "bicycle tram bus train ferry scooter van canoe",
        "month": "January February March April June August October December",
    }.items()
}
# Categories of numbers with their ranges.
NUMBERS = {
    "age": range(20, 70),
    "floor": range(1, 41),
    "score": range(10, 100),
    "seat": range(1, 81),
    "locker": range(100, 200),
}


# What a logic grid puzzle is made of: people, categories of values, typed clues (App. K.10.2).

Kind = Literal["direct", "negative", "comparison", "conditional", "chain"]
Item = tuple[int, int]  # category and value; category 0 are the people
N_ITEMS: dict[Kind, int] = {"direct": 2, "negative": 2, "comparison": 2, "conditional": 2, "chain": 4}
SIZES = (3, 4, 5)
MAX_CLUES = 60
_WORD = re.compile(r"[A-Za-z]{1,20}|\d{1,4}")


@dataclass(frozen=True, slots=True)
class Category:
    """A category and its values, one for each person; those of the last category are numbers, ascending."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Clue:
    """A clue. Its items are, by kind:

    - direct, negative: a person; the value that the person has, or does not have (eq. 255, 256).
    - comparison: two items; the first one's person has the lower number (257).
    - conditional: two values; who has the first has the second, too (258).
    - chain: three items whose people's numbers rise; a value that the second one's person has (259).
    """

    kind: Kind
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class LogicGridParams:
    """A logic grid puzzle."""

    people: tuple[str, ...]
    categories: tuple[Category, ...]
    clues: tuple[Clue, ...]

    def __post_init__(self) -> None:
        n = len(self.people)
        if n not in SIZES or not 1 <= len(self.categories) <= max(SIZES) or len(self.clues) > MAX_CLUES:
            raise ValueError(
                f"{n} people, {len(self.categories)} categories and {len(self.clues)} clues are no logic grid"
            )
        words = [*self.people, *(category.name for category in self.categories)]
        for category in self.categories:
            if len(category.values) != n:
                raise ValueError(
                    f"category {category.name[:20]!r} has {len(category.values)} values, not {n}"
                )
            words += category.values
        if len({word.lower() for word in words}) < len(words) or not all(map(_WORD.fullmatch, words)):
            raise ValueError("names and values of a logic grid are not different single words")
        numbers = self.categories[-1].values
        if not all(number.isdecimal() for number in numbers) or sorted(numbers, key=int) != list(numbers):
            raise ValueError("values of the last category of a logic grid are not ascending numbers")
        for clue in self.clues:
            if len(clue.items) != N_ITEMS[clue.kind]:
                raise ValueError(f"a clue of kind {clue.kind} has {len(clue.items)} items")
            if any(not (0 <= c <= len(self.categories) and 0 <= v < n) for c, v in clue.items):
                raise ValueError("a clue of a logic grid is about an unknown value")

    @property
    def n(self) -> int:
        """The number of people."""
        return len(self.people)

    def text_of(self, item: Item) -> str:
        """The person's name, or the value."""
        category, value = item
        return self.categories[category - 1].values[value] if category else self.people[value]


# Draw a logic grid puzzle: clues true of a random assignment until no other is left (Algorithm 29).

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
    """A puzzle with exactly one solution and no redundant clue; None where it has too few clues."""
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


# The first engine: the compiled search as functions. numba comes with it, so it is imported when needed.

Array = Any
NO_CLUE = -1


def encode(clue: Clue) -> list[int]:
    """A clue as the kernel takes it."""
    from perennial.tasks.beyondbench.hard.kernels import searches as kernel

    codes: dict[Kind, int] = {
        "direct": kernel.SAME,
        "conditional": kernel.SAME,
        "negative": kernel.DIFFERENT,
        "comparison": kernel.RISING,
        "chain": kernel.CHAIN,
    }
    row = [codes[clue.kind], *(number for item in clue.items for number in item)]
    return row + [0] * (kernel.WIDTH - len(row))


def find_assignments(
    n: int,
    n_categories: int,
    rows: list[list[int]],
    skip: int = NO_CLUE,
    avoid: Array | None = None,
    limit: int = 1,
) -> tuple[Array | None, int]:
    """The first assignment (person by category and value) and how many were found, up to `limit`.

    The clue number `skip` is left out, and the assignment `avoid` does not count.
    """
    from perennial.tasks.beyondbench.hard.kernels import searches as kernel

    clues = np.array(rows, np.int64).reshape(-1, kernel.WIDTH)
    table = np.empty((n_categories + 1, n), np.int64)
    unwanted = np.full((n_categories + 1, n), -1, np.int64) if avoid is None else avoid
    count = int(kernel.count_assignments(n, n_categories, clues, skip, unwanted, limit, table))
    return (table if count else None), count


def _draw_clues(size: int, weights: tuple[int, ...], rng: random.Random) -> list[Clue] | None:
    people = list(range(size))
    truth = [people, *(rng.sample(people, size) for _ in range(size))]
    avoid = np.array(truth, np.int64)
    clues: list[Clue] = []
    rows: list[list[int]] = []
    others: list[_Assignment] = []
    while (other := find_assignments(size, size, rows, avoid=avoid)[0]) is not None:
        n_chains = sum(clue.kind == "chain" for clue in clues)
        kinds = weights if n_chains < MAX_CHAINS[size] else (*weights[:-1], 0)
        # Kept: below, what a clue ruled out shows what it is needed for without another search.
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
        if any([fault for fault in fails if fault in clues] == [clue] for fails in failing):
            continue
        index = clues.index(clue)
        if find_assignments(size, size, rows, skip=index, avoid=avoid)[0] is None:
            del clues[index], rows[index]
    return clues


def _draw_clue(kind: Kind, truth: _Assignment, other: _Assignment, rng: random.Random) -> Clue | None:
    """A clue of this kind that is true of one assignment and false of another."""
    for _ in range(_TRIES):
        clue = Clue(kind, _draw_items(kind, len(truth[0]), rng))
        if is_true(clue, truth) and not is_true(clue, other):
            return clue
    return None


def _draw_items(kind: Kind, size: int, rng: random.Random) -> tuple[Item, ...]:
    """Random items; numbers are compared of people and of values that are no numbers."""

    def draw_item(categories: range) -> Item:
        return rng.choice(categories), rng.randrange(size)

    values, holders = range(1, size + 1), range(size)
    if kind in ("direct", "negative"):
        return draw_item(range(1)), draw_item(values)
    if kind == "comparison":
        return draw_item(holders), draw_item(holders)
    if kind == "conditional":
        left, other = rng.sample(values, 2)
        return draw_item(range(left, left + 1)), draw_item(range(other, other + 1))
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


# Grade a logic grid by its clues; check it again by a SAT solver, which proves that it is the only one.

Table = dict[str, dict[str, str]]


def verify(params: LogicGridParams, answer: Answer) -> str:
    """What is wrong with a table; "" if it is right."""
    if not isinstance(answer, dict) or not all(isinstance(row, dict) for row in answer.values()):
        return "not_a_table"
    if any(person not in answer for person in params.people):
        return "person_missing"
    if len(answer) > params.n:
        return "person_unknown"
    for category in params.categories:
        if any(category.name not in row for row in answer.values()):
            return "cell_missing"
        values = [row[category.name] for row in answer.values()]
        if not all(isinstance(value, str) and value in category.values for value in values):
            return "value_unknown"
        if len(set(values)) < params.n:
            return "value_repeated"
    if any(len(row) > len(params.categories) for row in answer.values()):
        return "category_unknown"
    assignment = _assign(params, answer)
    return RIGHT if all(is_true(clue, assignment) for clue in params.clues) else "clue_fails"


def _assign(params: LogicGridParams, table: Table) -> _Assignment:
    columns = (
        (kind.values, [table[name][kind.name] for name in params.people]) for kind in params.categories
    )
    return [list(range(params.n)), *([cells.index(value) for value in values] for values, cells in columns)]


def check(params: LogicGridParams, answer: Answer) -> bool:
    """Whether the answer is the table that the SAT solver finds, and proves to be the only one."""
    table, is_unique = solve_by_sat(params)
    return is_unique and bool(table == answer)


@lru_cache(maxsize=64)
def solve_by_sat(params: LogicGridParams) -> tuple[Table | None, bool]:
    """The first table that python-sat finds, None for none, and whether it is the only one."""
    from pysat.solvers import Solver

    n, n_categories = params.n, len(params.categories)
    with Solver("cadical153", bootstrap_with=list(_clauses(params))) as solver:
        if not solver.solve():
            return None, False
        model = set(solver.get_model())
        table: Table = {}
        true = []
        for person, category, value in product(range(n), range(1, n_categories + 1), range(n)):
            literal = _has(n, (category, value), person)
            if literal in model:
                true.append(literal)
                row = table.setdefault(params.people[person], {})
                row[params.categories[category - 1].name] = params.text_of((category, value))
        solver.add_clause([-literal for literal in true])
        return table, not solver.solve()


def _has(n: int, item: Item, person: int) -> int:
    """The literal that says: the person has the item."""
    category, value = item
    return (category * n + value) * n + person + 1


def _clauses(params: LogicGridParams) -> Iterator[list[int]]:
    n, numbers = params.n, len(params.categories)
    everybody = range(n)
    for value, person in product(everybody, everybody):
        yield [_has(n, (0, value), person) * (1 if person == value else -1)]
    for category, fixed in product(range(1, numbers + 1), everybody):
        yield [_has(n, (category, fixed), person) for person in everybody]
        yield [_has(n, (category, value), fixed) for value in everybody]
        for left, other in combinations(everybody, 2):
            yield [-_has(n, (category, fixed), left), -_has(n, (category, fixed), other)]
            yield [-_has(n, (category, left), fixed), -_has(n, (category, other), fixed)]
    for clue in params.clues:
        same, rising = [], []
        match clue.kind:
            case "direct" | "conditional":
                same = [clue.items]
            case "negative":
                first, second = clue.items
                yield from ([-_has(n, first, person), -_has(n, second, person)] for person in everybody)
            case "comparison":
                rising = [clue.items]
            case "chain":
                same, rising = [(clue.items[1], clue.items[3])], [clue.items[:2], clue.items[1:3]]
        for first, second in same:
            for person in everybody:
                yield [-_has(n, first, person), _has(n, second, person)]
        for first, second in rising:
            for left, other in product(everybody, everybody):
                for high in everybody:
                    for low in range(high + 1):
                        yield [
                            -_has(n, first, left),
                            -_has(n, second, other),
                            -_has(n, (numbers, high), left),
                            -_has(n, (numbers, low), other),
                        ]


# Show a logic grid puzzle, and read it back from a prompt's text.

_PEOPLE = re.compile(r"^People: ([^\n]+)$", re.MULTILINE)
_CATEGORIES = re.compile(r"^Categories:\n((?:- \w+: [^\n]+\n)+)", re.MULTILINE)
_CLUE = re.compile(r"^\d{1,2}\. ([^\n]+)$", re.MULTILINE)
_ITEM = r"(\w+|the person whose \w+ is \w+)"
_HELD = re.compile(r"the person whose \w+ is (\w+)")
_KINDS: dict[Kind, re.Pattern[str]] = {
    kind: re.compile(pattern)  # type: ignore[misc]
    for kind, pattern in {
        "direct": r"The \w+ of (\w+) is (\w+)\.",
        "negative": r"The \w+ of (\w+) is not (\w+)\.",
        "comparison": rf"The \w+ of {_ITEM} is lower than the \w+ of {_ITEM}\.",
        "conditional": r"If the \w+ of a person is (\w+), then the \w+ of that person is (\w+)\.",
        "chain": rf"In order of \w+, from lower to higher, come {_ITEM}, then {_ITEM}, then {_ITEM}, "
        r"perhaps with others between them; the \w+ of the second of these is (\w+)\.",
    }.items()
}


def show(params: LogicGridParams) -> Mapping[str, Any]:
    """What the template shows of a puzzle."""
    return {
        "people": params.people,
        "categories": params.categories,
        "number": params.categories[-1].name,
        "clues": [
            {"kind": clue.kind, "items": [_show_item(params, item) for item in clue.items]}
            for clue in params.clues
        ],
    }


def _show_item(params: LogicGridParams, item: Item) -> dict[str, str]:
    value = params.text_of(item)
    if not item[0]:
        return {"category": "", "value": value, "text": value}
    category = params.categories[item[0] - 1].name
    return {"category": category, "value": value, "text": f"the person whose {category} is {value}"}


def read(prompt: str) -> LogicGridParams:
    """The puzzle that a prompt states; raise ValueError where there is none."""
    people, listed = _PEOPLE.search(prompt), _CATEGORIES.search(prompt)
    if people is None or listed is None:
        raise ValueError("the prompt holds no people and categories")
    names = tuple(people[1].split(", "))
    categories = []
    for line in listed[1].splitlines():
        name, _, values = line.removeprefix("- ").partition(": ")
        categories.append(Category(name, tuple(values.split(", "))))
    items = {name: (0, index) for index, name in enumerate(names)}
    for number, category in enumerate(categories, 1):
        items |= {value: (number, index) for index, value in enumerate(category.values)}
    # Clues stand after the categories: what came before is not part of the puzzle.
    clues = [_read_clue(text, items) for text in _CLUE.findall(prompt, listed.end())]
    return LogicGridParams(names, tuple(categories), tuple(clue for clue in clues if clue is not None))


def _read_clue(text: str, items: Mapping[str, Item]) -> Clue | None:
    for kind, pattern in _KINDS.items():
        if match := pattern.fullmatch(text):
            words = [held[1] if (held := _HELD.fullmatch(word)) else word for word in match.groups()]
            if not all(word in items for word in words):
                raise ValueError(f"a clue is about something unknown: {text[:200]!r}")
            return Clue(kind, tuple(items[word] for word in words))
    return None


# Logic grids (App. K.10 of the paper): who has what, by clues that leave one solution.


def _solve(params: LogicGridParams) -> Solutions:
    n_categories = len(params.categories)
    rows = [encode(clue) for clue in params.clues]
    positions, count = find_assignments(params.n, n_categories, rows, limit=2)
    if positions is None:
        raise ValueError("the logic grid has no solution")
    table: Table = {
        name: {
            category.name: category.values[positions[number, : params.n].tolist().index(person)]
            for number, category in enumerate(params.categories, 1)
        }
        for person, name in enumerate(params.people)
    }
    return Solutions((table,), count, count == 1)


def _guess(params: LogicGridParams, rng: random.Random) -> Answer:
    columns = {kind.name: rng.sample(kind.values, params.n) for kind in params.categories}
    return {
        person: {name: values[index] for name, values in columns.items()}
        for index, person in enumerate(params.people)
    }


def _space(_variation: str, size: int) -> Space:
    n_values = min(map(len, CATEGORIES.values()))
    names = math.perm(len(PEOPLE), size) * math.perm(len(CATEGORIES), size - 1)
    values = math.perm(n_values, size) ** (size - 1)
    numbers = sum(math.comb(len(numbers), size) for numbers in NUMBERS.values())
    return Space(
        math.log10(names * values * numbers), False, "choices of names and values for one set of clues"
    )


def _tokens(_variation: str, size: int) -> tuple[int, int]:
    # 30 for each of about size^1.7 clues beside the paper's figure for names.
    return 100 + 10 * size**2 + round(30 * size**1.7), 3 * size**2 + 4 * size**2


TASK = Task(
    name="logic_grid",
    suite="hard",
    title="who has which value of each category, by clues",
    params=LogicGridParams,
    # The paper counts eight variations, of sizes 3 and 4 by its results, and names sizes 3 to 5.
    variations=tuple(Variation(name, (size,), is_counted=size < 5) for name, size in VARIATIONS.items()),
    draw=draw,
    solve=_solve,
    verify=verify,
    check=check,
    form=lambda params: AssignmentTableForm(
        params.people, tuple((kind.name, kind.values) for kind in params.categories)
    ),
    words=show,
    read=read,
    guess=_guess,
    tokens=_tokens,
    space=_space,
)
