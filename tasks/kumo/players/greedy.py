"""The greedy player, and its choice, which the reader makes too."""

from collections.abc import Sequence

from perennial.schemas.kumo.things import Step
from perennial.tasks.kumo.players.seat import Seat, answer

StateMasks = Sequence[Sequence[int]]


class GreedyPlayer:
    """Takes the action that rules out most in expectation; one step of look-ahead, exact rules."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._index = {name: i for i, name in enumerate(seat.actions)}

    def reply(self, steps: Sequence[Step]) -> str:
        """Return the greedy move, as an answer between tags."""
        seat = self._seat
        left = (1 << len(seat.truths)) - 1
        untried = set(range(len(seat.actions)))
        for step in steps:
            action = self._index.get(step.move or "")
            if action is not None:
                untried.discard(action)
                if step.state is not None:
                    left &= ~seat.masks[action][step.state]
        chosen = best_action(seat.masks, left, sorted(untried), seat.n_valid)
        return answer(seat.actions[chosen] if chosen is not None else seat.truths[first_left(left)])


def best_action(masks: StateMasks, left: int, untried: Sequence[int], n_valid: int = 1) -> int | None:
    """Return the untried action that rules out most of the truths left in expectation, or None.

    State s has weight W(s), the number of truths left that it does not rule out, and the expectation is
    sum(W(s) * ruled_out(s)) / sum(W(s)); the earliest action wins a tie. None: name a truth, because at
    most `n_valid` are left, or because no untried action can rule out any that is left.
    """
    n_left = left.bit_count()
    if n_left <= n_valid:
        return None
    best: int | None = None
    best_sum, best_weight = -1, 1
    for action in untried:
        ruled_out = [(mask & left).bit_count() for mask in masks[action]]
        if not any(ruled_out):
            continue
        weight = sum(n_left - n for n in ruled_out) or 1
        expected = sum((n_left - n) * n for n in ruled_out)
        # expected / weight compared as fractions: sums of floats would break ties by rounding.
        if expected * best_weight > best_sum * weight:
            best, best_sum, best_weight = action, expected, weight
    return best


def first_left(left: int) -> int:
    """Return the index of the first truth left; 0 where none is, so that a move always exists."""
    return (left & -left).bit_length() - 1 if left else 0
