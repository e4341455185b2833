"""The balanced sampler: each listed truth could be the only survivor, and is valid equally often."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import combinations, product
from operator import or_
from random import Random

import numpy as np
import pytest
from scipy.stats import chisquare

from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.schemas.errors import InstancesExhausted, InvalidOption
from perennial.schemas.kumo.things import AS_PUBLISHED, BALANCED, Instance, Setting
from perennial.tasks.kumo.encoding import EncodedConfig, EncodedInstance, encode_config, encode_instance
from perennial.tasks.kumo.game import is_decided
from perennial.tasks.kumo.sampling.balanced import lists
from perennial.tasks.kumo.sampling.balanced.boards import (
    are_balanced,
    complete_boards,
    count_choices,
    draw_boards,
    list_boards,
)
from perennial.tasks.kumo.sampling.balanced.solver import BoardFormula
from perennial.tasks.kumo.sampling.request import SamplingRequest, check_request
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.sampling.solver import can_differ
from perennial.tasks.kumo.sampling.tables import SamplingTables
from perennial.tasks.kumo.space import count_boards
from perennial.tasks.kumo.worlds import draw_world
from tests.kumo.test_sampling import tiny

WORLD = encode_config(draw_world(3, 0).config)
SMALL = tiny(
    (("t0", "t1"), ("t2",), ("t3",)),
    (("t1", "t2"), ("t0", "t3"), ()),
    (("t0", "t4"), ("t1", "t3")),
    (("t2", "t4"), ("t0",), ("t3", "t1")),
    n_truths=5,
)


def balanced(setting: str, count: int, seed: int = 0) -> SamplingRequest:
    """Return a request as a refresh makes it."""
    return SamplingRequest(Setting.parse(setting), count, seed, require_test=True, sampler=BALANCED)


def list_choices(masks: Sequence[Sequence[int]], n_truths: int, truth: int) -> list[tuple[int, ...]]:
    """Return every choice of one state an action that leaves this truth alone: written to be read."""
    everything = (1 << n_truths) - 1
    return [
        states
        for states in product(*(range(len(of_action)) for of_action in masks))
        if everything & ~reduce(or_, (masks[a][s] for a, s in enumerate(states)), 0) == 1 << truth
    ]


def plain_boards(encoded: EncodedConfig, setting: Setting) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return every balanced list of truths and actions: written to be read."""
    found: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
    for truths in combinations(range(len(encoded.truths)), setting.n_truths):
        for actions in combinations(range(len(encoded.actions)), setting.n_actions):
            masks = [
                [sum((mask >> t & 1) << i for i, t in enumerate(truths)) for mask in encoded.masks[a]]
                for a in actions
            ]
            if all(list_choices(masks, len(truths), i) for i in range(len(truths))):
                found.add((truths, actions))
    return found


def board_of(encoded: EncodedConfig, instance: Instance) -> tuple[tuple[int, ...], tuple[int, ...]]:
    truths = tuple(sorted(encoded.truth_index[name] for name in instance.truths))
    return truths, tuple(sorted(encoded.action_index[name] for name in instance.actions))


@pytest.mark.slow
@pytest.mark.parametrize(("few", "more"), [(0, 0), (0, 1 << 20), (1 << 16, 1 << 20)])
def test_all_instances_of_a_small_domain_are_its_balanced_lists_once_each(
    monkeypatch: pytest.MonkeyPatch, few: int, more: int
) -> None:
    # Drawn and enumerated by the solver, or all judged: those that pass the quick test, or really all.
    monkeypatch.setattr(lists, "_FEW_LISTS", few)
    monkeypatch.setattr(lists, "_MORE_LISTS", more)
    monkeypatch.setattr(lists.ListSource, "is_rare", more > few)
    for setting in ("2x2", "3x3", "3x4", "4x4", "5x2"):
        expected = plain_boards(SMALL, Setting.parse(setting))
        sample = sample_instances(SMALL, balanced(setting, 999))
        assert sorted(board_of(SMALL, one) for one in sample.instances) == sorted(expected)
        assert count_boards(SMALL, Setting.parse(setting), 1.0).least == len(expected)
        states = SamplingTables(SMALL).states
        solved = BoardFormula(SMALL, states, Setting.parse(setting)).boards(Random(0))
        assert sorted((b.truths, b.actions) for b in solved) == sorted(expected)
        if expected:
            assert isinstance(sample.shortfall, InstancesExhausted)
            told = f"{len(expected)} balanced lists of truths and actions exist, 999 new ones"
            assert told in str(sample.shortfall)
    assert expected == set()


def test_what_was_issued_is_not_drawn_again() -> None:
    every = sample_instances(SMALL, balanced("3x3", 999)).ids
    rest = sample_instances(SMALL, balanced("3x3", 2), known_ids={*every[3:]})
    assert set(rest.ids) <= set(every[:3])


@pytest.mark.slow
def test_where_few_lists_exist_they_come_in_any_order() -> None:
    every = sorted(plain_boards(SMALL, Setting.parse("3x3")))
    samples = [sample_instances(SMALL, balanced("3x3", 2, seed=seed)).instances for seed in range(500)]
    boards = [[every.index(board_of(SMALL, one)) for one in sample] for sample in samples]
    firsts, gaps = Counter(a for a, _ in boards), Counter((b - a) % len(every) for a, b in boards)
    shown = Counter(sample[0].truths.index(min(sample[0].truths)) for sample in samples)
    for seen, number in ((firsts, len(every)), (gaps, len(every) - 1), (shown, 3)):
        assert len(seen) == number
        assert chisquare([*seen.values()]).pvalue > 1e-4


def test_a_setting_without_balanced_instances_is_refused_in_one_line() -> None:
    one_way = tiny((("t0",), ()), (("t1",), ()), n_truths=3)
    told = str(sample_instances(one_way, balanced("3x2", 1)).shortfall)
    assert "no balanced instance exists, as was proved" in told
    assert "--sampler kumo-2025" in told
    assert "\n" not in told
    # t2 alone can survive: the paper's sampler takes it.
    assert (
        sample_instances(
            one_way,
            replace(balanced("3x2", 1), sampler=AS_PUBLISHED, min_expected_steps=0.0, require_test=False),
        ).shortfall
        is None
    )


@pytest.mark.parametrize("setting", ["easy", "hard"])
def test_each_listed_truth_can_be_the_only_survivor(setting: str) -> None:
    for instance in sample_instances(WORLD, balanced(setting, 30)).instances:
        board = encode_instance(WORLD, instance)
        assert all(count > 0 for count in _counts(board))
        assert can_differ(board)
        left = (1 << board.n_truths) - 1
        for action in range(len(board.masks)):
            left &= ~board.observed_mask(action)
        assert left == board.valid


def test_the_valid_truth_is_uniform_and_so_are_its_observations() -> None:
    tables = SamplingTables(SMALL)
    setting = Setting.parse("3x3")
    truths, actions = sorted(plain_boards(SMALL, setting))[0]
    rows = 20_000
    listed = np.tile(np.array(truths, np.int32), (rows, 1)), np.tile(np.array(actions, np.int32), (rows, 1))
    seeds = np.array([hash_of(i) for i in range(rows)], np.uint64)
    draws = complete_boards(tables.kernel, *listed, seeds)
    seen = Counter(zip(draws.valid.argmax(axis=1).tolist(), map(tuple, draws.states.tolist()), strict=True))
    masks = [
        [sum((mask >> t & 1) << i for i, t in enumerate(truths)) for mask in SMALL.masks[a]] for a in actions
    ]
    choices = [list_choices(masks, 3, i) for i in range(3)]
    assert len(seen) == sum(map(len, choices)) > 5
    expected = {valid: rows / 3 / len(of_valid) for valid, of_valid in enumerate(choices)}
    keys = sorted(seen)
    assert chisquare([seen[key] for key in keys], [expected[key[0]] for key in keys]).pvalue > 1e-4


def hash_of(index: int) -> int:
    return int.from_bytes(Random(index).randbytes(8), "little")


@pytest.mark.slow
def test_what_is_listed_decides_the_observations_whatever_the_index() -> None:
    # Drawn again a list gives the same instance: skipping the second cannot favour any truth.
    first = sample_instances(SMALL, balanced("3x3", 999))
    later = sample_instances(SMALL, replace(balanced("3x3", 999), first_index=5_000))
    assert set(first.ids) == set(later.ids)
    assert set(sample_instances(SMALL, balanced("3x3", 999, seed=1)).ids) != set(first.ids)


def test_the_sample_is_a_function_of_its_request() -> None:
    assert sample_instances(WORLD, balanced("easy", 200)) == sample_instances(WORLD, balanced("easy", 200))
    part = sample_instances(WORLD, replace(balanced("easy", 50), first_index=100))
    assert part.ids == sample_instances(WORLD, balanced("easy", 200)).ids[100:150]


def test_a_minimum_of_expected_steps_above_1_looks_at_the_list_alone() -> None:
    request = replace(balanced("easy", 40), min_expected_steps=2.0)
    sample = sample_instances(WORLD, request)
    assert len(sample.ids) == 40
    assert sample.counts.too_easy > 0
    assert all(min(_counts(encode_instance(WORLD, one))) > 0 for one in sample.instances)


def test_more_truths_than_its_tables_hold_are_refused() -> None:
    with pytest.raises(
        InvalidOption, match=r"balanced sampler draws 20 truths and 64 actions at most.*kumo-2025"
    ):
        check_request(WORLD, balanced("21x16", 1), 1)


def test_several_valid_truths_are_refused_with_the_way_out() -> None:
    with pytest.raises(InvalidOption, match=r"4x6v2: 2 valid truths: .* use --sampler kumo-2025, or a"):
        sample_instances(WORLD, balanced("4x6v2", 20))


def test_instances_of_several_valid_truths_need_a_test_where_it_is_required() -> None:
    request = replace(balanced("4x6v2", 40), sampler=AS_PUBLISHED, require_test=True)
    sample = sample_instances(WORLD, request)
    assert sample.counts.too_easy > 0
    for instance in sample.instances:
        assert not is_decided(encode_instance(WORLD, instance), ())


def test_a_compiled_verdict_is_that_of_the_enumeration() -> None:
    tables = SamplingTables(SMALL)
    setting = Setting.parse("3x2")
    pairs = list(product(combinations(range(5), 3), combinations(range(4), 2)))
    truths, actions = (np.array(column, np.int32) for column in zip(*pairs, strict=True))
    verdicts = are_balanced(tables.kernel, truths, actions)
    found = {pair for pair, verdict in zip(pairs, verdicts, strict=True) if verdict}
    assert found == plain_boards(SMALL, setting)


@pytest.mark.parametrize(
    ("name", "setting"), [("student_assessment", "easy"), ("student_assessment", "hard")]
)
def test_a_draw_accepts_exactly_the_balanced_lists_of_its_stream(name: str, setting: str) -> None:
    # A quick test drops most lists of a draw before they are judged in full: none that is balanced.
    size, tables = Setting.parse(setting), SamplingTables(encode_config(load_bundled(name))).kernel
    shape, indices = (size.n_truths, size.n_actions), np.arange(400)
    seeds, found = np.full(400, 5, np.uint64), 0
    for attempt in range(4):
        attempts = np.full(400, attempt, np.int64)
        accepted = draw_boards(tables, shape, seeds, indices, attempts, attempt + 1)[2] == attempt
        listed = list_boards(tables, shape, seeds, indices, attempts)
        assert accepted.tolist() == are_balanced(tables, *listed).tolist()
        found += int(accepted.sum())
    assert found > 0


def _counts(board: EncodedInstance) -> list[float]:
    starts = np.cumsum([0, *map(len, board.masks)])
    masks = np.array([mask for states in board.masks for mask in states])
    return list(count_choices(board.n_truths, starts, masks))
