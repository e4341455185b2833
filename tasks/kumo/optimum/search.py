"""The optimum under the promise that exactly K truths survive, by bounded depth-first search.

Compiled by numba; `p` and `y` as in `tables`, nodes as in `states`. V(L, R) = W(L, R) + min over actions of
the sum of (times * V) over its children. A node's bound is raised by its children's: the smallest such sum
with the weight, and the largest without it (a test that costs nothing never hurts).
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

import numpy as np

from perennial.tasks.kumo.kernels.kernel_part import kernel_part
from perennial.tasks.kumo.optimum.states import (
    CHILD_LIST,
    CHILDREN,
    DEPTH,
    ENTROPY,
    EXACT,
    MEMBERS,
    N_CHILDREN,
    SURE,
    VALUE,
    WEIGHT,
    clear_states,
    find_node,
    list_children,
)
from perennial.tasks.kumo.optimum.tables import (
    ALL_TRUTHS,
    ANSWER,
    FRAME_WORDS,
    FRAMES,
    FULL,
    GOLDEN,
    IS_EXACT,
    LIMIT,
    LOWER,
    N_ACTIONS,
    N_GOLDEN,
    POLICY,
    ROOT,
    UPPER,
)
from perennial.tasks.kumo.search.tables import count

# Children are searched to the depths 1 to 3 before they are searched to the end. To 2 alone the two hardest
# instances of the release take three and two times as many states, to 4 or 5 usual ones take longer.
SHALLOW = 3
DEEPEST = np.int64(64)  # numba compiles `search` again for each literal that it is called with
ROUNDING = 1e-12  # of a node's weight: bounds this close to a value reach it
EDGE = 1e-13
TIE = 1e-9  # of a node's weight: actions this close are equally good in the optimum's play
INFINITY = 1e300
NEXT_PASS = 1 << 62

NODE, GOAL, AHEAD, N_LISTED, AT, REACH, PLACE, BEST, ROW = range(9)


@kernel_part
def start_search(p, y, limit):
    """Forget everything before and make the root; ROOT is 0 where nothing keeps the promise."""
    clear_states(p, limit)
    root = find_node(p, y, p[ALL_TRUTHS], (1 << p[N_ACTIONS]) - 1)
    p[ROOT] = root if y[root + WEIGHT] > 0.0 else 0


@kernel_part
def _end_of(p, action):
    return action + CHILDREN + 2 * p[action + N_CHILDREN]


@kernel_part
def _bound_of(p, y, action):
    """The sum of times * VALUE over the action's children: computed again at each call, because the bound of
    a child changes with that of another child below it.
    """
    total = 0.0
    for link in range(action + CHILDREN, _end_of(p, action), 2):
        total += y[link] * y[p[link + 1] + VALUE]
    return total


@kernel_part
def _look_at(p, y, action):
    """The action's bound, and whether all of its children are exact, in one pass over them."""
    total = 0.0
    solved = 1
    for link in range(action + CHILDREN, _end_of(p, action), 2):
        child = p[link + 1]
        total += y[link] * y[child + VALUE]
        solved &= p[child + EXACT]
    return total, solved == 1


@kernel_part
def _raise_bound(p, y, node):
    """Raise the node's bound by its children's; make it exact where a solved action has the smallest sum."""
    weight = y[node + WEIGHT]
    lowest = best = INFINITY
    highest = 0.0
    action = p[node + CHILD_LIST] + 1
    for _ in range(p[p[node + CHILD_LIST]]):
        total, is_solved = _look_at(p, y, action)
        highest = max(highest, total)
        lowest = min(lowest, total)
        if is_solved and total < best:
            best = total
        action = _end_of(p, action)
    bound = max(y[node + VALUE], weight + lowest, highest)
    # Within rounding: an open action of equal cost would otherwise keep the node open for nothing.
    if best < INFINITY and lowest >= best - ROUNDING * weight:
        p[node + EXACT] = 1
        bound = weight + best
    y[node + VALUE] = bound


@kernel_part
def _order_actions(p, y, frame):
    """Write the actions of the frame's node to its row, the most promising first."""
    node, row = p[frame + NODE], frame + ROW
    n = p[p[node + CHILD_LIST]]
    action = p[node + CHILD_LIST] + 1
    for listed in range(n):
        key = 0.0
        for link in range(action + CHILDREN, _end_of(p, action), 2):
            child = p[link + 1]
            promise = y[child + VALUE]
            # Entropy guesses better than the bound what an open child costs; as actions of more than two
            # outcomes can cost less, it only orders.
            if p[child + EXACT] == 0:
                promise = max(promise, y[child + ENTROPY])
            key += y[link] * promise
        i = row + 2 * listed
        while i > row and y[i - 2] > key:
            y[i] = y[i - 2]
            p[i + 1] = p[i - 1]
            i -= 2
        y[i] = key
        p[i + 1] = action
        action = _end_of(p, action)
    p[frame + N_LISTED] = n
    p[frame + AT] = p[frame + REACH] = 0
    p[frame + PLACE] = NEXT_PASS


@kernel_part
def _next_child(p, y, frame, edge):
    """The index of the child to search next; 0: the frame's actions are done.

    An action's children are searched to the depths 1 to SHALLOW before they are searched to the end, until
    the sum of their bounds reaches the smallest sum known.
    """
    below = DEEPEST if p[frame + AHEAD] == DEEPEST else p[frame + AHEAD] - 1
    while p[frame + AT] < p[frame + N_LISTED]:
        action = p[frame + ROW + 2 * p[frame + AT] + 1]
        end = _end_of(p, action)
        total, is_solved = _look_at(p, y, action)
        is_open = total < y[frame + BEST] - edge
        link = p[frame + PLACE]
        while link < end and p[p[link + 1] + EXACT]:
            link += 2
        if is_open and link < end:
            p[frame + PLACE] = link + 2
            return link
        if is_open and p[frame + REACH] < below and not is_solved:
            p[frame + REACH] = below if p[frame + REACH] == SHALLOW else p[frame + REACH] + 1
            p[frame + PLACE] = action + CHILDREN
            continue
        if is_solved:
            y[frame + BEST] = min(y[frame + BEST], total)
        p[frame + AT] += 1
        p[frame + REACH] = 0
        p[frame + PLACE] = NEXT_PASS
    return 0


@kernel_part
def search(p, y, root, goal, depth):
    """Raise the root's bound until it is exact or reaches the goal, looking `depth` tests ahead.

    A stack of frames, not recursion: numba's cache loses a function that calls itself where LLVM has put it
    into its caller.
    """
    frame = np.int64(FRAMES)
    p[frame + NODE], y[frame + GOAL], p[frame + AHEAD], p[frame + N_LISTED] = root, goal, depth, -1
    while frame >= FRAMES:
        node = p[frame + NODE]
        ahead = p[frame + AHEAD]
        weight = y[node + WEIGHT]
        edge = EDGE * weight
        goal = y[frame + GOAL] - edge
        if p[frame + N_LISTED] < 0:
            is_done = p[node + EXACT] or y[node + VALUE] >= goal or p[node + DEPTH] >= ahead
            if not is_done:
                if p[node + CHILD_LIST] == 0 and not list_children(p, y, node):
                    return
                _raise_bound(p, y, node)
                is_done = p[node + EXACT] or y[node + VALUE] >= goal
            if is_done:
                frame -= FRAME_WORDS
                continue
            # The node's test costs its weight: an action matters only if its sum is below what is left.
            y[frame + BEST] = y[frame + GOAL] - weight
            p[frame + N_LISTED] = 0
            if ahead > 1:
                _order_actions(p, y, frame)
        link = _next_child(p, y, frame, edge) if p[frame + N_LISTED] > 0 else 0
        if link > 0:
            action = p[frame + ROW + 2 * p[frame + AT] + 1]
            child = p[link + 1]
            # The child need not be searched beyond the bound at which this action is no better than the best.
            others = _bound_of(p, y, action) - y[link] * y[child + VALUE]
            below = frame + FRAME_WORDS
            p[below + NODE], p[below + AHEAD], p[below + N_LISTED] = child, p[frame + REACH], -1
            y[below + GOAL] = (y[frame + BEST] - others) / y[link]
            frame = below
            continue
        _raise_bound(p, y, node)
        # A bound that reached the goal may rise further; at full depth rounding decides what is left.
        if ahead < DEEPEST and y[node + VALUE] < goal:
            p[node + DEPTH] = ahead
        frame -= FRAME_WORDS


@kernel_part
def find_optimum(p, y, observed):
    """Find V of the root (LOWER, UPPER, IS_EXACT) and the optimum's play on the observations.

    `observed` are the masks that they rule out, by action. Of equally good actions the play takes the first
    of the instance. Past the limit of nodes UPPER is Algorithm 3's policy, and there is no play.
    """
    root = p[ROOT]
    # Algorithm 3's policy bounds the optimum from above; a little more lets a root that equals it get exact.
    goal = y[POLICY] + 2.0 * ROUNDING * y[root + WEIGHT]
    depth = np.int64(1)
    while p[root + EXACT] == 0 and p[FULL] == 0:
        search(p, y, root, goal, depth)
        depth = depth + 1 if depth < SHALLOW else DEEPEST
        # Or a bound within rounding of the goal would end every search before the root is exact.
        goal *= 1.0 + ROUNDING
    y[LOWER] = y[root + VALUE]
    y[UPPER] = y[root + VALUE] if p[root + EXACT] else y[POLICY]
    # Equally good actions may have to be searched, too.
    p[LIMIT] += p[LIMIT] // 8
    left = p[ALL_TRUTHS]
    actions = (1 << p[N_ACTIONS]) - 1
    node = root
    p[N_GOLDEN] = 0
    while p[FULL] == 0 and p[node + SURE] == 0:
        search(p, y, node, INFINITY, DEEPEST)
        weight = y[node + WEIGHT]
        reach = y[node + VALUE] - weight + TIE * weight
        lowest = 0
        action = p[node + CHILD_LIST] + 1
        for _ in range(p[p[node + CHILD_LIST]]):
            # Ties go to the instance's first action: only those before the best so far need a proof.
            members = p[action + MEMBERS] & actions
            if lowest == 0 or members & -members < lowest:
                for link in range(action + CHILDREN, _end_of(p, action), 2):
                    others = _bound_of(p, y, action) - y[link] * y[p[link + 1] + VALUE]
                    search(p, y, p[link + 1], (reach + TIE * weight - others) / y[link], DEEPEST)
                total, is_solved = _look_at(p, y, action)
                if is_solved and total <= reach:
                    lowest = members & -members
            action = _end_of(p, action)
        taken = count(lowest - 1)
        p[GOLDEN + p[N_GOLDEN]] = taken
        p[N_GOLDEN] += 1
        actions ^= lowest
        left &= ~observed[taken]
        node = find_node(p, y, left, actions)
    p[IS_EXACT] = p[root + EXACT] and p[FULL] == 0
    # Where observations break the promise, every truth left is as good as any.
    named = p[node + SURE] & left
    p[ANSWER] = count((named & -named) - 1) if named != 0 else -1
