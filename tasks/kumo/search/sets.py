"""Truth sets of the exact search: what the actions do to a set of truths left.

Compiled by numba; `w` and `x` as in `tables`. A truth set's record: LENGTH in words, MASK, REACH
(actions related to some truth of it), N_RELATIONS, N_CLASSES, N_SHARED, CLASSES (where its classes begin);
BOUNDS: expected steps by steps to go, 0 where not computed yet; the relations: by truth the mask of its
actions, inclusion-minimal ones only; the classes of actions that do the same to the set, classes of several
actions first. A class: MEMBERS, N_SUCCESSORS, and for each successor of more truths than are valid, most
probable first, its mask, its record (0: not looked up yet) and its probability.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from perennial.tasks.kumo.kernels.kernel_part import kernel_part
from perennial.tasks.kumo.search.tables import (
    BUDGET,
    EPSILON,
    FIRST_STATE,
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
    TOP,
    count,
    hash_words,
)

LENGTH, MASK, REACH, N_RELATIONS, N_CLASSES, N_SHARED, CLASSES, BOUNDS = range(8)
MEMBERS, N_SUCCESSORS, SUCCESSORS = range(3)
SUCCESSOR_MASK, SUCCESSOR_SET, SUCCESSOR_P, SUCCESSOR_WORDS = range(4)
HORIZON = 8  # steps that the reusable-action bound looks ahead at most


@kernel_part
def record_of(w, x, mask):
    """Return the truth set's record, written when first asked for; 0, and FULL set, where no room is left."""
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
    place = _write_relations(w, record, mask)
    w[record + CLASSES] = place - record
    end = _group_actions(w, record, mask)
    n_shared = 0
    n_classes = 0
    for shared in (True, False):
        group = w[SCRATCH]
        while group < end:
            members = w[group]
            if ((members & (members - 1)) != 0) == shared:
                n_classes += 1
                n_shared += shared
                place = _write_class(w, x, place, group)
            group += 2 + w[group + 1]
    w[record + N_CLASSES] = n_classes
    w[record + N_SHARED] = n_shared
    w[record + LENGTH] = place - record


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
def _write_class(w, x, place, group):
    n = w[group + 1]
    total = 0
    for s in range(n):
        total += count(w[group + 2 + s])
    w[place + MEMBERS] = w[group]
    first = place + SUCCESSORS
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
    w[place + N_SUCCESSORS] = (end - first) // SUCCESSOR_WORDS
    return end


@kernel_part
def successor_of(w, x, successor):
    """Return the record of a successor; 0, and FULL set, where no room is left."""
    record = w[successor + SUCCESSOR_SET]
    if record == 0:
        record = record_of(w, x, w[successor + SUCCESSOR_MASK])
        w[successor + SUCCESSOR_SET] = record
    return record
