"""Everything that sampling asks of a SAT solver: a selection, whether any instance exists, all of them.

The solver is python-sat's Minicard, whose native at-most constraints hold the sizes. Every call works on
a formula of its own and under random phases from a derived generator, so that an answer depends on its
question alone; without random phases one action turns up nearly everywhere. Budgets are conflicts, not
seconds, so that the answers are the same on every machine.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, count
from typing import Any, Protocol, TypeVar

from perennial.schemas.kumo.things import CONSTRUCTIVE, Setting
from perennial.tasks.kumo.encoding import EncodedConfig, EncodedInstance
from perennial.tasks.kumo.sampling.shown import ObservableState

_SELECTION_CONFLICTS = 10_000
_INSTANCE_CONFLICTS = 1_000_000
_CHOSEN_SHARE = 0.1

Solution = TypeVar("Solution")


class UndecidedError(Exception):
    """The solver used up its conflicts before it found an instance or proved that no further one exists."""


@dataclass(frozen=True, slots=True)
class FoundInstance:
    """Truths, the valid ones among them, and numbers of observable states, in no meaningful order."""

    truths: tuple[int, ...]
    valid: tuple[int, ...]
    states: tuple[int, ...]


def select_states(
    states: Sequence[ObservableState],
    truths: Sequence[int],
    valid: Sequence[int],
    n_actions: int,
    rng: random.Random,
) -> list[int] | None:
    """Numbers of states that rule out exactly the invalid truths, or None where there are none.

    Algorithm 2 of Lin et al. (2025): one variable for each state that rules out a sampled truth and no
    valid one, at most one state an action and at most `n_actions` in all. None also where the solver is
    at the end of its budget, which costs an attempt but never a proof.
    """
    valid_mask = sum(1 << truth for truth in valid)
    invalid = [truth for truth in truths if not valid_mask >> truth & 1]
    invalid_mask = sum(1 << truth for truth in invalid)
    usable = [
        g for g, state in enumerate(states) if state.mask & invalid_mask and not state.mask & valid_mask
    ]
    clauses = [[i for i, g in enumerate(usable, start=1) if states[g].mask >> truth & 1] for truth in invalid]
    clauses += [
        [-i, -j]
        for (i, g), (j, h) in combinations(enumerate(usable, start=1), 2)
        if states[g].action == states[h].action
    ]
    phases = [i if rng.random() < _CHOSEN_SHARE else -i for i in range(1, len(usable) + 1)]
    with open_solver() as solver:
        add_clauses(solver, clauses)
        if len(usable) > n_actions:
            solver.add_atmost(range(1, len(usable) + 1), n_actions)
        solver.set_phases(phases)
        solver.conf_budget(_SELECTION_CONFLICTS)
        if not solver.solve_limited():
            return None
        return [usable[literal - 1] for literal in solver.get_model()[: len(usable)] if literal > 0]


def all_instances(
    encoded: EncodedConfig,
    states: Sequence[ObservableState],
    setting: Setting,
    all_related: bool,
    rng: random.Random,
) -> Iterator[FoundInstance]:
    """Every instance of the setting once; the iterator's end is the proof that there are no others.

    With `all_related` only those in which every truth is related to some action. Raises UndecidedError
    where the budget ends first. A setting whose actions cannot rule out enough truths by their number
    alone is not handed to the solver, which would need exponentially many conflicts to count.
    """
    if not is_countable(states, setting):
        return
    yield from all_models(_InstanceFormula(encoded, states, setting, all_related), _INSTANCE_CONFLICTS, rng)


class Formula(Protocol[Solution]):
    """Clauses and at-most constraints, and what a model of them describes."""

    clauses: list[list[int]]
    at_most: list[tuple[list[int], int]]

    def random_phases(self, rng: random.Random) -> list[int]:
        """The phases that the search for the next model begins with."""
        ...

    def read(self, model: Sequence[int]) -> Solution:
        """What a model of the formula describes."""
        ...

    def blocking_clause(self, instance: Solution) -> list[int]:
        """The clause that excludes all models that describe the same."""
        ...


def all_models(formula: Formula[Solution], conflicts: int, rng: random.Random) -> Iterator[Solution]:
    """All that models of the formula describe, each once, under random phases.

    Raises UndecidedError where a search uses up its conflicts.
    """
    with open_solver() as solver:
        add_clauses(solver, formula.clauses)
        for literals, bound in formula.at_most:
            solver.add_atmost(literals, bound)
        while True:
            # Before each search: the budget counts from here, and the former phases give similar models.
            solver.set_phases(formula.random_phases(rng))
            solver.conf_budget(conflicts)
            satisfiable = solver.solve_limited()
            if satisfiable is None:
                raise UndecidedError
            if not satisfiable:
                return
            found = formula.read(solver.get_model())
            yield found
            solver.add_clause(formula.blocking_clause(found))


def is_countable(states: Sequence[ObservableState], setting: Setting) -> bool:
    """Whether the states that rule out most, one per action, rule out as many truths as are to be invalid."""
    most: dict[int, int] = {}
    for state in states:
        most[state.action] = max(most.get(state.action, 0), state.mask.bit_count())
    largest = sorted(most.values(), reverse=True)[: setting.n_actions]
    return sum(largest) >= setting.n_truths - setting.n_valid


class _InstanceFormula:
    """The one formula of a configuration and a setting: its models are exactly the instances.

    Variables: truth t is sampled, truth t is valid, state g is observed; and as definitions: action a is
    related to a sampled truth, state g contradicts no valid truth, `exhausted`: every related action that
    has a non-contradictory state is used, so that irrelevant actions may be.
    """

    def __init__(
        self, encoded: EncodedConfig, states: Sequence[ObservableState], setting: Setting, all_related: bool
    ) -> None:
        numbers = count(1)
        self.setting = setting
        self.sampled = [next(numbers) for _ in encoded.truths]
        self.valid = [next(numbers) for _ in encoded.truths]
        self.observed = [next(numbers) for _ in states]
        self._related = [next(numbers) for _ in encoded.actions]
        self._consistent = [next(numbers) for _ in states]
        self._exhausted = next(numbers)
        self._masks = [state.mask for state in states]
        self._of_action: list[list[int]] = [[] for _ in encoded.actions]
        for g, state in enumerate(states):
            self._of_action[state.action].append(g)
        self._relations = encoded.related
        self.at_most = [
            *exactly(self.sampled, setting.n_truths),
            *exactly(self.valid, setting.n_valid),
            *exactly(self.observed, setting.n_actions),
        ]
        self.clauses = [*self._validity(), *self._consistency(), *self._padding()]
        if all_related:
            self.clauses += self._relatedness()

    def _validity(self) -> Iterator[list[int]]:
        """Valid truths are sampled; every other sampled truth, and no valid one, is ruled out."""
        for t, (sampled, valid) in enumerate(zip(self.sampled, self.valid, strict=True)):
            yield [-valid, sampled]
            yield [
                -sampled,
                valid,
                *(self.observed[g] for g, mask in enumerate(self._masks) if mask >> t & 1),
            ]
        for of_action in self._of_action:
            for g, h in combinations(of_action, 2):
                yield [-self.observed[g], -self.observed[h]]

    def _consistency(self) -> Iterator[list[int]]:
        """Define for every state whether it contradicts a valid truth; observed ones do not."""
        for g, mask in enumerate(self._masks):
            ruled_out = [valid for t, valid in enumerate(self.valid) if mask >> t & 1]
            yield [self._consistent[g], *ruled_out]
            yield from ([-self._consistent[g], -valid] for valid in ruled_out)
            yield [-self.observed[g], self._consistent[g]]

    def _padding(self) -> Iterator[list[int]]:
        """Admit irrelevant actions only where the related ones are exhausted."""
        for a, of_action in enumerate(self._of_action):
            relevant = [sampled for t, sampled in enumerate(self.sampled) if self._relations[a] >> t & 1]
            yield [-self._related[a], *relevant]
            yield from ([-sampled, self._related[a]] for sampled in relevant)
            used = [self.observed[g] for g in of_action]
            for g in of_action:
                yield [-self.observed[g], self._related[a], self._exhausted]
                yield [-self._exhausted, -self._related[a], -self._consistent[g], *used]

    def _relatedness(self) -> Iterator[list[int]]:
        for t, sampled in enumerate(self.sampled):
            related = [a for a, mask in enumerate(self._relations) if mask >> t & 1]
            yield [-sampled, *(self.observed[g] for a in related for g in self._of_action[a])]

    def random_phases(self, rng: random.Random) -> list[int]:
        """Phases that prefer random truths, a random valid one and random states of random actions."""
        truths = rng.sample(range(len(self.sampled)), self.setting.n_truths)
        preferred = {self.sampled[t] for t in truths}
        preferred |= {self.valid[t] for t in truths[: self.setting.n_valid]}
        usable = [of_action for of_action in self._of_action if of_action]
        for of_action in rng.sample(usable, min(len(usable), self.setting.n_actions)):
            preferred.add(self.observed[rng.choice(of_action)])
        variables = [*self.sampled, *self.valid, *self.observed]
        return [variable if variable in preferred else -variable for variable in variables]

    def read(self, model: Sequence[int]) -> FoundInstance:
        return FoundInstance(
            tuple(t for t, variable in enumerate(self.sampled) if model[variable - 1] > 0),
            tuple(t for t, variable in enumerate(self.valid) if model[variable - 1] > 0),
            tuple(g for g, variable in enumerate(self.observed) if model[variable - 1] > 0),
        )

    def blocking_clause(self, instance: FoundInstance) -> list[int]:
        """The clause that excludes this instance; truths and states determine the valid ones."""
        return [-self.sampled[t] for t in instance.truths] + [-self.observed[g] for g in instance.states]


def exactly(variables: Sequence[int], number: int) -> list[tuple[list[int], int]]:
    """Two at-most constraints, under which exactly `number` of the variables are true."""
    return [(list(variables), number), ([-variable for variable in variables], len(variables) - number)]


def add_clauses(solver: Any, clauses: Sequence[Sequence[int]]) -> None:
    """Add the clauses one by one, in their order."""
    for clause in clauses:
        solver.add_clause(clause)


def solver_name(engine: str) -> str:
    """The solver that an engine asks, and the package's version."""
    import pysat

    solver = "Minicard 1.2" if engine == CONSTRUCTIVE else "CaDiCaL 1.5.3"
    return f"{solver} (python-sat {pysat.__version__})"


def open_solver() -> Any:
    """A fresh solver that knows at-most constraints."""
    from pysat.solvers import Minicard

    return Minicard()


# Which truths can be those that survive: whether an answer needs any test.
#
# The promise says how many truths survive: each action has one state of those that it can show, and exactly
# so many truths are ruled out by none of them.


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
