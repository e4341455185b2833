"""Walks, compiled: balanced lists where random ones are hardly ever balanced.

A walk goes through lists that pass quick tests on bit masks (`_fits`): a larger set, of
which 15% to 100% are balanced in the released domains. A step exchanges a truth, an action and a truth. A
truth is exchanged for a random unlisted one if the list then passes; an action for a random one of all with
which it passes. Both are symmetric: the way back is as likely. So a long walk is uniform over the lists that
steps can reach from its first one, and the balanced ones among its lists at fixed distances are uniform too.

Only these are judged in full, which is what takes time.

Import this module lazily: it loads numba.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from perennial.tasks.compiled import njit
from perennial.tasks.kumo.kernels.kernel_part import inlined_part, kernel_part
from perennial.tasks.kumo.kernels.kernel_sources import sources_digest
from perennial.tasks.kumo.sampling.balanced import boards
from perennial.tasks.kumo.sampling.balanced.boards import SOURCES, is_balanced, list_masks, tabulate_apart
from perennial.tasks.kumo.sampling.construct import Array, Tables
from perennial.tasks.kumo.sampling.splitmix import below, seed_generator
from perennial.tasks.kumo.search.tables import count

_WORD = 64  # actions are its bits


class WalkPace(NamedTuple):
    """How a walk is judged: after how many steps, and how often at least before its first row.

    A walk ends before the first row that needs more than `most` judgments.
    """

    steps: int
    first: int
    most: int


class Trace(NamedTuple):
    """Every list that a walk judged, in its order, and whether it was balanced; as far as there is room."""

    truths: Array
    actions: Array
    verdicts: Array

    @classmethod
    def empty(cls, rows: int, n_truths: int, n_actions: int) -> "Trace":
        """Room for this many lists."""
        truths, actions = np.zeros((rows, n_truths), np.int32), np.zeros((rows, n_actions), np.int32)
        return cls(truths, actions, np.zeros(rows, np.bool_))


class Walked(NamedTuple):
    """A balanced list per row, as far as the walk came, and by row how many it had judged by then."""

    truths: Array
    actions: Array
    judged: Array


def walk(
    tables: Tables,
    first: tuple[Array, Array],
    seeds: Array,
    indices: Array,
    attempt: int,
    pace: WalkPace,
    trace: Trace,
) -> Walked:
    """Walk from the balanced list `first` to one list per row, by the row's seed and index.

    `trace` gets the lists that were judged.
    """
    rows = len(indices)
    shape = (rows, len(first[0])), (rows, len(first[1]))
    out = Walked(np.zeros(shape[0], np.int32), np.zeros(shape[1], np.int32), np.zeros(rows, np.int64))
    usable = np.flatnonzero(np.diff(tables.action_start))
    kernel = _compile_kernel(_SOURCES, -(-(len(tables.action_start) - 1) // _WORD))
    rows = kernel(tables, usable, *first, seeds, indices, attempt, pace, out, trace)
    return Walked(out.truths[:rows], out.actions[:rows], out.judged[:rows])


@kernel_part
def _tabulate_struck(tables, n_words):
    """Tabulate by truth, truth and word the actions with a state that rules out both."""
    n_truths = len(tables.cover_start) - 1
    struck = np.zeros((n_truths, n_truths, n_words), np.int64)
    for state in range(len(tables.state_action)):
        rules = tables.rule[tables.rule_start[state] : tables.rule_start[state + 1]]
        word = tables.state_action[state] // _WORD
        for truth in rules:
            for other in rules:
                struck[truth, other, word] |= np.int64(1) << (tables.state_action[state] % _WORD)
    return struck


@inlined_part
def _list_pairs(apart, order, n, p, pairs, n_words):
    """Write which actions tell the truth at p from the other listed ones, and which these from it."""
    truth = order[p]
    for w in range(n_words):
        for j in range(n):
            if j != p:
                pairs[w, p * n + j] = apart[truth, order[j], w]
                pairs[w, j * n + p] = apart[order[j], truth, w]


@inlined_part
def _count_common(first, second, n_words):
    """The number of actions that are among the words of both."""
    number = 0
    for w in range(n_words):
        number += count(first[w] & second[w])
    return number


@inlined_part
def _need_one_state(struck, truth, other, shown, n_words):
    """Whether the same shown actions rule out both truths, and none of them in one state."""
    needed = True
    for w in range(n_words):
        differing = (struck[truth, truth, w] ^ struck[other, other, w]) & shown[w]
        needed &= differing | (struck[truth, other, w] & shown[w]) == 0
    return needed


@inlined_part
def _fits(apart, struck, order, n, shown, p, truth, n_words):
    """Whether the list passes the quick tests with this truth at p, all other pairs passing.

    The last one: an action that rules out two truths, and is the only one for either, needs a state for both.
    """
    for w in range(n_words):
        if shown[w] & ~apart[truth, truth, w] != 0:
            return False
    is_rare = n > 2 and _count_common(struck[truth, truth], shown, n_words) == 1
    for j in range(n):
        if j != p:
            forth = back = np.int64(0)
            for w in range(n_words):
                forth |= apart[truth, order[j], w] & shown[w]
                back |= apart[order[j], truth, w] & shown[w]
            if forth == 0 or back == 0:
                return False
            if is_rare and _need_one_state(struck, truth, order[j], shown, n_words):
                return False
    return True


@inlined_part
def _fitting_actions(apart, struck, order, n, usable, shown, pairs, fitting, n_words):
    """Write the actions that let the list, which lacks one, pass the quick tests; return their number."""
    # What no other shown action tells apart, the new one has to.
    some = np.int64(0)
    for w in range(n_words):
        left = usable[w] & ~shown[w]
        for j in range(n):
            left &= apart[order[j], order[j], w]
        for q in range(n * n if left != 0 else 0):
            common = np.int64(0)
            for v in range(n_words):
                common |= pairs[v, q] & shown[v]
            left &= pairs[w, q] if common == 0 else np.int64(-1)
        fitting[w] = left
        some |= left
    if some == 0:
        return 0
    # Two truths of which only one action, or none, rules out either, and not in one state, need another.
    for j in range(n if n > 2 else 0):
        truth = order[j]
        ruling = _count_common(struck[truth, truth], shown, n_words)
        for i in range(j if ruling < 2 else 0):
            other = order[i]
            if _need_one_state(struck, truth, other, shown, n_words):
                for w in range(n_words):
                    either = struck[truth, truth, w] | struck[other, other, w]
                    fitting[w] &= struck[truth, other, w] if ruling == 0 else either
    return _count_common(fitting, fitting, n_words)


@cache
def _compile_kernel(sources: int, n_words: int) -> Any:
    """The entry point for so many words of actions, compiled for sources of this digest."""

    @njit(cache=True)
    def _walk_rows(
        tables, all_usable, first_truths, first_actions, seeds, indices, attempt, pace, out, trace
    ):
        n_all, n_states = len(tables.cover_start) - 1, len(tables.state_action)
        n, m = len(first_truths), len(first_actions)
        apart, struck = tabulate_apart(tables), _tabulate_struck(tables, n_words)
        starts, (masks, rules) = np.zeros(m + 1, np.int64), np.zeros((2, n_states), np.int64)
        fitting, usable = np.zeros(n_words, np.int64), np.zeros(n_words, np.int64)
        for action in all_usable:
            usable[action // _WORD] |= np.int64(1) << (action % _WORD)
        # The list: its truths, before all others; its actions, and their words; its pairs of truths.
        # Pairs are a copy, so that one loop over neighbors in memory serves an exchange of an action.
        order, listed = np.zeros(n_all, np.int64), first_actions.astype(np.int64)
        shown, pairs = np.zeros(n_words, np.int64), np.full((n_words, n * n), -1, np.int64)
        order[:n], last = first_truths, n
        for truth in range(n_all):
            if not np.any(first_truths == truth):
                order[last] = truth
                last += 1
        for action in listed:
            shown[action // _WORD] |= np.int64(1) << (action % _WORD)
        for p in range(n):
            _list_pairs(apart, order, n, p, pairs, n_words)
        generator = np.full(1, sources, np.uint64)  # seeded again in every row
        judged = turn = 0
        for row in range(len(indices)):
            seed_generator(generator, seeds[row], indices[row], attempt)
            least, tried, is_kept = pace.first if row == 0 else 1, 0, False
            while tried < least or not is_kept:
                if tried == pace.most:
                    return row
                # Two truths and an action between them are a step, which is the same read backwards.
                for exchange in range(3 * pace.steps):
                    if exchange % 3 != 1:
                        if n < n_all:
                            p, q = below(generator, n), n + below(generator, n_all - n)
                            if _fits(apart, struck, order, n, shown, p, order[q], n_words):
                                order[p], order[q] = order[q], order[p]
                                _list_pairs(apart, order, n, p, pairs, n_words)
                        continue
                    # Actions take turns, which mixes faster than random ones. The one that leaves is not
                    # to come back.
                    turn = turn + 1 if turn + 1 < m else 0
                    word, bit = listed[turn] // _WORD, np.int64(1) << (listed[turn] % _WORD)
                    shown[word] ^= bit
                    usable[word] ^= bit
                    number = _fitting_actions(apart, struck, order, n, usable, shown, pairs, fitting, n_words)
                    usable[word] ^= bit
                    if number == 0:
                        shown[word] ^= bit
                        continue
                    # Any of the fitting ones, equally likely.
                    nth, word = below(generator, number), 0
                    while nth >= count(fitting[word]):
                        nth -= count(fitting[word])
                        word += 1
                    left = fitting[word]
                    for _ in range(nth):
                        left &= left - 1
                    bit = left & -left
                    listed[turn] = _WORD * word + count(bit - 1)
                    shown[word] |= bit
                list_masks(tables, order[:n], listed, starts, masks, rules)
                is_kept = is_balanced(n, starts, masks, rules)
                tried += 1
                if judged < len(trace.verdicts):
                    trace.truths[judged], trace.actions[judged] = order[:n], listed
                    trace.verdicts[judged] = is_kept
                judged += 1
            out.truths[row], out.actions[row], out.judged[row] = order[:n], listed, judged
        return len(indices)

    return _walk_rows


_SOURCES = SOURCES ^ sources_digest(boards)
