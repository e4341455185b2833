"""The promise-aware optimum by its definition: the reference that the compiled search is held against.

Every observation vector (one state an action) that leaves exactly one truth is written out with its weight:
kappa(t), the product over the actions of 1 / (number of its states that spare the truth t it leaves). A policy
that has seen some outcomes knows which vectors still agree with them; nothing is pruned, nothing merged.
"""

from functools import cache
from itertools import product
from math import prod

from tasks.kumo.encoding import EncodedInstance

Seen = frozenset[tuple[int, int]]


class PlainOptimum:
    """Expected tests under the promise, of the best policy and of any other, by enumeration."""

    def __init__(self, instance: EncodedInstance) -> None:
        self.instance = instance
        self.vectors: list[tuple[tuple[int, ...], int, float]] = []
        for vector in product(*(range(len(states)) for states in instance.masks)):
            spared = [t for t in range(instance.n_truths) if self._survives(vector, t)]
            if len(spared) == 1:
                self.vectors.append((vector, spared[0], self._kappa(spared[0])))
        self.weight = sum(weight for _, _, weight in self.vectors)
        self.value = cache(self._value)

    def _survives(self, vector: tuple[int, ...], truth: int) -> bool:
        chosen = zip(self.instance.masks, vector, strict=True)
        return not any(states[state] >> truth & 1 for states, state in chosen)

    def _kappa(self, truth: int) -> float:
        spare = (sum(not mask >> truth & 1 for mask in states) for states in self.instance.masks)
        return 1 / prod(spare)

    def agreeing(self, seen: Seen) -> list[tuple[tuple[int, ...], int, float]]:
        """Return the vectors that agree with the (action, state) pairs seen."""
        return [one for one in self.vectors if all(one[0][action] == state for action, state in seen)]

    def steps(self) -> float:
        """Return the optimum's expected tests."""
        return self.value(frozenset()) / self.weight

    def _value(self, seen: Seen) -> float:
        """Return weight times expected tests of the best policy that has seen this."""
        agreeing = self.agreeing(seen)
        if len({truth for _, truth, _ in agreeing}) < 2:
            return 0.0
        return sum(weight for *_, weight in agreeing) + min(
            self.action_value(seen, action)
            for action in range(len(self.instance.masks))
            if all(action != tried for tried, _ in seen)
        )

    def action_value(self, seen: Seen, action: int) -> float:
        """Return what is left after the action, without the test itself."""
        states = range(len(self.instance.masks[action]))
        return sum(self.value(seen | {(action, state)}) for state in states)
