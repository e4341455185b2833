"""The exact search, its golden play, what the policy costs under the promise, and the entry point.

Compiled by numba; `w` and `x` as in `tables`.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from perennial.tasks.compiled import njit
from perennial.tasks.kumo.kernels.kernel_part import kernel_part
from perennial.tasks.kumo.kernels.kernel_sources import sources_digest
from perennial.tasks.kumo.optimum import search as optimum
from perennial.tasks.kumo.optimum import states as optimum_states
from perennial.tasks.kumo.optimum import tables as optimum_tables
from perennial.tasks.kumo.optimum.search import find_optimum, start_search
from perennial.tasks.kumo.optimum.states import FACTOR, WEIGHT, find_node
from perennial.tasks.kumo.optimum.tables import (
    IS_EXACT,
    LOWER,
    POLICY,
    POLICY_STACK,
    ROOT,
    UPPER,
    factor_of,
    load_tables,
)
from perennial.tasks.kumo.search import tables
from perennial.tasks.kumo.search.tables import (
    ANSWER,
    BUDGET,
    CLASSES,
    ENTRY_ACTIONS,
    ENTRY_SET,
    ENTRY_VALUE,
    FIRST_STATE,
    FRAME,
    FULL,
    GOLDEN,
    MASK,
    MASKS,
    MEMBERS,
    N_ACTIONS,
    N_CLASSES,
    N_GOLDEN,
    N_SUCCESSORS,
    N_TRUTHS,
    N_VALID,
    OBSERVED,
    RELATED,
    RELATION,
    SOURCES,
    STACK,
    STARTED,
    SUCCESSOR_P,
    SUCCESSOR_WORDS,
    SUCCESSORS,
    VALUE,
    clear_tables,
    count,
    record_of,
    state_entry,
    successor_of,
)

# Best-first search for Algorithm 3's expected steps.
#
# The search is a machine with its own stack, so that it can stop when its budget is used up and resume later.
# A frame of the stack is a state, with an open class for each class of its actions: the sum, over the
# successors, of probability times value or lower bound. The class with the smallest sum is looked into until
# all of its successors are solved or its sum is no longer the smallest; a state is solved as soon as a class
# whose successors are solved has the smallest sum. In the memo a lower bound is positive, a value negative.


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


# The golden play, what the policy costs under the promise, and the entry point.


GOLDEN_TIE = 1e-9  # actions this close are equally good in the golden play
BOUNDS, EXACT = 1, 2


@kernel_part
def _load_instance(w, n_truths, n_valid, first_state, masks, observed):
    """Write one instance into the workspace and forget the one before."""
    clear_tables(w)
    n_actions = observed.size
    w[N_TRUTHS] = n_truths
    w[N_VALID] = n_valid
    w[N_ACTIONS] = n_actions
    w[FRAME] = 0
    w[STARTED] = 1
    for t in range(n_truths):
        w[RELATION + t] = 0
    for a in range(n_actions):
        w[FIRST_STATE + a] = first_state[a] - first_state[0]
        w[OBSERVED + a] = observed[a]
        related = 0
        for s in range(first_state[a], first_state[a + 1]):
            w[w[MASKS] + s - first_state[0]] = masks[s]
            related |= masks[s]
        w[RELATED + a] = related
        for t in range(n_truths):
            if (related >> t) & 1:
                w[RELATION + t] |= 1 << a
    w[FIRST_STATE + n_actions] = first_state[n_actions] - first_state[0]


@kernel_part
def _all_bits(n):
    return -1 if n == 64 else (1 << n) - 1


@kernel_part
def _lowest_bit(mask):
    return count((mask & -mask) - 1)


@kernel_part
def _next_action(w, x, left, actions):
    """The policy's action, after what search it takes; -1 where room or budget is used up.

    The state's expected steps are left in VALUE.
    """
    while True:
        record = record_of(w, x, left)
        entry = -1 if record == 0 else state_entry(w, x, record, actions)
        if entry < 0:
            return -1
        if x[entry + ENTRY_VALUE] > 0.0:
            push(w, x, entry, INFINITY)
        else:
            x[VALUE] = -x[entry + ENTRY_VALUE]
            action = _best_action(w, x, record, actions, x[VALUE])
            if action >= 0 or w[FRAME] == 0:
                return action
        if not run(w, x):
            return -1


@kernel_part
def _play(w, x, p, y, has_optimum):
    """Follow the golden play; False where room or budget is used up.

    With the optimum's tables in `p` also follow the policy through every outcome, for POLICY: each state in
    which it takes an action adds its weight.
    """
    left = _all_bits(w[N_TRUTHS])
    actions = _all_bits(w[N_ACTIONS])
    w[N_GOLDEN] = 0
    # The states still to be looked at are a stack of (left, actions, how often).
    first = top = POLICY_STACK
    total = 0.0
    if has_optimum:
        p[top], p[top + 1], y[top + 2] = left, actions, 1.0
    while has_optimum and top >= first:
        reached, untried, times = p[top], p[top + 1], y[top + 2]
        top -= 3
        if reached == 0 or _final_answer(w, reached, untried) >= 0:
            continue
        node = find_node(p, y, reached, untried)
        if node == 0 or y[node + WEIGHT] <= 0.0:
            continue
        action = _next_action(w, x, reached, untried)
        if action < 0:
            return False
        total += times * y[node + WEIGHT] * factor_of(p, y, untried) / y[node + FACTOR]
        before = top
        for s in range(w[MASKS] + w[FIRST_STATE + action], w[MASKS] + w[FIRST_STATE + action + 1]):
            listed = before + 3
            # States that leave the same truths are one entry with their number: so the stack stays small.
            while listed <= top and p[listed] != reached & ~w[s]:
                listed += 3
            if listed > top:
                top = listed
                p[top], p[top + 1], y[top + 2] = reached & ~w[s], untried ^ (1 << action), 0.0
            y[listed + 2] += times
    if has_optimum:
        y[POLICY] = total * y[p[ROOT] + FACTOR] / factor_of(p, y, actions)
    value = 0.0
    while True:
        w[ANSWER] = _final_answer(w, left, actions)
        if w[ANSWER] >= 0 or left == 0:
            x[VALUE] = value
            return True
        action = _next_action(w, x, left, actions)
        if action < 0:
            return False
        # The expected steps are those of the first state: later calls leave theirs in VALUE.
        if w[N_GOLDEN] == 0:
            value = x[VALUE]
        w[GOLDEN + w[N_GOLDEN]] = action
        w[N_GOLDEN] += 1
        actions ^= 1 << action
        left &= ~w[OBSERVED + action]


@kernel_part
def _final_answer(w, left, actions):
    """The truth to be named in a base case, -1 elsewhere and where no truth is left."""
    for t in range(w[N_TRUTHS]):
        if (left >> t) & 1 and w[RELATION + t] & actions == 0:
            return t
    return _lowest_bit(left) if left != 0 and count(left) <= w[N_VALID] else -1


@kernel_part
def _best_action(w, x, record, actions, value):
    """The first action, in the instance's order, as good as `value`; -1: search is needed first."""
    for action in range(w[N_ACTIONS]):
        bit = 1 << action
        if actions & bit == 0 or w[RELATED + action] & w[record + MASK] == 0:
            continue
        listed = record + w[record + CLASSES]
        while w[listed + MEMBERS] & bit == 0:
            listed += SUCCESSORS + SUCCESSOR_WORDS * w[listed + N_SUCCESSORS]
        if w[listed + MEMBERS] & actions & (bit - 1) != 0:
            continue
        total = 0.0
        unsolved = 0
        p = 0.0
        for k in range(w[listed + N_SUCCESSORS]):
            successor = listed + SUCCESSORS + SUCCESSOR_WORDS * k
            following = successor_of(w, x, successor)
            entry = -1 if following == 0 else state_entry(w, x, following, actions ^ bit)
            if entry < 0:
                return -1
            if entry == 0:
                continue
            total += x[successor + SUCCESSOR_P] * abs(x[entry + ENTRY_VALUE])
            if unsolved == 0 and x[entry + ENTRY_VALUE] > 0.0:
                unsolved = entry
                p = x[successor + SUCCESSOR_P]
        missing = value + GOLDEN_TIE - (1.0 + total)
        if missing >= 0.0:
            if unsolved == 0:
                return action
            push(w, x, unsolved, x[unsolved + ENTRY_VALUE] + missing / p + PROGRESS)
            return -1
    return -1


def _compile_kernel(sources):
    """The kernel's entry point, compiled for sources of this digest."""

    @njit(cache=True, nogil=True)
    def solve_slice(w, x, p, y, at, budget, inputs, results, optima):
        """Work on the batch from instance `at` on until the budget is used up; return where it stands.

        Instance i has the actions first_action[i] to first_action[i + 1], and action k the states
        first_state[k] to first_state[k + 1]. Its results go to the same places of `results`, and those under
        the promise to `optima`; `limits` are the nodes that the optimum's search may take (0: none wanted).
        `is_balanced` decides by which prior truths are weighed there.
        """
        n_truths, n_valid, first_action, first_state, masks, observed, limits, is_balanced = inputs
        values, lengths, answers, golden = results
        statuses, figures, played, named, moves = optima
        w[SOURCES] = sources
        w[BUDGET] = budget
        while at < n_truths.size:
            first, end = first_action[at], first_action[at + 1]
            states, seen = first_state[first : end + 1], observed[first:end]
            if w[STARTED] == 0:
                _load_instance(w, n_truths[at], n_valid[at], states, masks, seen)
                if limits[at] > 0:
                    load_tables(p, y, n_truths[at], n_valid[at], states, masks, is_balanced)
                    start_search(p, y, limits[at])
            has_optimum = limits[at] > 0 and p[ROOT] != 0
            while not (run(w, x) and _play(w, x, p, y, has_optimum)):
                # Forgotten and searched again: values do not depend on what the tables hold.
                if w[FULL]:
                    clear_tables(w)
                    w[FRAME] = 0
                if w[BUDGET] <= 0:
                    return at
            values[at] = x[VALUE]
            lengths[at] = w[N_GOLDEN]
            answers[at] = w[ANSWER]
            for i in range(w[N_GOLDEN]):
                golden[first + i] = w[GOLDEN + i]
            if has_optimum:
                find_optimum(p, y, seen)
                statuses[at] = EXACT if p[IS_EXACT] else BOUNDS
                for i, figure in enumerate((UPPER, LOWER, POLICY)):
                    figures[at, i] = y[figure] / y[p[ROOT] + WEIGHT]
                played[at] = p[optimum_tables.N_GOLDEN] if p[IS_EXACT] else 0
                named[at] = p[optimum_tables.ANSWER]
                for i in range(played[at]):
                    moves[first + i] = p[optimum_tables.GOLDEN + i]
            w[STARTED] = 0
            at += 1
            if w[BUDGET] <= 0:
                return at
        return at

    return solve_slice


solve_slice = _compile_kernel(sources_digest(tables, optimum_tables, optimum_states, optimum))
