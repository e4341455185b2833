"""How many distinct instances of a domain and setting there are: between two numbers that are certain.

An instance is what sampling calls one: a set of truths, a set of actions and an observed state of each, so
that exactly `n_valid` truths are ruled out by none of them; irrelevant actions occur only where the related
ones are used up. With a minimum of expected steps in (0, 1] every truth is related to some action of it.
A minimum above 1, and a test that is required, must be looked up in every instance: then the size is that
before these filters.

Let M be all observations that leave exactly the valid truths, whatever actions they are of. Every instance
is in M: hence the upper bound. What is in M is an instance unless it holds an irrelevant action, or leaves
a valid truth without an action that is related to it (an invalid truth has the action that rules it out).
The lower bound subtracts from M, for each action, those that hold it as an irrelevant one, and for each
truth, those that leave it valid and unrelated. Where that subtracts too much, it is the number of those in
M whose actions are all related to all valid truths: they are instances. `tasks.kumo.space.bounds` bounds
each of these numbers.
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from itertools import combinations
from math import comb

import numpy as np

from schemas.kumo.things import Setting
from tasks.kumo.encoding import EncodedConfig
from tasks.kumo.sampling.states import observable_states
from tasks.kumo.space.bounds import Rules, bounds

# How many sets of truths of one size are visited: for M, for each number subtracted, for each choice of valid
# truths.
_OF_ALL = 60_000
_OF_A_PART = 4_000
_OF_A_CHOICE = 100
_MOST_CHOICES = 2_000


@dataclass(frozen=True, slots=True)
class SpaceSize:
    """How many instances exist: `low` to `high`, which are equal where the number is known.

    `is_filtered` is False where a minimum of expected steps above 1, or a test that is required, was left
    aside: then fewer instances are drawn from than the size says, and the lower bound is one of the
    unfiltered space. `of_boards`: balanced lists of truths and actions are counted, not their observations.
    """

    low: int
    high: int
    is_filtered: bool = True
    of_boards: bool = False

    @property
    def is_exact(self) -> bool:
        """Whether the number of instances is known."""
        return self.low == self.high

    def __str__(self) -> str:
        """Return the size in a sentence."""
        what = "balanced lists of truths and actions" if self.of_boards else "instances"
        if not self.is_filtered:
            what += " before those that are too easy are left out"
        if self.is_exact:
            return f"the space holds exactly {self.low:,} {what}"
        return f"the space holds {_short(self.low)} to {_short(self.high, ROUND_CEILING)} {what}"


def _short(number: int, rounding: str = ROUND_FLOOR) -> str:
    """Return a whole number in three figures."""
    if number < 1000:
        return str(number)
    return f"{Context(prec=3, rounding=rounding).create_decimal(number):.2e}".replace("e+", "e")


def space_size(
    encoded: EncodedConfig, setting: Setting, min_expected_steps: float, require_test: bool = False
) -> SpaceSize:
    """Return the size of the instance space; a function of its arguments alone."""
    rules = _rules(encoded)
    n, v, chosen = setting.n_truths, setting.n_valid, setting.n_actions
    low, high = bounds(rules, range(len(encoded.truths)), n, v, chosen, _OF_ALL)
    low -= _with_irrelevant(encoded, rules, setting)
    if min_expected_steps > 0:
        low -= _bound_unrelated(encoded, rules, setting)
    if low < high:
        low = max(low, _bound_related(encoded, rules, setting))
    return SpaceSize(low, high, is_filtered=min_expected_steps <= 1 and not require_test)


def _rules(encoded: EncodedConfig) -> list[Rules]:
    """Return of each action what its observable states rule out."""
    truths = range(len(encoded.truths))
    states: list[list[list[bool]]] = [[] for _ in encoded.actions]
    for state in observable_states(encoded):
        states[state.action].append([bool(state.mask >> truth & 1) for truth in truths])
    return [np.array(rows, np.bool_).reshape(-1, len(truths)) for rows in states]


def _with_irrelevant(encoded: EncodedConfig, rules: list[Rules], setting: Setting) -> int:
    """Return an upper bound of how many in M hold an irrelevant action."""
    n, v, chosen = setting.n_truths, setting.n_valid, setting.n_actions
    total = 0
    for action, related in enumerate(encoded.related):
        unrelated = _outside(related, len(encoded.truths))
        others = rules[:action] + rules[action + 1 :]
        total += len(rules[action]) * bounds(others, unrelated, n, v, chosen - 1, _OF_A_PART)[1]
    return total


def _bound_unrelated(encoded: EncodedConfig, rules: list[Rules], setting: Setting) -> int:
    """Return an upper bound of how many in M leave a valid truth without a related action."""
    n, v, chosen = setting.n_truths, setting.n_valid, setting.n_actions
    total = 0
    for truth in range(len(encoded.truths)):
        unrelated = [rules[a] for a, related in enumerate(encoded.related) if not related >> truth & 1]
        others = _outside(1 << truth, len(encoded.truths))
        total += bounds(unrelated, others, n - 1, v - 1, chosen, _OF_A_PART)[1]
    return total


def _bound_related(encoded: EncodedConfig, rules: list[Rules], setting: Setting) -> int:
    """Return a lower bound of how many in M hold only actions that are related to all valid truths."""
    n_truths, v = len(encoded.truths), setting.n_valid
    if comb(n_truths, v) > _MOST_CHOICES:
        return 0
    total = 0
    for valid in combinations(range(n_truths), v):
        mask = sum(1 << truth for truth in valid)
        related = [rules[a] for a, truths in enumerate(encoded.related) if truths & mask == mask]
        kept = [states[~states[:, valid].any(axis=1)] for states in related]
        others = _outside(mask, n_truths)
        total += bounds(kept, others, setting.n_truths - v, 0, setting.n_actions, _OF_A_CHOICE)[0]
    return total


def _outside(mask: int, n_truths: int) -> list[int]:
    return [truth for truth in range(n_truths) if not mask >> truth & 1]
