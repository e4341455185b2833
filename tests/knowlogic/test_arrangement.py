"""Two engines over arrangements agree: bit masks of all of them, and python-sat."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.tasks.knowlogic.arrangement import (
    Constraint,
    Puzzle,
    all_of,
    drop_redundant,
    fewest_statements,
    frame,
    verdict,
)


@st.composite
def constraints(draw: st.DrawFn, size: int, values: int) -> Constraint:
    arity = draw(st.integers(1, min(3, size)))
    variables = draw(st.permutations(range(size)))[:arity]
    tuples = st.tuples(*[st.integers(0, values - 1)] * arity)
    return Constraint(tuple(variables), frozenset(draw(st.sets(tuples, max_size=12))))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_enumeration_and_solver_agree(data: st.DataObject) -> None:
    values = data.draw(st.integers(2, 4))
    size = data.draw(st.integers(1, values))
    statements = data.draw(st.lists(constraints(size, values), max_size=4))
    options = data.draw(st.lists(constraints(size, values), min_size=1, max_size=4))
    puzzle = Puzzle(frame(size, values), statements, options)
    assert puzzle.check() == puzzle.decide()


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_what_is_dropped_follows_from_what_is_kept_and_nothing_kept_does(data: st.DataObject) -> None:
    of = frame(4, 4)
    masks = [of.mask(each) for each in data.draw(st.lists(constraints(4, 4), min_size=1, max_size=6))]
    kept = drop_redundant(of, masks, data.draw(st.permutations(range(len(masks)))))
    goal = all_of(of, masks)
    assert all_of(of, (masks[each] for each in kept)) == goal
    for each in kept:
        assert all_of(of, (masks[other] for other in kept if other != each)) != goal


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_fewest_statements_is_the_smallest_set_that_decides(data: st.DataObject) -> None:
    of = frame(3, 3)
    masks = [of.mask(each) for each in data.draw(st.lists(constraints(3, 3), max_size=4))]
    option = of.mask(data.draw(constraints(3, 3)))
    held = all_of(of, masks)
    if not held or verdict(held, option) is None:
        return
    sizes = [
        bits.bit_count()
        for bits in range(1 << len(masks))
        if verdict(all_of(of, (mask for i, mask in enumerate(masks) if bits >> i & 1)), option) is not None
    ]
    assert fewest_statements(of, masks, option) == min(sizes)
