"""The balanced draw, compiled: truths and actions first, then the valid truth, then its observations.

A board (the listed truths and actions) is accepted only where every listed truth could be the only survivor:
some choice of one state an action, all of which spare it, rules out all others. Then the valid truth is
uniform, and so are its observations among the choices that leave it alone. So nothing that can be seen
before the first test says which truth is valid.

Choices of states that spare the valid truth are drawn until one leaves it alone. Where many have failed,
tables give one in a single pass, uniform too:

with C_j(M) the number of choices for the actions from the j-th on that together with M rule out all but the
valid truth, C_j(M) is the sum over the states s of action j that spare it of C_(j+1)(M | s). States drawn one
action after the other with probability C_(j+1)(M | s) / C_j(M) are a uniform choice.

Import this module lazily: it loads numba.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from typing import Any

import numpy as np
from numba import njit

from perennial.tasks.kumo.kernels.kernel_part import kernel_part
from perennial.tasks.kumo.kernels.kernel_sources import sources_digest
from perennial.tasks.kumo.sampling import decided, splitmix
from perennial.tasks.kumo.sampling.balanced import reach
from perennial.tasks.kumo.sampling.balanced.reach import can_separate, list_reach
from perennial.tasks.kumo.sampling.construct import Array, Draws, Tables
from perennial.tasks.kumo.sampling.decided import rules_out_all
from perennial.tasks.kumo.sampling.splitmix import below, next_bits, seed_generator, unit
from perennial.tasks.kumo.search import tables as search_tables
from perennial.tasks.kumo.search.tables import count

_TRIALS = 64  # drawn before the tables are filled, which takes as long as some hundred trials


def draw_boards(
    tables: Tables, size: tuple[int, int], seeds: Array, indices: Array, starts: Array, stop: int
) -> tuple[Array, Array, Array]:
    """Return for each index its first balanced board among the attempts from its start to `stop - 1`.

    `size` is (truths, actions). A board is its truths and its actions in the order shown; the third array
    has the attempt that gave it, -1 where none did.
    """
    truths = np.zeros((len(indices), size[0]), np.int32)
    actions = np.zeros((len(indices), size[1]), np.int32)
    attempts = np.full(len(indices), -1, np.int64)
    usable = np.flatnonzero(np.diff(tables.action_start))
    _draw_rows(tables, usable, seeds, indices, starts, stop, truths, actions, attempts)
    return truths, actions, attempts


def list_boards(
    tables: Tables, size: tuple[int, int], seeds: Array, indices: Array, attempts: Array
) -> tuple[Array, Array]:
    """Return the list of each (index, attempt), whatever it is: the stream that `draw_boards` accepts from.

    There are no rows where the configuration has too few truths or actions.
    """
    usable = np.flatnonzero(np.diff(tables.action_start))
    n_truths = len(tables.cover_start) - 1
    rows = len(indices) if n_truths >= size[0] and len(usable) >= size[1] else 0
    truths, actions = np.zeros((rows, size[0]), np.int32), np.zeros((rows, size[1]), np.int32)
    _list_rows(n_truths, usable, seeds[:rows], indices[:rows], attempts[:rows], truths, actions)
    return truths, actions


def are_balanced(tables: Tables, truths: Array, actions: Array) -> Array:
    """Return for each row of truths and actions whether every truth could be the only survivor."""
    accepted = np.zeros(len(truths), np.bool_)
    _judge_rows(tables, truths, actions, accepted)
    return accepted


def complete_boards(tables: Tables, truths: Array, actions: Array, seeds: Array) -> Draws:
    """Return accepted boards with a valid truth and observations, each drawn by its 64-bit seed alone."""
    draws = Draws.empty(len(truths), truths.shape[1], actions.shape[1])
    draws.truths[:] = truths
    draws.selected[:] = True
    _complete_rows(tables, actions, seeds, draws)
    return draws


def count_choices(n_truths: int, starts: Array, masks: Array) -> Array:
    """Return for each truth the number of choices of one state an action that leave it alone.

    `masks[starts[a]:starts[a + 1]]` are the truths that the states of action a rule out.
    """
    counts = np.zeros(n_truths)
    _count_all(n_truths, starts.astype(np.int64), masks.astype(np.int64), counts)
    return counts


@kernel_part
def _choose(order, number, generator):
    """Put `number` random entries of `order` first, in random order."""
    for i in range(number):
        other = i + below(generator, len(order) - i)
        order[i], order[other] = order[other], order[i]


@kernel_part
def choose_lists(order, usable, all_usable, generator, truths, actions):
    """Write random truths, and random ones of the usable actions, in random order."""
    for t in range(len(order)):
        order[t] = t
    for a in range(len(usable)):
        usable[a] = all_usable[a]
    _choose(order, len(truths), generator)
    _choose(usable, len(actions), generator)
    for i in range(len(truths)):
        truths[i] = order[i]
    for i in range(len(actions)):
        actions[i] = usable[i]


@kernel_part
def list_masks(tables, truths, actions, starts, masks, place_of):
    """Write the masks of the actions' states over the listed truths, state after state."""
    for place in range(len(place_of)):
        place_of[place] = -1
    for i in range(len(actions)):
        first, end = tables.action_start[actions[i]], tables.action_start[actions[i] + 1]
        starts[i + 1] = starts[i] + end - first
        for state in range(first, end):
            place_of[state] = starts[i] + state - first
            masks[place_of[state]] = 0
    for t in range(len(truths)):
        for at in range(tables.cover_start[truths[t]], tables.cover_start[truths[t] + 1]):
            place = place_of[tables.cover[at]]
            if place >= 0:
                masks[place] |= 1 << t


@kernel_part
def is_balanced(n_truths, starts, masks):
    """Return whether every truth could be the only survivor; the few that need a search come last."""
    everything = (1 << n_truths) - 1
    n_actions = len(starts) - 1
    to_search = 0
    for t in range(n_truths):
        survivor = 1 << t
        others = missing = everything ^ survivor
        reach = 0
        # Each action in turn rules out as much as it can of what is missing.
        for a in range(n_actions):
            is_spared = False
            most = best = 0
            for place in range(starts[a], starts[a + 1]):
                mask = masks[place]
                if mask & survivor == 0:
                    is_spared = True
                    reach |= mask
                    number = count(mask & missing)
                    if number > most:
                        most, best = number, mask & missing
            if not is_spared:
                return False
            missing ^= best
        if missing != 0:
            # Most boards fail here: no state rules out some other truth and spares this one.
            if reach != others:
                return False
            to_search |= survivor
    unused = -1 if n_actions == 64 else (1 << n_actions) - 1
    while to_search != 0:
        survivor = to_search & -to_search
        to_search ^= survivor
        if not rules_out_all(masks, starts, survivor, everything ^ survivor, unused):
            return False
    return True


@kernel_part
def _without(mask, t):
    """Return the mask with bit t taken out."""
    low = (1 << t) - 1
    return (mask & low) | ((mask >> 1) & ~low)


@kernel_part
def _count(starts, masks, t, table):
    """Fill the rows of C_j(M) for survivor t, M without its bit."""
    n_actions = len(starts) - 1
    full = table.shape[1] - 1
    for m in range(full):
        table[n_actions, m] = 0.0
    table[n_actions, full] = 1.0
    for a in range(n_actions - 1, -1, -1):
        for m in range(full + 1):
            table[a, m] = 0.0
        for place in range(starts[a], starts[a + 1]):
            if (masks[place] >> t) & 1 == 0:
                mask = _without(masks[place], t)
                for m in range(full + 1):
                    table[a, m] += table[a + 1, m | mask]


@kernel_part
def _complete(tables, generator, starts, masks, table, actions, chosen, spared, out, row):
    t = below(generator, out.truths.shape[1])
    out.valid[row, t] = True
    if not _try_choices(generator, starts, masks, t, out.truths.shape[1], chosen, spared):
        _draw_choice(generator, starts, masks, t, table, chosen)
    for a in range(len(actions)):
        out.states[row, a] = tables.action_start[actions[a]] + chosen[a] - starts[a]
        out.uniforms[row, a] = unit(generator)


@kernel_part
def _try_choices(generator, starts, masks, t, n_truths, places, spared):
    """Draw choices of states that spare t until one leaves it alone; return whether one of the trials did.

    `spared` is room for the places of these states, `places` gets the choice.
    """
    n_actions = len(starts) - 1
    for a in range(n_actions):
        n = 0
        for place in range(starts[a], starts[a + 1]):
            if (masks[place] >> t) & 1 == 0:
                spared[starts[a] + n] = place
                n += 1
        if n == 0:
            return False
        places[a] = n
    others = ((1 << n_truths) - 1) ^ (1 << t)
    for _ in range(_TRIALS):
        first = generator[0]
        reached = 0
        for a in range(n_actions):
            reached |= masks[spared[starts[a] + below(generator, places[a])]]
        if reached == others:
            generator[0] = first
            for a in range(n_actions):
                places[a] = spared[starts[a] + below(generator, places[a])]
            return True
    return False


@kernel_part
def _draw_choice(generator, starts, masks, t, table, places):
    """Draw one of the choices that leave t alone by the tables, and write its places."""
    _count(starts, masks, t, table)
    reached = 0
    for a in range(len(starts) - 1):
        left = unit(generator) * table[a, reached]
        chosen = -1
        for place in range(starts[a], starts[a + 1]):
            if (masks[place] >> t) & 1 == 0:
                ways = table[a + 1, reached | _without(masks[place], t)]
                if ways > 0.0:
                    chosen = place
                    left -= ways
                    if left < 0.0:
                        break
        if chosen < 0:
            raise AssertionError("a board that was not accepted was to be completed: please report this")
        reached |= _without(masks[chosen], t)
        places[a] = chosen


def _compile_kernels(sources: int) -> Any:
    """Return the entry points, compiled for sources of this digest."""

    @njit(cache=True)
    def _draw_rows(tables, all_usable, seeds, indices, starts_at, stop, truths, actions, attempts):
        n_states = len(tables.state_action)
        order = np.zeros(len(tables.cover_start) - 1, np.int32)
        usable = np.zeros(len(all_usable), np.int32)
        if len(usable) < actions.shape[1]:
            return
        starts, masks = np.zeros(actions.shape[1] + 1, np.int64), np.zeros(n_states, np.int64)
        place_of = np.zeros(n_states, np.int32)
        table = list_reach(tables)
        listed = np.zeros(table.shape[2], np.int64)
        generator = np.full(1, sources, np.uint64)  # seeded again in every row
        for row in range(len(indices)):
            for attempt in range(starts_at[row], stop):
                seed_generator(generator, seeds[row], indices[row], attempt)
                choose_lists(order, usable, all_usable, generator, truths[row], actions[row])
                if not can_separate(table, truths[row], actions[row], listed):
                    continue
                list_masks(tables, truths[row], actions[row], starts, masks, place_of)
                if is_balanced(truths.shape[1], starts, masks):
                    attempts[row] = attempt
                    break

    @njit(cache=True)
    def _list_rows(n_truths, all_usable, seeds, indices, attempts, truths, actions):
        order, usable = np.zeros(n_truths, np.int32), np.zeros(len(all_usable), np.int32)
        generator = np.full(1, sources, np.uint64)  # seeded again in every row
        for row in range(len(indices)):
            seed_generator(generator, seeds[row], indices[row], attempts[row])
            choose_lists(order, usable, all_usable, generator, truths[row], actions[row])

    @njit(cache=True)
    def _judge_rows(tables, truths, actions, accepted):
        n_states = len(tables.state_action) + sources * 0
        starts, masks = np.zeros(actions.shape[1] + 1, np.int64), np.zeros(n_states, np.int64)
        place_of = np.zeros(n_states, np.int32)
        for row in range(len(truths)):
            list_masks(tables, truths[row], actions[row], starts, masks, place_of)
            accepted[row] = is_balanced(truths.shape[1], starts, masks)

    @njit(cache=True)
    def _complete_rows(tables, actions, seeds, out):
        n_states = len(tables.state_action)
        starts, masks = np.zeros(actions.shape[1] + 1, np.int64), np.zeros(n_states, np.int64)
        place_of = np.zeros(n_states, np.int32)
        table = np.zeros((actions.shape[1] + 1, 1 << (out.truths.shape[1] - 1)))
        chosen, spared = np.zeros(actions.shape[1], np.int64), np.zeros(n_states, np.int64)
        generator = np.full(1, sources, np.uint64)  # seeded again in every row
        for row in range(len(actions)):
            generator[0] = seeds[row]
            generator[0] = next_bits(generator)
            list_masks(tables, out.truths[row], actions[row], starts, masks, place_of)
            _complete(tables, generator, starts, masks, table, actions[row], chosen, spared, out, row)

    @njit(cache=True)
    def _count_all(n_truths, starts, masks, counts):
        table = np.zeros((len(starts), 1 << (n_truths - 1 + sources * 0)))
        for t in range(n_truths):
            _count(starts, masks, t, table)
            counts[t] = table[0, 0]

    return _draw_rows, _list_rows, _judge_rows, _complete_rows, _count_all


_draw_rows, _list_rows, _judge_rows, _complete_rows, _count_all = _compile_kernels(
    sources_digest(decided, splitmix, search_tables, reach)
)


def was_compiled() -> bool:
    """Return whether this process had to compile one of the passes, numba's cache having none."""
    passes = (_draw_rows, _list_rows, _judge_rows, _complete_rows, _count_all)
    return any(one.stats.cache_misses for one in passes)
