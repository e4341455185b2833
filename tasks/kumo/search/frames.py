"""Exact best-first search for Algorithm 3's expected steps.

Compiled by numba; `w` and `x` as in `tables`. The search is a machine with its own stack, so that it
can stop when its budget is used up and resume later. A frame of the stack is a state, with an open class for
each class of its actions: the sum, over the successors, of probability times value or lower bound. The class
with the smallest sum is looked into until all of its successors are solved or its sum is no longer the
smallest; a state is solved as soon as a class whose successors are solved has the smallest sum. In the memo a
lower bound is positive, a value negative.
"""

from perennial.tasks.kumo.kernels.kernel_part import kernel_part
from perennial.tasks.kumo.search.tables import (
    BUDGET,
    ENTRY_ACTIONS,
    ENTRY_SET,
    ENTRY_VALUE,
    EPSILON,
    FIRST_STATE,
    FRAME,
    FULL,
    MASKS,
    MAX_SET_BITS,
    N_ACTIONS,
    N_SETS,
    N_TRUTHS,
    N_VALID,
    RECORD_WORDS,
    RECORDS,
    RELATED,
    RELATION,
    SCRATCH,
    SET_BITS,
    SET_INDEX,
    STACK,
    TOP,
    add_entry,
    count,
    entry_slot,
    hash_words,
)

# Truth sets of the exact search: what the actions do to a set of truths left.
#
# Compiled by numba; `w` and `x` as in `tables`. A truth set's record: LENGTH in words, MASK, REACH
# (actions related to some truth of it), N_RELATIONS, N_CLASSES, N_SHARED, CLASSES (where its classes begin);
# BOUNDS: expected steps by steps to go, 0 where not computed yet; the relations: by truth the mask of its
# actions, inclusion-minimal ones only; the classes of actions that do the same to the set, classes of several
# actions first. A class: MEMBERS, N_SUCCESSORS, and for each successor of more truths than are valid, most
# probable first, its mask, its record (0: not looked up yet) and its probability.


# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


LENGTH, MASK, REACH, N_RELATIONS, N_CLASSES, N_SHARED, CLASSES, BOUNDS = range(8)
MEMBERS, N_SUCCESSORS, SUCCESSORS = range(3)
SUCCESSOR_MASK, SUCCESSOR_SET, SUCCESSOR_P, SUCCESSOR_WORDS = range(4)
HORIZON = 8  # steps that the reusable-action bound looks ahead at most


@kernel_part
def record_of(w, x, mask):
    """The truth set's record, written when first asked for; 0, and FULL set, where no room is left."""
    slot = _set_slot(w, mask)
    if w[slot] == 0:
        room = RECORDS + RECORD_WORDS - w[TOP]
        needed = BOUNDS + HORIZON + 1 + w[N_TRUTHS] + 2 * w[N_ACTIONS] + 3 * w[FIRST_STATE + w[N_ACTIONS]]
        if needed > room or 2 * w[N_SETS] >= 1 << MAX_SET_BITS:
            w[FULL] = 1
            return 0
        record = w[TOP]
        w[slot] = record
        _write_record(w, x, record, mask)
        w[TOP] = record + w[record + LENGTH]
        w[N_SETS] += 1
        w[BUDGET] -= w[FIRST_STATE + w[N_ACTIONS]]
        if 2 * w[N_SETS] > 1 << w[SET_BITS] and w[SET_BITS] < MAX_SET_BITS:
            _grow_set_index(w)
        return record
    return w[slot]


@kernel_part
def _set_slot(w, mask):
    bits = w[SET_BITS]
    last = (1 << bits) - 1
    slot = hash_words(mask, 0, bits)
    while w[SET_INDEX + slot] != 0 and w[w[SET_INDEX + slot] + MASK] != mask:
        slot = (slot + 1) & last
    return SET_INDEX + slot


@kernel_part
def _grow_set_index(w):
    for slot in range(SET_INDEX, SET_INDEX + (1 << w[SET_BITS])):
        w[slot] = 0
    w[SET_BITS] = min(w[SET_BITS] + 2, MAX_SET_BITS)
    record = RECORDS
    while record < w[TOP]:
        w[_set_slot(w, w[record + MASK])] = record
        record += w[record + LENGTH]


@kernel_part
def _write_record(w, x, record, mask):
    w[record + MASK] = mask
    for step in range(HORIZON + 1):
        x[record + BOUNDS + step] = 0.0
    free = _write_relations(w, record, mask)
    w[record + CLASSES] = free - record
    end = _group_actions(w, record, mask)
    n_shared = 0
    n_classes = 0
    # Shared classes first: `lowest_members` looks at these only.
    for shared in (True, False):
        group = w[SCRATCH]
        while group < end:
            members = w[group]
            if ((members & (members - 1)) != 0) == shared:
                n_classes += 1
                n_shared += shared
                free = _write_class(w, x, free, group)
            group += 2 + w[group + 1]
    w[record + N_CLASSES] = n_classes
    w[record + N_SHARED] = n_shared
    w[record + LENGTH] = free - record


@kernel_part
def _write_relations(w, record, mask):
    first = record + BOUNDS + HORIZON + 1
    n = 0
    for t in range(w[N_TRUTHS]):
        if (mask >> t) & 1 == 0:
            continue
        actions = w[RELATION + t]
        smaller = False
        for i in range(n):
            if w[first + i] & ~actions == 0:
                smaller = True
                break
        if smaller:
            continue
        kept = 0
        for i in range(n):
            if actions & ~w[first + i] != 0:
                w[first + kept] = w[first + i]
                kept += 1
        w[first + kept] = actions
        n = kept + 1
    w[record + N_RELATIONS] = n
    return first + n


@kernel_part
def _group_actions(w, record, mask):
    """Write groups of actions with equal outcomes (members, number, truths left) to the scratch section."""
    end = w[SCRATCH]
    reach = 0
    for a in range(w[N_ACTIONS]):
        if w[RELATED + a] & mask == 0:
            continue
        reach |= 1 << a
        n = w[FIRST_STATE + a + 1] - w[FIRST_STATE + a]
        states = w[MASKS] + w[FIRST_STATE + a]
        for s in range(n):
            left = mask & ~w[states + s]
            k = end + 2 + s
            while k > end + 2 and w[k - 1] < left:
                w[k] = w[k - 1]
                k -= 1
            w[k] = left
        group = w[SCRATCH]
        while group < end:
            if w[group + 1] == n:
                same = True
                for s in range(n):
                    if w[group + 2 + s] != w[end + 2 + s]:
                        same = False
                        break
                if same:
                    break
            group += 2 + w[group + 1]
        if group < end:
            w[group] |= 1 << a
        else:
            w[end] = 1 << a
            w[end + 1] = n
            end += 2 + n
    w[record + REACH] = reach
    return end


@kernel_part
def _write_class(w, x, start, group):
    n = w[group + 1]
    total = 0
    for s in range(n):
        total += count(w[group + 2 + s])
    w[start + MEMBERS] = w[group]
    first = start + SUCCESSORS
    end = first
    s = 0
    while s < n:
        left = w[group + 2 + s]
        times = 0
        while s < n and w[group + 2 + s] == left:
            times += 1
            s += 1
        truths = count(left)
        if truths <= w[N_VALID]:
            continue
        p = times * truths / (total + EPSILON)
        k = end
        while k > first and x[k - SUCCESSOR_WORDS + SUCCESSOR_P] < p:
            w[k + SUCCESSOR_MASK] = w[k - SUCCESSOR_WORDS + SUCCESSOR_MASK]
            x[k + SUCCESSOR_P] = x[k - SUCCESSOR_WORDS + SUCCESSOR_P]
            k -= SUCCESSOR_WORDS
        w[k + SUCCESSOR_MASK] = left
        x[k + SUCCESSOR_P] = p
        w[end + SUCCESSOR_SET] = 0
        end += SUCCESSOR_WORDS
    w[start + N_SUCCESSORS] = (end - first) // SUCCESSOR_WORDS
    return end


@kernel_part
def successor_of(w, x, successor):
    """The record of a successor; 0, and FULL set, where no room is left."""
    record = w[successor + SUCCESSOR_SET]
    if record == 0:
        record = record_of(w, x, w[successor + SUCCESSOR_MASK])
        w[successor + SUCCESSOR_SET] = record
    return record


# States of the exact search: base cases, equal states, and a lower bound of the steps from a state.
#
# Compiled by numba; `w` and `x` as in `tables`, truth sets as above.


@kernel_part
def steps_to_strand(w, record, actions):
    """How few steps can leave some truth without a related action; 0: some truth has none."""
    first = record + w[record + CLASSES] - w[record + N_RELATIONS]
    fewest = 64
    for i in range(first, first + w[record + N_RELATIONS]):
        fewest = min(fewest, count(w[i] & actions))
    return fewest


@kernel_part
def lowest_members(w, record, actions):
    """The actions with those that reach nothing left out, and each class's replaced by its lowest."""
    actions &= w[record + REACH]
    listed = record + w[record + CLASSES]
    for _ in range(w[record + N_SHARED]):
        members = w[listed + MEMBERS]
        listed += SUCCESSORS + SUCCESSOR_WORDS * w[listed + N_SUCCESSORS]
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
    """The expected steps of the game whose actions can be reused and which ends freely after `steps`.

    Every step leaves each truth at most one related action less, so this bounds a state that takes at least
    `steps` to strand a truth from below. -1 where room or budget is used up.
    """
    if steps <= 1:
        return float(steps)
    kept = x[record + BOUNDS + steps]
    if kept > 0.0:
        return kept
    if w[BUDGET] <= 0:
        return -1.0
    best = 64.0
    listed = record + w[record + CLASSES]
    w[BUDGET] -= w[record + N_CLASSES]
    for _ in range(w[record + N_CLASSES]):
        successor = listed + SUCCESSORS
        listed = successor + SUCCESSOR_WORDS * w[listed + N_SUCCESSORS]
        total = 0.0
        while successor < listed and total < best:
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
    """The memo entry of a state, entered with a lower bound when first met.

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


SLACK = 0.15  # how far a class is followed past the second-best one, to avoid switching at every step
TIE = 1e-13  # sums this close are equal: rounding
PROGRESS = 1e-9  # what a limit is raised by, so that a successor that reaches it moves the sum
INFINITY = 1e300

PARENT, ENTRY, LIMIT, N_OPEN, CURRENT, THRESHOLD, END, FRAME_WORDS = range(8)
SUM, UNSOLVED, FIRST_CHILD, LAST_CHILD, CLASS_WORDS = range(5)
CHILD_WORDS = 2  # entry and probability


def stack_words(n_actions: int, n_states: int) -> int:
    """How large the stack of an instance may become, in words."""
    return (n_actions + 1) * (FRAME_WORDS + CLASS_WORDS * n_actions + CHILD_WORDS * n_states)


@kernel_part
def push(w, x, entry, limit):
    """Ask for the entry's value, or for a bound of at least `limit`."""
    parent = w[FRAME]
    frame = STACK if parent == 0 else w[parent + END]
    w[frame + PARENT] = parent
    w[frame + ENTRY] = entry
    x[frame + LIMIT] = limit
    w[frame + N_OPEN] = -1
    w[FRAME] = frame


@kernel_part
def _open_frame(w, x, frame):
    """List the classes of actions left with their sums; False where room or budget is used up."""
    entry = w[frame + ENTRY]
    record = w[entry + ENTRY_SET]
    actions = w[entry + ENTRY_ACTIONS]
    open_class = frame + FRAME_WORDS
    child = open_class + CLASS_WORDS * w[record + N_CLASSES]
    n_open = 0
    listed = record + w[record + CLASSES]
    for _ in range(w[record + N_CLASSES]):
        members = w[listed + MEMBERS] & actions
        successor = listed + SUCCESSORS
        listed = successor + SUCCESSOR_WORDS * w[listed + N_SUCCESSORS]
        if members == 0:
            continue
        rest = actions ^ (members & -members)
        w[open_class + FIRST_CHILD] = child
        while successor < listed:
            following = successor_of(w, x, successor)
            reached = -1 if following == 0 else state_entry(w, x, following, rest)
            w[BUDGET] -= 1
            if reached < 0:
                return False
            if reached > 0:
                w[child] = reached
                x[child + 1] = x[successor + SUCCESSOR_P]
                child += CHILD_WORDS
            successor += SUCCESSOR_WORDS
        w[open_class + LAST_CHILD] = child
        _add_up(w, x, open_class)
        open_class += CLASS_WORDS
        n_open += 1
    w[frame + N_OPEN] = n_open
    w[frame + CURRENT] = 0
    w[frame + END] = child
    return True


@kernel_part
def _add_up(w, x, open_class):
    """Sum up a class's successors again; UNSOLVED becomes the first one without an exact value, 0 if none."""
    total = 0.0
    unsolved = 0
    for child in range(w[open_class + FIRST_CHILD], w[open_class + LAST_CHILD], CHILD_WORDS):
        value = x[w[child] + ENTRY_VALUE]
        if value > 0.0 and unsolved == 0:
            unsolved = child
        total += x[child + 1] * abs(value)
    x[open_class + SUM] = total
    w[open_class + UNSOLVED] = unsolved


@kernel_part
def _choose(w, x, frame):
    """Make the class with the smallest sum current, or settle the frame's state and leave it."""
    best = 0
    lowest = second = INFINITY
    first = frame + FRAME_WORDS
    for open_class in range(first, first + CLASS_WORDS * w[frame + N_OPEN], CLASS_WORDS):
        total = x[open_class + SUM]
        if w[open_class + UNSOLVED] == 0:
            total -= TIE
        if total < lowest:
            second = lowest
            lowest = total
            best = open_class
        elif total < second:
            second = total
    entry = w[frame + ENTRY]
    bound = 1.0 + x[best + SUM]
    if w[best + UNSOLVED] == 0:
        x[entry + ENTRY_VALUE] = -bound
    elif bound >= x[frame + LIMIT]:
        x[entry + ENTRY_VALUE] = max(bound, x[entry + ENTRY_VALUE])
    else:
        w[frame + CURRENT] = best
        x[frame + THRESHOLD] = min(x[frame + LIMIT] - 1.0, second + SLACK)
        return
    w[frame + CURRENT] = 0
    w[FRAME] = w[frame + PARENT]


@kernel_part
def run(w, x):
    """Work until every frame is settled (True), or the budget is used up or the workspace full (False)."""
    while w[FRAME] != 0:
        frame = w[FRAME]
        if w[frame + N_OPEN] < 0 and (w[BUDGET] <= 0 or not _open_frame(w, x, frame)):
            return False
        current = w[frame + CURRENT]
        if current != 0:
            _add_up(w, x, current)
        if current == 0 or w[current + UNSOLVED] == 0 or x[current + SUM] >= x[frame + THRESHOLD]:
            _choose(w, x, frame)
            if w[FRAME] != frame:
                continue
            current = w[frame + CURRENT]
        child = w[current + UNSOLVED]
        p = x[child + 1]
        value = x[w[child] + ENTRY_VALUE]
        limit = value + (x[frame + THRESHOLD] - x[current + SUM]) / p + PROGRESS
        push(w, x, w[child], limit)
    return True
