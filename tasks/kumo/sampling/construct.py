"""The constructive pass of sampling, compiled: truths, a cover of the invalid ones, padding, orders.

Algorithm 1 of Lin et al. (2025), with the solver's part (Algorithm 2) done by `cover_invalid` where that
succeeds. Where it does not, the draw is left to the solver, whose selection then comes back as `forced`
and is padded here.

A draw is a function of (seed, index, attempt) alone; no state outlives it. It is compiled, because fifteen
times a plain solver's rate leaves some ten microseconds per Easy instance. Import this module lazily: it
loads numba.
"""

from typing import Any, NamedTuple

import numpy as np

from perennial.tasks.compiled import njit
from perennial.tasks.kumo.kernels.kernel_part import kernel_part
from perennial.tasks.kumo.kernels.kernel_sources import sources_digest
from perennial.tasks.kumo.sampling import splitmix
from perennial.tasks.kumo.sampling.splitmix import below, seed_generator, shuffle, shuffle_both, unit

CANDIDATE, UNSATISFIABLE, TOO_EASY, NEEDS_SOLVER, DUPLICATE = range(5)


Array = Any


class Tables(NamedTuple):
    """A configuration in flat arrays; `x_start[i]:x_start[i + 1]` is the part of `x` that belongs to i."""

    state_action: Array  # action of each observable state, ascending
    action_start: Array  # observable states of each action
    rule_start: Array  # truths that each state rules out
    rule: Array
    cover_start: Array  # states that rule out each truth
    cover: Array
    relation_start: Array  # actions that some state relates to each truth
    relation: Array
    weight: Array  # of each state in the choice of a cover: 1 / number of rules of its action


class Draws(NamedTuple):
    """One draw a row, in the order shown to the player; a row with status NEEDS_SOLVER has its truths only.

    `states` are numbers of observable states, `uniforms` place a float observation in its range,
    `selected` marks the actions that were chosen before padding.
    """

    status: Array
    truths: Array
    valid: Array
    states: Array
    uniforms: Array
    selected: Array

    @classmethod
    def empty(cls, rows: int, n_truths: int, n_actions: int) -> "Draws":
        """Draws of this size, to be filled in."""
        return cls(
            np.zeros(rows, np.int8),
            np.zeros((rows, n_truths), np.int32),
            np.zeros((rows, n_truths), np.bool_),
            np.zeros((rows, n_actions), np.int32),
            np.zeros((rows, n_actions), np.float64),
            np.zeros((rows, n_actions), np.bool_),
        )

    def rows(self, wanted: Array) -> "Draws":
        """The draws of these rows."""
        return Draws(*(column[wanted] for column in self))


class _Scratch(NamedTuple):
    order: Array  # truths; the sampled ones first, the valid ones before the invalid ones
    covered: Array
    blocked: Array  # states that contradict a valid truth, and then those that no cover can hold
    free: Array  # number of states of each action that are not contradictory
    chosen: Array  # state of each action, -1 while unused
    related: Array
    pool: Array


def draw(
    tables: Tables,
    size: tuple[int, int, int],
    all_related: bool,
    seeds: Array,
    indices: Array,
    attempts: Array,
    forced: Array,
) -> Draws:
    """The draws of these (index, attempt) pairs, each by its 64-bit seed.

    `size` is (truths, actions, valid truths). With `all_related` a draw in which some truth is related to
    none of the actions is TOO_EASY. `forced[r]` holds the states that the solver selected for row r, filled
    up with -1; a row that begins with -1 is covered by construction.
    """
    out = Draws.empty(len(indices), size[0], size[1])
    _draw_rows(tables, size, all_related, seeds, indices, attempts, forced, out)
    return out


@kernel_part
def _draw_row(tables, scratch, size, all_related, generator, forced, out, row):  # type: ignore[no-untyped-def]
    n_truths, n_actions, n_valid = size
    _choose_truths(scratch.order, n_truths, generator)
    for i in range(n_truths):
        out.truths[row, i] = scratch.order[i]
        out.valid[row, i] = i < n_valid
    block_contradictory(tables, scratch, n_valid)
    # Each listed action needs a state that spares all valid truths.
    if np.sum(scratch.free > 0) < n_actions or not propagate(tables, scratch, n_truths, n_valid):
        return UNSATISFIABLE
    if forced[0] >= 0:
        take(tables, scratch, forced)
    elif not cover_invalid(tables, scratch, size, generator):
        return NEEDS_SOLVER
    _mark_related(tables, scratch, n_truths)
    listed = _list_chosen(scratch, out.states[row])
    out.selected[row, :listed] = True
    # As in Algorithm 1: actions related to no sampled truth only once all related ones are listed.
    listed = _pad(tables, scratch, True, n_actions, listed, out.states[row], generator)
    listed = _pad(tables, scratch, False, n_actions, listed, out.states[row], generator)
    if all_related and not _all_related(tables, scratch, n_truths):
        return TOO_EASY
    # Last: before, valid truths and the cover's actions come first, which would give the answer away.
    shuffle_both(out.truths[row], out.valid[row], generator)
    shuffle_both(out.states[row], out.selected[row], generator)
    for i in range(n_actions):
        out.uniforms[row, i] = unit(generator)
    return CANDIDATE


@kernel_part
def _choose_truths(order, n_truths, generator):  # type: ignore[no-untyped-def]
    for truth in range(len(order)):
        order[truth] = truth
    for i in range(n_truths):
        other = i + below(generator, len(order) - i)
        order[i], order[other] = order[other], order[i]


@kernel_part
def _mark_related(tables, scratch, n_truths):  # type: ignore[no-untyped-def]
    scratch.related[:] = False
    for i in range(n_truths):
        truth = scratch.order[i]
        for place in range(tables.relation_start[truth], tables.relation_start[truth + 1]):
            scratch.related[tables.relation[place]] = True


@kernel_part
def _list_chosen(scratch, states):  # type: ignore[no-untyped-def]
    listed = 0
    for action in range(len(scratch.chosen)):
        if scratch.chosen[action] >= 0:
            states[listed] = scratch.chosen[action]
            listed += 1
    return listed


@kernel_part
def _pad(tables, scratch, related, n_actions, listed, states, generator):  # type: ignore[no-untyped-def]
    """Add unused actions (the related ones, or the others) in random states until n_actions are listed."""
    if listed == n_actions:
        return listed
    count = 0
    for action in range(len(scratch.free)):
        unused = scratch.free[action] > 0 and scratch.chosen[action] < 0
        if unused and scratch.related[action] == related:
            scratch.pool[count] = action
            count += 1
    for i in range(min(count, n_actions - listed)):
        other = i + below(generator, count - i)
        action = scratch.pool[other]
        scratch.pool[other] = scratch.pool[i]
        state = _pick_state(tables, scratch, action, generator)
        scratch.chosen[action] = state
        states[listed] = state
        listed += 1
    return listed


@kernel_part
def _pick_state(tables, scratch, action, generator):  # type: ignore[no-untyped-def]
    left = below(generator, scratch.free[action])
    for state in range(tables.action_start[action], tables.action_start[action + 1]):
        if not scratch.blocked[state]:
            if left == 0:
                return state
            left -= 1
    return -1


@kernel_part
def _all_related(tables, scratch, n_truths):  # type: ignore[no-untyped-def]
    """Whether each of the draw's truths is related to an action that it lists."""
    for i in range(n_truths):
        truth = scratch.order[i]
        found = False
        for place in range(tables.relation_start[truth], tables.relation_start[truth + 1]):
            if scratch.chosen[tables.relation[place]] >= 0:
                found = True
                break
        if not found:
            return False
    return True


# States that rule out all invalid truths of a draw.
#
# For every invalid truth not yet ruled out, in random order, an (action, state) is picked among those that
# rule it out, keep the valid truths and use an unused action. A dead end starts over, `_TRIALS` times.
#
# An action with many rules is in many truths' lists of covers. Picked uniformly it would turn up too
# often, so a state weighs 1 / (number of rules of its action): of the weights that were tried this one gave
# the highest entropy of actions, before and after padding.

_TRIALS = 8
_NONE, _SEVERAL = -1, -2


@kernel_part
def block_contradictory(tables, scratch, n_valid):  # type: ignore[no-untyped-def]
    """Block the states that rule out a valid truth, and count what is left of each action."""
    scratch.blocked[:] = False
    for i in range(n_valid):
        truth = scratch.order[i]
        for place in range(tables.cover_start[truth], tables.cover_start[truth + 1]):
            scratch.blocked[tables.cover[place]] = True
    scratch.free[:] = 0
    for state in range(len(scratch.blocked)):
        if not scratch.blocked[state]:
            scratch.free[tables.state_action[state]] += 1


@kernel_part
def propagate(tables, scratch, n_truths, n_valid):  # type: ignore[no-untyped-def]
    """Block states that no cover can hold; return whether every invalid truth still has a state.

    A truth that one action alone can rule out needs this action in a state that rules it out, so that the
    action's other states go, and other truths may be left with one action in turn. False is a proof that no
    cover exists. The blocked states belong to actions that every cover uses: padding never asks for them.
    """
    changed = True
    while changed:
        changed = False
        for i in range(n_valid, n_truths):
            action = _only_action(tables, scratch, scratch.order[i])
            if action == _NONE:
                return False
            if action >= 0:
                changed |= _block_others(tables, scratch, scratch.order[i], action)
    return True


@kernel_part
def _only_action(tables, scratch, truth):  # type: ignore[no-untyped-def]
    """The one action that can rule the truth out, or _NONE or _SEVERAL."""
    only = _NONE
    for place in range(tables.cover_start[truth], tables.cover_start[truth + 1]):
        state = tables.cover[place]
        if not scratch.blocked[state]:
            action = tables.state_action[state]
            if only >= 0 and only != action:
                return _SEVERAL
            only = action
    return only


@kernel_part
def _block_others(tables, scratch, truth, action):  # type: ignore[no-untyped-def]
    """Block the action's states that do not rule the truth out; return whether there were any."""
    changed = False
    for state in range(tables.action_start[action], tables.action_start[action + 1]):
        if not scratch.blocked[state] and not _rules_out(tables, state, truth):
            scratch.blocked[state] = True
            changed = True
    return changed


@kernel_part
def _rules_out(tables, state, truth):  # type: ignore[no-untyped-def]
    for place in range(tables.rule_start[state], tables.rule_start[state + 1]):
        if tables.rule[place] == truth:
            return True
    return False


@kernel_part
def take(tables, scratch, forced):  # type: ignore[no-untyped-def]
    """Choose the states that the solver selected."""
    scratch.chosen[:] = -1
    for state in forced:
        if state >= 0:
            scratch.chosen[tables.state_action[state]] = state


@kernel_part
def cover_invalid(tables, scratch, size, generator):  # type: ignore[no-untyped-def]
    """Choose states that rule out every invalid truth; return whether a trial succeeded."""
    n_truths, n_actions, n_valid = size
    for trial in range(_TRIALS):
        if trial > 0:
            shuffle(scratch.order, n_valid, n_truths, generator)
        if _cover_once(tables, scratch, n_truths, n_actions, n_valid, generator):
            return True
    return False


@kernel_part
def _cover_once(tables, scratch, n_truths, n_actions, n_valid, generator):  # type: ignore[no-untyped-def]
    scratch.chosen[:] = -1
    scratch.covered[:] = False
    used = 0
    for i in range(n_valid, n_truths):
        truth = scratch.order[i]
        if scratch.covered[truth]:
            continue
        state = _pick_cover(tables, scratch, truth, generator)
        if state < 0 or used == n_actions:
            return False
        used += 1
        scratch.chosen[tables.state_action[state]] = state
        for place in range(tables.rule_start[state], tables.rule_start[state + 1]):
            scratch.covered[tables.rule[place]] = True
    return True


@kernel_part
def _pick_cover(tables, scratch, truth, generator):  # type: ignore[no-untyped-def]
    first, last = tables.cover_start[truth], tables.cover_start[truth + 1]
    total = 0.0
    for place in range(first, last):
        state = tables.cover[place]
        if not scratch.blocked[state] and scratch.chosen[tables.state_action[state]] < 0:
            total += tables.weight[state]
    left = total * unit(generator)
    picked = -1
    for place in range(first, last):
        state = tables.cover[place]
        if not scratch.blocked[state] and scratch.chosen[tables.state_action[state]] < 0:
            picked = state
            left -= tables.weight[state]
            if left < 0.0:
                break
    return picked


def _compile_kernel(sources: int) -> Any:
    """The kernel's entry point, compiled for sources of this digest."""

    @njit(cache=True)
    def _draw_rows(tables, size, all_related, seeds, indices, attempts, forced, out):  # type: ignore[no-untyped-def]
        n_all, n_every_action = len(tables.cover_start) - 1, len(tables.action_start) - 1
        scratch = _Scratch(
            order=np.zeros(n_all, np.int32),
            covered=np.zeros(n_all, np.bool_),
            blocked=np.zeros(len(tables.state_action), np.bool_),
            free=np.zeros(n_every_action, np.int32),
            chosen=np.zeros(n_every_action, np.int32),
            related=np.zeros(n_every_action, np.bool_),
            pool=np.zeros(n_every_action, np.int32),
        )
        generator = np.full(1, sources, np.uint64)  # seeded again in every row
        for row in range(len(indices)):
            seed_generator(generator, seeds[row], indices[row], attempts[row])
            out.status[row] = _draw_row(tables, scratch, size, all_related, generator, forced[row], out, row)

    return _draw_rows


_draw_rows = _compile_kernel(sources_digest(splitmix))
