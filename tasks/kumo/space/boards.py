"""Boards at random: truths, and actions; irrelevant ones occur only where the related ones are used up.

A value of a board, such as whether it is balanced, is summed over all boards from below: its weighted mean
over drawn boards is at least

    sum over i of (c_i - c_(i-1)) P(weighted value >= c_i),    c_0 = 0,

for any rising c, chosen by other draws; of each share the lower end of Clopper and Pearson's interval (1934)
counts. All ends together are wrong with a probability of at most one in 10^9.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import comb, floor
from typing import Any

import numpy as np

from perennial.schemas.kumo.things import Setting
from perennial.tasks.kumo.encoding import EncodedConfig

_ERROR = 1e-9
_LEVELS = 16
_LARGEST = 1e300
_DIGITS = 10**15
_PART = 20_000  # drawn at once

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Boards:
    """A row a board: its truths, its actions, and how many choices of actions its truths allow."""

    truths: Array
    actions: Array
    choices: Array


@dataclass(frozen=True, slots=True)
class BoardSpace:
    """The boards of a configuration and setting that hold irrelevant actions beside all related ones only."""

    encoded: EncodedConfig
    setting: Setting

    def draw(self, number: int, rng: "np.random.Generator") -> Boards:
        """Return boards: truths evenly, then actions evenly among those that the truths allow."""
        n, m = self.setting.n_truths, self.setting.n_actions
        size = len(self.encoded.truths)
        related = np.array(
            [[mask >> truth & 1 for truth in range(size)] for mask in self.encoded.related], np.bool_
        )
        truths = np.argsort(rng.random((number, size)), axis=1)[:, :n].astype(np.int32)
        is_related = related[:, truths].any(axis=2).T
        actions = np.argsort(rng.random(is_related.shape) + ~is_related, axis=1)[:, :m].astype(np.int32)
        of_all = len(related)
        ways = [comb(k, m) if k >= m else comb(of_all - k, m - k) for k in range(of_all + 1)]
        floats = np.array([min(number, int(_LARGEST)) for number in ways], np.float64)
        return Boards(truths, actions, floats[is_related.sum(axis=1)])

    def least_sum(
        self, value: Callable[[Boards], Array], number: int, enough: int, rng: "np.random.Generator"
    ) -> tuple[int, bool]:
        """Return a lower bound of the value's sum over all boards, and whether `enough` draws had a value.

        Levels are chosen by a tenth as many draws.
        """
        levels = self._levels(value, number // 10, rng)
        found = np.zeros(len(levels), np.int64)
        for start in range(0, number, _PART):
            weighted = self._weigh(value, min(_PART, number - start), rng)
            found += (weighted[:, None] >= levels).sum(axis=0)
        steps = np.diff(levels, prepend=0.0)
        mean = sum(
            floor(step) * floor(least_share(int(count), number, _ERROR / _LEVELS) * _DIGITS)
            for step, count in zip(steps, found, strict=True)
        )
        bound = comb(len(self.encoded.truths), self.setting.n_truths) * mean // _DIGITS
        return bound, len(found) > 0 and bool(found[0] >= enough)

    def _levels(self, value: Callable[[Boards], Array], number: int, rng: "np.random.Generator") -> Array:
        weighted = self._weigh(value, number, rng)
        positive = weighted[weighted >= 1.0]
        if not len(positive):
            return np.ones(1)
        levels: Array = np.unique(np.floor(np.quantile(positive, np.linspace(0.0, 0.95, _LEVELS))))
        return levels

    def _weigh(self, value: Callable[[Boards], Array], number: int, rng: "np.random.Generator") -> Array:
        boards = self.draw(number, rng)
        with np.errstate(over="ignore"):
            weighted: Array = np.minimum(boards.choices * value(boards), _LARGEST)
        return weighted


def least_share(accepted: int, drawn: int, error: float = _ERROR) -> float:
    """Return the lower end of Clopper and Pearson's interval, wrong with this probability."""
    from scipy.stats import beta

    return float(beta.ppf(error, accepted, drawn - accepted + 1)) if accepted else 0.0
