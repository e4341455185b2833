"""States of the optimum's search: equal ones, their lower bounds, and the children of each action.

Compiled by numba; `p` and `y` as in `tables`. Two states are one where they differ only in actions that touch
no truth left, or that do the same to the truths left (a class: equal sorted masks; the lowest members stand
for all): their expected tests are equal, their weights differ by a factor. A node's VALUE is a lower bound of
V = W * (expected tests), or V itself once it is EXACT. POSSIBLE are the truths that may turn out valid; where
there is at most one, no test is needed.

A truth set's record: REACH (the actions that touch it), N_CLASSES; a class: MEMBERS, N_SETS, and for each
different set of truths left by its states that set and the number of states. A node's children: the number of
actions; an action: MEMBERS of its class, N_CHILDREN, and for each child that may need a test, heaviest first,
how often it occurs and its node. Actions that tell nothing (fewer than two children of positive weight) are
left out.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from math import log2

from numba import njit

from tasks.kumo.optimum.tables import (
    ALL_TRUTHS,
    ARENA,
    ARENA_WORDS,
    FIRST_STATE,
    FULL,
    INDEX,
    INDEX_BITS,
    KAPPA,
    LIMIT,
    MASKS,
    MAX_INDEX_BITS,
    N_ACTIONS,
    N_NODES,
    N_TRUTHS,
    NODE_WORDS,
    NODES,
    NUMBERS,
    SCRATCH,
    SETS,
    TOP,
    factor_of,
    weigh,
)
from tasks.kumo.search.tables import count, hash_words

REACH, N_CLASSES, CLASSES = range(3)
MEMBERS, N_SETS, LEFT_SETS = range(3)
N_CHILDREN, CHILDREN = 1, 2  # MEMBERS is as in a class
LEFT, ACTIONS, WEIGHT, VALUE, EXACT, DEPTH, CHILD_LIST, ENTROPY, POSSIBLE, PLAYED, SLOT = range(NODE_WORDS)


@njit
def clear_states(p):
    """Forget all truth sets and nodes."""
    for u in range(p[ALL_TRUTHS] + 1):
        p[SETS + u] = 0
    for i in range(p[N_NODES]):
        p[p[NODES + NODE_WORDS * i + SLOT]] = 0
    p[N_NODES] = 0
    p[FULL] = 0
    p[INDEX_BITS] = min(MAX_INDEX_BITS, p[N_TRUTHS] + p[N_ACTIONS] + 1)


@njit
def set_record(p, left):
    """Return the record of a set of truths, made when first met."""
    if p[SETS + left] != 0:
        return p[SETS + left]
    record = p[TOP]
    p[SETS + left] = record
    p[record + REACH] = 0
    p[record + N_CLASSES] = 0
    place = record + CLASSES
    for a in range(p[N_ACTIONS]):
        first, end = p[MASKS] + p[FIRST_STATE + a], p[MASKS] + p[FIRST_STATE + a + 1]
        n = 0
        touched = 0
        # The sets that its states leave, ascending, each with the number of states.
        for s in range(first, end):
            remaining = left & ~p[s]
            touched |= p[s] & left
            i = n
            while i > 0 and p[place + LEFT_SETS + 2 * i - 2] > remaining:
                i -= 1
            if i > 0 and p[place + LEFT_SETS + 2 * i - 2] == remaining:
                p[place + LEFT_SETS + 2 * i - 1] += 1
                continue
            for j in range(n, i, -1):
                p[place + LEFT_SETS + 2 * j] = p[place + LEFT_SETS + 2 * j - 2]
                p[place + LEFT_SETS + 2 * j + 1] = p[place + LEFT_SETS + 2 * j - 1]
            p[place + LEFT_SETS + 2 * i] = remaining
            p[place + LEFT_SETS + 2 * i + 1] = 1
            n += 1
        if touched == 0:
            continue
        p[record + REACH] |= 1 << a
        p[place + MEMBERS] = 1 << a
        p[place + N_SETS] = n
        other = record + CLASSES
        while other < place and not _same_sets(p, other, place):
            other += LEFT_SETS + 2 * p[other + N_SETS]
        if other < place:
            p[other + MEMBERS] |= 1 << a
        else:
            p[record + N_CLASSES] += 1
            place += LEFT_SETS + 2 * n
    p[TOP] = place
    return record


@njit
def _same_sets(p, one, other):
    if p[one + N_SETS] != p[other + N_SETS]:
        return False
    for i in range(LEFT_SETS, LEFT_SETS + 2 * p[one + N_SETS]):
        if p[one + i] != p[other + i]:
            return False
    return True


@njit
def lowest_members(p, record, actions):
    """Return the actions without those that touch nothing, each class's replaced by its lowest members."""
    kept = 0
    place = record + CLASSES
    for _ in range(p[record + N_CLASSES]):
        members = p[place + MEMBERS]
        for _ in range(count(members & actions)):
            kept |= members & -members
            members &= members - 1
        place += LEFT_SETS + 2 * p[place + N_SETS]
    return kept


@njit
def find_node(p, y, left, actions):
    """Return the node of a state whose actions are lowest members; 0, and FULL set, past the limit."""
    bits = p[INDEX_BITS]
    last = (1 << bits) - 1
    slot = hash_words(left, actions, bits)
    while True:
        node = p[INDEX + slot]
        if node == 0:
            break
        if p[node + LEFT] == left and p[node + ACTIONS] == actions:
            return node
        slot = (slot + 1) & last
    room = ARENA + ARENA_WORDS - p[TOP]
    if p[N_NODES] >= p[LIMIT] or room < ARENA_WORDS >> 4:
        p[FULL] = 1
        return 0
    node = NODES + NODE_WORDS * p[N_NODES]
    p[N_NODES] += 1
    p[INDEX + slot] = node
    p[node + SLOT] = INDEX + slot
    p[node + LEFT], p[node + ACTIONS] = left, actions
    p[node + DEPTH] = p[node + CHILD_LIST] = p[node + PLAYED] = 0
    _weigh_node(p, y, node)
    return node


@njit
def _weigh_node(p, y, node):
    """Write the node's weight, its possible truths, their entropy and the first lower bound."""
    weight = weigh(p, y, p[node + LEFT], p[node + ACTIONS])
    possible = 0
    entropy = 0.0
    for t in range(p[N_TRUTHS]):
        share = y[KAPPA + t] * y[NUMBERS + t]
        if share > 0.0:
            possible |= 1 << t
            entropy -= share * log2(share / weight)
    y[node + WEIGHT] = weight
    p[node + POSSIBLE] = possible
    y[node + ENTROPY] = entropy
    if possible & (possible - 1) == 0:
        p[node + EXACT] = 1
        y[node + VALUE] = 0.0
    else:
        p[node + EXACT] = 0
        y[node + VALUE] = max(weight, _code_cost(p, y, node))


@njit
def _code_cost(p, y, node):
    """Return the cost of Huffman's code of the possible truths' weights.

    A policy is a tree whose leaf names the truth, with as many branches as an action leaves different sets.
    """
    record = set_record(p, p[node + LEFT])
    branches = 2
    place = record + CLASSES
    for _ in range(p[record + N_CLASSES]):
        if p[place + MEMBERS] & p[node + ACTIONS] != 0:
            branches = max(branches, p[place + N_SETS])
        place += LEFT_SETS + 2 * p[place + N_SETS]
    # The weights, heaviest first; the lightest are joined again and again.
    n = 0
    for t in range(p[N_TRUTHS]):
        share = y[KAPPA + t] * y[NUMBERS + t]
        if share > 0.0:
            _insert(y, n, share)
            n += 1
    cost = 0.0
    joined = (n - 2) % (branches - 1) + 2
    while n > 1:
        total = 0.0
        for _ in range(min(joined, n)):
            n -= 1
            total += y[SCRATCH + n]
        cost += total
        _insert(y, n, total)
        n += 1
        joined = branches
    return cost


@njit
def _insert(y, n, value):
    i = SCRATCH + n
    while i > SCRATCH and y[i - 1] < value:
        y[i] = y[i - 1]
        i -= 1
    y[i] = value


@njit
def list_children(p, y, node):
    """List the node's actions with their children; False past the limit."""
    left, actions = p[node + LEFT], p[node + ACTIONS]
    record = set_record(p, left)
    # No record is made between the words of this list: the sets that the actions leave come first.
    place = record + CLASSES
    for _ in range(p[record + N_CLASSES]):
        if p[place + MEMBERS] & actions != 0:
            for i in range(p[place + N_SETS]):
                set_record(p, p[place + LEFT_SETS + 2 * i])
        place += LEFT_SETS + 2 * p[place + N_SETS]
    top = p[TOP]
    p[top] = 0
    listed = top + 1
    place = record + CLASSES
    for _ in range(p[record + N_CLASSES]):
        members = p[place + MEMBERS]
        if members & actions != 0:
            end = _list_action(p, y, place, actions, listed)
            if end == 0:
                return False
            if end > listed:
                p[top] += 1
                p[listed + MEMBERS] = members
                listed = end
        place += LEFT_SETS + 2 * p[place + N_SETS]
    p[TOP] = listed
    p[node + CHILD_LIST] = top
    return True


@njit
def _list_action(p, y, place, actions, listed):
    """Write the children of a class of actions; return the end, `listed` if it tells nothing, 0: no room."""
    members = p[place + MEMBERS] & actions
    rest = actions ^ (members & -members)
    positive = n = 0
    first = listed + CHILDREN
    for i in range(p[place + N_SETS]):
        left = p[place + LEFT_SETS + 2 * i]
        if left == 0:
            continue
        kept = lowest_members(p, p[SETS + left], rest)
        child = find_node(p, y, left, kept)
        if child == 0:
            return 0
        if y[child + WEIGHT] <= 0.0:
            continue
        positive += 1
        if p[child + EXACT] and y[child + VALUE] == 0.0:
            continue
        # Members of a class have equally many states, so that what was dropped is all that differs.
        times = p[place + LEFT_SETS + 2 * i + 1] * factor_of(p, y, rest) / factor_of(p, y, kept)
        weight = times * y[child + WEIGHT]
        j = n
        while j > 0 and y[first + 2 * j - 2] * y[p[first + 2 * j - 1] + WEIGHT] < weight:
            y[first + 2 * j] = y[first + 2 * j - 2]
            p[first + 2 * j + 1] = p[first + 2 * j - 1]
            j -= 1
        y[first + 2 * j] = times
        p[first + 2 * j + 1] = child
        n += 1
    p[listed + N_CHILDREN] = n
    return first + 2 * n if positive > 1 else listed
