"""Outcomes that are reported with a known reliability: how reports are drawn, what they make probable, and
the best play on them, exact by dynamic programming.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import Instance
from perennial.tasks.kumo.encoding import EncodedConfig
from perennial.tasks.kumo.reliability import Case

if TYPE_CHECKING:
    from perennial.tasks.kumo.sampling.construct import Draws

Array = np.ndarray[Any, Any]


_ROUNDING = 1e-12  # two costs that differ by less, as a share, are equal: naming comes first, then the order


# What reports of outcomes make probable, and the best play: exact, by dynamic programming.
#
# The prior is that of the sampler (docs/kumo.md): a weight for each truth and each choice of one state per
# action that leaves this truth alone. A report of an action is its state with probability r, else one of its
# k - 1 other states, evenly. Summing the true states out, one action after the other, gives for each truth t
# and each set of reports x (of each action a state, or no report) the probability B[t, x] of both.
#
# The best play minimizes the expected count that the prompt names: tests for a right answer, all actions
# for a wrong one. With T(x) reports of m actions, a player that names the likeliest truth at x has the cost
#
#     T(x) * max_t B[t, x] + m * (sum_t B[t, x] - max_t B[t, x])
#
# and one that tests action a has the sum of V over the reports that a can add to x. V(x) is the least of
# these. Each action is taken at most once, since a second test gives the same report.


@dataclass(frozen=True, slots=True)
class BestPlay:
    """The best play of a case: `success`, `tests` and `count` are expected before the first test.

    `moves[x]` is the action to test at the reports x (see `place`), -1 to name `answers[x]`.
    """

    states: tuple[int, ...]
    moves: Array
    answers: Array
    success: float
    tests: float
    count: float

    def choose(self, reports: Mapping[int, int]) -> tuple[int, int]:
        """The action to test after these reports (states by action), -1 for none, and the answer."""
        index = _place(self.states, reports)
        return int(self.moves[index]), int(self.answers[index])


def believe(case: Case, reports: Mapping[int, int]) -> list[float]:
    """The probability of each truth given these reports (states by action)."""
    belief = _prior(case)
    for action in reversed(range(len(case.states))):
        state = reports.get(action)
        by_report = _likelihood(case.states[action], case.reliability)[-1 if state is None else state]
        belief = np.tensordot(belief, by_report, axes=(action + 1, 0))
    probabilities: list[float] = (belief / belief.sum()).tolist()
    return probabilities


@lru_cache(maxsize=2)
def plan_best_play(case: Case) -> BestPlay:
    """The best play; `perennial.schemas.kumo.plan` says for which sizes."""
    states, m = case.states, len(case.states)
    joint = _prior(case)
    for action, number in enumerate(states):
        by_report = np.tensordot(_likelihood(number, case.reliability), joint, axes=(1, action + 1))
        joint = np.moveaxis(by_report, 0, action + 1)
    joint = joint.reshape(case.n_truths, -1)
    places = np.arange(joint.shape[1])
    untested = np.array([places // s % (k + 1) == k for s, k in zip(_strides(states), states, strict=True)])
    left = untested.sum(axis=0)
    best, total = joint.max(axis=0), joint.sum(axis=0)
    count = (m - left) * best + m * (total - best)
    success, tests = best.copy(), (m - left) * total
    moves = np.full(len(places), -1, np.int8)
    for level in range(1, m + 1):
        at = np.flatnonzero(left == level)
        for action, (stride, number) in enumerate(zip(_strides(states), states, strict=True)):
            here = at[untested[action, at]]
            after = here - stride * np.arange(1, number + 1)[:, None]
            through = count[after].sum(axis=0)
            better = through < count[here] - _ROUNDING * m * total[here]
            chosen, then = here[better], after[:, better]
            moves[chosen] = action
            for values in (count, success, tests):
                values[chosen] = values[then].sum(axis=0)
    start = _place(states, {})
    expected = (float(values[start]) for values in (success, tests, count))
    return BestPlay(states, moves, joint.argmax(axis=0), *expected)


def _prior(case: Case) -> Array:
    """The probability of each truth (axis 0) and each choice of states (an axis for each action)."""
    states, n_truths = case.states, case.n_truths
    struck = np.zeros(states, np.int64)
    for action, masks in enumerate(case.masks):
        struck |= np.array(masks).reshape([-1 if axis == action else 1 for axis in range(len(states))])
    full = (1 << n_truths) - 1
    weights = np.array([struck == full ^ 1 << truth for truth in range(n_truths)], np.float64)
    if case.is_balanced:
        # The valid truth is uniform, and so are its observations among the choices that leave it alone.
        totals = weights.reshape(n_truths, -1).sum(axis=1)
        weights /= np.maximum(totals, 1).reshape([-1, *(1 for _ in states)])
    else:
        # Each action's state is uniform among those that do not rule the truth out.
        spared = [
            prod(max(1, sum(not mask >> truth & 1 for mask in masks)) for masks in case.masks)
            for truth in range(n_truths)
        ]
        weights /= np.array(spared, np.float64).reshape([-1, *(1 for _ in states)])
    prior: Array = weights / weights.sum()
    return prior


def _likelihood(number: int, reliability: float) -> Array:
    """The probability of each report (row; the last one: no report) given each state (column)."""
    if number == 1:
        return np.ones((2, 1))
    reported = np.full((number, number), (1 - reliability) / (number - 1))
    np.fill_diagonal(reported, reliability)
    return np.vstack((reported, np.ones(number)))


def _strides(states: tuple[int, ...]) -> list[int]:
    return [prod(number + 1 for number in states[action + 1 :]) for action in range(len(states))]


def _place(states: tuple[int, ...], reports: Mapping[int, int]) -> int:
    """The number of a set of reports, in which the last digit of an action is that it has none."""
    digits = (reports.get(action, number) for action, number in enumerate(states))
    return sum(digit * stride for digit, stride in zip(digits, _strides(states), strict=True))


# Reports are drawn with the compiled sampler's tables, which bring numba: they are imported when needed.


class Reporter:
    """Reports outcomes of one domain."""

    def __init__(self, encoded: EncodedConfig) -> None:
        from perennial.tasks.kumo.sampling.tables import SamplingTables

        self._encoded = encoded
        self._tables = SamplingTables(encoded)
        self._numbers = {(state.action, state.state): i for i, state in enumerate(self._tables.states)}

    def report(self, instance: Instance, instance_id: str, reliability: float) -> Instance:
        """The instance with the outcomes that are reported in place of the true ones.

        Each is the true one with probability `reliability`, else one of the action's other states, evenly and
        apart from all other actions. They are a function of the instance's id, so that all players see the
        same; what a lower reliability reports rightly, a higher one does too. A number that is reported
        wrongly is drawn as the number of such a state is (`perennial.tasks.kumo.sampling.shown`).
        """
        rng = derive_rng(0, f"reports of {instance_id}", 0)
        numbers, uniforms, is_wrong = [], [], []
        for name, state in zip(instance.actions, instance.states, strict=True):
            action = self._encoded.action_index[name]
            share, choice, uniform = (rng.random() for _ in range(3))
            others = [s for a, s in self._numbers if a == action and s != state]
            is_wrong.append(share >= reliability and bool(others))
            reported = others[int(choice * len(others))] if is_wrong[-1] else state
            assert reported is not None
            numbers.append(self._numbers[action, reported])
            uniforms.append(uniform)
        observations = self._tables.observations(self._draws(instance, numbers, uniforms))[0].tolist()
        return replace(
            instance,
            states=tuple(self._tables.states[number].state for number in numbers),
            observations=tuple(
                drawn if wrong else true
                for drawn, true, wrong in zip(observations, instance.observations, is_wrong, strict=True)
            ),
        )

    def _draws(self, instance: Instance, numbers: list[int], uniforms: list[float]) -> "Draws":
        from perennial.tasks.kumo.sampling.construct import Draws

        draws = Draws.empty(1, len(instance.truths), len(numbers))
        draws.truths[0] = [self._encoded.truth_index[truth] for truth in instance.truths]
        draws.valid[0] = np.isin(instance.truths, instance.valid_truths)
        draws.states[0], draws.uniforms[0] = numbers, uniforms
        return draws
