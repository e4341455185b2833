"""The second engine: arrangements counted and options decided by python-sat, without any bit mask."""

from collections.abc import Sequence
from itertools import combinations, product

from pysat.solvers import Solver

from perennial.schemas.knowlogic.things import Decision, Verdict
from perennial.tasks.knowlogic.arrangement.frame import Constraint


def decide_by_solver(
    size: int,
    values: int,
    statements: Sequence[Constraint],
    options: Sequence[Constraint],
    symmetry: int = 1,
    *,
    is_injective: bool = True,
) -> Decision:
    """Return the number of arrangements modulo a symmetry of this order, and the verdict of each option.

    `is_injective`: no two variables have the same value.

    Raises ValueError where the number of arrangements is no multiple of the symmetry's order.
    """
    with Solver(name="cadical153", bootstrap_with=_clauses(size, values, is_injective)) as solver:
        for constraint in statements:
            _add(solver, values, constraint)
        verdicts = tuple(_decide(solver, values, option, size) for option in options)
        found = _count(solver, size, values)
    if found % symmetry:
        raise ValueError(f"{found} arrangements are no multiple of the symmetry's order {symmetry}")
    return Decision(found // symmetry, verdicts)


def _literal(values: int, variable: int, value: int) -> int:
    return variable * values + value + 1


def _clauses(size: int, values: int, is_injective: bool) -> list[list[int]]:
    """Return: each variable has exactly one value, and no two have the same where that is said."""
    clauses = []
    for variable in range(size):
        literals = [_literal(values, variable, value) for value in range(values)]
        clauses.append(literals)
        clauses += [[-a, -b] for a, b in combinations(literals, 2)]
    for value in range(values if is_injective else 0):
        literals = [_literal(values, variable, value) for variable in range(size)]
        clauses += [[-a, -b] for a, b in combinations(literals, 2)]
    return clauses


def _add(solver: Solver, values: int, constraint: Constraint) -> None:
    """Forbid each tuple of values that the constraint does not allow."""
    for chosen in product(range(values), repeat=len(constraint.variables)):
        if chosen not in constraint.allowed:
            pairs = zip(constraint.variables, chosen, strict=True)
            solver.add_clause([-_literal(values, variable, value) for variable, value in pairs])


def _decide(solver: Solver, values: int, option: Constraint, size: int) -> Verdict:
    """Return whether the option holds in all arrangements, in none, or in some."""
    held = broken = False
    for chosen in product(range(values), repeat=len(option.variables)):
        pairs = zip(option.variables, chosen, strict=True)
        if solver.solve(assumptions=[_literal(values, variable, value) for variable, value in pairs]):
            held, broken = held or chosen in option.allowed, broken or chosen not in option.allowed
    return None if held and broken else held


def _count(solver: Solver, size: int, values: int) -> int:
    """Return the number of arrangements; each one found is forbidden (so this comes last)."""
    found = 0
    while solver.solve():
        model = [literal for literal in solver.get_model() if 0 < literal <= size * values]
        solver.add_clause([-literal for literal in model])
        found += 1
    return found
