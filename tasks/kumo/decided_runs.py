"""Whether the outcomes that a player saw decide the answer: whether the promise leaves some truth sure.

A set of as many truths as the promise says is possible after some tests where the actions not tried have
states, one each, that spare it and rule out all other truths that the outcomes left. A truth is sure where it
is in every possible set. `perennial.tasks.kumo.survivors` decides the same by a solver.
"""

from collections.abc import Collection, Iterator
from functools import cache, reduce
from itertools import combinations
from math import comb
from operator import or_

from perennial.tasks.kumo.encoding import EncodedInstance

MOST_SETS = 5_000  # of truths that may be valid: 5 of 15 are 3,003


def is_decided(board: EncodedInstance, tried: Collection[int]) -> bool | None:
    """Return whether some truth is sure to be valid after the tests of these actions.

    None where too many sets of truths may be valid to look at each.
    """
    left = (1 << board.n_truths) - 1
    for action in tried:
        left &= ~board.observed_mask(action)
    n_valid = board.valid.bit_count()
    if left.bit_count() <= n_valid:
        return True
    if comb(left.bit_count(), n_valid) > MOST_SETS:
        return None
    sure = left
    untried = [masks for action, masks in enumerate(board.masks) if action not in tried]
    for survivors in _possible_sets(left, n_valid, untried):
        sure &= survivors
        if not sure:
            return False
    return True


def _possible_sets(left: int, n_valid: int, untried: list[tuple[int, ...]]) -> Iterator[int]:
    for truths in combinations(_bits(left), n_valid):
        survivors = reduce(or_, truths)
        spared = [[mask & left for mask in masks if not mask & survivors] for masks in untried]
        if all(spared) and _covers(left ^ survivors, spared):
            yield survivors


def _covers(missing: int, choices: list[list[int]]) -> bool:
    """Return whether one mask of each list can together cover all that is missing."""

    @cache
    def search(missing: int, unused: int) -> bool:
        if not missing:
            return True
        ways = {
            truth: [
                (place, mask)
                for place, masks in enumerate(choices)
                if unused >> place & 1
                for mask in masks
                if mask & truth
            ]
            for truth in _bits(missing)
        }
        hardest = min(ways.values(), key=len)
        hardest.sort(key=lambda way: -(way[1] & missing).bit_count())
        return any(search(missing & ~mask, unused ^ 1 << place) for place, mask in hardest)

    return search(missing, (1 << len(choices)) - 1)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        yield mask & -mask
        mask &= mask - 1
