"""Which draws are decided before any test: lists, rules and the promise leave one truth possible.

Compiled by numba, exact: a depth-first search for observations that leave another truth than the valid one
alone. Import this module lazily.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from typing import Any

import numpy as np

from perennial.tasks.compiled import njit
from perennial.tasks.kumo.encoding import EncodedConfig
from perennial.tasks.kumo.kernels.kernel_part import kernel_part

Array = Any


def rules_of_states(encoded: EncodedConfig) -> tuple[Array, Array]:
    """Where each action's states begin, and by state and truth whether the state rules it out."""
    starts = np.cumsum([0, *(len(states) for states in encoded.masks)])
    truths = range(len(encoded.truths))
    rows = [[mask >> truth & 1 for truth in truths] for states in encoded.masks for mask in states]
    return starts.astype(np.int64), np.array(rows, np.bool_).reshape(-1, len(truths))


@kernel_part
def rules_out_all(masks, starts, survivor, missing, unused):
    """Whether states of unused actions that spare the survivor can rule out all that is missing."""
    if missing == 0:
        return True
    # The truths that at least one, two and three unused actions can rule out.
    once = twice = thrice = missing & 0
    for action in range(starts.size - 1):
        if (unused >> action) & 1:
            reach = missing & 0
            for s in range(starts[action], starts[action + 1]):
                if masks[s] & survivor == 0:
                    reach |= masks[s]
            thrice |= twice & reach
            twice |= once & reach
            once |= reach
    if missing & ~once != 0:
        return False
    # First the truth that the fewest actions can rule out: there the search fails soonest.
    few = missing & ~twice
    if few == 0:
        few = missing & ~thrice
    hardest = few & -few if few != 0 else missing & -missing
    for action in range(starts.size - 1):
        if (unused >> action) & 1:
            for s in range(starts[action], starts[action + 1]):
                if masks[s] & hardest != 0 and masks[s] & survivor == 0:
                    rest = unused ^ (1 << action)
                    if rules_out_all(masks, starts, survivor, missing & ~masks[s], rest):
                        return True
    return False


@kernel_part
def _is_decided(masks, starts, n_truths, valid):
    # All bits of a word: a shift by its width is not defined.
    everything = -1 if n_truths == 64 else (1 << n_truths) - 1
    actions = starts.size - 1
    for truth in range(n_truths):
        survivor = 1 << truth
        possible = truth != valid
        for action in range(actions):
            spared = False
            for s in range(starts[action], starts[action + 1]):
                spared = spared or masks[s] & survivor == 0
            possible = possible and spared
        unused = -1 if actions == 64 else (1 << actions) - 1
        if possible and rules_out_all(masks, starts, survivor, everything & ~survivor, unused):
            return False
    return True


@njit(cache=True)
def find_decided(state_starts, rules, truths, valid, actions, decided):
    """Write for each row (its truths, which is valid, its actions) whether it is decided before any test."""
    n_truths, n_actions = truths.shape[1], actions.shape[1]
    starts = np.zeros(n_actions + 1, np.int64)
    for row in range(truths.shape[0]):
        for i in range(n_actions):
            action = actions[row, i]
            starts[i + 1] = starts[i] + state_starts[action + 1] - state_starts[action]
        masks = np.zeros(starts[n_actions], np.int64)
        answer = 0
        for t in range(n_truths):
            if valid[row, t]:
                answer = t
            for i in range(n_actions):
                first = state_starts[actions[row, i]]
                for s in range(starts[i], starts[i + 1]):
                    if rules[first + s - starts[i], truths[row, t]]:
                        masks[s] |= 1 << t
        decided[row] = _is_decided(masks, starts, n_truths, answer)
