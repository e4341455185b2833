"""Synthetic worlds: a function of seed and index, sound by every rule, and each unlike the others."""

from itertools import combinations
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.prompts.kumo.world_kinds import world_kinds
from perennial.schemas.disclosure import SEED_LIMIT
from perennial.schemas.kumo.things import SeedConfig, Setting
from perennial.tasks.kumo.encoding import encode_config, encode_instance
from perennial.tasks.kumo.optimum import NODE_LIMIT
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.search.solve import WORK_LIMIT, solve_instances
from perennial.tasks.kumo.space import repeat_probability, space_size
from perennial.tasks.kumo.validation import validate_config
from perennial.tasks.kumo.worlds import draw_world, is_fit

seeds = st.integers(0, SEED_LIMIT - 1)
SAME_LETTERS = 4  # at its beginning
some = settings(max_examples=25, deadline=None)


def edits(one: str, other: str) -> int:
    """Return Levenshtein's distance, by its recurrence."""
    row = list(range(len(other) + 1))
    for letter in one:
        above, row = row, [row[0] + 1]
        for place, against in enumerate(other):
            row.append(min(above[place + 1] + 1, row[place] + 1, above[place] + (letter != against)))
    return row[-1]


@pytest.mark.slow
@some
@given(seeds, st.integers(0, 10**6))
def test_a_world_keeps_every_rule_of_a_domain(seed: int, index: int) -> None:
    world = draw_world(seed, index)
    config = world.config
    assert validate_config(config) == []
    assert 52 <= len(config.truths) <= 64
    assert 32 <= len(config.actions) <= 40
    assert {outcome.kind for outcome in config.outcomes} == {"str", "float"}
    assert (config.category, world.kind in world_kinds()) == ("Synthetic", True)
    for state in (state for outcome in config.outcomes for state in outcome.states):
        # None decides much, and none gives one truth away.
        assert 0.1 <= len(state.rules_out) / len(config.truths) <= 0.65


@pytest.mark.slow
@some
@given(seeds, st.integers(0, 10**6))
def test_the_names_of_a_world_are_not_confused(seed: int, index: int) -> None:
    truths = [truth.lower() for truth in draw_world(seed, index).config.truths]
    assert all(map(is_fit, truths))
    for one, other in combinations(truths, 2):
        assert one[:SAME_LETTERS] != other[:SAME_LETTERS]
    assert min(edits(truths[0], other) for other in truths[1:]) >= 4


@some
@given(seeds, st.integers(0, 10**6))
def test_notes_say_nothing_of_truths_or_outcomes(seed: int, index: int) -> None:
    config = draw_world(seed, index).config
    labels = {state.label for outcome in config.outcomes for state in outcome.states if state.label}
    assert len(set(config.truth_notes.values())) == len(config.truths) == len(config.truth_notes)
    for note in config.truth_notes.values():
        words = f" {note.lower().rstrip('.').replace(',', '')} "
        assert not any(truth in note for truth in config.truths)
        assert not any(f" {label} " in words for label in labels)
        assert "{" not in note + config.goal + config.book_title


@pytest.mark.slow
def test_a_world_is_a_function_of_seed_and_index() -> None:
    assert draw_world(2**200, 7) == draw_world(2**200, 7)
    drawn = [draw_world(seed, index).config for seed in (0, 1, 2**200) for index in range(10)]
    assert len({config.config_id for config in drawn}) == len({config.name for config in drawn}) == 30
    truths = [truth for config in drawn for truth in config.truths]
    assert len(truths) - len(set(truths)) <= 1


@pytest.mark.slow
def test_kinds_take_turns_and_do_not_read_alike() -> None:
    kinds = world_kinds()
    assert len(kinds) >= 8
    assert {draw_world(5, index).kind for index in range(len(kinds))} == set(kinds)
    orders = {tuple(draw_world(seed, index).kind for index in range(3)) for seed in range(8)}
    assert len(orders) > 1
    for one, other in combinations(kinds.values(), 2):
        assert not set(one.notes) & set(other.notes)
        assert not set(one.endings) & set(other.endings)
        assert not set(list_tests(one.name)) & set(list_tests(other.name))


def list_tests(kind: str) -> list[str]:
    tests = (*world_kinds()[kind].labels, *world_kinds()[kind].numbers)
    return [test.name.format(part=part) for test in tests for part in world_kinds()[kind].parts]


@pytest.mark.parametrize("index", range(4))
@pytest.mark.slow
def test_hard_instances_need_two_to_six_tests(index: int) -> None:
    config = draw_world(15, index).config
    steps = promise_steps(config, 3)
    assert all(2 <= step <= 6 for step in steps)


def promise_steps(config: SeedConfig, number: int) -> list[float]:
    encoded = encode_config(config)
    drawn = sample_instances(encoded, SamplingRequest(Setting.parse("hard"), number, 0, 1.0, True))
    boards = [encode_instance(encoded, instance) for instance in drawn.instances]
    solved = solve_instances(boards, time_limit=inf, work_limit=WORK_LIMIT, threads=1, node_limit=NODE_LIMIT)
    assert len(solved) == number
    return [one.optimum.steps for one in solved if one.optimum is not None]


def test_a_world_has_room_for_an_edition() -> None:
    space = space_size(encode_config(draw_world(3, 0).config), Setting.parse("easy"), 1.0, True)
    assert repeat_probability(space.least, 0, 10_000) < 1e-6


@pytest.mark.parametrize("name", ["london", "xcanalo", "brrra", "aeiouna", "lalalala", "kelvinora", "a" * 13])
def test_names_that_cannot_be_spoken_or_mean_something_are_refused(name: str) -> None:
    assert not is_fit(name)
    assert is_fit("thostoidone")
