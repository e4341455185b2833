"""The optimum's decision tree: its mean depth is the optimum of the enumeration, and its cuts are said."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.tasks.kumo.encoding import EncodedInstance
from perennial.tasks.kumo.optimum.decision_tree import decision_tree
from tests.kumo.plain_optimum import PlainOptimum
from tests.kumo.test_optimum import instances, optimum_of, quick, several_valid, small_enough

EVERYTHING = 10_000


@pytest.mark.slow
@given(instances((2, 5), (1, 5)).filter(small_enough))
@settings(quick, max_examples=40)
def test_the_mean_depth_is_the_optimum(instance: EncodedInstance) -> None:
    root = decision_tree(instance, EVERYTHING)
    assert root is not None
    ends = [state for state in root.walk() if state.action is None]
    assert sum(state.chance for state in ends) == pytest.approx(1)
    assert not any(state.is_cut_off for state in ends)
    assert all(len(state.possible) == 1 for state in ends)
    mean = sum(state.chance * state.depth for state in ends)
    assert mean == pytest.approx(PlainOptimum(instance).steps(), abs=1e-9)
    # On the instance's own observations the tree is the optimum's play.
    optimum = optimum_of(instance)
    assert optimum is not None
    state, actions = root, []
    while state.action is not None:
        actions.append(state.action)
        seen = instance.observed[state.action]
        state = next(below for states, below in state.branches if seen in states)
    assert tuple(actions) == optimum.actions
    assert state.possible == (optimum.answer,)


@given(instances((3, 5), (3, 5)).filter(small_enough))
@settings(quick, max_examples=20)
def test_what_is_cut_off_is_marked(instance: EncodedInstance) -> None:
    root = decision_tree(instance, 1)
    assert root is not None
    states = root.walk()
    assert sum(state.action is not None for state in states) <= 1
    assert all(state.is_cut_off == (len(state.possible) > 1 and state.action is None) for state in states)
    assert sum(state.chance for state in states if state.action is None) == pytest.approx(1)


@given(several_valid((1, 4)).filter(small_enough), st.booleans())
@settings(quick, max_examples=40)
def test_with_several_valid_truths_it_ends_where_one_is_sure(
    instance: EncodedInstance, is_balanced: bool
) -> None:
    root, plain = decision_tree(instance, EVERYTHING, is_balanced), PlainOptimum(instance, is_balanced)
    assert root is not None
    ends = [state for state in root.walk() if state.action is None]
    assert all(state.sure and not state.is_cut_off for state in ends)
    assert sum(state.chance for state in ends) == pytest.approx(1)
    mean = sum(state.chance * state.depth for state in ends)
    assert mean == pytest.approx(plain.steps(), abs=1e-9)
    assert set(root.possible) == plain.possible(frozenset())


def test_an_instance_that_is_too_large_has_no_tree() -> None:
    assert decision_tree(EncodedInstance(13, ((1, 0), (2, 0)), (0, 1), valid=1), EVERYTHING) is None
