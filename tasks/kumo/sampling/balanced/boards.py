"""The balanced draw, compiled: truths and actions first, then the valid truth, then its observations.

A board (the listed truths and actions) is accepted only where every listed truth could be the only survivor:
some choice of one state an action, all of which spare it, rules out all others. Then the valid truth is
uniform, and so are its observations among the choices that leave it alone. So nothing that can be seen
before the first test says which truth is valid.

Choices of states that spare the valid truth are drawn until one leaves it alone. Where many have failed,
tables give one in a single pass, uniform too:

with C_j(M) the number of choices for the actions from the j-th on that together with M rule out all but the
valid truth, C_j(M) is the sum over the states s of action j that spare it of C_(j+1)(M | s). States drawn one
action after the other with probability C_(j+1)(M | s) / C_j(M) are a uniform choice. It is
needed only for an M that earlier actions can rule out and that holds all that later ones cannot.

Import this module lazily: it loads numba.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from typing import Any, NamedTuple

import numpy as np

from perennial.tasks.compiled import njit
from perennial.tasks.kumo.kernels.kernel_part import inlined_part, kernel_part
from perennial.tasks.kumo.kernels.kernel_sources import sources_digest
from perennial.tasks.kumo.sampling import decided, splitmix
from perennial.tasks.kumo.sampling.construct import Array, Draws, Tables
from perennial.tasks.kumo.sampling.decided import rules_out_all
from perennial.tasks.kumo.sampling.splitmix import below, choose, next_bits, seed_generator, skip, unit
from perennial.tasks.kumo.search import tables as search_tables
from perennial.tasks.kumo.search.tables import count

_LANES = 32
_WORD = 64  # actions or truths are its bits
_TRIALS = 64  # drawn before the tables are filled, which takes as long as some hundred trials


def draw_boards(
    tables: Tables, size: tuple[int, int], seeds: Array, indices: Array, starts: Array, stop: int
) -> tuple[Array, Array, Array]:
    """For each index its first balanced board among the attempts from its start to `stop - 1`.

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
    """The list of each (index, attempt), whatever it is: the stream that `draw_boards` accepts from.

    There are no rows where the configuration has too few truths or actions.
    """
    usable = np.flatnonzero(np.diff(tables.action_start))
    n_truths = len(tables.cover_start) - 1
    rows = len(indices) if n_truths >= size[0] and len(usable) >= size[1] else 0
    truths, actions = np.zeros((rows, size[0]), np.int32), np.zeros((rows, size[1]), np.int32)
    _list_rows(n_truths, usable, seeds[:rows], indices[:rows], attempts[:rows], truths, actions)
    return truths, actions


def shuffle_boards(truths: Array, actions: Array, seeds: Array) -> None:
    """Put each row's truths and actions in random order, by its 64-bit seed."""
    by_row, zeros = (np.zeros_like(truths), np.zeros_like(actions)), np.zeros(len(seeds), np.int64)
    _list_rows(truths.shape[1], np.arange(actions.shape[1]), seeds, zeros, zeros, *by_row)
    for column, order in zip((truths, actions), by_row, strict=True):
        column[:] = np.take_along_axis(column, order, axis=1)


def are_balanced(tables: Tables, truths: Array, actions: Array) -> Array:
    """For each row of truths and actions whether every truth could be the only survivor."""
    accepted = np.zeros(len(truths), np.bool_)
    _judge_rows(tables, truths, actions, accepted)
    return accepted


def are_separable(tables: Tables, truths: Array, actions: Array) -> Array:
    """For each row of truths and each of actions whether these tell those apart, either way."""
    separable = np.zeros((len(truths), len(actions)), np.bool_)
    _separate_rows(tables, truths, actions, separable)
    return separable


def complete_boards(tables: Tables, truths: Array, actions: Array, seeds: Array) -> Draws:
    """Accepted boards with a valid truth and observations, each drawn by its 64-bit seed alone."""
    draws = Draws.empty(len(truths), truths.shape[1], actions.shape[1])
    draws.truths[:] = truths
    draws.selected[:] = True
    spared = _Spared(*np.zeros((5, len(tables.state_action) + actions.shape[1] + 1), np.int64))
    _complete_rows(tables, actions, seeds, draws, spared)
    return draws


def count_choices(n_truths: int, starts: Array, masks: Array) -> Array:
    """For each truth the number of choices of one state an action that leave it alone.

    `masks[starts[a]:starts[a + 1]]` are the truths that the states of action a rule out.
    """
    counts = np.zeros(n_truths)
    spared = _Spared(*np.zeros((5, len(masks) + len(starts)), np.int64))
    _count_all(n_truths, starts.astype(np.int64), masks.astype(np.int64), counts, spared)
    return counts


@inlined_part
def _choose_actions(usable, order, generator, actions):
    """Write random ones of the usable actions, in random order."""
    choose(order, generator, actions)
    for i in range(len(actions)):
        actions[i] = usable[actions[i]]


@kernel_part
def list_masks(tables, truths, actions, starts, masks, rules):
    """Write the masks of the actions' states over the listed truths, state after state.

    `rules` is room for the masks of all states: to write them all is quicker than to ask which are listed.
    """
    rules[:] = 0
    for t in range(len(truths)):
        for at in range(tables.cover_start[truths[t]], tables.cover_start[truths[t] + 1]):
            rules[tables.cover[at]] |= 1 << t
    for i in range(len(actions)):
        first, end = tables.action_start[actions[i]], tables.action_start[actions[i] + 1]
        starts[i + 1] = starts[i] + end - first
        for state in range(first, end):
            masks[starts[i] + state - first] = rules[state]


@kernel_part
def is_balanced(n_truths, starts, masks, later):
    """Whether every truth could be the only survivor; `later` is room for a mask an action."""
    everything = (1 << n_truths) - 1
    n_actions = len(starts) - 1
    for a in range(n_actions):
        never_spared = everything
        for i in range(starts[a], starts[a + 1]):
            never_spared &= masks[i]
        if never_spared != 0:
            return False
    to_search = 0
    for t in range(n_truths):
        survivor = 1 << t
        reach, others = 0, everything ^ survivor
        for a in range(n_actions - 1, -1, -1):
            later[a] = reach
            for i in range(starts[a], starts[a + 1]):
                reach |= masks[i] if masks[i] & survivor == 0 else 0
        if reach != others:
            return False
        # Greedily: success proves that the truth can survive alone, failure leaves it to the search below.
        # Each action in turn rules out as much as it can of what is missing, first what no later one can.
        missing = others
        for a in range(n_actions):
            urgent, most, best = missing & ~later[a], 0, 0
            for i in range(starts[a], starts[a + 1]):
                if masks[i] & survivor == 0:
                    number = count(masks[i] & missing) + _WORD * count(masks[i] & urgent)
                    if number > most:
                        most, best = number, masks[i] & missing
            missing ^= best
            if missing == 0 or urgent & ~best != 0:
                break
        if missing != 0:
            to_search |= survivor
    # All bits of a word: a shift by its width is not defined.
    unused = -1 if n_actions == 64 else (1 << n_actions) - 1
    while to_search != 0:
        survivor = to_search & -to_search
        to_search ^= survivor
        if not rules_out_all(masks, starts, survivor, everything ^ survivor, unused):
            return False
    return True


@kernel_part
def _without(mask, t):
    """The mask with bit t taken out."""
    low = (1 << t) - 1
    return (mask & low) | ((mask >> 1) & ~low)


class _Spared(NamedTuple):
    """Which states spare a truth, and what they rule out of the others, an action's from `starts` on."""

    states: Array
    rules: Array
    numbers: Array  # of states by action
    opened: Array  # what the actions before this one can rule out
    closed: Array  # what this and later ones cannot


@kernel_part
def _prepare(starts, masks, t, n_truths, spared):
    """Write which states of each action spare t, and what they rule out, without the bit of t."""
    spared.opened[0], everything = 0, (1 << (n_truths - 1)) - 1
    n_actions = len(starts) - 1
    for a in range(n_actions):
        number, reached = 0, 0
        for place in range(starts[a], starts[a + 1]):
            if (masks[place] >> t) & 1 == 0:
                spared.states[starts[a] + number] = place
                spared.rules[starts[a] + number] = _without(masks[place], t)
                reached |= _without(masks[place], t)
                number += 1
        spared.numbers[a] = number
        spared.opened[a + 1] = spared.opened[a] | reached
    later = 0
    for a in range(n_actions, -1, -1):
        spared.closed[a] = everything & ~later
        for i in range(starts[a - 1], starts[a - 1] + spared.numbers[a - 1] if a else 0):
            later |= spared.rules[i]


@kernel_part
def _count(starts, spared, table):
    """Fill the rows of C_j(M), for M of what is opened that hold what is closed; return C_0 of nothing."""
    n_actions = len(starts) - 1
    table[n_actions, spared.closed[n_actions]] = 1.0
    for a in range(n_actions - 1, -1, -1):
        # Every part of what is free, from all of it to nothing.
        closed, free = spared.closed[a], spared.opened[a] & ~spared.closed[a]
        part = free
        while True:
            ways = 0.0
            for i in range(starts[a], starts[a] + spared.numbers[a]):
                reached = closed | part | spared.rules[i]
                if spared.closed[a + 1] & ~reached == 0:
                    ways += table[a + 1, reached]
            table[a, closed | part] = ways
            if part == 0:
                break
            part = (part - 1) & free
    return table[0, 0] if spared.closed[0] == 0 else 0.0


@kernel_part
def _complete(tables, generator, starts, masks, table, actions, chosen, spared, out, row):
    t = below(generator, out.truths.shape[1])
    out.valid[row, t] = True
    _prepare(starts, masks, t, out.truths.shape[1], spared)
    if not _try_choices(generator, starts, spared, chosen):
        _draw_choice(generator, starts, spared, table, chosen)
    for a in range(len(actions)):
        out.states[row, a] = tables.action_start[actions[a]] + spared.states[chosen[a]] - starts[a]
        out.uniforms[row, a] = unit(generator)


@kernel_part
def _try_choices(generator, starts, spared, chosen):
    """Draw choices of states until one leaves the truth alone; return whether one of the trials did."""
    n_actions = len(starts) - 1
    for a in range(n_actions):
        if spared.numbers[a] == 0:
            return False
    for _ in range(_TRIALS):
        reached = 0
        for a in range(n_actions):
            chosen[a] = starts[a] + below(generator, spared.numbers[a])
            reached |= spared.rules[chosen[a]]
            if spared.closed[a + 1] & ~reached != 0:
                # A trial uses up as many numbers however soon it fails: the shortcut changes no draw.
                skip(generator, n_actions - 1 - a)
                break
        if reached == spared.closed[n_actions]:
            return True
    return False


@kernel_part
def _draw_choice(generator, starts, spared, table, chosen):
    """Draw one of the choices that leave the truth alone by the tables."""
    _count(starts, spared, table)
    reached = 0
    for a in range(len(starts) - 1):
        left = unit(generator) * table[a, reached]
        chosen[a] = -1
        for i in range(starts[a], starts[a] + spared.numbers[a]):
            further = reached | spared.rules[i]
            ways = table[a + 1, further] if spared.closed[a + 1] & ~further == 0 else 0.0
            if ways > 0.0:
                chosen[a] = i
                left -= ways
                if left < 0.0:
                    break
        if chosen[a] < 0:
            raise AssertionError("a board that was not accepted was to be completed: please report this")
        reached |= spared.rules[chosen[a]]


# A quick test of boards: nearly all that are not balanced have two truths that no shown action tells apart,
# either way. Many have two that no action of the domain tells apart, which is seen before actions are drawn.
# One look at a table each, and the first one mostly fails.


@kernel_part
def tabulate_apart(tables):
    """By truth, truth and word the actions with a state that rules out the first and spares the second.

    With the same truth twice those with a state that spares it.
    """
    n_truths, n_actions = len(tables.cover_start) - 1, len(tables.action_start) - 1
    apart = np.zeros((n_truths, n_truths, (n_actions + _WORD - 1) // _WORD), np.int64)
    spared = np.zeros(n_truths, np.int64)
    for state in range(len(tables.state_action)):
        rules = tables.rule[tables.rule_start[state] : tables.rule_start[state + 1]]
        word = tables.state_action[state] // _WORD
        spared[:] = np.int64(1) << (tables.state_action[state] % _WORD)
        for truth in rules:
            spared[truth] = 0
        for truth in range(n_truths):
            apart[truth, truth, word] |= spared[truth]
        # Along memory: a walk of few instances takes most of its time here.
        for truth in rules:
            row = apart[truth]
            for other in range(n_truths):
                row[other, word] |= spared[other]
    return apart


@kernel_part
def tabulate_possible(apart):
    """By truth and word the other truths that some action tells it apart from, either way."""
    n_truths = len(apart)
    possible = np.zeros((n_truths, (n_truths + _WORD - 1) // _WORD), np.int64)
    for truth in range(n_truths):
        for other in range(n_truths):
            if np.any(apart[truth, other] != 0) and np.any(apart[other, truth] != 0):
                possible[truth, other // _WORD] |= np.int64(1) << (other % _WORD)
    return possible


@inlined_part
def can_separate(possible, truths):
    """Whether some actions tell every two truths apart, as those of a balanced board do."""
    # Pair by pair, in memory that stays in the processor: a mask of all listed truths is no quicker.
    for i in range(1, len(truths)):
        for j in range(i):
            if (possible[truths[i], truths[j] >> 6] >> np.int64(truths[j] & 63)) & 1 == 0:
                return False
    return True


@inlined_part
def do_separate(apart, truths, actions, words):
    """Whether these actions do; true leaves open whether the board is balanced. `words` is room."""
    for w in range(len(words)):
        words[w] = 0
    for i in range(len(actions)):
        words[actions[i] >> 6] |= np.int64(1) << np.int64(actions[i] & 63)
    for i in range(len(truths)):
        for j in range(len(truths)):
            common = np.int64(0)
            for w in range(len(words)):
                common |= apart[truths[i], truths[j], w] & words[w]
            if common == 0:
                return False
    return True


def _compile_kernels(sources: int) -> Any:
    """The entry points, compiled for sources of this digest."""

    @njit(cache=True)
    def _draw_rows(tables, usable, seeds, indices, starts_at, stop, truths, actions, attempts):
        n_states = len(tables.state_action)
        order, action_order = np.arange(len(tables.cover_start) - 1), np.arange(len(usable))
        if len(usable) < actions.shape[1]:
            return
        starts, (masks, rules) = np.zeros(actions.shape[1] + 1, np.int64), np.zeros((2, n_states), np.int64)
        apart = tabulate_apart(tables)
        possible, words = tabulate_possible(apart), np.zeros(apart.shape[2], np.int64)
        # An attempt waits for its random numbers, and what follows hangs on them: in lanes side by side the
        # processor works on several attempts at once, in half the time. Each lane has a row until it is done.
        generators = np.full((_LANES, 1), sources, np.uint64)  # seeded again for every attempt
        rows, tries, passed = np.zeros((3, _LANES), np.int64)
        of_truths = np.zeros((_LANES, truths.shape[1]), np.int32)
        of_actions = np.zeros((_LANES, actions.shape[1]), np.int32)
        n_lanes = next_row = 0
        while True:
            while n_lanes < _LANES and next_row < len(indices):
                rows[n_lanes], tries[n_lanes] = next_row, starts_at[next_row]
                n_lanes += starts_at[next_row] < stop
                next_row += 1
            if n_lanes == 0:
                break
            for lane in range(n_lanes):
                seed_generator(generators[lane], seeds[rows[lane]], indices[rows[lane]], tries[lane])
            for lane in range(n_lanes):
                choose(order, generators[lane], of_truths[lane])
            number = 0
            for lane in range(n_lanes):
                passed[number] = lane
                number += can_separate(possible, of_truths[lane])
            # The numbers of an attempt are its own, so those of actions need not be drawn to be left out.
            for lane in passed[:number]:
                _choose_actions(usable, action_order, generators[lane], of_actions[lane])
            for lane in passed[:number]:
                if do_separate(apart, of_truths[lane], of_actions[lane], words):
                    list_masks(tables, of_truths[lane], of_actions[lane], starts, masks, rules)
                    if is_balanced(truths.shape[1], starts, masks, rules):
                        row = rows[lane]
                        truths[row], actions[row] = of_truths[lane], of_actions[lane]
                        attempts[row], tries[lane] = tries[lane], stop
            number = 0
            for lane in range(n_lanes):
                rows[number], tries[number] = rows[lane], tries[lane] + 1
                number += tries[number] < stop
            n_lanes = number

    @njit(cache=True)
    def _separate_rows(tables, truths, actions, separable):
        apart = tabulate_apart(tables)
        words = np.zeros(apart.shape[2] + sources * 0, np.int64)
        for i in range(len(truths)):
            for j in range(len(actions)):
                separable[i, j] = do_separate(apart, truths[i], actions[j], words)

    @njit(cache=True)
    def _list_rows(n_truths, usable, seeds, indices, attempts, truths, actions):
        order, action_order = np.arange(n_truths), np.arange(len(usable))
        generator = np.full(1, sources, np.uint64)  # seeded again in every row
        for row in range(len(indices)):
            seed_generator(generator, seeds[row], indices[row], attempts[row])
            choose(order, generator, truths[row])
            _choose_actions(usable, action_order, generator, actions[row])

    @njit(cache=True)
    def _judge_rows(tables, truths, actions, accepted):
        n_states = len(tables.state_action) + sources * 0
        starts, (masks, rules) = np.zeros(actions.shape[1] + 1, np.int64), np.zeros((2, n_states), np.int64)
        for row in range(len(truths)):
            list_masks(tables, truths[row], actions[row], starts, masks, rules)
            accepted[row] = is_balanced(truths.shape[1], starts, masks, rules)

    @njit(cache=True)
    def _complete_rows(tables, actions, seeds, out, spared):
        n_states = len(tables.state_action)
        starts, (masks, rules) = np.zeros(actions.shape[1] + 1, np.int64), np.zeros((2, n_states), np.int64)
        table = np.zeros((actions.shape[1] + 1, 1 << (out.truths.shape[1] - 1)))
        chosen = np.zeros(actions.shape[1], np.int64)
        generator = np.full(1, sources, np.uint64)  # seeded again in every row
        for row in range(len(actions)):
            generator[0] = seeds[row]
            generator[0] = next_bits(generator)
            list_masks(tables, out.truths[row], actions[row], starts, masks, rules)
            _complete(tables, generator, starts, masks, table, actions[row], chosen, spared, out, row)

    @njit(cache=True)
    def _count_all(n_truths, starts, masks, counts, spared):
        table = np.zeros((len(starts), 1 << (n_truths - 1 + sources * 0)))
        for t in range(n_truths):
            _prepare(starts, masks, t, n_truths, spared)
            counts[t] = _count(starts, spared, table)

    return _draw_rows, _separate_rows, _list_rows, _judge_rows, _complete_rows, _count_all


SOURCES = sources_digest(decided, splitmix, search_tables)
_KERNELS = _compile_kernels(SOURCES)
_draw_rows, _separate_rows, _list_rows, _judge_rows, _complete_rows, _count_all = _KERNELS


def was_compiled() -> bool:
    """Whether this process had to compile one of the passes, numba's cache having none."""
    return any(kernel.stats.cache_misses for kernel in _KERNELS)
