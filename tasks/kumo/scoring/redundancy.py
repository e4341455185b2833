"""Which actions of a domain say the same: equal and nested partitions, mutual information of outcomes."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from perennial.tasks.kumo.encoding import EncodedConfig
from perennial.tasks.kumo.scoring.check import Check, judge

_Matrix = np.ndarray[Any, np.dtype[np.float64]]
_NAMED = 3
_LEAST_BOTH = 0.5  # of the truths


def check_redundancy(encoded: EncodedConfig) -> list[Check]:
    """Return how much the actions repeat each other.

    - The partition of an action puts two truths together that the same states rule out. Two actions are
      `equal_or_nested` where, among the truths that both of them can rule out (half at least), every part of
      one lies within a part of the other, which has two parts at least.
    - `most_shared_information`: I(X; Y) / min(H(X), H(Y)), the largest over all pairs, of the outcomes X and
      Y of two actions: the truth is uniform, and each outcome uniform over the states that leave it possible,
      independently: P(x, y) = mean over truths of P(x | truth) P(y | truth).
    """
    masks = encoded.masks
    parts = [_partition(states, len(encoded.truths)) for states in masks]
    pairs = list(combinations(range(len(masks)), 2))
    nested = [pair for pair in pairs if _are_nested(*(parts[action] for action in pair))]
    outcomes = [_outcome_given_truth(states, len(encoded.truths)) for states in masks]
    shared = [(_shared_information(outcomes[one], outcomes[other]), one, other) for one, other in pairs]
    most, one, other = max(shared, default=(0.0, 0, 0))
    strong = sum(value >= 0.3 for value, _, _ in shared)
    return [
        Check(
            "equal_or_nested",
            len(nested),
            f"of {len(pairs):,} pairs of actions group the truths equally, or one more finely than the other"
            + _name_pairs(encoded, nested),
            judge(len(nested) / max(1, len(pairs)), 0.01, 0.1),
            "remove one of the two, or give it states that other truths differ in",
        ),
        Check(
            "most_shared_information",
            most,
            "of what one action says is said by another, at most"
            + (_name_pairs(encoded, [(one, other)]) if shared else "")
            + f"; from 0.3 on: {strong} pairs",
            judge(most, 0.5, 0.85),
            "replace one of the two by an action that tests something else",
        ),
    ]


def _partition(states: Sequence[int], n_truths: int) -> tuple[tuple[bool, ...], ...]:
    """Return for each truth which of the states rule it out: equal for truths that are put together."""
    return tuple(tuple(bool(mask >> truth & 1) for mask in states) for truth in range(n_truths))


def _are_nested(one: Sequence[tuple[bool, ...]], other: Sequence[tuple[bool, ...]]) -> bool:
    """Whether one of the two partitions refines the other, over the truths that both can rule out."""
    both = [(first, second) for first, second in zip(one, other, strict=True) if any(first) and any(second)]
    sizes = [len(set(parts)) for parts in zip(*both, strict=True)]
    return len(both) >= _LEAST_BOTH * len(one) and min(sizes) > 1 and len(set(both)) == max(sizes)


def _outcome_given_truth(states: Sequence[int], n_truths: int) -> _Matrix:
    """Return P(state | truth), a row per truth."""
    left = np.array(
        [[not mask >> truth & 1 for mask in states] for truth in range(n_truths)], np.float64
    ).reshape(n_truths, len(states))
    shares: _Matrix = left / np.maximum(left.sum(axis=1, keepdims=True), 1.0)
    return shares


def _shared_information(one: _Matrix, other: _Matrix) -> float:
    joint = one.T @ other / len(one)
    first, second = joint.sum(axis=1), joint.sum(axis=0)
    least = min(_entropy(first), _entropy(second))
    shared = _entropy(first) + _entropy(second) - _entropy(joint.ravel())
    return max(0.0, float(shared / least)) if least > 0 else 0.0


def _entropy(shares: _Matrix) -> float:
    positive = shares[shares > 0]
    return float(-(positive * np.log2(positive)).sum())


def _name_pairs(encoded: EncodedConfig, pairs: Sequence[tuple[int, int]]) -> str:
    named = [f"{encoded.actions[one]!r} and {encoded.actions[other]!r}" for one, other in pairs[:_NAMED]]
    return ": " + "; ".join(named) if named else ""
