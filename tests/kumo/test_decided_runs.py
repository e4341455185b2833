"""Which outcomes decide an answer: those after which an enumeration finds a truth that is sure."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.schemas.kumo.things import Setting
from perennial.tasks.kumo.encoding import EncodedInstance, encode_config, encode_instance
from perennial.tasks.kumo.game import is_decided
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.worlds import draw_world
from tests.kumo.plain_optimum import PlainOptimum
from tests.kumo.test_optimum import instances, quick, several_valid, small_enough


@given((instances((2, 5), (1, 5)) | several_valid()).filter(small_enough), st.randoms())
@settings(quick, max_examples=60)
def test_outcomes_decide_where_an_enumeration_finds_a_sure_truth(
    instance: EncodedInstance, rng: random.Random
) -> None:
    plain, actions = PlainOptimum(instance), range(len(instance.masks))
    for number in range(len(actions) + 1):
        tried = rng.sample(actions, number)
        seen = frozenset((action, instance.observed[action]) for action in tried)
        assert is_decided(instance, tried) == bool(plain.sure(seen))


def test_all_actions_decide_and_no_action_takes_a_decision_back() -> None:
    world = encode_config(draw_world(3, 0).config)
    request = SamplingRequest(Setting.parse("easy"), 20, 0, sampler="balanced")
    for instance in sample_instances(world, request).instances:
        board, order = encode_instance(world, instance), random.Random(1).sample(range(6), 6)
        steps = [is_decided(board, order[:number]) for number in range(7)]
        assert steps == sorted(steps)
        assert (steps[0], steps[-1]) == (False, True)


def test_an_action_that_shows_nothing_of_its_states_rules_nothing_out() -> None:
    board = EncodedInstance(2, ((0b01, 0b10), (0b10, 0b01)), (-1, 1), valid=0b10)
    assert [is_decided(board, tried) for tried in ([0], [1], [0, 1])] == [False, True, True]
