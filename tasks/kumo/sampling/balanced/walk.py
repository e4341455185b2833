"""Walks of symmetric swaps, compiled: balanced lists where random ones are hardly ever balanced.

A swap exchanges a random listed truth or action for a random unlisted one, and is kept where the list stays
balanced. Swaps are symmetrical, so a long walk is uniform over the lists that swaps can reach from its first
one. Import this module lazily: it loads numba.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from perennial.tasks.kumo.kernels.kernel_part import kernel_part
from perennial.tasks.kumo.kernels.kernel_sources import sources_digest
from perennial.tasks.kumo.sampling import decided, splitmix
from perennial.tasks.kumo.sampling.balanced import boards, reach
from perennial.tasks.kumo.sampling.balanced.boards import is_balanced, list_masks
from perennial.tasks.kumo.sampling.balanced.reach import can_separate, list_reach
from perennial.tasks.kumo.sampling.construct import Array, Tables
from perennial.tasks.kumo.sampling.splitmix import below, seed_generator
from perennial.tasks.kumo.search import tables as search_tables


class Trace(NamedTuple):
    """Every list that a walk looked at, in its order, and whether it was kept: room for them, or for none."""

    truths: Array
    actions: Array
    verdicts: Array

    @classmethod
    def empty(cls, rows: int, n_truths: int, n_actions: int) -> "Trace":
        """Return room for this many lists."""
        truths, actions = np.zeros((rows, n_truths), np.int32), np.zeros((rows, n_actions), np.int32)
        return cls(truths, actions, np.zeros(rows, np.bool_))


def walk(
    tables: Tables,
    first: tuple[Array, Array],
    seeds: Array,
    indices: Array,
    attempt: int,
    swaps: Array,
    trace: Trace,
) -> tuple[Array, Array]:
    """Return a list per row: so many swaps from the row before, and in the first row from the list `first`.

    Each row draws by its own seed and index. `trace` is filled as far as it has room.
    """
    truths = np.zeros((len(indices), len(first[0])), np.int32)
    actions = np.zeros((len(indices), len(first[1])), np.int32)
    usable = np.flatnonzero(np.diff(tables.action_start))
    _walk_rows(tables, usable, *first, seeds, indices, attempt, swaps, truths, actions, trace)
    return truths, actions


@kernel_part
def _other_than(listed, n_all, generator):
    """Return a random number below n_all that is not listed."""
    while True:
        drawn = below(generator, n_all)
        is_listed = False
        for one in listed:
            is_listed |= one == drawn
        if not is_listed:
            return drawn


def _compile_kernel(sources: int) -> Any:
    """Return the entry point, compiled for sources of this digest."""

    @njit(cache=True)
    def _walk_rows(
        tables, usable, first_truths, first_actions, seeds, indices, attempt, swaps, truths, actions, trace
    ):
        n_all, n_states = len(tables.cover_start) - 1, len(tables.state_action)
        table = list_reach(tables)
        listed = np.zeros(table.shape[2], np.int64)
        starts, masks = np.zeros(len(first_actions) + 1, np.int64), np.zeros(n_states, np.int64)
        place_of = np.zeros(n_states, np.int32)
        generator = np.full(1, sources, np.uint64)  # seeded again in every row
        of_truths, of_actions = first_truths.copy(), first_actions.copy()
        n, m = len(of_truths), len(of_actions)
        # A setting may list every truth, or every action: then only the others can be exchanged.
        from_place, to_place = 0 if n < n_all else n, n + m if m < len(usable) else n
        traced = 0
        for row in range(len(indices)):
            seed_generator(generator, seeds[row], indices[row], attempt)
            for _ in range(swaps[row] if from_place < to_place else 0):
                place = from_place + below(generator, to_place - from_place)
                if place < n:
                    before = of_truths[place]
                    of_truths[place] = _other_than(of_truths, n_all, generator)
                else:
                    before = of_actions[place - n]
                    while True:
                        drawn = usable[below(generator, len(usable))]
                        if not np.any(of_actions == drawn):
                            break
                    of_actions[place - n] = drawn
                is_kept = can_separate(table, of_truths, of_actions, listed)
                if is_kept:
                    list_masks(tables, of_truths, of_actions, starts, masks, place_of)
                    is_kept = is_balanced(n, starts, masks)
                if traced < len(trace.verdicts):
                    trace.truths[traced], trace.actions[traced] = of_truths, of_actions
                    trace.verdicts[traced] = is_kept
                    traced += 1
                if not is_kept and place < n:
                    of_truths[place] = before
                elif not is_kept:
                    of_actions[place - n] = before
            truths[row], actions[row] = of_truths, of_actions

    return _walk_rows


_walk_rows = _compile_kernel(sources_digest(boards, decided, splitmix, search_tables, reach))
