"""The size of the instance space: how many distinct instances of a domain and setting there are."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context
from itertools import combinations, product
from math import comb, expm1, floor, fsum, inf, log1p
from typing import TYPE_CHECKING, Any

import numpy as np

from perennial.schemas.ids import derive_seed
from perennial.schemas.kumo.things import Setting
from perennial.tasks.kumo.encoding import EncodedConfig
from perennial.tasks.kumo.sampling.shown import observable_states

if TYPE_CHECKING:
    from perennial.tasks.kumo.sampling.construct import Tables


# Boards at random: truths, and actions; irrelevant ones occur only where the related ones are used up.
#
# A value of a board, such as whether it is balanced, is summed over all boards from below: its weighted mean
# over drawn boards is at least
#
#     sum over i of (c_i - c_(i-1)) P(weighted value >= c_i),    c_0 = 0,
#
# for any rising c, chosen by other draws; of each share the lower end of Clopper and Pearson's interval
# (1934) counts. All ends together are wrong with a probability of at most one in 10^9.


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
        """Boards: truths evenly, then actions evenly among those that the truths allow."""
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
        """A lower bound of the value's sum over all boards, and whether `enough` draws had a value.

        Levels are chosen by a tenth as many draws.
        """
        levels = self._levels(value, number // 10, rng)
        counts = np.zeros(len(levels), np.int64)
        for start in range(0, number, _PART):
            weighted = self._weigh(value, min(_PART, number - start), rng)
            counts += (weighted[:, None] >= levels).sum(axis=0)
        steps = np.diff(levels, prepend=0.0)
        mean = sum(
            floor(step) * floor(least_share(int(count), number, _ERROR / _LEVELS) * _DIGITS)
            for step, count in zip(steps, counts, strict=True)
        )
        bound = comb(len(self.encoded.truths), self.setting.n_truths) * mean // _DIGITS
        return bound, len(counts) > 0 and bool(counts[0] >= enough)

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
    """The lower end of Clopper and Pearson's interval, wrong with this probability."""
    from scipy.stats import beta

    return float(beta.ppf(error, accepted, drawn - accepted + 1)) if accepted else 0.0


# The probability that fresh draws repeat an instance: the birthday problem with some days taken.


# Floats end a little above it, and for a smaller space the probability is only larger.
_LARGEST_SPACE = 10**300


def repeat_probability(size: int, issued: int, draws: int) -> float:
    """The probability that `draws` uniform draws repeat an issued instance or each other.

    1 - product of (1 - (issued + i) / size) over i < draws: 1 where there are not so many instances, 0
    where nothing is drawn. Where `size` is only a lower bound of the space's, it is an upper bound.
    """
    if draws < 1:
        return 0.0
    if issued + draws > size:
        return 1.0
    size = min(size, _LARGEST_SPACE)
    log_of_no_repeat = fsum(log1p(-taken / size) for taken in range(issued, issued + draws))
    return abs(expm1(log_of_no_repeat))


def sufficient_size(issued: int, draws: int, probability: float) -> float:
    """A size of the space at which `repeat_probability` is below this one: n^2 / 2p, or more."""
    pairs = draws * (issued + draws)
    return pairs / probability if probability else inf


# How many distinct instances of a domain and setting there are, at least.
#
# An instance is what sampling calls one: a set of truths, a set of actions and an observed state of each, so
# that exactly `n_valid` truths are ruled out by none of them; irrelevant actions occur only where the related
# ones are used up. With a minimum of expected steps in (0, 1] every truth is related to some action of it.
# A minimum above 1, and a test that is required, must be looked up in every instance: then the number is that
# before these filters.
#
# Of boards at random (`perennial.tasks.kumo.space`) all observations that leave exactly the valid truths
# are counted.
#
# The balanced sampler draws lists of truths and actions, and takes no list twice: there lists are counted,
# one after the other where they are few; else by the share of the sampler's own draws that it accepts, or
# where that is too rare, among boards whose actions are related to their truths.


_FEW = 20_000
_EVEN_DRAWS = (2_000, 40_000)  # the larger number where too few are balanced
_RELATED_DRAWS = (40_000, 400_000)
_ENOUGH = 50
_DRAWS = 1_000
_MOST_INVALID = 16  # truths to rule out: their subsets are listed


@dataclass(frozen=True, slots=True)
class SpaceSize:
    """How many instances exist at least; `is_exact`: as many exist.

    `is_filtered` is False where a minimum of expected steps above 1, or a test that is required, was left
    aside: then the number is one of the unfiltered space. `of_boards`: balanced lists of truths and actions
    are counted, not their observations.
    """

    least: int
    is_exact: bool = False
    is_filtered: bool = True
    of_boards: bool = False

    def __str__(self) -> str:
        what = "balanced lists of truths and actions" if self.of_boards else "instances"
        if not self.is_filtered:
            what += " before those that are too easy are left out"
        if self.is_exact:
            return f"the space holds exactly {self.least:,} {what}"
        return f"the space holds at least {_short(self.least)} {what}"


def _short(number: int) -> str:
    """A whole number in three figures."""
    if number < 1000:
        return str(number)
    return f"{Context(prec=3, rounding=ROUND_FLOOR).create_decimal(number):.2e}".replace("e+", "e")


def space_size(
    encoded: EncodedConfig, setting: Setting, min_expected_steps: float, require_test: bool = False
) -> SpaceSize:
    """The number of instances; a function of its arguments alone."""
    is_filtered = min_expected_steps <= 1 and not require_test
    if len(encoded.truths) < setting.n_truths or len(encoded.actions) < setting.n_actions:
        return SpaceSize(0, is_exact=True, is_filtered=is_filtered)
    if setting.n_truths - setting.n_valid > _MOST_INVALID:
        return SpaceSize(0, is_filtered=is_filtered)
    rng = _rng(encoded, setting)
    masks = [
        [state.mask for state in observable_states(encoded) if state.action == action]
        for action in range(len(encoded.actions))
    ]

    def count(boards: Boards) -> Array:
        choices = comb(setting.n_truths, setting.n_valid)
        rows = zip(boards.truths.tolist(), boards.actions.tolist(), strict=True)
        return np.array([choices * _count_observations(encoded, masks, *row, setting) for row in rows])

    least, _ = BoardSpace(encoded, setting).least_sum(count, _DRAWS, 0, rng)
    return SpaceSize(least, is_filtered=is_filtered)


def _count_observations(
    encoded: EncodedConfig, masks: list[list[int]], truths: list[int], actions: list[int], setting: Setting
) -> float:
    """The number of observations that leave exactly the first `n_valid` truths of the board."""
    valid, others = truths[: setting.n_valid], truths[setting.n_valid :]
    if not all(any(encoded.related[action] >> truth & 1 for action in actions) for truth in valid):
        return 0.0
    spared = sum(1 << truth for truth in valid)
    subsets = np.arange(1 << len(others))
    ways = np.zeros(len(subsets))
    ways[-1] = 1.0
    for action in actions:
        states = [mask for mask in masks[action] if not mask & spared]
        out = [sum((mask >> truth & 1) << bit for bit, truth in enumerate(others)) for mask in states]
        ways = sum((ways[subsets | mask] for mask in out), np.zeros(len(subsets)))
    return float(ways[0])


def count_boards(
    encoded: EncodedConfig, setting: Setting, min_expected_steps: float, suffices: float = inf
) -> SpaceSize:
    """The number of balanced lists of a setting; a function of its arguments alone.

    Where balanced lists are rare, no more are drawn once the bound `suffices`.
    """
    from perennial.tasks.kumo.sampling.balanced.boards import are_balanced
    from perennial.tasks.kumo.sampling.tables import SamplingTables

    is_filtered = min_expected_steps <= 1
    tables = SamplingTables(encoded).kernel
    usable = np.flatnonzero(np.diff(tables.action_start) > 0)
    total = comb(len(encoded.truths), setting.n_truths) * comb(len(usable), setting.n_actions)
    if total <= _FEW:
        number = 0
        if total:
            truths = combinations(range(len(encoded.truths)), setting.n_truths)
            boards = list(product(truths, combinations(usable.tolist(), setting.n_actions)))
            listed = (np.array(column, np.int32).reshape(total, -1) for column in zip(*boards, strict=True))
            number = int(are_balanced(tables, *listed).sum())
        return SpaceSize(number, is_exact=True, is_filtered=is_filtered, of_boards=True)
    least = 0
    for draws in _EVEN_DRAWS:
        accepted = _count_accepted(encoded, tables, setting, draws)
        if accepted >= _ENOUGH:
            return SpaceSize(
                floor(total * least_share(accepted, draws)), is_filtered=is_filtered, of_boards=True
            )
    space = BoardSpace(encoded, setting)
    for draws in _RELATED_DRAWS:
        least, is_enough = space.least_sum(
            lambda boards: are_balanced(tables, boards.truths, boards.actions),
            draws,
            _ENOUGH,
            _rng(encoded, setting),
        )
        if is_enough or least >= suffices:
            break
    return SpaceSize(least, is_filtered=is_filtered, of_boards=True)


def _count_accepted(encoded: EncodedConfig, tables: "Tables", setting: Setting, size: int) -> int:
    from perennial.tasks.kumo.sampling.balanced.boards import draw_boards

    seeds = np.full(size, _seed(encoded, setting), np.uint64)
    shape = (setting.n_truths, setting.n_actions)
    _, _, attempts = draw_boards(
        tables, size=shape, seeds=seeds, indices=np.arange(size), starts=np.zeros(size, np.int64), stop=1
    )
    return int((attempts >= 0).sum())


def _rng(encoded: EncodedConfig, setting: Setting) -> "np.random.Generator":
    return np.random.default_rng(_seed(encoded, setting))


def _seed(encoded: EncodedConfig, setting: Setting) -> int:
    return derive_seed(0, f"kumo space/{encoded.config.config_id}/{setting.name}", 0)
