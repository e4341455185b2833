"""Whether the outcomes that a player saw decide the answer: whether the promise leaves one truth possible.

A truth is possible after some tests where the actions not tried have states, one each, that spare it and
rule out all other truths that the outcomes left. `tasks.kumo.survivors` decides the same by a solver.
"""

from collections.abc import Collection, Iterator
from functools import cache

from tasks.kumo.encoding import EncodedInstance


def is_decided(board: EncodedInstance, tried: Collection[int]) -> bool | None:
    """Return whether at most one truth is possible after the tests of these actions.

    None where the instance has several valid truths: the promise is then another one.
    """
    if board.valid.bit_count() != 1:
        return None
    left = (1 << board.n_truths) - 1
    for action in tried:
        left &= ~board.observed_mask(action)
    if left.bit_count() == 1:
        return True
    untried = [masks for action, masks in enumerate(board.masks) if action not in tried]
    possible = _possible_truths(left, untried)
    next(possible, None)
    return next(possible, None) is None


def _possible_truths(left: int, untried: list[tuple[int, ...]]) -> Iterator[int]:
    for truth in _bits(left):
        spared = [[mask & left for mask in masks if not mask & truth] for masks in untried]
        if all(spared) and _covers(left ^ truth, spared):
            yield truth


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
