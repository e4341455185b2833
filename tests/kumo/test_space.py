"""The size of the instance space: against brute force, against a second way to count, and its bounds."""

import random
from collections import Counter as Tally
from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.kumo.things import Outcome, OutcomeState, SeedConfig, Setting
from tasks.kumo.encoding import EncodedConfig, encode_config
from tasks.kumo.sampling.states import observable_states
from tasks.kumo.space import SpaceSize, repeat_probability, size, space_size
from tests.kumo.brute_force import every_instance


def config(seed: int, n_truths: int, n_actions: int, most_states: int = 3, share: float = 0.3) -> SeedConfig:
    """A domain of labels and ranges, defects included: states that nothing is read as, idle actions."""
    rng = random.Random(seed)
    truths = tuple(f"t{i}" for i in range(n_truths))
    outcomes = []
    for a in range(n_actions):
        related = [truth for truth in truths if rng.random() < 0.7]
        n_states = rng.randint(1, most_states)
        sets = [tuple(t for t in related if rng.random() < share) for _ in range(n_states)]
        if rng.random() < 0.5:
            ends = [(float(rng.randint(0, 3)), float(rng.randint(3, 6))) for _ in sets]
            states = [OutcomeState(None, *end, out) for end, out in zip(ends, sets, strict=True)]
        else:
            states = [OutcomeState(rng.choice("abcdef"), None, None, out) for out in sets]
        outcomes.append(Outcome(f"a{a}", "str", tuple(states)))
    return SeedConfig("Random", truths, tuple(o.action for o in outcomes), tuple(outcomes))


def by_coverage(encoded: EncodedConfig, setting: Setting) -> int:
    """A second way to count, without the rule for irrelevant actions: by what the states cover."""
    masks = Tally(state.action for state in observable_states(encoded))
    by_action = {a: [s.mask for s in observable_states(encoded) if s.action == a] for a in masks}
    total = 0
    for truths in combinations(range(len(encoded.truths)), setting.n_truths):
        for valid in combinations(truths, setting.n_valid):
            good = sum(1 << t for t in valid)
            bad = sum(1 << t for t in truths) & ~good
            ways = Tally({(0, 0): 1})
            for states in by_action.values():
                further = Tally(ways)
                for (covered, used), count in ways.items():
                    if used < setting.n_actions:
                        for mask in states:
                            if not mask & good:
                                further[covered | mask & bad, used + 1] += count
                ways = further
            total += ways[bad, setting.n_actions]
    return total


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(1, 4), st.integers(1, 2), st.booleans())
def test_a_small_space_is_counted_as_by_trying_everything(
    seed: int, n_truths: int, n_actions: int, n_valid: int, related: bool
) -> None:
    setting = Setting(max(n_truths, n_valid + 1), n_actions, n_valid)
    tiny = config(seed, 6, 5)
    counted = space_size(encode_config(tiny), setting, float(related), seed=0)
    assert counted.is_exact
    assert counted.low == len(every_instance(tiny, setting, related))


def test_small_spaces_hold_something_and_few_actions_leave_room_for_irrelevant_ones() -> None:
    sizes = {}
    for seed in range(40):
        for n_actions in (3, 4, 5):
            sparse = config(seed, 6, 5, share=0.6)
            setting = Setting(4, n_actions)
            sizes[seed, n_actions] = space_size(encode_config(sparse), setting, 1.0, 0).low
            assert sizes[seed, n_actions] == len(every_instance(sparse, setting, all_related=True))
    assert sum(count > 0 for count in sizes.values()) > 80
    encoded = encode_config(config(0, 6, 5, share=0.4))
    assert by_coverage(encoded, Setting(4, 4)) > space_size(encoded, Setting(4, 4), 0.0, 0).low > 0


def dense(n_truths: int, n_actions: int, n_states: int) -> EncodedConfig:
    """Every action relates to every truth: then no action is irrelevant, and both ways count the same."""
    rng = random.Random(1)
    truths = [f"t{i}" for i in range(n_truths)]
    outcomes = []
    for a in range(n_actions):
        sets = [rng.sample(truths, 2) for _ in range(n_states - 1)]
        sets.append([t for t in truths if not any(t in out for out in sets)])
        rng.shuffle(sets)
        states = tuple(OutcomeState(f"s{i}", None, None, tuple(out)) for i, out in enumerate(sets))
        outcomes.append(Outcome(f"a{a}", "str", states))
    names = tuple(outcome.action for outcome in outcomes)
    return encode_config(SeedConfig("Dense", tuple(truths), names, tuple(outcomes)))


@pytest.mark.parametrize(
    ("setting", "exceeds"),
    [
        (Setting(4, 25), True),
        (Setting(5, 24), True),
        (Setting(4, 28, 2), True),
        (Setting(3, 30), True),
        (Setting(4, 8), False),
        (Setting(2, 9), False),
    ],
)
def test_numbers_beyond_64_bits_are_exact(setting: Setting, exceeds: bool) -> None:
    encoded = dense(7, 30, 7)
    counted = space_size(encoded, setting, 0.0, 0)
    assert counted.is_exact
    assert counted.low == by_coverage(encoded, setting)
    assert (counted.low > 1 << 64) == exceeds


@pytest.mark.parametrize("setting", [Setting(4, 5), Setting(5, 4, 2), Setting(6, 6)])
def test_bounds_hold_the_exact_size_and_the_estimate_is_near(
    monkeypatch: pytest.MonkeyPatch, setting: Setting
) -> None:
    encoded = encode_config(config(3, 12, 10, share=0.2))
    exact = space_size(encoded, setting, 1.0, 0)
    assert exact.is_exact
    monkeypatch.setattr(size, "_EXACT_WORK", 0)
    monkeypatch.setattr(size, "_MOST_FOURS", 0)
    drawn = space_size(encoded, setting, 1.0, 0)
    assert drawn == space_size(encoded, setting, 1.0, 0)
    assert drawn.estimate is not None
    assert drawn.standard_error is not None
    assert 0 < drawn.low < exact.low < drawn.high
    assert abs(drawn.estimate - exact.low) < 4 * drawn.standard_error < 2 * exact.low
    assert space_size(encoded, setting, 1.0, 1).low != drawn.low
    monkeypatch.setattr(size, "_LARGEST_SUBSETS", 0)
    covered = space_size(encoded, setting, 1.0, 0)
    assert covered.estimate is None
    assert 0 < covered.low < drawn.low
    assert covered.high == drawn.high


def test_each_drawn_selection_holds_at_least_what_shares_one_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a single selection of truths both bounds speak of the same instances."""
    setting = Setting(5, 4)
    compared = 0
    for seed in range(60):
        few = encode_config(config(seed, 5, 8, share=0.4))
        exact = space_size(few, setting, 1.0, 0)
        with monkeypatch.context() as patched:
            patched.setattr(size, "_LARGEST_SUBSETS", 0)
            covered = space_size(few, setting, 1.0, 0)
        assert covered.low <= exact.low <= covered.high
        compared += covered.low > 0
    assert compared > 20


def test_large_settings_and_domains_are_bounded_at_once() -> None:
    encoded = dense(40, 70, 3)
    bounded = space_size(encoded, Setting(30, 40), 1.0, 0)
    assert 10**20 < bounded.low < bounded.high
    assert not bounded.is_exact


def test_a_minimum_above_one_is_left_aside_and_said() -> None:
    encoded = encode_config(config(3, 8, 6))
    left_aside, plain = space_size(encoded, Setting(4, 4), 2.0, 0), space_size(encoded, Setting(4, 4), 1.0, 0)
    assert left_aside.low == plain.low
    assert "before the minimum of expected steps" in str(left_aside)
    assert "minimum" not in str(plain)


def test_a_size_is_told_in_a_sentence() -> None:
    assert str(SpaceSize(1234, 1234)) == "the space holds exactly 1,234 instances"
    told = str(SpaceSize(56789, 10**9, 34, 2.5e7, 1.25e6))
    assert told == (
        "the space holds 5.67e4 to 1.00e9 instances, by estimate 2.5e+07 with a standard error of 1e+06 "
        "(34 selections of truths counted)"
    )


@given(st.integers(1, 60), st.integers(0, 30), st.integers(0, 30))
def test_the_probability_of_a_repeat_is_the_birthday_problems(space: int, issued: int, draws: int) -> None:
    none_repeats = Fraction(1)
    for i in range(draws):
        none_repeats *= max(Fraction(0), 1 - Fraction(issued + i, space))
    assert repeat_probability(space, issued, draws) == pytest.approx(float(1 - none_repeats), abs=1e-12)


def test_small_probabilities_and_endless_spaces_are_no_trouble() -> None:
    assert repeat_probability(365, 0, 23) == pytest.approx(0.507297, abs=1e-6)
    assert repeat_probability(10**30, 10**7, 1000) == pytest.approx(1e-20, rel=1e-3)
    assert repeat_probability(comb(10**4, 2000), 10, 10) < 1e-290
    assert repeat_probability(0, 0, 1) == 1.0
