"""The exact search's workspace: bit masks, hashing and the memo of states. Compiled by numba.

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
