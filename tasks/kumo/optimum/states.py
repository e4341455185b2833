"""States of the optimum's search: equal ones, their lower bounds, and the children of each action.

Compiled by numba; `p` and `y` as in `tables`. Two states are one where they differ only in actions that touch
no truth left, or that do the same to the truths left (a class: equal sorted masks; the lowest members stand
for all): their expected tests are equal, their weights differ by a factor. A node's VALUE is a lower bound of
V = W * (expected tests), or V itself once it is EXACT. SURE are the truths that are valid whatever
the actions left show; where there is one, no test is needed. Of one valid truth it is the only one that may
still be valid; where nothing keeps the promise, SURE holds every truth.

A truth set's record: SINGLES (the actions that are a class by themselves), SHARED (where the members of the
others are listed, up to a 0), N_CLASSES; a class: MEMBERS, N_SETS, and for each different set of truths left
by its states that set and the number of states. A node's children: the number of
actions; an action: MEMBERS of its class, N_CHILDREN, and for each child that may need a test, heaviest first,
how often it occurs and its node. Actions that tell nothing (fewer than two children of positive weight) are
left out.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from math import log2

from perennial.tasks.kumo.kernels.kernel_part import kernel_part
from perennial.tasks.kumo.optimum import MAX_TRUTHS
from perennial.tasks.kumo.optimum.tables import (
    ALL_TRUTHS,
    ARENA,
    ARENA_MARGIN,
    ARENA_WORDS,
    FIRST_STATE,
    FULL,
    INDEX,
    INDEX_BITS,
    KAPPA,
    KAPPAS,
    LIMIT,
    MASKS,
    MAX_NODES,
    N_ACTIONS,
    N_NODES,
    N_TRUTHS,
    N_VALID,
    NODE_BITS,
    NODE_WORDS,
    NODES,
    SCRATCH,
    SETS,
    SIGN,
    SIGNED,
    SUBSETS,
    TOP,
    TRUTH_WEIGHTS,
    add_supersets,
    factor_of,
    row_of,
)
from perennial.tasks.kumo.search.tables import count, hash_words

SINGLES, SHARED, N_CLASSES, CLASSES = range(4)
MEMBERS, N_SETS, LEFT_SETS = range(3)
N_CHILDREN, CHILDREN = 1, 2  # MEMBERS is as in a class
LEFT, ACTIONS, WEIGHT, VALUE, EXACT, DEPTH, CHILD_LIST, ENTROPY, SURE, FACTOR = range(NODE_WORDS)
# Small, because the index is cleared for each instance and most need few nodes; it grows on demand.
FIRST_INDEX_BITS = 14
SHARED_OUT = 1e-12  # of a weight: what rounding leaves of it


@kernel_part
def clear_states(p, limit):
    """Forget all truth sets and nodes; `limit` is the number of nodes from now on."""
    for u in range(p[ALL_TRUTHS] + 1):
        p[SETS + u] = 0
    for slot in range(INDEX, INDEX + (1 << p[INDEX_BITS])):
        p[slot] = 0
    p[INDEX_BITS] = FIRST_INDEX_BITS
    p[N_NODES] = 0
    p[FULL] = 0
    p[LIMIT] = limit


@kernel_part
def set_record(p, left):
    """The record of a set of truths, made when first met."""
    if p[SETS + left] != 0:
        return p[SETS + left]
    record = p[TOP]
    p[SETS + left] = record
    p[record + N_CLASSES] = 0
    free = record + CLASSES
    for a in range(p[N_ACTIONS]):
        first, end = p[MASKS] + p[FIRST_STATE + a], p[MASKS] + p[FIRST_STATE + a + 1]
        n = 0
        touched = 0
        # The sets that its states leave, ascending, each with the number of states.
        for s in range(first, end):
            # Ascending, so that equal actions have equal lists: `_same_sets` compares them word by word.
            remaining = left & ~p[s]
            touched |= p[s] & left
            i = n
            while i > 0 and p[free + LEFT_SETS + 2 * i - 2] > remaining:
                i -= 1
            if i > 0 and p[free + LEFT_SETS + 2 * i - 2] == remaining:
                p[free + LEFT_SETS + 2 * i - 1] += 1
                continue
            for j in range(n, i, -1):
                p[free + LEFT_SETS + 2 * j] = p[free + LEFT_SETS + 2 * j - 2]
                p[free + LEFT_SETS + 2 * j + 1] = p[free + LEFT_SETS + 2 * j - 1]
            p[free + LEFT_SETS + 2 * i] = remaining
            p[free + LEFT_SETS + 2 * i + 1] = 1
            n += 1
        # `free` stays where it is for an action without a class of its own: the next one writes over it.
        if touched == 0:
            continue
        p[free + MEMBERS] = 1 << a
        p[free + N_SETS] = n
        other = record + CLASSES
        while other < free and not _same_sets(p, other, free):
            other += LEFT_SETS + 2 * p[other + N_SETS]
        if other < free:
            p[other + MEMBERS] |= 1 << a
        else:
            p[record + N_CLASSES] += 1
            free += LEFT_SETS + 2 * n
    p[record + SINGLES] = 0
    p[record + SHARED] = free
    # Only classes of several actions leave a choice of their lowest members: they are listed, up to a 0.
    listed = record + CLASSES
    for _ in range(p[record + N_CLASSES]):
        members = p[listed + MEMBERS]
        if members & (members - 1) == 0:
            p[record + SINGLES] |= members
        else:
            p[free] = members
            free += 1
        listed += LEFT_SETS + 2 * p[listed + N_SETS]
    p[free] = 0
    p[TOP] = free + 1
    return record


@kernel_part
def _same_sets(p, first, other):
    if p[first + N_SETS] != p[other + N_SETS]:
        return False
    same = True
    for i in range(LEFT_SETS, LEFT_SETS + 2 * p[first + N_SETS]):
        same &= p[first + i] == p[other + i]
    return same


@kernel_part
def lowest_members(p, record, actions):
    """The actions without those that touch nothing, each class's replaced by its lowest members."""
    # Members of a class are interchangeable: only their number matters, so the lowest stand for any others.
    kept = actions & p[record + SINGLES]
    listed = p[record + SHARED]
    while p[listed] != 0:
        members = p[listed]
        surplus = count(members & ~actions)
        if surplus == 0:
            kept |= members
        else:
            for _ in range(count(members) - surplus):
                kept |= members & -members
                members &= members - 1
        listed += 1
    return kept


@kernel_part
def find_node(p, y, left, untried):
    """The node that stands for a state; 0, and FULL set, past the limit."""
    actions = lowest_members(p, set_record(p, left), untried)
    key = left | actions << MAX_TRUTHS
    slot = _slot_of(p, key)
    if p[slot] != 0:
        return NODES + NODE_WORDS * (p[slot] & (MAX_NODES - 1))
    # Looked at only here: ARENA_MARGIN has room for the record written above and for the node's children.
    if p[N_NODES] >= p[LIMIT] or p[TOP] > ARENA + ARENA_WORDS - ARENA_MARGIN:
        p[FULL] = 1
        return 0
    node = NODES + NODE_WORDS * p[N_NODES]
    p[node + LEFT], p[node + ACTIONS] = left, actions
    p[slot] = key << NODE_BITS | p[N_NODES]
    p[N_NODES] += 1
    # At most half full: beyond that, runs of linear probing get long.
    if 2 * p[N_NODES] > 1 << p[INDEX_BITS]:
        _grow_index(p)
    p[node + DEPTH] = p[node + CHILD_LIST] = 0
    y[node + FACTOR] = factor_of(p, y, actions)
    y[node + WEIGHT] = y[node + ENTROPY] = 0.0
    n = _weigh_truths(p, y, node) if p[N_VALID] == 1 else _weigh_truth_sets(p, y, node)
    is_end = p[node + SURE] != 0
    p[node + EXACT] = is_end
    # A state that is no end costs at least one test, which is its weight.
    y[node + VALUE] = 0.0 if is_end else max(y[node + WEIGHT], _code_cost(p, y, p[SETS + left], actions, n))
    return node


@kernel_part
def _slot_of(p, key):
    """The slot of the index with the key, or the free one where it belongs.

    A slot is a key and a node's number in one word, the first of which is the root's: no node's word is 0.
    """
    last = (1 << p[INDEX_BITS]) - 1
    slot = hash_words(key, 0, p[INDEX_BITS])
    while p[INDEX + slot] != 0 and p[INDEX + slot] >> NODE_BITS != key:
        slot = (slot + 1) & last
    return INDEX + slot


@kernel_part
def _grow_index(p):
    for slot in range(INDEX, INDEX + (1 << p[INDEX_BITS])):
        p[slot] = 0
    p[INDEX_BITS] += 2
    for i in range(p[N_NODES]):
        node = NODES + NODE_WORDS * i
        key = p[node + LEFT] | p[node + ACTIONS] << MAX_TRUTHS
        p[_slot_of(p, key)] = key << NODE_BITS | i


@kernel_part
def _weigh_truths(p, y, node):
    """Write W, what is sure and the entropy of the possible truths; leave their weights in SCRATCH.

    The heaviest comes first. Returns their number.
    """
    left = p[node + LEFT]
    n = _sign_subsets(p, y, node)
    possible = 0
    # n_t is the sum over the sets that hold t; the other truths' sums then run over those with and without t.
    n_weights = 0
    for t in range(p[N_TRUTHS] - 1, -1, -1):
        if (left >> t) & 1:
            n >>= 1
            number = 0.0
            for i in range(n):
                number += y[SIGNED + n + i]
                y[SIGNED + i] += y[SIGNED + n + i]
            share = y[KAPPA + t] * number
            if share > 0.0:
                possible |= 1 << t
                y[node + WEIGHT] += share
                # W is not complete yet: this sums share * log2(1 / share), and W * log2(W) is added below.
                y[node + ENTROPY] -= share * log2(share)
                insert_weight(y, n_weights, share)
                n_weights += 1
    if n_weights > 0:
        y[node + ENTROPY] += y[node + WEIGHT] * log2(y[node + WEIGHT])
    p[node + SURE] = p[ALL_TRUTHS] if n_weights == 0 else possible if n_weights == 1 else 0
    return n_weights


@kernel_part
def _sign_subsets(p, y, node):
    """Write the subsets of the truths left to SUBSETS and their signed M_R to SIGNED; return their number.

    They are in ascending order: bit i of a subset's place is the i-th truth left.
    """
    left, actions = p[node + LEFT], p[node + ACTIONS]
    first, second, third = row_of(p, 0, actions), row_of(p, 1, actions), row_of(p, 2, actions)
    n = 1
    p[SUBSETS] = 0
    for t in range(p[N_TRUTHS]):
        if (left >> t) & 1:
            for i in range(n):
                p[SUBSETS + n + i] = p[SUBSETS + i] | 1 << t
            n *= 2
    y[SIGNED] = 0.0
    for i in range(1, n):
        u = p[SUBSETS + i]
        y[SIGNED + i] = y[SIGN + i] * y[first + u] * y[second + u] * y[third + u]
    return n


@kernel_part
def _weigh_truth_sets(p, y, node):
    """Do for K > 1 what `_weigh_truths` does; SCRATCH gets the shares of a code that no policy is below.

    A policy names a truth at each leaf. The leaves that name t weigh at most as much as the sets that hold t.
    Giving each truth in turn, the heaviest first, all that it may have is the most uneven way to share W out,
    and the cheapest to code.
    """
    n = _sign_subsets(p, y, node)
    add_supersets(y, n)
    sign = 1.0 if p[N_VALID] & 1 else -1.0
    sure = p[ALL_TRUTHS]
    weight = 0.0
    for t in range(p[N_TRUTHS]):
        y[TRUTH_WEIGHTS + t] = 0.0
    for i in range(1, n):
        members = p[SUBSETS + i]
        if count(members) == p[N_VALID]:
            share = y[KAPPAS + members] * sign * y[SIGNED + i]
            if share > 0.0:
                sure &= members
                weight += share
                for t in range(p[N_TRUTHS]):
                    if (members >> t) & 1:
                        y[TRUTH_WEIGHTS + t] += share
    y[node + WEIGHT] = weight
    p[node + SURE] = sure
    number = 0
    rest = weight
    while rest > SHARED_OUT * weight:
        best = 0
        for t in range(1, p[N_TRUTHS]):
            if y[TRUTH_WEIGHTS + t] > y[TRUTH_WEIGHTS + best]:
                best = t
        share = min(rest, y[TRUTH_WEIGHTS + best])
        y[TRUTH_WEIGHTS + best] = 0.0
        if share <= 0.0:
            break
        rest -= share
        y[node + ENTROPY] -= share * log2(share / weight)
        insert_weight(y, number, share)
        number += 1
    return number


@kernel_part
def _code_cost(p, y, record, actions, n):
    """The cost of Huffman's code of the n weights in SCRATCH: a bound of V.

    A policy is a tree whose leaf names the truth, with as many branches as an action leaves different sets.
    """
    branches = 2
    listed = record + CLASSES
    for _ in range(p[record + N_CLASSES]):
        if p[listed + MEMBERS] & actions != 0:
            branches = max(branches, p[listed + N_SETS])
        listed += LEFT_SETS + 2 * p[listed + N_SETS]
    cost = 0.0
    # With several branches the first join takes fewer, so that all others are full; a short join at the
    # root would make the code dearer, and this no bound.
    joined = (n - 2) % (branches - 1) + 2
    while n > 1:
        total = 0.0
        for _ in range(min(joined, n)):
            n -= 1
            total += y[SCRATCH + n]
        cost += total
        insert_weight(y, n, total)
        n += 1
        joined = branches
    return cost


@kernel_part
def insert_weight(y, n, weight):
    """Put a weight among the n weights in SCRATCH, heaviest first."""
    i = SCRATCH + n
    while i > SCRATCH and y[i - 1] < weight:
        y[i] = y[i - 1]
        i -= 1
    y[i] = weight


@kernel_part
def list_children(p, y, node):
    """List the node's actions with their children; False past the limit."""
    actions = p[node + ACTIONS]
    record = p[SETS + p[node + LEFT]]
    # Records and lists share their room: those of the sets that the actions leave come first.
    class_start = record + CLASSES
    for _ in range(p[record + N_CLASSES]):
        for i in range(p[class_start + N_SETS]):
            set_record(p, p[class_start + LEFT_SETS + 2 * i])
        class_start += LEFT_SETS + 2 * p[class_start + N_SETS]
    top = p[TOP]
    p[top] = 0
    listed = top + 1
    class_start = record + CLASSES
    for _ in range(p[record + N_CLASSES]):
        members = p[class_start + MEMBERS] & actions
        rest = actions ^ (members & -members)
        positive = n = 0
        first = listed + CHILDREN
        # Only the lowest member is tried: the others of the class lead to the same states.
        for i in range(p[class_start + N_SETS] if members != 0 else 0):
            child = find_node(p, y, p[class_start + LEFT_SETS + 2 * i], rest)
            if child == 0:
                return False
            positive += y[child + WEIGHT] > 0.0
            if p[child + SURE] != 0:
                continue
            # Members of a class have equally many states: what was dropped is all that differs.
            times = p[class_start + LEFT_SETS + 2 * i + 1] * factor_of(p, y, rest) / y[child + FACTOR]
            j = first + 2 * n
            while j > first and y[j - 2] * y[p[j - 1] + WEIGHT] < times * y[child + WEIGHT]:
                y[j] = y[j - 2]
                p[j + 1] = p[j - 1]
                j -= 2
            y[j] = times
            p[j + 1] = child
            n += 1
        if positive > 1:
            p[top] += 1
            p[listed + MEMBERS] = p[class_start + MEMBERS]
            p[listed + N_CHILDREN] = n
            listed = first + 2 * n
        class_start += LEFT_SETS + 2 * p[class_start + N_SETS]
    # Only now: a list that the limit cuts short has taken no room.
    p[TOP] = listed
    p[node + CHILD_LIST] = top
    return True
