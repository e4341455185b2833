"""What the counting kernels need of a configuration: bits over actions, and tables of coefficients.

Bit a of a word stands for action a. The number of ways to choose k of n actions with g states each is the
coefficient of z^k in (1 + g z)^n; actions are told apart by g alone, so that a product over all of them needs
only how many have each g. All numbers are taken modulo 2^64, or modulo a prime where that is too small.
"""

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from tasks.kumo.encoding import EncodedConfig
from tasks.kumo.sampling.states import observable_states

Array = Any

MAX_ACTIONS = 64
MAX_STATES = 7
WRAPPING = 0  # the modulus 2^64, which needs no division
PRIMES = (2147483647, 2147483629, 2147483587, 2147483579, 2147483563, 2147483549)


@dataclass(frozen=True, slots=True)
class SpaceTables:
    """A configuration's observable states as bits over its actions.

    `blocks[t, s]` are the actions whose state of rank s rules out truth t, `exists[s]` those that have a
    state of rank s, `related[t]` those related to truth t. `masks[a]` are the observable states' masks of
    truths, `n_states[a]` their number.
    """

    blocks: Array
    exists: Array
    related: Array
    masks: tuple[tuple[int, ...], ...]
    n_states: tuple[int, ...]

    @property
    def fits_kernels(self) -> bool:
        """Whether the compiled kernels can hold it."""
        return len(self.masks) <= MAX_ACTIONS and max(self.n_states, default=0) <= MAX_STATES


def space_tables(encoded: EncodedConfig) -> SpaceTables:
    """Return the tables of a configuration; of one that no kernel can hold only names and numbers count."""
    masks: list[list[int]] = [[] for _ in encoded.actions]
    for state in observable_states(encoded):
        masks[state.action].append(state.mask)
    n_truths = len(encoded.truths)
    blocks = [[0] * MAX_STATES for _ in range(n_truths)]
    exists = [0] * MAX_STATES
    for action, states in enumerate(masks[:MAX_ACTIONS]):
        for rank, mask in enumerate(states[:MAX_STATES]):
            exists[rank] |= 1 << action
            for truth in range(n_truths):
                blocks[truth][rank] |= (mask >> truth & 1) << action
    related = [
        sum(1 << action for action, mask in enumerate(encoded.related[:MAX_ACTIONS]) if mask >> truth & 1)
        for truth in range(n_truths)
    ]
    return SpaceTables(
        np.array(blocks, np.uint64).reshape(n_truths, MAX_STATES),
        np.array(exists, np.uint64),
        np.array(related, np.uint64),
        tuple(map(tuple, masks)),
        tuple(map(len, masks)),
    )


def powers_table(n_actions: int, degree: int, modulus: int) -> Array:
    """Return t[g, n, k], the coefficient of z^k in (1 + g z)^n, for g up to MAX_STATES and k up to degree."""
    bound = modulus or 1 << 64
    table = [
        [[comb(n, k) * g**k % bound for k in range(degree + 1)] for n in range(n_actions + 1)]
        for g in range(MAX_STATES + 1)
    ]
    return np.array(table, np.uint64)


def choices(numbers: list[int], chosen: int) -> int:
    """Return the sum over all choices of `chosen` of the numbers of their products, exactly."""
    sums = [1] + [0] * chosen
    for number in numbers:
        for k in range(chosen, 0, -1):
            sums[k] += number * sums[k - 1]
    return sums[chosen]
