"""Grade a logic grid by its clues; check it again by a SAT solver, which proves that it is the only one."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, product

from perennial.schemas.beyondbench.things import Answer
from perennial.tasks.beyondbench.hard.logic_grid.params import Item, LogicGridParams
from perennial.tasks.beyondbench.task import RIGHT

Table = dict[str, dict[str, str]]


def verify(params: LogicGridParams, answer: Answer) -> str:
    """Return "" for a right table, else what is wrong with it."""
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
    return RIGHT if all(_is_kept(params, answer, k) for k in range(len(params.clues))) else "clue_fails"


def _is_kept(params: LogicGridParams, table: Table, place: int) -> bool:
    clue = params.clues[place]
    people = [_person_of(params, table, item) for item in clue.items]
    name = params.categories[-1].name
    numbers = [int(table[person][name]) for person in people]
    match clue.kind:
        case "direct" | "conditional":
            return people[0] == people[1]
        case "negative":
            return people[0] != people[1]
        case "comparison":
            return numbers[0] < numbers[1]
        case "chain":
            return numbers[0] < numbers[1] < numbers[2] and people[1] == people[3]


def _person_of(params: LogicGridParams, table: Table, item: Item) -> str:
    category, _ = item
    text = params.text_of(item)
    if not category:
        return text
    return next(person for person, row in table.items() if row[params.categories[category - 1].name] == text)


def check(params: LogicGridParams, answer: Answer) -> bool:
    """Whether the answer is the table that the SAT solver finds, and proves to be the only one."""
    table, is_unique = solve_by_sat(params)
    return is_unique and bool(table == answer)


@lru_cache(maxsize=64)
def solve_by_sat(params: LogicGridParams) -> tuple[Table | None, bool]:
    """Return the first table that python-sat finds, None for none, and whether it is the only one."""
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
    """Return the literal that says: the person has the item."""
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
        for one, other in combinations(everybody, 2):
            yield [-_has(n, (category, fixed), one), -_has(n, (category, fixed), other)]
            yield [-_has(n, (category, one), fixed), -_has(n, (category, other), fixed)]
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
            for one, other in product(everybody, everybody):
                for high in everybody:
                    for low in range(high + 1):
                        yield [
                            -_has(n, first, one),
                            -_has(n, second, other),
                            -_has(n, (numbers, high), one),
                            -_has(n, (numbers, low), other),
                        ]
