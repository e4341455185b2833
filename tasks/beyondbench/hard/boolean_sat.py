"""Boolean satisfiability: an assignment that makes all clauses true."""

import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, combinations, product
from math import comb, log10
from typing import Any

from perennial.schemas.beyondbench.things import Answer, Solutions, Space
from perennial.tasks.beyondbench.forms.mappings import AssignmentForm
from perennial.tasks.beyondbench.problem import RIGHT, Task, Variation

# Formulas in conjunctive normal form, and all their models by truth tables.
#
# A truth table is one integer with a bit for each assignment; bit `i` belongs to the assignment in which
# variable v is true where bit v - 1 of `i` is set. Twelve variables make 4,096 bits, so that tables are exact
# and quicker than a solver that blocks model by model.

Clause = tuple[int, ...]
MIN_VARIABLES, MAX_VARIABLES = 4, 12
MAX_CLAUSES = 64


@dataclass(frozen=True, slots=True)
class SatParams:
    """Variables 1 to n, and clauses of literals: v, or -v for its negation; literals and clauses in order."""

    variables: int
    clauses: tuple[Clause, ...]

    def __post_init__(self) -> None:
        if not (MIN_VARIABLES <= self.variables <= MAX_VARIABLES and 1 <= len(self.clauses) <= MAX_CLAUSES):
            raise ValueError(
                f"{len(self.clauses)} clauses of {self.variables} variables: not 1 to 64 of 4 to 12"
            )
        for clause in self.clauses:
            names = [abs(literal) for literal in clause]
            if not names or names != sorted(set(names)) or not 1 <= names[0] <= names[-1] <= self.variables:
                raise ValueError(f"clause {clause} is none of the variables 1 to {self.variables}, in order")
        if list(self.clauses) != sorted(set(self.clauses)):
            raise ValueError("the clauses are not in order, or not different")


@cache
def _literals(variables: int) -> tuple[int, ...]:
    """The table of each literal, a negative one at its index from the end."""
    full = (1 << (1 << variables)) - 1
    # Variable v has blocks of 2^(v - 1) zeros and as many ones.
    columns = [full // ((1 << half) + 1) << half for half in (1 << v for v in range(variables))]
    return (0, *columns, *(full ^ column for column in reversed(columns)))


@lru_cache(maxsize=64)
def truth_table(variables: int, clauses: tuple[Clause, ...]) -> int:
    """The table of a formula."""
    literals = _literals(variables)
    table = (1 << (1 << variables)) - 1
    for clause in clauses:
        satisfied = 0
        for literal in clause:
            satisfied |= literals[literal]
        table &= satisfied
    return table


def first_models(variables: int, table: int, limit: int) -> list[dict[str, bool]]:
    """The first models of a table, at most `limit`."""
    models: list[dict[str, bool]] = []
    while table and len(models) < limit:
        index = (table & -table).bit_length() - 1
        table &= table - 1
        models.append({str(v + 1): bool(index >> v & 1) for v in range(variables)})
    return models


# Formulas of five kinds around a planted assignment (sections K.4.2 and K.4.3 of the paper).
#
# All clauses of a formula differ. A formula that all-true or all-false satisfies is refused.

SIZES = (4, 6, 8, 10, 12)
RATIOS = (2.5, 3.0, 3.5, 4.0, 4.5)
WIDTH = 3
# Kinds of clauses of a mixed formula, of 20: 4 of one literal, 8 of two, 6 of three, 2 longer.
_MIXED_WIDTHS = (1,) * 4 + (2,) * 8 + (3,) * 6 + (4, 5)
HORN_WIDTHS = (2, 3)
XOR_WIDTHS = (2, 3)

# The literals that the planted assignment makes true.
Planted = frozenset[int]
Drawn = Callable[[int, int, Planted, random.Random], set[Clause]]


@cache
def _subsets(n: int, width: int) -> tuple[Clause, ...]:
    return tuple(combinations(range(1, n + 1), width))


@cache
def _list_clauses(n: int, width: int) -> tuple[tuple[Clause, ...], ...]:
    """For each set of so many variables its clauses; bit i of an index: literal i is positive."""
    return tuple(
        tuple(
            tuple(v if signs >> bit & 1 else -v for bit, v in enumerate(subset))
            for signs in range(1 << width)
        )
        for subset in _subsets(n, width)
    )


def n_facts(n: int) -> int:
    """The number of positive unit clauses in a Horn formula: 20% of the variables."""
    return max(1, round(0.2 * n))


def n_equations(n: int, ratio: float) -> int:
    """The number of equations of an xor formula: most of them make four clauses."""
    return round(ratio * n / 4)


def _draw_satisfied(n: int, width: int, planted: Planted, rng: random.Random) -> Clause:
    """A random clause; where the planted assignment falsifies it, one literal is negated."""
    clauses = _list_clauses(n, width)
    signed = clauses[int(rng.random() * len(clauses))]
    signs = rng.getrandbits(width)
    if planted.isdisjoint(signed[signs]):
        signs ^= 1 << rng.randrange(width)
    return signed[signs]


def _draw_random_k(n: int, m: int, planted: Planted, rng: random.Random) -> set[Clause]:
    """Draw m clauses of WIDTH literals, all true of the planted assignment of n variables."""
    clauses: set[Clause] = set()
    while len(clauses) < m:
        clauses.add(_draw_satisfied(n, WIDTH, planted, rng))
    return clauses


def _draw_mixed(n: int, m: int, planted: Planted, rng: random.Random) -> set[Clause]:
    clauses: set[Clause] = set()
    while len(clauses) < m:
        width = _MIXED_WIDTHS[int(rng.random() * len(_MIXED_WIDTHS))]
        clauses.add(_draw_satisfied(n, min(width, n), planted, rng))
    return clauses


def _draw_horn(n: int, m: int, planted: Planted, rng: random.Random) -> set[Clause]:
    """Facts, and clauses of two or three literals, at most one of them positive."""
    true = sorted(literal for literal in planted if literal > 0)
    if len(true) < n_facts(n):
        return set()
    clauses: set[Clause] = {(v,) for v in rng.sample(true, n_facts(n))}
    while len(clauses) < m:
        width = HORN_WIDTHS[rng.getrandbits(1)]
        sets = _list_clauses(n, width)
        signed = sets[int(rng.random() * len(sets))]
        clause = signed[1 << rng.randrange(width) if rng.getrandbits(1) else 0]
        if planted.isdisjoint(clause):
            # A variable of the body is true in the planted assignment: it becomes the head.
            clause = signed[1 << rng.choice([i for i, literal in enumerate(clause) if -literal in true])]
        clauses.add(clause)
    return clauses


@cache
def _equation(variables: Clause, parity: bool) -> tuple[Clause, ...]:
    """The clauses that exclude each assignment of the other parity (eq. 138)."""
    excluded = (values for values in product((0, 1), repeat=len(variables)) if sum(values) % 2 != parity)
    return tuple(
        tuple(-v if value else v for v, value in zip(variables, values, strict=True)) for values in excluded
    )


def _draw_xor(n: int, m: int, planted: Planted, rng: random.Random) -> set[Clause]:
    """Equations of two or three variables, whose parity is that of the planted assignment."""
    sets = [subset for width in XOR_WIDTHS for subset in _subsets(n, width)]
    return {
        clause
        for variables in rng.sample(sets, n_equations(n, m / n))
        for clause in _equation(variables, len(planted.intersection(variables)) % 2 == 1)
    }


@cache
def _relations(n: int) -> tuple[tuple[Clause, ...], ...]:
    """The relations that an edge may stand for, as clauses.

    Its ends differ (two colors), are not both true (independent set), not both false (vertex cover), or one
    implies the other.
    """
    relations: list[tuple[Clause, ...]] = []
    for a, b in _subsets(n, 2):
        relations += [((-a, -b), (a, b)), ((-a, -b),), ((a, b),), ((-a, b),), ((a, -b),)]
    return tuple(relations)


def _graph_based(n: int, m: int, planted: Planted, rng: random.Random) -> set[Clause]:
    """Relations on the edges of a random graph, of those that the planted assignment satisfies."""
    relations = _relations(n)
    clauses: set[Clause] = set()
    while len(clauses) < m:
        relation = relations[int(rng.random() * len(relations))]
        if not any(planted.isdisjoint(clause) for clause in relation):
            clauses.update(relation[: m - len(clauses)])
    return clauses


FAMILIES: dict[str, Drawn] = {
    "random_k": _draw_random_k,
    "horn": _draw_horn,
    "xor": _draw_xor,
    "mixed": _draw_mixed,
    "graph_based": _graph_based,
}


def draw_formula(family: str, n: int, rng: random.Random) -> SatParams | None:
    """A formula of n variables, None where all-true or all-false satisfies it."""
    bits = rng.getrandbits(n)
    planted = frozenset(v if bits >> v - 1 & 1 else -v for v in range(1, n + 1))
    clauses = tuple(sorted(FAMILIES[family](n, round(rng.choice(RATIOS) * n), planted, rng)))
    table = truth_table(n, clauses)
    if not table or table & 1 or table >> (1 << n) - 1:
        return None
    return SatParams(n, clauses)


# Lower bounds of the number of formulas of each kind: those around one assignment, half of it true.

_DOC = "sets of different clauses that one assignment satisfies, not all-true nor all-false; all can be drawn"


def count_formulas(family: str, n: int) -> Space:
    """A lower bound of the number of formulas that can be drawn."""
    lengths = {round(ratio * n) for ratio in RATIOS}
    if family == "horn":
        count = sum(_count_horn(n, m) for m in lengths)
    elif family == "xor":
        count = sum(_count_xor(n, equations) for equations in {n_equations(n, m / n) for m in lengths})
    else:
        widths = {
            "random_k": {WIDTH},
            "mixed": {min(width, n) for width in _MIXED_WIDTHS},
            "graph_based": {2},
        }[family]
        count = sum(_clauses(n, m, widths) for m in lengths)
    return Space(log10(count), False, _DOC)


def _choices(m: int, total: int, false_at_true: int, false_at_false: int, false_at_both: int) -> int:
    """The ways to choose m of `total`, at least one false at all-true and one false at all-false."""
    both_kept = total - false_at_true - false_at_false + false_at_both
    kept = comb(total - false_at_true, m) + comb(total - false_at_false, m) - comb(both_kept, m)
    return comb(total, m) - kept


def _clauses(n: int, m: int, widths: set[int]) -> int:
    true = n // 2
    total = sum(comb(n, width) * (2**width - 1) for width in widths)
    negative = sum(comb(n, width) - comb(true, width) for width in widths)
    positive = sum(comb(n, width) - comb(n - true, width) for width in widths)
    return _choices(m, total, negative, positive, 0)


def _count_horn(n: int, m: int) -> int:
    """The ways to choose facts, and other clauses of which one is negative: all-true falsifies it."""
    true = n // 2
    negative = sum(comb(n, width) - comb(true, width) for width in HORN_WIDTHS)
    heads = sum(n * comb(n - 1, width - 1) - (n - true) * comb(true, width - 1) for width in HORN_WIDTHS)
    others = m - n_facts(n)
    return comb(true, n_facts(n)) * (comb(negative + heads, others) - comb(heads, others))


def _count_xor(n: int, equations: int) -> int:
    """The ways to choose sets of variables; the assignment gives each its parity."""
    true = n // 2
    counts = {
        (i, width - i): comb(true, i) * comb(n - true, width - i)
        for width in XOR_WIDTHS
        for i in range(width + 1)
    }
    # All-true has another parity than the assignment where an odd number of the variables are false in it.
    odd_false = sum(ways for (_, false), ways in counts.items() if false % 2)
    odd_true = sum(ways for (true_ones, _), ways in counts.items() if true_ones % 2)
    both = sum(ways for (true_ones, false), ways in counts.items() if true_ones % 2 and false % 2)
    return _choices(equations, sum(counts.values()), odd_false, odd_true, both)


# Boolean satisfiability: an assignment that makes all clauses true (section K.4 of the paper).

MAX_LISTED = 16
# Families with few formulas of four variables.
_SMALL = {"xor", "graph_based"}


def _solve(params: SatParams) -> Solutions:
    table = truth_table(params.variables, params.clauses)
    models = first_models(params.variables, table, MAX_LISTED)
    return Solutions(tuple(models), table.bit_count(), True)


def _verify(params: SatParams, answer: Answer) -> str:
    """Look for a true literal in each clause."""
    if not isinstance(answer, dict):
        return "malformed"
    if not all(isinstance(name, str) and isinstance(value, bool) for name, value in answer.items()):
        return "malformed"
    if any(str(variable) not in answer for variable in range(1, params.variables + 1)):
        return "variable_missing"
    if len(answer) > params.variables:
        return "unknown_variable"
    for clause in params.clauses:
        if not any(answer[str(abs(literal))] == (literal > 0) for literal in clause):
            return "clause_false"
    return RIGHT


def _check(params: SatParams, answer: Answer) -> bool:
    """Look the assignment up in the formula's truth table."""
    names = [str(variable + 1) for variable in range(params.variables)]
    if not isinstance(answer, dict) or set(answer) != set(names):
        return False
    if any(type(value) is not bool for value in answer.values()):
        return False
    index = sum(answer[name] << index for index, name in enumerate(names))
    return bool(truth_table(params.variables, params.clauses) >> index & 1)


_SIZE = re.compile(r"^There are (\d{1,2}) Boolean variables", re.MULTILINE)
_LITERAL = r"(?:NOT )?x\d{1,2}"
_CLAUSE = re.compile(rf"^\(({_LITERAL}(?: OR {_LITERAL})*)\)$", re.MULTILINE)


def _read(prompt: str) -> SatParams:
    size = _SIZE.search(prompt)
    if not size:
        raise ValueError("the prompt holds no formula")
    clauses = (
        tuple(-int(word[5:]) if word.startswith("NOT") else int(word[1:]) for word in clause.split(" OR "))
        for clause in _CLAUSE.findall(prompt)
    )
    return SatParams(int(size[1]), tuple(clauses))


def _words(params: SatParams) -> Mapping[str, Any]:
    clauses = [
        " OR ".join(f"x{literal}" if literal > 0 else f"NOT x{-literal}" for literal in clause)
        for clause in params.clauses
    ]
    return {"variables": params.variables, "clauses": clauses}


def _heuristic(params: SatParams) -> Answer:
    """Give each variable the value that most of its literals ask for."""
    signs = dict.fromkeys(range(1, params.variables + 1), 0)
    for literal in chain.from_iterable(params.clauses):
        signs[abs(literal)] += 1 if literal > 0 else -1
    return {str(variable): sign >= 0 for variable, sign in signs.items()}


def _mutate(params: SatParams, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
    """Assignments that falsify a clause by the values of its variables."""
    for clause in rng.sample(params.clauses, min(4, len(params.clauses))):
        yield f"clause {clause} false", {**answer, **{str(abs(literal)): literal < 0 for literal in clause}}


TASK = Task(
    name="boolean_sat",
    suite="hard",
    title="an assignment that makes all clauses true",
    params=SatParams,
    variations=tuple(
        Variation(family, SIZES, is_unique=False, reuse="when_exhausted" if family in _SMALL else "never")
        for family in FAMILIES
    ),
    draw=draw_formula,
    solve=_solve,
    verify=_verify,
    check=_check,
    form=lambda params: AssignmentForm(params.variables),
    words=_words,
    read=_read,
    guess=lambda params, rng: {
        str(variable): rng.random() < 0.5 for variable in range(1, params.variables + 1)
    },
    # 180 + 3 m k and 5 n (the paper has 50, less than our text), for clauses of three and a ratio of 3.5.
    tokens=lambda _variation, size: (180 + round(9 * 3.5 * size), 5 * size),
    space=count_formulas,
    mutate=_mutate,
    heuristic=_heuristic,
)
