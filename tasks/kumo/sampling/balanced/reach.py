"""A quick test of boards: what each action can rule out while it spares a truth, over a whole domain.

Most boards that are not balanced show it in pairs: some listed truth cannot be told from another one by any
shown action. That takes one look at a table per truth and action. Import this module lazily: it loads numba.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

import numpy as np

from perennial.tasks.kumo.kernels.kernel_part import kernel_part

_WORD = 64


@kernel_part
def list_reach(tables):
    """By truth, action and word the truths that the action's states which spare the truth rule out.

    The truth's own bit is set where the action has such a state.
    """
    n_truths, n_actions = len(tables.cover_start) - 1, len(tables.action_start) - 1
    n_words = (n_truths + _WORD - 1) // _WORD
    rules = np.zeros((len(tables.state_action), n_words), np.int64)
    for truth in range(n_truths):
        for at in range(tables.cover_start[truth], tables.cover_start[truth + 1]):
            rules[tables.cover[at], truth // _WORD] |= np.int64(1) << (truth % _WORD)
    reach = np.zeros((n_truths, n_actions, n_words), np.int64)
    for truth in range(n_truths):
        word, bit = truth // _WORD, np.int64(1) << (truth % _WORD)
        for state in range(len(rules)):
            if rules[state, word] & bit == 0:
                action = tables.state_action[state]
                reach[truth, action, word] |= bit
                for w in range(n_words):
                    reach[truth, action, w] |= rules[state, w]
    return reach


@kernel_part
def can_separate(reach, truths, actions, listed):
    """Whether each truth is possible under all actions, and any other one can be ruled out beside it.

    False proves that the board is not balanced; true leaves that open. `listed` is room for one word per 64
    truths of the domain.
    """
    for w in range(len(listed)):
        listed[w] = 0
    for truth in truths:
        listed[truth // _WORD] |= np.int64(1) << (truth % _WORD)
    for truth in truths:
        word, bit = truth // _WORD, np.int64(1) << (truth % _WORD)
        for w in range(len(listed)):
            reached, common = np.int64(0), np.int64(-1)
            for action in actions:
                reached |= reach[truth, action, w]
                common &= reach[truth, action, w]
            if listed[w] & ~reached != 0 or (w == word and common & bit == 0):
                return False
    return True
