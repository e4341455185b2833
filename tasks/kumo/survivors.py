"""Which truths can be the only one to survive: whether an answer needs any test, decided by the solver."""

from collections.abc import Iterator
from itertools import combinations

from tasks.kumo.encoding import EncodedInstance


def can_differ(instance: EncodedInstance) -> bool:
    """Return whether two truths or more can be the one that survives, before any test.

    A truth t can where each action has a state that spares t, so that these states rule out every other
    truth: lists, rules and the promise of exactly one valid truth leave it possible.
    """
    possible = _possible_truths(instance)
    return next(possible, None) is not None and next(possible, None) is not None


def find_impossible(instance: EncodedInstance) -> list[int]:
    """Return the truths that cannot be the only survivor, before any test: none of a balanced instance."""
    possible = set(_possible_truths(instance))
    return [truth for truth in range(instance.n_truths) if truth not in possible]


def _possible_truths(instance: EncodedInstance) -> Iterator[int]:
    from pysat.solvers import Solver

    n = instance.n_truths
    # Variable t + 1: truth t survives; the others, one a state: the action shows it.
    states = [(action, mask) for action, masks in enumerate(instance.masks) for mask in masks]
    shown = list(range(n + 1, n + 1 + len(states)))
    clauses = [
        [
            truth + 1,
            *(variable for variable, (_, mask) in zip(shown, states, strict=True) if mask >> truth & 1),
        ]
        for truth in range(n)
    ]
    for variable, (_, mask) in zip(shown, states, strict=True):
        clauses += [[-variable, -(truth + 1)] for truth in range(n) if mask >> truth & 1]
    for action in range(len(instance.masks)):
        own = [variable for variable, (of, _) in zip(shown, states, strict=True) if of == action]
        clauses.append(own)
        clauses += [[-one, -other] for one, other in combinations(own, 2)]
    with Solver("minisat22", bootstrap_with=clauses) as solver:
        for truth in range(n):
            others = [-(other + 1) for other in range(n) if other != truth]
            if solver.solve(assumptions=[truth + 1, *others]):
                yield truth
