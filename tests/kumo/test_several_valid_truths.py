"""Several valid truths: the optimum, Algorithm 3 and the programs against enumeration and plain Python."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import AS_PUBLISHED, Setting
from perennial.tasks.kumo.books import write_book
from perennial.tasks.kumo.encoding import EncodedInstance, encode_config
from perennial.tasks.kumo.game import Board, KumoGame, is_decided
from perennial.tasks.kumo.players import PLAYERS
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.search import NODE_LIMIT, Optimum, solve_instances
from perennial.tasks.kumo.survivors import can_differ
from perennial.tasks.kumo.worlds import draw_world
from tests.kumo.plain_optimum import PlainOptimum, PlainSets, Seen
from tests.kumo.small_worlds import world_of
from tests.kumo.test_optimum import choose_as_algorithm_3, quick, small_enough
from tests.kumo.test_search import TIE, assert_as_algorithm_3, synthetic


def keeping(
    n_truths: int, n_valid: int, n_actions: int, density: float, seed: int, repeated: float
) -> EncodedInstance:
    """An instance that keeps the promise: the first `n_valid` truths survive, every other is ruled out."""
    rng = random.Random(seed)
    valid = (1 << n_valid) - 1
    drawn = synthetic(n_truths, n_actions, density, seed, repeated)
    masks = [[*states, 0] if all(mask & valid for mask in states) else list(states) for states in drawn.masks]
    observed = [rng.choice([s for s, m in enumerate(states) if not m & valid]) for states in masks]
    for truth in range(n_valid, n_truths):
        if not any(states[s] >> truth & 1 for states, s in zip(masks, observed, strict=True)):
            action = rng.randrange(n_actions)
            masks[action][observed[action]] |= 1 << truth
    return EncodedInstance(n_truths, tuple(map(tuple, masks)), tuple(observed), valid=valid)


@st.composite
def instances(
    draw: st.DrawFn, n_valid: tuple[int, int] = (2, 3), n_actions: tuple[int, int] = (1, 5)
) -> EncodedInstance:
    valid = draw(st.integers(*n_valid))
    return keeping(
        valid + draw(st.integers(1, 3)),
        valid,
        draw(st.integers(*n_actions)),
        draw(st.sampled_from([0.15, 0.25, 0.35, 0.5])),
        draw(st.integers(0, 2**32)),
        draw(st.sampled_from([0.0, 0.0, 0.3, 0.7])),
    )


def optimum_of(instance: EncodedInstance, is_balanced: bool = False) -> Optimum:
    found = solve_instances([instance], node_limit=NODE_LIMIT, is_balanced=is_balanced)[0].optimum
    assert found is not None
    assert found.status == "exact"
    return found


@pytest.mark.slow
@given(instances().filter(small_enough), st.booleans())
@settings(quick, max_examples=150)
def test_no_policy_needs_fewer_tests(instance: EncodedInstance, is_balanced: bool) -> None:
    plain, found = PlainOptimum(instance, is_balanced), optimum_of(instance, is_balanced)
    assert found.steps == found.least_steps == pytest.approx(plain.steps(), abs=1e-12)


@pytest.mark.slow
@given(instances().filter(small_enough))
@settings(quick, max_examples=60)
def test_the_play_takes_the_first_of_the_best_actions_and_names_what_is_sure(
    instance: EncodedInstance,
) -> None:
    plain, found = PlainOptimum(instance), optimum_of(instance)
    seen: Seen = frozenset()
    for action in found.actions:
        assert not plain.sure(seen)
        weight = sum(weight for *_, weight in plain.agreeing(seen))
        tried = {earlier for earlier, _ in seen}
        tie = plain.value(seen) + TIE * weight
        best = [a for a in plain.actions if a not in tried and plain.action_value(seen, a) <= tie]
        assert action == best[0]
        seen |= {(action, instance.observed[action])}
    assert found.answer == min(plain.sure(seen))
    assert instance.valid >> found.answer & 1


@pytest.mark.slow
@given(instances(n_actions=(1, 6)))
@settings(quick, max_examples=100)
def test_algorithm_3_stops_where_no_more_truths_are_left_than_are_valid(instance: EncodedInstance) -> None:
    solution = solve_instances([instance])[0]
    assert_as_algorithm_3(instance, solution)
    assert solution.golden_answer is not None
    assert instance.valid >> solution.golden_answer & 1


@pytest.mark.slow
@given(instances(n_actions=(1, 4)).filter(small_enough))
@settings(quick, max_examples=40)
def test_the_policy_of_algorithm_3_is_weighed_by_the_same_prior(instance: EncodedInstance) -> None:
    found = optimum_of(instance)
    chosen: dict[Seen, int | None] = {}

    def choose(seen: Seen) -> int | None:
        if seen not in chosen:
            chosen[seen] = choose_as_algorithm_3(instance, seen)
        return chosen[seen]

    assert found.policy_steps == pytest.approx(PlainOptimum(instance).steps_of(choose), abs=1e-12)
    assert found.steps <= found.policy_steps + 1e-12


@pytest.mark.slow
@given(instances().filter(small_enough))
@settings(quick, max_examples=60)
def test_search_solver_and_enumeration_agree_on_whether_a_test_is_needed(instance: EncodedInstance) -> None:
    plain = PlainOptimum(instance)
    needed = not plain.sure(frozenset())
    assert can_differ(instance) == needed == (not is_decided(instance, ()))
    assert (optimum_of(instance).steps > 0) == needed


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_valid", [2, 3])
def test_larger_instances_agree_with_an_unpruned_search(n_valid: int, seed: int) -> None:
    instance = keeping(7, n_valid, 7, 0.25, seed, 0.4)
    assert optimum_of(instance).steps == pytest.approx(PlainSets(instance).steps(), abs=1e-12)


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
