"""Several valid truths: the optimum, Algorithm 3 and the programs against enumeration and plain Python."""

import random

import pytest
from hypothesis import given, settings

from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import AS_PUBLISHED, Setting
from perennial.tasks.kumo.books import write_book
from perennial.tasks.kumo.encoding import EncodedInstance, encode_config
from perennial.tasks.kumo.game import Board, KumoGame
from perennial.tasks.kumo.optimum import NODE_LIMIT
from perennial.tasks.kumo.players import PLAYERS
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.search.solve import solve_instances
from perennial.tasks.kumo.worlds import draw_world
from tests.kumo.small_worlds import world_of
from tests.kumo.test_optimum import quick, several_valid
from tests.kumo.test_search import assert_as_algorithm_3


@pytest.mark.slow
@given(several_valid((1, 6)))
@settings(quick, max_examples=100)
def test_algorithm_3_stops_where_no_more_truths_are_left_than_are_valid(instance: EncodedInstance) -> None:
    solution = solve_instances([instance])[0]
    assert_as_algorithm_3(instance, solution)
    assert solution.golden_answer is not None
    assert instance.valid >> solution.golden_answer & 1


@pytest.mark.slow
def test_at_6x10v2_programs_stop_at_what_the_promise_allows() -> None:
    """The reference once took 9 or 10 of 10 actions, and greedy and reader all."""
    encoded = encode_config(draw_world(3, 0).config)
    request = SamplingRequest(Setting.parse("6x10v2"), 30, 0, require_test=True, sampler=AS_PUBLISHED)
    tests: dict[str, list[int]] = {name: [] for name in ("optimum", "algorithm-3", "greedy", "reader")}
    for number, instance in enumerate(sample_instances(encoded, request).instances):
        world = world_of(encoded.config, instance)
        book = write_book(world.config, instance, world.rules, random.Random(number))
        (solution,) = solve_instances([world.encoded], node_limit=NODE_LIMIT)
        assert solution.optimum is not None
        assert solution.optimum.status == "exact"
        board = Board(world.config, instance, world.encoded, book, world.rules, solution)
        for name in tests:
            game = KumoGame(board)
            move = PLAYERS[name].start(game, derive_rng(0, "play", number))
            while game.status is None:
                game.take(move())
            assert game.status == "solved", name
            tests[name].append(game.tests)
    means = {name: sum(counts) / len(counts) for name, counts in tests.items()}
    assert 1 <= means["optimum"] <= means["algorithm-3"] + 0.3 < 6, means
    assert max(means.values()) < 8, means
