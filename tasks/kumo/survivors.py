"""Which truths can be those that survive: whether an answer needs any test, decided by the solver.

The promise says how many truths survive: each action has one state of those that it can show, and exactly so
many truths are ruled out by none of them.
"""

from itertools import combinations
from typing import Any

from perennial.tasks.kumo.encoding import EncodedInstance


def can_differ(instance: EncodedInstance) -> bool:
    """Whether no truth is sure to survive, before any test: some test is needed for an answer.

    A truth is sure where states that keep the promise cannot rule it out, and where no states keep it.
    """
    with _solver(instance) as solver:
        return all(solver.solve(assumptions=[-(truth + 1)]) for truth in range(instance.n_truths))


def _solver(instance: EncodedInstance) -> Any:
    from pysat.card import CardEnc, EncType
    from pysat.solvers import Solver

    n = instance.n_truths
    # Variable t + 1: truth t survives; the others, one per state: the action shows it.
    states = [(action, mask) for action, masks in enumerate(instance.masks) for mask in masks]
    variables = list(range(n + 1, n + 1 + len(states)))
    clauses = [
        [
            truth + 1,
            *(variable for variable, (_, mask) in zip(variables, states, strict=True) if mask >> truth & 1),
        ]
        for truth in range(n)
    ]
    for variable, (_, mask) in zip(variables, states, strict=True):
        clauses += [[-variable, -(truth + 1)] for truth in range(n) if mask >> truth & 1]
    for action in range(len(instance.masks)):
        outcomes = [variable for variable, state in zip(variables, states, strict=True) if state[0] == action]
        clauses.append(outcomes)
        clauses += [[-first, -other] for first, other in combinations(outcomes, 2)]
    survivors = CardEnc.equals(
        list(range(1, n + 1)), instance.valid.bit_count(), top_id=n + len(states), encoding=EncType.seqcounter
    )
    return Solver("minisat22", bootstrap_with=[*clauses, *survivors.clauses])
