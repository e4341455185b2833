"""How many distinct instances of a domain and setting there are, at least.

An instance is what sampling calls one: a set of truths, a set of actions and an observed state of each, so
that exactly `n_valid` truths are ruled out by none of them; irrelevant actions occur only where the related
ones are used up. With a minimum of expected steps in (0, 1] every truth is related to some action of it.
A minimum above 1, and a test that is required, must be looked up in every instance: then the number is that
before these filters.

Of boards at random (`perennial.tasks.kumo.space.boards`) all observations that leave exactly the valid truths
are counted.

The balanced sampler draws lists of truths and actions, and takes no list twice: there lists are counted, one
after the other where they are few; else by the share of the sampler's own draws that it accepts, or where
that is too rare, among boards whose actions are related to their truths.
"""

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context
from itertools import combinations, product
from math import comb, floor, inf
from typing import TYPE_CHECKING

import numpy as np

from perennial.schemas.ids import derive_seed
from perennial.schemas.kumo.things import Setting
from perennial.tasks.kumo.encoding import EncodedConfig
from perennial.tasks.kumo.sampling.states import observable_states
from perennial.tasks.kumo.space.boards import Array, Boards, BoardSpace, least_share

if TYPE_CHECKING:
    from perennial.tasks.kumo.sampling.construct import Tables

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
        """Return the size in a sentence."""
        what = "balanced lists of truths and actions" if self.of_boards else "instances"
        if not self.is_filtered:
            what += " before those that are too easy are left out"
        if self.is_exact:
            return f"the space holds exactly {self.least:,} {what}"
        return f"the space holds at least {_short(self.least)} {what}"


def _short(number: int) -> str:
    """Return a whole number in three figures."""
    if number < 1000:
        return str(number)
    return f"{Context(prec=3, rounding=ROUND_FLOOR).create_decimal(number):.2e}".replace("e+", "e")


def space_size(
    encoded: EncodedConfig, setting: Setting, min_expected_steps: float, require_test: bool = False
) -> SpaceSize:
    """Return the number of instances; a function of its arguments alone."""
    is_filtered = min_expected_steps <= 1 and not require_test
    if not _has_boards(encoded, setting):
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
    """Return the number of observations that leave exactly the first `n_valid` truths of the board."""
    valid, others = truths[: setting.n_valid], truths[setting.n_valid :]
    if not all(any(encoded.related[action] >> truth & 1 for action in actions) for truth in valid):
        return 0.0
    spared = sum(1 << truth for truth in valid)
    subsets = np.arange(1 << len(others))
    ways = np.zeros(len(subsets))
    ways[-1] = 1.0
    for action in actions:
        states = [mask for mask in masks[action] if not mask & spared]
        out = [sum((mask >> truth & 1) << place for place, truth in enumerate(others)) for mask in states]
        ways = sum((ways[subsets | mask] for mask in out), np.zeros(len(subsets)))
    return float(ways[0])


def count_boards(
    encoded: EncodedConfig, setting: Setting, min_expected_steps: float, suffices: float = inf
) -> SpaceSize:
    """Return the number of balanced lists of a setting; a function of its arguments alone.

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


def _has_boards(encoded: EncodedConfig, setting: Setting) -> bool:
    return len(encoded.truths) >= setting.n_truths and len(encoded.actions) >= setting.n_actions


def _rng(encoded: EncodedConfig, setting: Setting) -> "np.random.Generator":
    return np.random.default_rng(_seed(encoded, setting))


def _seed(encoded: EncodedConfig, setting: Setting) -> int:
    return derive_seed(0, f"kumo space/{encoded.config.config_id}/{setting.name}", 0)
