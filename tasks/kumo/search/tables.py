"""The exact search's workspace: bit masks, hashing, the memo, truth sets and states. Compiled by numba.

One search lies in one array `w` of 64-bit integers, `x` being the same memory as floats: numba passes few
arrays faster than many. Masks are signed integers, because unsigned ones would turn numba's sums into floats.
Truth sets and memo entries are named by their offset in `w`; 0 names none. Only the kernel's entry point is
cached on disk: see there.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

import numpy as np

from perennial.tasks.kumo.kernels.kernel_part import kernel_part

EPSILON = 1e-9  # Algorithm 3's addition to the normaliser

# Header: numbers, then a word for each action or truth.
BUDGET, FULL, TOP, SET_BITS, N_SETS, INDEX_BITS, N_ENTRIES, FRAME = range(8)
N_ACTIONS, N_TRUTHS, N_GOLDEN, ANSWER, MASKS, SCRATCH, STARTED, SOURCES = range(8, 16)
FIRST_STATE = 16  # by action: where its states begin, counted from MASKS; one more at the end
RELATED = 96  # by action: the truths that some state of it rules out
RELATION = 160  # by truth: the actions related to it
OBSERVED = 224  # by action: the truths that its observation rules out
GOLDEN = 288  # the actions of the golden play
VALUE = 360  # the root's expected steps
N_VALID = 361  # no test is needed where no more truths are left

# Sections, each as large as it may become: pages that nobody touches cost no memory.
SET_INDEX = 512
MAX_SET_BITS = 20
RECORDS = SET_INDEX + (1 << MAX_SET_BITS)
RECORD_WORDS = 12 << 20
INDEX = RECORDS + RECORD_WORDS
MAX_INDEX_BITS = 23
ENTRIES = INDEX + (1 << MAX_INDEX_BITS)
ENTRY_WORDS = 3
MAX_ENTRIES = 1 << (MAX_INDEX_BITS - 1)
STACK = ENTRIES + ENTRY_WORDS * MAX_ENTRIES
FIRST_SET_BITS = 6
FIRST_INDEX_BITS = 9

ENTRY_SET, ENTRY_ACTIONS, ENTRY_VALUE = range(3)


@kernel_part
def count(mask):
    """The number of bits set."""
    # Sums of pairs, fours and bytes within the word (H. S. Warren, Hacker's Delight, chapter 5).
    v = np.uint64(mask)
    v = v - ((v >> np.uint64(1)) & np.uint64(0x5555555555555555))
    v = (v & np.uint64(0x3333333333333333)) + ((v >> np.uint64(2)) & np.uint64(0x3333333333333333))
    v = (v + (v >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((v * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel_part
def hash_words(first, second, bits):
    """A hash of two words, `bits` bits long."""
    v = np.uint64(first) * np.uint64(0x9E3779B97F4A7C15)
    v = (v ^ (v >> np.uint64(29)) ^ np.uint64(second)) * np.uint64(0xBF58476D1CE4E5B9)
    v = (v ^ (v >> np.uint64(32))) * np.uint64(0x94D049BB133111EB)
    return np.int64(v >> np.uint64(64 - bits))


@kernel_part
def clear_tables(w):
    """Forget all truth sets and all states."""
    for slot in range(SET_INDEX, SET_INDEX + (1 << w[SET_BITS])):
        w[slot] = 0
    for slot in range(INDEX, INDEX + (1 << w[INDEX_BITS])):
        w[slot] = 0
    w[SET_BITS] = FIRST_SET_BITS
    w[INDEX_BITS] = FIRST_INDEX_BITS
    w[TOP] = RECORDS
    w[N_SETS] = 0
    w[N_ENTRIES] = 0
    w[FULL] = 0


@kernel_part
def entry_slot(w, record, actions):
    """The slot of the index that names the state's entry, or the free one where it belongs."""
    bits = w[INDEX_BITS]
    last = (1 << bits) - 1
    slot = hash_words(record, actions, bits)
    while True:
        entry = w[INDEX + slot]
        if entry == 0 or (w[entry + ENTRY_ACTIONS] == actions and w[entry + ENTRY_SET] == record):
            return INDEX + slot
        slot = (slot + 1) & last


@kernel_part
def add_entry(w, x, slot, record, actions, bound):
    """Write the state with its lower bound and return its entry; 0, and FULL set, where no room is left."""
    if w[N_ENTRIES] == MAX_ENTRIES:
        w[FULL] = 1
        return 0
    entry = ENTRIES + ENTRY_WORDS * w[N_ENTRIES]
    w[entry + ENTRY_SET] = record
    w[entry + ENTRY_ACTIONS] = actions
    x[entry + ENTRY_VALUE] = bound
    w[slot] = entry
    w[N_ENTRIES] += 1
    # At most half full: beyond that, runs of linear probing get long.
    if 2 * w[N_ENTRIES] > 1 << w[INDEX_BITS] and w[INDEX_BITS] < MAX_INDEX_BITS:
        _grow_index(w)
    return entry


@kernel_part
def _grow_index(w):
    for slot in range(INDEX, INDEX + (1 << w[INDEX_BITS])):
        w[slot] = 0
    w[INDEX_BITS] = min(w[INDEX_BITS] + 2, MAX_INDEX_BITS)
    for i in range(w[N_ENTRIES]):
        entry = ENTRIES + ENTRY_WORDS * i
        w[entry_slot(w, w[entry + ENTRY_SET], w[entry + ENTRY_ACTIONS])] = entry


# Truth sets of the exact search: what the actions do to a set of truths left.
#
# A truth set's record: LENGTH in words, MASK, REACH (actions related to some truth of it), N_RELATIONS,
# N_CLASSES, N_SHARED, CLASSES (where its classes begin); BOUNDS: expected steps by steps to go, 0 where not
# computed yet; the relations: by truth the mask of its actions, inclusion-minimal ones only; the classes of
# actions that do the same to the set, classes of several actions first. A class: MEMBERS, N_SUCCESSORS, and
# for each successor of more truths than are valid, most probable first, its mask, its record (0: not looked
# up yet) and its probability.


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
