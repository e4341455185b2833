"""Formulas in conjunctive normal form, and all their models by truth tables.

A truth table is one integer with a bit for each assignment; bit `i` belongs to the assignment in which
variable v is true where bit v - 1 of `i` is set. Twelve variables make 4,096 bits, so that tables are exact
and quicker than a solver that blocks model by model.
"""

from dataclasses import dataclass
from functools import cache, lru_cache

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
    """Return the table of each literal, a negative one at its index from the end."""
    full = (1 << (1 << variables)) - 1
    # Variable v has blocks of 2^(v - 1) zeros and as many ones.
    columns = [full // ((1 << half) + 1) << half for half in (1 << v for v in range(variables))]
    return (0, *columns, *(full ^ column for column in reversed(columns)))


@lru_cache(maxsize=64)
def truth_table(variables: int, clauses: tuple[Clause, ...]) -> int:
    """Return the table of a formula."""
    literals = _literals(variables)
    table = (1 << (1 << variables)) - 1
    for clause in clauses:
        satisfied = 0
        for literal in clause:
            satisfied |= literals[literal]
        table &= satisfied
    return table


def first_models(variables: int, table: int, limit: int) -> list[dict[str, bool]]:
    """Return the first models of a table, at most so many."""
    models: list[dict[str, bool]] = []
    while table and len(models) < limit:
        index = (table & -table).bit_length() - 1
        table &= table - 1
        models.append({str(v + 1): bool(index >> v & 1) for v in range(variables)})
    return models
