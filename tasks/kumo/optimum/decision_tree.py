"""The optimum's decisions on an instance as a tree: which test comes next after each outcome.

The search gives the optimum's play on one vector of observations. Played on other outcomes of its tests it
gives the rest of the tree, a level at a time. How likely an outcome is follows from the weights of states
(`tables`), computed here a second time by inclusion and exclusion: the mean depth of the leaves is the
optimum's expected number of tests, which holds the two against each other.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING

from perennial.tasks.kumo.encoding import EncodedInstance
from perennial.tasks.kumo.search.solve import has_promise, solve_instances

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_NODE_LIMIT = 200_000  # of the search for one level of the tree; Hard's optimum usually takes less


@dataclass(slots=True)
class Decision:
    """A state of play: the truths that may still be valid, those that are sure, and how likely it is.

    `action` is the optimum's next test, None at the end, where some truth is sure, or where the tree is cut
    off. Of one valid truth it is sure where no other is possible.
    """

    possible: tuple[int, ...]
    sure: tuple[int, ...]
    chance: float
    depth: int
    action: int | None = None
    is_cut_off: bool = False
    branches: list[tuple[tuple[int, ...], "Decision"]] = field(default_factory=list)

    def walk(self) -> "list[Decision]":
        """This state and all below it."""
        return [self, *(state for _, below in self.branches for state in below.walk())]


@dataclass(frozen=True, slots=True)
class _Open:
    """A state to be continued: its truths left and actions tried, and observations that lead to it.

    `play` is the optimum's on these observations, where it was found for a state above.
    """

    decision: Decision
    left: int
    tried: int
    observed: tuple[int, ...]
    play: tuple[int, ...] | None = None


def decision_tree(instance: EncodedInstance, most_tests: int, is_balanced: bool = False) -> Decision | None:
    """The optimum's tree of at most `most_tests` tests, breadth first; None where no optimum is known.

    States past the limit are cut off, and say so. The instance's size has to fit (`has_promise`).
    `is_balanced` names the prior, as of `solve_instances`.
    """
    if not has_promise(instance):
        return None
    weights = _Weights(instance, is_balanced)
    everything = (1 << instance.n_truths) - 1
    root = Decision(*weights.truths(everything, 0), 1.0, 0)
    level = [] if root.sure or not root.possible else [_Open(root, everything, 0, instance.observed)]
    tests = 0
    while level:
        room = most_tests - tests
        for beyond in level[room:]:
            beyond.decision.is_cut_off = True
        level = level[:room]
        tests += len(level)
        plays = _play(instance, level, is_balanced)
        below = []
        for position, actions in zip(level, plays, strict=True):
            if actions is None:
                # Without a first test there is no tree; further down the tree is cut off.
                if position.decision is root:
                    return None
                position.decision.is_cut_off = True
                continue
            position.decision.action = actions[position.decision.depth]
            below += _branch(instance, weights, replace(position, play=actions))

        level = below
    return root


def _play(
    instance: EncodedInstance, level: Sequence[_Open], is_balanced: bool
) -> list[tuple[int, ...] | None]:
    """The optimum's tests on the observations of each state; None past the limit of work."""
    batch = [replace(instance, observed=position.observed) for position in level if position.play is None]
    solutions = solve_instances(batch, node_limit=_NODE_LIMIT, is_balanced=is_balanced)
    optima = (solution.optimum for solution in solutions)
    plays = (best.actions if best is not None and best.status == "exact" else None for best in optima)
    return [next(plays) if position.play is None else position.play for position in level]


def _branch(instance: EncodedInstance, weights: "_Weights", position: _Open) -> list[_Open]:
    """Add the state's branches, the likeliest first, and return those that need another test."""
    action = position.decision.action
    assert action is not None
    states: dict[int, list[int]] = defaultdict(list)
    for state, mask in enumerate(instance.masks[action]):
        states[position.left & ~mask].append(state)
    tried = position.tried | 1 << action
    whole = weights.weight(position.left, position.tried)
    branches = []
    for left, members in states.items():
        chance = position.decision.chance * len(members) * weights.weight(left, tried) / whole
        if chance <= 0:
            continue
        decision = Decision(*weights.truths(left, tried), chance, position.decision.depth + 1)
        # The outcome that was observed stands for its equals, so that its play goes on.
        seen = position.observed[action]
        state = seen if seen in members else members[0]
        observed = (*position.observed[:action], state, *position.observed[action + 1 :])
        play = position.play if state == seen else None
        branches.append((tuple(members), _Open(decision, left, tried, observed, play)))

    branches.sort(key=lambda branch: (-branch[1].decision.chance, branch[0]))
    position.decision.branches = [(members, below.decision) for members, below in branches]
    return [below for _, below in branches if not below.decision.sure]


class _Weights:
    """The weights of states of one instance: n_S(L, R) and W(L, R) as `tables` defines them."""

    def __init__(self, instance: EncodedInstance, is_balanced: bool) -> None:
        import numpy as np

        size = 1 << instance.n_truths
        n_valid = instance.valid.bit_count()
        self._sets = np.arange(size)
        self._signs = np.array(
            [-1.0 if (truths.bit_count() - n_valid) % 2 else 1.0 for truths in range(size)]
        )
        self._counts = [
            sum(((self._sets & mask) == 0).astype(np.float64) for mask in masks) for masks in instance.masks
        ]
        self._survivors = [truth_set for truth_set in range(size) if truth_set.bit_count() == n_valid]
        self._kappa = [1.0] * len(self._survivors)
        for index, survivors in enumerate(self._survivors):
            for counts in self._counts:
                number = float(counts[survivors])
                self._kappa[index] *= 1 / number if number else 0.0
        if is_balanced:
            self._kappa = [1 / number if number else 0.0 for number in self._by_set(size - 1, 0)]

    def truths(self, left: int, tried: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The truths left that may survive, and those that survive in any case."""
        numbers = self._by_set(left, tried)
        # Numbers of completions are whole: .5 tells none from one in spite of rounding.
        sets = [truth_set for truth_set, number in zip(self._survivors, numbers, strict=True) if number > 0.5]
        possible = reduce(or_, sets, 0)
        return _bits(possible), _bits(reduce(and_, sets, possible))

    def weight(self, left: int, tried: int) -> float:
        """W(L, R), R being the actions not tried."""
        return sum(
            number * kappa for number, kappa in zip(self._by_set(left, tried), self._kappa, strict=True)
        )

    def _by_set(self, left: int, tried: int) -> list[float]:
        """n_S(L, R) of every set of K truths: 0 for those that are ruled out."""
        import numpy as np

        terms: Floats = np.where((self._sets & ~left) == 0, self._signs, 0.0)
        for action, counts in enumerate(self._counts):
            if not tried >> action & 1:
                terms = terms * counts
        return [float(terms[(self._sets & truth_set) == truth_set].sum()) for truth_set in self._survivors]


def _bits(mask: int) -> tuple[int, ...]:
    return tuple(bit for bit in range(mask.bit_length()) if mask >> bit & 1)
