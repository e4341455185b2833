"""The solver's verdict on lists of truths and actions: whether each listed truth could be the only survivor.

One formula per configuration. For each observable state a variable says that its action shows it. For each
truth t, need(t) says that some chosen state rules t out, and keep(t) that none does; an action shows one of
its states exactly where it is listed. A list is then a set of assumptions, and each of its truths one
question: keep this truth, and need all others. Whether that can be satisfied is a fact, so the answers do not
depend on what the solver was asked before. What it judges are random lists (`boards.list_boards`), so that
what it accepts is uniform.
"""

from collections.abc import Sequence
from itertools import combinations, count
from typing import Any

import numpy as np

from tasks.kumo.encoding import EncodedConfig
from tasks.kumo.sampling.construct import Array
from tasks.kumo.sampling.states import ObservableState


class SolverJudge:
    """python-sat as the judge of one configuration's lists; `calls` counts what the solver was asked."""

    def __init__(self, encoded: EncodedConfig, states: Sequence[ObservableState]) -> None:
        from pysat.solvers import Cadical153

        numbers = count(1)
        self._need = [next(numbers) for _ in encoded.truths]
        self._keep = [next(numbers) for _ in encoded.truths]
        self._listed = [next(numbers) for _ in encoded.actions]
        self._unlisted = {-action for action in self._listed}
        shown = [next(numbers) for _ in states]
        self._solver: Any = Cadical153()
        of_action: list[list[int]] = [[] for _ in encoded.actions]
        for variable, state in zip(shown, states, strict=True):
            of_action[state.action].append(variable)
        for listed, states_shown in zip(self._listed, of_action, strict=True):
            self._solver.add_clause([-listed, *states_shown])
            for variable in states_shown:
                self._solver.add_clause([-variable, listed])
            for first, second in combinations(states_shown, 2):
                self._solver.add_clause([-first, -second])
        for truth, (need, keep) in enumerate(zip(self._need, self._keep, strict=True)):
            against = [v for v, state in zip(shown, states, strict=True) if state.mask >> truth & 1]
            self._solver.add_clause([-need, *against])
            for variable in against:
                self._solver.add_clause([-keep, -variable])
        self.calls = 0

    def is_balanced(self, truths: Sequence[int], actions: Sequence[int]) -> bool:
        """Whether every listed truth could be the only survivor of the listed actions."""
        listed = [self._listed[action] for action in actions]
        others = self._unlisted.difference([-action for action in listed])
        needed = [self._need[truth] for truth in truths]
        for index, truth in enumerate(truths):
            self.calls += 1
            question = [*listed, *others, self._keep[truth], *needed[:index], *needed[index + 1 :]]
            if not self._solver.solve(assumptions=question):
                return False
        return True

    def are_balanced(self, truths: Array, actions: Array) -> Array:
        """Return the verdict on each row of truths and actions."""
        rows = zip(truths.tolist(), actions.tolist(), strict=True)
        return np.array([self.is_balanced(*row) for row in rows], np.bool_)
