"""Balanced boards by a SAT solver: it judges given lists, and finds some, to begin walks with, or all.

A board is balanced where every listed truth could be the only survivor.

To judge (`SolverJudge`) there is one formula per configuration. For each observable state a variable says
that its action shows it. For each truth t, need(t) says that some chosen state rules t out, and keep(t)
that none does; an action shows one of its states exactly where it is listed. A list is then a set of
assumptions, and each of its truths one question: keep this truth, and need all others. Whether that can be
satisfied is a fact, so the answers do not depend on what the solver was asked before. What it judges are
random lists (`boards.list_boards`), so that what it accepts is uniform.

To find (`BoardFormula`) there is one per configuration and setting. For each truth t of the domain the
formula holds a copy of the outcome variables, which counts only where t is listed: they are states of shown
actions, spare t, and rule out every other listed truth. Phases are random
(`perennial.tasks.kumo.sampling.solver`).
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, count
from typing import Any

import numpy as np

from perennial.schemas.kumo.things import Setting
from perennial.tasks.kumo.encoding import EncodedConfig
from perennial.tasks.kumo.sampling.construct import Array
from perennial.tasks.kumo.sampling.shown import ObservableState
from perennial.tasks.kumo.sampling.solver import all_models, exactly, is_countable

_CONFLICTS = 200_000


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
        """The verdict on each row of truths and actions."""
        rows = zip(truths.tolist(), actions.tolist(), strict=True)
        return np.array([self.is_balanced(*row) for row in rows], np.bool_)


@dataclass(frozen=True, slots=True)
class FoundBoard:
    """Listed truths and shown actions, in no meaningful order."""

    truths: tuple[int, ...]
    actions: tuple[int, ...]


class BoardFormula:
    """The one formula of a configuration and a setting: its models, over truths and actions, are the boards.

    Variables: truth t is listed; action a is shown; of each truth t's copy: state g is chosen.
    """

    def __init__(self, encoded: EncodedConfig, states: Sequence[ObservableState], setting: Setting) -> None:
        numbers = count(1)
        self._setting = setting
        self._is_countable = is_countable(states, setting)
        self._listed = [next(numbers) for _ in encoded.truths]
        self._shown = [next(numbers) for _ in encoded.actions]
        self._of_action: list[list[int]] = [[] for _ in encoded.actions]
        for g, state in enumerate(states):
            self._of_action[state.action].append(g)
        self.at_most = [*exactly(self._listed, setting.n_truths), *exactly(self._shown, setting.n_actions)]
        self.clauses = [[-self._shown[a]] for a, own in enumerate(self._of_action) if not own]
        self._against = [
            [g for g, state in enumerate(states) if state.mask >> t & 1] for t in range(len(self._listed))
        ]
        for truth, listed in enumerate(self._listed):
            spared = {g: next(numbers) for g, state in enumerate(states) if not state.mask >> truth & 1}
            self.clauses += self._survival(truth, listed, spared)

    def boards(self, rng: random.Random) -> Iterator[FoundBoard]:
        """Every balanced board once; the iterator's end proves that there are no others.

        Raises UndecidedError where the solver's budget ends first. What numbers alone exclude is not handed
        to the solver, which would need exponentially many conflicts to count.
        """
        if self._is_countable:
            yield from all_models(self, _CONFLICTS, rng)

    def _survival(self, truth: int, listed: int, chosen: dict[int, int]) -> Iterator[list[int]]:
        """Let the truth, where it is listed, be the only survivor of states that spare it."""
        for action, own in enumerate(self._of_action):
            possible = [chosen[g] for g in own if g in chosen]
            if own and not possible:
                yield [-listed, -self._shown[action]]
            yield from ([-variable, self._shown[action]] for variable in possible)
            yield from ([-one, -other] for one, other in combinations(possible, 2))
        for other, also_listed in enumerate(self._listed):
            if other != truth:
                against = [chosen[g] for g in self._against[other] if g in chosen]
                yield [-listed, -also_listed, *against]

    def random_phases(self, rng: random.Random) -> list[int]:
        """Phases that prefer random truths and random actions."""
        usable = [shown for shown, own in zip(self._shown, self._of_action, strict=True) if own]
        preferred = {
            *rng.sample(self._listed, self._setting.n_truths),
            *rng.sample(usable, min(len(usable), self._setting.n_actions)),
        }
        variables = [*self._listed, *self._shown]
        return [variable if variable in preferred else -variable for variable in variables]

    def read(self, model: Sequence[int]) -> FoundBoard:
        """The board that a model describes."""
        return FoundBoard(
            tuple(t for t, variable in enumerate(self._listed) if model[variable - 1] > 0),
            tuple(a for a, variable in enumerate(self._shown) if model[variable - 1] > 0),
        )

    def blocking_clause(self, board: FoundBoard) -> list[int]:
        """The clause that excludes this board."""
        return [-self._listed[t] for t in board.truths] + [-self._shown[a] for a in board.actions]
