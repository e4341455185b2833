"""Holm's correction: a worked example, its undefined cases, and what it promises."""

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.tasks.statistics.multiplicity import holm

_P_VALUES = st.lists(st.none() | st.floats(0, 1), max_size=15)


def test_a_worked_example() -> None:
    # 0.005 * 4, 0.01 * 3, 0.03 * 2, and 0.04 raised to its predecessor's 0.06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_a_test_without_a_p_value_does_not_count() -> None:
    adjusted = holm([None, 0.02, None, 0.03])
    assert adjusted[0] is adjusted[2] is None
    assert [adjusted[1], adjusted[3]] == pytest.approx([0.04, 0.04])
    assert holm([None]) == [None]
    assert holm([]) == []
    assert holm([0.2]) == [0.2]


@given(_P_VALUES)
def test_it_never_lowers_and_keeps_the_order(p_values: list[float | None]) -> None:
    adjusted = holm(p_values)
    assert [p is None for p in adjusted] == [p is None for p in p_values]
    known = sorted((p, q) for p, q in zip(p_values, adjusted, strict=True) if p is not None and q is not None)
    assert all(p <= q <= 1 for p, q in known)
    assert all(first[1] <= second[1] for first, second in pairwise(known))
    assert all(q <= min(1.0, len(known) * p) for p, q in known)


@given(_P_VALUES, st.randoms(use_true_random=False))
def test_the_order_given_does_not_matter(p_values: list[float | None], rng: random.Random) -> None:
    order = rng.sample(range(len(p_values)), len(p_values))
    adjusted = holm(p_values)
    assert holm([p_values[i] for i in order]) == [adjusted[i] for i in order]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0.001, 0.2))
def test_it_rejects_what_the_stepwise_procedure_rejects(p_values: list[float], alpha: float) -> None:
    rejected, m = set(), len(p_values)
    for rank, i in enumerate(np.argsort(p_values, kind="stable")):
        if (m - rank) * p_values[i] > alpha:
            break
        rejected.add(int(i))
    assert {i for i, p in enumerate(holm(p_values)) if p <= alpha} == rejected
