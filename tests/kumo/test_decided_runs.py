"""Which outcomes decide an answer: by search, by the solver, and what a run that ends before them counts."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pytest

from perennial.schemas.kumo.things import AS_PUBLISHED, SAMPLERS, Setting
from perennial.tasks.kumo.encoding import EncodedInstance, encode_config, encode_instance
from perennial.tasks.kumo.game import is_decided
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.sampling.solver import can_differ
from perennial.tasks.kumo.worlds import draw_world

WORLD = encode_config(draw_world(3, 0).config)


def boards(setting: str, count: int, sampler: str) -> list[EncodedInstance]:
    request = SamplingRequest(Setting.parse(setting), count, 0, sampler=sampler)
    return [encode_instance(WORLD, one) for one in sample_instances(WORLD, request).instances]


def after(board: EncodedInstance, tried: Sequence[int]) -> EncodedInstance:
    """Return the instance of whoever has seen the outcomes of these actions: they have one state each."""
    masks = tuple(
        (states[board.observed[action]],) if action in tried else states
        for action, states in enumerate(board.masks)
    )
    return replace(board, masks=masks)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_search_and_solver_agree_on_what_outcomes_decide(sampler: str) -> None:
    found = set()
    for board, seed in product([*boards("easy", 15, sampler), *boards("hard", 5, sampler)], range(6)):
        rng = random.Random(seed)
        tried = rng.sample(range(len(board.masks)), rng.randrange(len(board.masks) + 1))
        assert is_decided(board, tried) == (not can_differ(after(board, tried)))
        found.add(is_decided(board, tried))
    assert found == {True, False}


def test_all_actions_decide_and_no_action_takes_a_decision_back() -> None:
    for board in boards("easy", 20, "balanced"):
        order = random.Random(1).sample(range(6), 6)
        steps = [is_decided(board, order[:number]) for number in range(7)]
        assert steps == sorted(steps, key=bool)
        assert (steps[0], steps[-1]) == (False, True)


@pytest.mark.parametrize("setting", ["5x7v2", "6x8v3"])
def test_they_agree_with_several_valid_truths(setting: str) -> None:
    found = []
    for board, seed in product(boards(setting, 12, AS_PUBLISHED), range(5)):
        rng = random.Random(seed)
        tried = rng.sample(range(len(board.masks)), rng.randrange(len(board.masks) + 1))
        found.append(is_decided(board, tried))
        assert found[-1] == (not can_differ(after(board, tried)))
    assert set(found) == {True, False}


def test_nothing_is_said_of_too_many_sets_of_truths() -> None:
    assert is_decided(EncodedInstance(20, ((1, 2),), (0,), 0b11111), ()) is None
