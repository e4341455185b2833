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
from tasks.kumo.configuration import parse_config
from tasks.kumo.encoding import EncodedConfig, encode_config
from tasks.kumo.sampling.states import observable_states
from tasks.kumo.space import SpaceSize, repeat_probability, size, space_size
from tests.kumo.brute_force import every_instance
from warehouse.kumo.bundled_domains import bundled_text


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


@settings(max_examples=150)
@given(
    st.integers(0, 10**6),
    st.integers(2, 5),
    st.integers(1, 4),
    st.integers(1, 2),
    st.booleans(),
    st.sampled_from([0.2, 0.4, 0.7]),
)
def test_the_bounds_hold_what_trying_everything_counts(
    seed: int, n_truths: int, n_actions: int, n_valid: int, related: bool, share: float
) -> None:
    setting = Setting(max(n_truths, n_valid + 1), n_actions, n_valid)
    tiny = config(seed, 6, 5, share=share)
    found = space_size(encode_config(tiny), setting, float(related))
    assert 0 <= found.low <= len(every_instance(tiny, setting, related)) <= found.high


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(2, 4), st.sampled_from([0, 6, 15, 20]))
def test_the_bounds_hold_however_soon_they_are_cut_off(
    seed: int, n_truths: int, n_actions: int, most_sets: int
) -> None:
    """Of six truths there are 6, 15, 20 sets of one, two, three: each cut-off is reached."""
    setting = Setting(n_truths, n_actions)
    tiny = config(seed, 6, 5)
    with pytest.MonkeyPatch.context() as patched:
        for limit in ("_OF_ALL", "_OF_A_PART", "_OF_A_CHOICE"):
            patched.setattr(size, limit, most_sets)
        found = space_size(encode_config(tiny), setting, 1.0)
    assert 0 <= found.low <= len(every_instance(tiny, setting, all_related=True)) <= found.high


def dense(n_truths: int, n_actions: int, n_states: int) -> EncodedConfig:
    """Every action relates to every truth: no action is irrelevant, no truth without a related one."""
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


def by_coverage(encoded: EncodedConfig, setting: Setting) -> int:
    """A second way to count where every action relates to every truth: by what the states cover."""
    states = observable_states(encoded)
    by_action = [[s.mask for s in states if s.action == a] for a in range(len(encoded.actions))]
    total = 0
    for truths in combinations(range(len(encoded.truths)), setting.n_truths):
        for valid in combinations(truths, setting.n_valid):
            good = sum(1 << t for t in valid)
            bad = sum(1 << t for t in truths) & ~good
            ways = Tally({(0, 0): 1})
            for masks in by_action:
                further = Tally(ways)
                for (covered, used), count in ways.items():
                    if used < setting.n_actions:
                        for mask in masks:
                            if not mask & good:
                                further[covered | mask & bad, used + 1] += count
                ways = further
            total += ways[bad, setting.n_actions]
    return total


@pytest.mark.parametrize("setting", [Setting(4, 8), Setting(2, 9), Setting(4, 10, 2)])
def test_the_number_is_exact_where_every_action_relates_to_every_truth(setting: Setting) -> None:
    encoded = dense(7, 30, 7)
    found = space_size(encoded, setting, 1.0)
    assert found.is_exact
    assert found.low == by_coverage(encoded, setting)


@pytest.mark.parametrize("setting", [Setting(4, 25), Setting(5, 24), Setting(4, 28, 2), Setting(3, 30)])
def test_numbers_beyond_the_integers_of_floats_are_held_closely(setting: Setting) -> None:
    encoded = dense(7, 30, 7)
    found, exact = space_size(encoded, setting, 1.0), by_coverage(encoded, setting)
    assert exact > 1 << 64
    assert found.low < exact < found.high
    assert found.high < exact * (1 + 1e-4)
    assert found.low > exact * (1 - 1e-4)


# Counted whole by another program, an instance's observations at a time; see the gate of editions of 2026.
# The second reading then changed 5 or 6 cells of each of these tables, and many of three that were here.
_EASY = {
    "chemical_analysis": 144_714_692_785_003,
    "fantasy_artefacts": 431_390_994_344_419,
    "mineral_identification": 151_047_467_516_909,
}


@pytest.mark.parametrize("name", _EASY)
def test_the_bounds_hold_the_sizes_of_the_bundled_domains(name: str) -> None:
    encoded = encode_config(parse_config(bundled_text(name), name))
    easy = space_size(encoded, Setting.parse("easy"), 1.0)
    assert easy.low < _EASY[name] < easy.high < 3 * _EASY[name]
    assert easy.low > _EASY[name] / 1_000
    hard = space_size(encoded, Setting.parse("hard"), 1.0)
    assert 0 < hard.high < 2 * hard.low
    assert space_size(encoded, Setting.parse("easy"), 1.0) == easy


@pytest.mark.parametrize("name", ["medical_diagnosis", "music_identification", "student_assessment"])
def test_the_bounds_of_sparser_domains_are_wider_and_large_enough_for_the_gate(name: str) -> None:
    encoded = encode_config(parse_config(bundled_text(name), name))
    easy, hard = (space_size(encoded, Setting.parse(setting), 1.0) for setting in ("easy", "hard"))
    assert 10**10 < easy.low < easy.high < 10**16
    assert 0 < hard.low < hard.high < 3 * hard.low


def test_large_settings_and_domains_are_bounded() -> None:
    found = space_size(dense(40, 70, 3), Setting(30, 40), 1.0)
    assert 0 <= found.low < found.high
    assert found.high > 10**20


def test_a_number_beyond_floats_is_bounded_from_above() -> None:
    found = space_size(dense(7, 700, 7), Setting(4, 650), 1.0)
    assert found.low == 0
    assert found.high > 10**300


def test_nothing_is_held_where_truths_or_actions_are_too_few() -> None:
    encoded = dense(7, 3, 3)
    assert space_size(encoded, Setting(4, 4), 1.0) == SpaceSize(0, 0)
    assert space_size(encoded, Setting(8, 2), 1.0) == SpaceSize(0, 0)


def test_a_minimum_above_one_is_left_aside_and_said() -> None:
    encoded = encode_config(config(3, 8, 6))
    left_aside, plain = space_size(encoded, Setting(4, 4), 2.0), space_size(encoded, Setting(4, 4), 1.0)
    assert left_aside.low == plain.low
    assert "before those that are too easy are left out" in str(left_aside)
    assert "minimum" not in str(plain)


def test_a_size_is_told_in_a_sentence() -> None:
    assert str(SpaceSize(1234, 1234)) == "the space holds exactly 1,234 instances"
    assert str(SpaceSize(56789, 10**9)) == "the space holds 5.67e4 to 1.00e9 instances"
    assert str(SpaceSize(7, 99_901)) == "the space holds 7 to 1.00e5 instances"


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
