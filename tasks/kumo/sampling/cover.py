"""The constructive pass of sampling, compiled: states that rule out all invalid truths of a draw.

For every invalid truth not yet ruled out, in random order, an (action, state) is picked among those that
rule it out, keep the valid truths and use an unused action. A dead end starts over, `_TRIALS` times.

An action with many rules is in many truths' lists of covers. Picked uniformly it would turn up too
often, so a state weighs 1 / (number of rules of its action): of the weights that were tried this one gave
the highest entropy of actions, before and after padding. Import this module lazily: it loads numba.
"""

from perennial.tasks.kumo.kernels.kernel_part import kernel_part
from perennial.tasks.kumo.sampling.splitmix import shuffle, unit

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
