"""Boolean satisfiability: an assignment that makes all clauses true (section K.4 of the paper)."""

import random
import re
from collections.abc import Iterator, Mapping
from typing import Any

from perennial.schemas.beyondbench.things import Answer, Solutions
from perennial.tasks.beyondbench.forms.mappings.assignment import AssignmentForm
from perennial.tasks.beyondbench.hard.boolean_sat.families import FAMILIES, SIZES, draw_formula
from perennial.tasks.beyondbench.hard.boolean_sat.formula import SatParams, first_models, truth_table
from perennial.tasks.beyondbench.hard.boolean_sat.space import count_formulas
from perennial.tasks.beyondbench.task import RIGHT, Task, Variation

MAX_LISTED = 16
# Families with few formulas of four variables.
_SMALL = {"xor", "graph_based"}


def _solve(params: SatParams) -> Solutions:
    """Return the first models and the number of all."""
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
    index = sum(answer[name] << place for place, name in enumerate(names))
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


def _guess(params: SatParams, rng: random.Random) -> Answer:
    return {str(variable): rng.random() < 0.5 for variable in range(1, params.variables + 1)}


def _mutate(params: SatParams, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
    """Yield assignments that falsify a clause by the values of its variables."""
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
    template="beyondbench/hard/boolean_sat.md.j2",
    draw=draw_formula,
    solve=_solve,
    verify=_verify,
    check=_check,
    form=lambda params: AssignmentForm(params.variables),
    words=_words,
    read=_read,
    guess=_guess,
    # 180 + 3 m k and 5 n (the paper has 50, less than our text), for clauses of three and a ratio of 3.5.
    tokens=lambda _variation, size: (180 + round(9 * 3.5 * size), 5 * size),
    space=count_formulas,
    mutate=_mutate,
)
