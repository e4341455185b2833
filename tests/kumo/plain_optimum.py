"""The promise-aware optimum by its definition: the references that the compiled search is held against.

Every observation vector (one state an action) that leaves exactly K truths is written out with its weight
kappa(S), S being the truths that it leaves: the product over the actions of 1 / (number of its states that
spare S); of balanced instances 1 / (number of vectors that leave S). A policy that has seen some outcomes
knows which vectors still agree, and may stop where a truth is in what each of them leaves; nothing is pruned.
"""

from collections import Counter
from collections.abc import Callable, Collection
from functools import cache, reduce
from itertools import product
from math import prod
from operator import and_

from perennial.tasks.kumo.encoding import EncodedInstance

Seen = frozenset[tuple[int, int]]
Choose = Callable[[Seen], int | None]


class PlainOptimum:
    """Expected tests under the promise, of the best policy and of any other, by enumeration."""

    def __init__(self, instance: EncodedInstance, is_balanced: bool = False) -> None:
        self.instance = instance
        self.actions = range(len(instance.masks))
        vectors = []
        for vector in product(*(range(len(states)) for states in instance.masks)):
            left = frozenset(t for t in range(instance.n_truths) if self._survives(vector, t))
            if len(left) == instance.valid.bit_count():
                vectors.append((frozenset(enumerate(vector)), left, kappa(instance, left)))
        if is_balanced:
            by_set = Counter(left for _, left, _ in vectors)
            vectors = [(vector, left, 1 / by_set[left]) for vector, left, _ in vectors]
        self.vectors = vectors
        self.weight = sum(weight for *_, weight in vectors)
        self.value = cache(self._value)
        self.agreeing = cache(self._agreeing)

    def _survives(self, vector: tuple[int, ...], truth: int) -> bool:
        chosen = zip(self.instance.masks, vector, strict=True)
        return not any(states[state] >> truth & 1 for states, state in chosen)

    def _agreeing(self, seen: Seen) -> list[tuple[Seen, frozenset[int], float]]:
        return [one for one in self.vectors if seen <= one[0]]

    def possible(self, seen: Seen) -> set[int]:
        """Return the truths that may turn out to survive."""
        return {truth for _, left, _ in self.agreeing(seen) for truth in left}

    def sure(self, seen: Seen) -> set[int]:
        """Return the truths that survive whatever else is seen; all where nothing keeps the promise."""
        everything = frozenset(range(self.instance.n_truths))
        return set(everything.intersection(*(left for _, left, _ in self.agreeing(seen))))

    def steps(self) -> float:
        """Return the optimum's expected tests."""
        return self.value(frozenset()) / self.weight

    def _value(self, seen: Seen) -> float:
        """Return weight times expected tests of the best policy that has seen this."""
        if self.sure(seen):
            return 0.0
        tried = {action for action, _ in seen}
        return min(self.action_value(seen, action) for action in self.actions if action not in tried)

    def action_value(self, seen: Seen, action: int) -> float:
        """Return weight times expected tests of taking this action next."""
        states = range(len(self.instance.masks[action]))
        weight = sum(weight for *_, weight in self.agreeing(seen))
        return weight + sum(self.value(seen | {(action, state)}) for state in states)

    def steps_of(self, choose: Choose) -> float:
        """Return the expected tests of a policy: `choose` names the next action, None to stop."""
        total = 0.0
        for vector, _, weight in self.vectors:
            shown = dict(vector)
            seen: Seen = frozenset()
            while (action := choose(seen)) is not None:
                seen |= {(action, shown[action])}
            total += weight * len(seen)
        return total / self.weight


class PlainStates:
    """The same optimum over states (truths left, actions untried), for sizes beyond writing out vectors.

    Completions are counted by the set of truths that they leave.
    """

    def __init__(self, instance: EncodedInstance) -> None:
        self.instance = instance
        self.value = cache(self._value)
        self.weights = cache(self._weights)

    def steps(self) -> float:
        """Return the optimum's expected tests."""
        every = frozenset(range(len(self.instance.masks)))
        start = (1 << self.instance.n_truths) - 1
        return self.value(start, every) / sum(self.weights(start, every).values())

    def _weights(self, left: int, untried: frozenset[int]) -> dict[int, float]:
        """Return by set of K truths, as a mask, its weight."""
        ways = {left: 1}
        for action in untried:
            after: dict[int, int] = {}
            for mask in self.instance.masks[action]:
                for survivors, number in ways.items():
                    after[survivors & ~mask] = after.get(survivors & ~mask, 0) + number
            ways = after
        n_valid = self.instance.valid.bit_count()
        return {
            survivors: number
            * kappa(self.instance, [t for t in range(self.instance.n_truths) if survivors >> t & 1])
            for survivors, number in ways.items()
            if survivors.bit_count() == n_valid
        }

    def _value(self, left: int, untried: frozenset[int]) -> float:
        weights = self.weights(left, untried)
        if reduce(and_, weights, (1 << self.instance.n_truths) - 1):
            return 0.0
        return sum(weights.values()) + min(
            sum(self.value(left & ~mask, untried - {action}) for mask in self.instance.masks[action])
            for action in untried
        )


def kappa(instance: EncodedInstance, survivors: Collection[int]) -> float:
    """Return the product over the actions of 1 / (number of states that spare all these truths)."""
    spared = prod(
        sum(not any(mask >> truth & 1 for truth in survivors) for mask in states) for states in instance.masks
    )
    return 1 / spared if spared else 0.0
