"""Exact best-first search for Algorithm 3's expected steps.

Compiled by numba; `w` and `x` as in `tables`. The search is a machine with its own stack, so that it
can stop when its budget is used up and resume later. A frame of the stack is a state, with an open class for
each class of its actions: the sum, over the successors, of probability times value or lower bound. The class
with the smallest sum is looked into until all of its successors are solved or its sum is no longer the
smallest; a state is solved as soon as a class whose successors are solved has the smallest sum. In the memo a
lower bound is positive, a value negative.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from perennial.tasks.kumo.kernels.kernel_part import kernel_part
from perennial.tasks.kumo.search.sets import (
    CLASSES,
    MEMBERS,
    N_CLASSES,
    N_SUCCESSORS,
    SUCCESSOR_P,
    SUCCESSOR_WORDS,
    SUCCESSORS,
    successor_of,
)
from perennial.tasks.kumo.search.states import state_entry
from perennial.tasks.kumo.search.tables import BUDGET, ENTRY_ACTIONS, ENTRY_SET, ENTRY_VALUE, FRAME, STACK

SLACK = 0.15  # how far a class is followed past the second-best one, to avoid switching at every step
TIE = 1e-13  # sums this close are equal: rounding
PROGRESS = 1e-9  # what a limit is raised by, so that a successor that reaches it moves the sum
INFINITY = 1e300

PARENT, ENTRY, LIMIT, N_OPEN, CURRENT, THRESHOLD, END, FRAME_WORDS = range(8)
SUM, UNSOLVED, FIRST_CHILD, LAST_CHILD, CLASS_WORDS = range(5)
CHILD_WORDS = 2  # entry and probability


def stack_words(n_actions: int, n_states: int) -> int:
    """Return how large the stack of an instance may become, in words."""
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
    place = record + w[record + CLASSES]
    for _ in range(w[record + N_CLASSES]):
        members = w[place + MEMBERS] & actions
        successor = place + SUCCESSORS
        place = successor + SUCCESSOR_WORDS * w[place + N_SUCCESSORS]
        if members == 0:
            continue
        rest = actions ^ (members & -members)
        w[open_class + FIRST_CHILD] = child
        while successor < place:
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
