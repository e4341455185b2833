"""The optimum's workspace, and an instance's tables, from which the weights of states are computed.

One search lies in one array `p` of 64-bit integers, `y` being the same memory as floats; places are offsets,
0 names none. A state is (L, R): truths not ruled out and actions untried, as masks. With N_a(U) the number of
states of action a that rule out no truth of U, M_R(U) is the product of N_a(U) over the actions of R; it is
kept as the product of PARTS tables, each of a third of the actions. The number of completions that leave t
alone is

    n_t(L, R) = sum over U of L that hold t of (-1)^(|U| - 1) M_R(U)

(inclusion and exclusion over the truths that survive beside t), and the state's weight is
W(L, R) = sum over t of kappa(t) n_t(L, R). By prior (t), kappa(t) is the product over all actions of
1 / N_a({t}): the valid truth is uniform, and then each action's state among those that spare it; what leaves
several truths, or none, is left out. Of balanced instances it is 1 / n_t of all truths and actions: the valid
truth is uniform, and then its observations among the choices that leave it alone.

Where the promise says that K > 1 truths survive, a set S of K truths takes the place of t in all of this: n_S
is the sum over the sets U of L that contain S of (-1)^(|U| - K) M_R(U). Compiled by numba.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from perennial.tasks.kumo.kernels.kernel_part import kernel_part
from perennial.tasks.kumo.optimum import MAX_ACTIONS, MAX_TRUTHS

MAX_INDEX_BITS = 22
NODE_BITS = 20
MAX_NODES = 1 << NODE_BITS  # the limit of work and what a play takes on top of it

# Header: numbers, then a word for each action or truth.
N_TRUTHS, N_ACTIONS, PART_ACTIONS, ALL_TRUTHS, MASKS, TOP, FULL, N_NODES, INDEX_BITS, LIMIT, ROOT = range(11)
N_GOLDEN, ANSWER, IS_EXACT = range(11, 14)
N_VALID = 17  # how many truths the promise says survive
POLICY, UPPER, LOWER = 14, 15, 16  # weight times expected tests: Algorithm 3's policy; the optimum's bounds
FIRST_STATE = 24  # by action: where its states begin, counted from MASKS; one more at the end
KAPPA = 64  # by truth
SCRATCH = 96  # by truth
TRUTH_WEIGHTS = 112  # by truth, where K > 1: the weight of the sets that hold it
GOLDEN = 128  # the actions of the optimum's play
FRAMES = 192  # a frame for each test that the search looks ahead
FRAME_WORDS = 2 * MAX_ACTIONS + 8
SIGNED = FRAMES + FRAME_WORDS * (MAX_ACTIONS + 2)
SUBSETS = SIGNED + (1 << MAX_TRUTHS)  # of the truths left, ascending
SIGN = SUBSETS + (1 << MAX_TRUTHS)  # by truth set U: (-1)^(|U| - 1)
KAPPAS = SIGN + (1 << MAX_TRUTHS)  # by set of K truths: kappa, where K > 1
SETS = KAPPAS + (1 << MAX_TRUTHS)  # by truth set: its record
# One table for all actions would have 2 ** (MAX_TRUTHS + MAX_ACTIONS) words.
PARTS = 3
PART_WORDS = 1 << (MAX_TRUTHS + MAX_ACTIONS // PARTS)
PART = SETS + (1 << MAX_TRUTHS)
INDEX = PART + PARTS * PART_WORDS
NODES = INDEX + (1 << MAX_INDEX_BITS)
NODE_WORDS = 10
ARENA = NODES + NODE_WORDS * MAX_NODES
ARENA_WORDS = 24 << 20
ARENA_MARGIN = 1 << 20  # more than a truth set's record and a node's children take, twice
POLICY_STACK = ARENA + ARENA_WORDS - ARENA_MARGIN // 2  # states of Algorithm 3's policy
WORDS = ARENA + ARENA_WORDS


@kernel_part
def load_tables(p, y, n_truths, n_valid, first_state, masks, is_balanced):
    """Write an instance's actions into the workspace, and the tables of M_R(U)."""
    n_actions = first_state.size - 1
    size = 1 << n_truths
    p[N_TRUTHS], p[N_ACTIONS], p[ALL_TRUTHS], p[N_VALID] = n_truths, n_actions, size - 1, n_valid
    p[PART_ACTIONS] = (n_actions + PARTS - 1) // PARTS
    p[MASKS] = ARENA
    for a in range(n_actions + 1):
        p[FIRST_STATE + a] = first_state[a] - first_state[0]
    for i in range(first_state[n_actions] - first_state[0]):
        p[ARENA + i] = masks[first_state[0] + i]
    p[TOP] = ARENA + first_state[n_actions] - first_state[0]
    y[SIGN] = -1.0
    for t in range(n_truths):
        y[KAPPA + t] = 1.0
        for u in range(1 << t):
            y[SIGN + (1 << t) + u] = -y[SIGN + u]
    for part in range(PARTS):
        first = min(part * p[PART_ACTIONS], n_actions)
        _fill_table(p, y, PART + part * PART_WORDS, first, min(first + p[PART_ACTIONS], n_actions))
    if n_valid > 1:
        _weigh_sets(p, y, is_balanced)
    elif is_balanced:
        _weigh_equally(p, y, (1 << n_actions) - 1)


@kernel_part
def _weigh_sets(p, y, is_balanced):
    """Write kappa of each set of K truths; 0 where the set can never be what survives."""
    size = p[ALL_TRUTHS] + 1
    for u in range(size):
        y[KAPPAS + u] = 1.0
    for part in range(PARTS):
        first = min(part * p[PART_ACTIONS], p[N_ACTIONS])
        for a in range(first, min(first + p[PART_ACTIONS], p[N_ACTIONS])):
            row = row_of(p, part, 1 << a)
            for u in range(size):
                n = y[row + u]
                y[KAPPAS + u] = y[KAPPAS + u] / n if n > 0.0 else 0.0
    if not is_balanced:
        return
    whole = (1 << p[N_ACTIONS]) - 1
    first, second, third = row_of(p, 0, whole), row_of(p, 1, whole), row_of(p, 2, whole)
    for u in range(size):
        y[SIGNED + u] = y[SIGN + u] * y[first + u] * y[second + u] * y[third + u]
    add_supersets(y, size)
    sign = 1.0 if p[N_VALID] & 1 else -1.0
    for u in range(size):
        number = sign * y[SIGNED + u]
        y[KAPPAS + u] = 1.0 / number if number > 0.0 else 0.0


@kernel_part
def add_supersets(y, size):
    """Replace each of the `size` numbers of SIGNED, by set, by the sum over all sets that contain it."""
    bit = 1
    while bit < size:
        for u in range(size):
            if u & bit == 0:
                y[SIGNED + u] += y[SIGNED + (u | bit)]
        bit <<= 1


@kernel_part
def _weigh_equally(p, y, actions):
    """Let kappa(t) be 1 / n_t of all truths and actions, 0 where t can never be the one that survives."""
    first, second, third = row_of(p, 0, actions), row_of(p, 1, actions), row_of(p, 2, actions)
    for t in range(p[N_TRUTHS]):
        number = 0.0
        for u in range(p[ALL_TRUTHS] + 1):
            if (u >> t) & 1:
                number += y[SIGN + u] * y[first + u] * y[second + u] * y[third + u]
        y[KAPPA + t] = 1.0 / number if number > 0.0 else 0.0


@kernel_part
def _fill_table(p, y, table, first, end):
    """Fill M_R(U) for all U and all R of the actions `first` to `end - 1`; divide kappa by their N_a({t})."""
    size = p[ALL_TRUTHS] + 1
    for u in range(size):
        y[table + u] = 1.0
    for a in range(first, end):
        row = table + (size << (a - first))
        for u in range(size):
            y[row + u] = 0.0
        for s in range(p[MASKS] + p[FIRST_STATE + a], p[MASKS] + p[FIRST_STATE + a + 1]):
            # All subsets of what the state spares.
            spared = p[ALL_TRUTHS] & ~p[s]
            u = spared
            while True:
                y[row + u] += 1.0
                if u == 0:
                    break
                u = (u - 1) & spared
        for t in range(p[N_TRUTHS]):
            n = y[row + (1 << t)]
            y[KAPPA + t] = y[KAPPA + t] / n if n > 0.0 else 0.0
        # Sets with this action: each set of the earlier actions of the part, times the action's row.
        for other in range(1, 1 << (a - first)):
            source, target = table + other * size, row + other * size
            for u in range(size):
                y[target + u] = y[source + u] * y[row + u]


@kernel_part
def row_of(p, part, actions):
    """Where a part's row of M_R(U) by U begins, R being the part's actions among these."""
    chosen = (actions >> (part * p[PART_ACTIONS])) & ((1 << p[PART_ACTIONS]) - 1)
    return PART + part * PART_WORDS + chosen * (p[ALL_TRUTHS] + 1)


@kernel_part
def factor_of(p, y, actions):
    """The product of the actions' numbers of states: M_R of no truth."""
    factor = 1.0
    for part in range(PARTS):
        factor *= y[row_of(p, part, actions)]
    return factor
