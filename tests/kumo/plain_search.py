"""Algorithm 3 of the KUMO paper, line by line: the reference that the fast search is held against.

Truths and actions are sets of indices; nothing is pruned but what the paper's own line 22 breaks off.
"""

from perennial.tasks.kumo.encoding import EncodedInstance

EPSILON = 1e-9
Space = frozenset[int]


class PlainSearch:
    """OptimalSearch(T, A) of one instance, with its BestActionDict."""

    def __init__(self, instance: EncodedInstance) -> None:
        self.instance = instance
        self.all_truths = frozenset(range(instance.n_truths))
        self.all_actions = frozenset(range(len(instance.masks)))
        self.outcomes = [[_truths_of(mask) for mask in states] for states in instance.masks]
        self.related = [frozenset().union(*states) for states in self.outcomes]
        self.best: dict[tuple[Space, Space], float] = {}

    def expected_steps(self, truths: Space, actions: Space) -> float:
        """Return the minimum expected steps E[S] (lines 1-11 and 26-27)."""
        if self.is_base_case(truths, actions):
            return 0.0
        if (truths, actions) in self.best:
            return self.best[truths, actions]
        minimum = float("inf")
        for action in sorted(actions):
            minimum = min(minimum, self._action_steps(truths, actions, action, minimum))
        self.best[truths, actions] = 1 + minimum
        return 1 + minimum

    def is_base_case(self, truths: Space, actions: Space) -> bool:
        """Whether the recursion ends here (lines 1-5)."""
        if len(truths) <= self.instance.valid.bit_count() or not actions:
            return True
        return any(all(truth not in self.related[action] for action in actions) for truth in truths)

    def _action_steps(self, truths: Space, actions: Space, action: int, minimum: float) -> float:
        """Return E[S]_a without the step itself, broken off where it reaches the minimum (lines 11-23)."""
        successors = [truths - ruled_out for ruled_out in self.outcomes[action]]
        normaliser = sum(len(left) for left in successors) + EPSILON
        total = 0.0
        for left in successors:
            total += len(left) / normaliser * self.expected_steps(left, actions - {action})
            if total >= minimum:
                break
        return total

    def action_steps(self, truths: Space, actions: Space, action: int) -> float:
        """Return the expected steps of taking this action first."""
        return 1 + self._action_steps(truths, actions, action, float("inf"))

    def observe(self, truths: Space, action: int) -> Space:
        """Return the truths left after the action's observation."""
        return truths - _truths_of(self.instance.observed_mask(action))

    def base_case_answer(self, truths: Space, actions: Space) -> int | None:
        """Return the truth that the policy names in a base case."""
        unrelated = (t for t in sorted(truths) if all(t not in self.related[action] for action in actions))
        return next(unrelated, min(truths, default=None))


def _truths_of(mask: int) -> Space:
    return frozenset(i for i in range(mask.bit_length()) if mask >> i & 1)
