"""States of the exact search: base cases, equal states, and a lower bound of the steps from a state.

Compiled by numba; `w` and `x` as in `tables`, truth sets as in `sets`.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from perennial.tasks.kumo.kernels.kernel_part import kernel_part
from perennial.tasks.kumo.search.sets import (
    BOUNDS,
    CLASSES,
    HORIZON,
    MEMBERS,
    N_CLASSES,
    N_RELATIONS,
    N_SHARED,
    N_SUCCESSORS,
    REACH,
    SUCCESSOR_P,
    SUCCESSOR_WORDS,
    SUCCESSORS,
    successor_of,
)
from perennial.tasks.kumo.search.tables import BUDGET, add_entry, count, entry_slot


@kernel_part
def steps_to_strand(w, record, actions):
    """Return how few steps can leave some truth without a related action; 0: some truth has none."""
    first = record + w[record + CLASSES] - w[record + N_RELATIONS]
    fewest = 64
    for i in range(first, first + w[record + N_RELATIONS]):
        fewest = min(fewest, count(w[i] & actions))
    return fewest


@kernel_part
def lowest_members(w, record, actions):
    """Return the actions with those that reach nothing left out, and each class's replaced by its lowest."""
    actions &= w[record + REACH]
    place = record + w[record + CLASSES]
    for _ in range(w[record + N_SHARED]):
        members = w[place + MEMBERS]
        place += SUCCESSORS + SUCCESSOR_WORDS * w[place + N_SUCCESSORS]
        missing = count(members & ~actions)
        kept = members & actions
        if missing > 0 and kept != 0:
            actions ^= kept
            for _ in range(count(kept)):
                actions |= members & -members
                members &= members - 1
    return actions


@kernel_part
def reusable_bound(w, x, record, steps):
    """Return the expected steps of the game whose actions can be reused and which ends freely after `steps`.

    Every step leaves each truth at most one related action less, so this bounds a state that takes at least
    `steps` to strand a truth from below. -1 where room or budget is used up.
    """
    if steps <= 1:
        return float(steps)
    known = x[record + BOUNDS + steps]
    if known > 0.0:
        return known
    if w[BUDGET] <= 0:
        return -1.0
    best = 64.0
    place = record + w[record + CLASSES]
    w[BUDGET] -= w[record + N_CLASSES]
    for _ in range(w[record + N_CLASSES]):
        successor = place + SUCCESSORS
        place = successor + SUCCESSOR_WORDS * w[place + N_SUCCESSORS]
        total = 0.0
        while successor < place and total < best:
            bound = 1.0
            if steps > 2:
                following = successor_of(w, x, successor)
                if following == 0:
                    return -1.0
                bound = reusable_bound(w, x, following, steps - 1)
                if bound < 0.0:
                    return -1.0
            total += x[successor + SUCCESSOR_P] * bound
            successor += SUCCESSOR_WORDS
        best = min(best, total)
    x[record + BOUNDS + steps] = 1.0 + best
    return 1.0 + best


@kernel_part
def state_entry(w, x, record, actions):
    """Return the memo entry of a state, entered with a lower bound when first met.

    0 where the state is a base case; -1 where room or budget is used up.
    """
    fewest = steps_to_strand(w, record, actions)
    if fewest == 0:
        return 0
    actions = lowest_members(w, record, actions)
    slot = entry_slot(w, record, actions)
    entry = w[slot]
    if entry == 0:
        bound = reusable_bound(w, x, record, min(fewest, HORIZON))
        if bound < 0.0:
            return -1
        entry = add_entry(w, x, slot, record, actions, bound)
        if entry == 0:
            return -1
    return entry
