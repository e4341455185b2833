"""The optimum under the promise that exactly one truth survives, by bounded depth-first search.

Compiled by numba; `p` and `y` as in `tables`, nodes as in `states`. V(L, R) = W(L, R) + min over actions of
the sum of (times * V) over its children. A node's bound is raised by its children's: the smallest such sum
with the weight, and the largest without it (a test that costs nothing never hurts).
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from numba import njit

from tasks.kumo.optimum.states import (
    CHILD_LIST,
    CHILDREN,
    DEPTH,
    ENTROPY,
    EXACT,
    MEMBERS,
    N_CHILDREN,
    PLAYED,
    POSSIBLE,
    VALUE,
    WEIGHT,
    clear_states,
    find_node,
    list_children,
    lowest_members,
    set_record,
)
from tasks.kumo.optimum.tables import (
    ALL_TRUTHS,
    ANSWER,
    FULL,
    GOLDEN,
    IS_EXACT,
    LIMIT,
    LOWER,
    N_ACTIONS,
    N_GOLDEN,
    SCRATCH,
    SCRATCH_WORDS,
    UPPER,
)
from tasks.kumo.search.tables import count

SHALLOW = 4  # children are searched to the depths 1 to 4 before they are searched to the end
DEEPEST = 64
ROUNDING = 1e-12  # of a node's weight: bounds this close to a value reach it
EDGE = 1e-13
TIE = 1e-9  # of a node's weight: actions this close are equally good in the optimum's play
INFINITY = 1e300


@njit
def _end_of(p, action):
    return action + CHILDREN + 2 * p[action + N_CHILDREN]


@njit
def _bound_of(p, y, action):
    """Return the sum of times * VALUE over the action's children: added up anew, because a child may be a
    descendant of another one.
    """
    total = 0.0
    for place in range(action + CHILDREN, _end_of(p, action), 2):
        total += y[place] * y[p[place + 1] + VALUE]
    return total


@njit
def _is_solved(p, action):
    for place in range(action + CHILDREN, _end_of(p, action), 2):
        if p[p[place + 1] + EXACT] == 0:
            return False
    return True


@njit
def _raise_bound(p, y, node):
    """Raise the node's bound by its children's; make it exact where a solved action has the smallest sum."""
    weight = y[node + WEIGHT]
    lowest = best = INFINITY
    highest = 0.0
    action = p[node + CHILD_LIST] + 1
    for _ in range(p[p[node + CHILD_LIST]]):
        total = _bound_of(p, y, action)
        highest = max(highest, total)
        lowest = min(lowest, total)
        if total < best and _is_solved(p, action):
            best = total
        action = _end_of(p, action)
    bound = max(y[node + VALUE], weight + lowest, highest)
    # Every other action's sum, and what is known of the node itself, must reach the best one.
    if best < INFINITY and lowest >= best - ROUNDING * weight:
        p[node + EXACT] = 1
        bound = weight + best
    y[node + VALUE] = bound


@njit
def _order_actions(p, y, node, row):
    """Write the node's actions to the row, the most promising first."""
    n = 0
    action = p[node + CHILD_LIST] + 1
    for _ in range(p[p[node + CHILD_LIST]]):
        key = 0.0
        for place in range(action + CHILDREN, _end_of(p, action), 2):
            child = p[place + 1]
            promise = y[child + VALUE]
            if p[child + EXACT] == 0:
                promise = max(promise, y[child + ENTROPY])
            key += y[place] * promise
        i = n
        while i > 0 and y[row + 2 * i - 2] > key:
            y[row + 2 * i] = y[row + 2 * i - 2]
            p[row + 2 * i + 1] = p[row + 2 * i - 1]
            i -= 1
        y[row + 2 * i] = key
        p[row + 2 * i + 1] = action
        n += 1
        action = _end_of(p, action)
    return n


@njit
def search(p, y, node, limit, depth, level):
    """Raise the node's bound until it is exact or reaches the limit, looking `depth` tests ahead."""
    weight = y[node + WEIGHT]
    edge = EDGE * weight
    if p[node + EXACT] or y[node + VALUE] >= limit - edge or p[node + DEPTH] >= depth:
        return
    if p[node + CHILD_LIST] == 0 and not list_children(p, y, node):
        return
    _raise_bound(p, y, node)
    if p[node + EXACT] or y[node + VALUE] >= limit - edge:
        return
    if depth > 1:
        row = SCRATCH + SCRATCH_WORDS * (level + 1)
        best = limit
        below = depth if depth == DEEPEST else depth - 1
        for i in range(_order_actions(p, y, node, row)):
            total = _search_action(p, y, p[row + 2 * i + 1], best - weight, edge, below, level)
            if p[FULL]:
                return
            if total < best - weight and _is_solved(p, p[row + 2 * i + 1]):
                best = weight + total
        _raise_bound(p, y, node)
    # A bound that reached the limit may rise further; at full depth rounding decides what is left.
    if depth < DEEPEST and y[node + VALUE] < limit - edge:
        p[node + DEPTH] = depth


@njit
def _search_action(p, y, action, limit, edge, depth, level):
    """Raise the sum of the action's children until it reaches the limit; return it."""
    step = 1
    while True:
        reach = min(step, depth) if step <= SHALLOW else depth
        for place in range(action + CHILDREN, _end_of(p, action), 2):
            child = p[place + 1]
            if p[child + EXACT]:
                continue
            total = _bound_of(p, y, action)
            if total >= limit - edge:
                return total
            others = total - y[place] * y[child + VALUE]
            search(p, y, child, (limit - others) / y[place], reach, level + 1)
            if p[FULL]:
                return total
        if reach == depth:
            return _bound_of(p, y, action)
        step += 1


@njit
def _greedy_action(p, y, node):
    """Return the action that leaves the least entropy in expectation."""
    least = INFINITY
    chosen = 0
    action = p[node + CHILD_LIST] + 1
    for _ in range(p[p[node + CHILD_LIST]]):
        total = 0.0
        for place in range(action + CHILDREN, _end_of(p, action), 2):
            total += y[place] * y[p[place + 1] + ENTROPY]
        if total < least - EDGE:
            least = total
            chosen = action
        action = _end_of(p, action)
    return chosen


@njit
def _greedy_value(p, y, node):
    """Return V of the policy that always takes the greedy action; INFINITY past the limit."""
    if p[node + EXACT]:
        return y[node + VALUE]
    if p[node + PLAYED]:
        return y[node + PLAYED]
    if p[node + CHILD_LIST] == 0 and not list_children(p, y, node):
        return INFINITY
    action = _greedy_action(p, y, node)
    total = y[node + WEIGHT]
    for place in range(action + CHILDREN, _end_of(p, action), 2):
        total += y[place] * _greedy_value(p, y, p[place + 1])
    if total < INFINITY:
        y[node + PLAYED] = total
    return total


@njit
def start_search(p, y, limit):
    """Return the root's node (0: no truth can be the only one to survive), everything before forgotten."""
    clear_states(p)
    p[LIMIT] = limit
    left = p[ALL_TRUTHS]
    root = find_node(p, y, left, lowest_members(p, set_record(p, left), (1 << p[N_ACTIONS]) - 1))
    return root if y[root + WEIGHT] > 0.0 else 0


@njit
def solve_root(p, y, root):
    """Find the optimum's expected tests, or bounds of them: LOWER, UPPER and IS_EXACT."""
    greedy = _greedy_value(p, y, root)
    limit = greedy + 2.0 * ROUNDING * y[root + WEIGHT]
    for depth in range(1, SHALLOW + 1):
        search(p, y, root, limit, depth, 0)
    while p[root + EXACT] == 0 and p[FULL] == 0:
        search(p, y, root, limit, DEEPEST, 0)
        limit *= 1.0 + ROUNDING
    if p[root + EXACT] == 0 and p[root + CHILD_LIST] != 0:
        _raise_bound(p, y, root)
    p[IS_EXACT] = p[root + EXACT]
    y[LOWER] = y[root + VALUE] / y[root + WEIGHT]
    y[UPPER] = y[LOWER] if p[root + EXACT] else min(greedy / y[root + WEIGHT], 1.0 * p[N_ACTIONS])
    # The play looks at actions that are equally good, too.
    p[FULL] = 0
    p[LIMIT] += p[LIMIT] // 8


@njit
def play_optimum(p, y, observed):
    """Follow the policy on the observations (by action the mask that is ruled out) from the start.

    Of equally good actions it takes the first of the instance. Without an exact value it is the greedy one.
    """
    left = p[ALL_TRUTHS]
    actions = (1 << p[N_ACTIONS]) - 1
    p[N_GOLDEN] = 0
    while True:
        record = set_record(p, left)
        node = find_node(p, y, left, lowest_members(p, record, actions))
        if node == 0 or p[node + POSSIBLE] & (p[node + POSSIBLE] - 1) == 0:
            named = left if node == 0 or p[node + POSSIBLE] == 0 else p[node + POSSIBLE]
            p[ANSWER] = count((named & -named) - 1) if named else -1
            return
        members = _members_played(p, y, node, actions)
        if members == 0:
            p[ANSWER] = count((left & -left) - 1)
            return
        action = count((members & -members) - 1)
        p[GOLDEN + p[N_GOLDEN]] = action
        p[N_GOLDEN] += 1
        actions ^= 1 << action
        left &= ~observed[action]


@njit
def _members_played(p, y, node, actions):
    """Return the class of actions that the policy takes next, by its lowest untried one; 0 past the limit."""
    if p[IS_EXACT]:
        search(p, y, node, INFINITY, DEEPEST, 0)
    if p[node + CHILD_LIST] == 0 and not list_children(p, y, node):
        return 0
    if p[node + EXACT] == 0:
        return p[_greedy_action(p, y, node) + MEMBERS] & actions
    weight = y[node + WEIGHT]
    limit = y[node + VALUE] - weight + TIE * weight
    first = 0
    action = p[node + CHILD_LIST] + 1
    for _ in range(p[p[node + CHILD_LIST]]):
        members = p[action + MEMBERS] & actions
        if first == 0 or members & -members < first & -first:
            total = _bound_of(p, y, action)
            if total <= limit:
                total = _search_action(p, y, action, limit + TIE * weight, 0.0, DEEPEST, 0)
            if total <= limit and _is_solved(p, action):
                first = members
        action = _end_of(p, action)
    return first
