"""Many tests at once: p-values corrected so that the chance of any false finding stays bounded."""

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return Holm's adjusted p-values, in the order given.

    With m values sorted upwards, the i-th (from 0) becomes the largest of min(1, (m - j) p_j) over j <= i;
    equal values stay equal. Rejecting those at or below alpha bounds the chance of any false rejection by
    alpha, whatever the dependence of the tests. Source: Holm 1979, A Simple Sequentially Rejective Multiple
    Test Procedure. None, a test that was not defined, stays None and does not count in m.
    """
    known = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, i) in enumerate(known):
        largest = max(largest, min(1.0, (len(known) - rank) * p))
        adjusted[i] = largest
    return adjusted
