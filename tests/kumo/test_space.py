"""The size of the instance space: against brute force, and against a second way to count."""

import random
from fractions import Fraction
from math import comb
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.schemas.kumo.things import Outcome, OutcomeState, SeedConfig, Setting
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import EncodedConfig, encode_config
from perennial.tasks.kumo.space import SpaceSize, count_boards, repeat_probability, space_size
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


@pytest.mark.slow
@settings(max_examples=30)
@given(
    st.integers(0, 10**6),
    st.integers(2, 5),
    st.integers(1, 4),
    st.integers(1, 2),
    st.booleans(),
    st.sampled_from([0.2, 0.4, 0.7]),
)
def test_there_are_at_least_as_many_as_the_bound_says(
    seed: int, n_truths: int, n_actions: int, n_valid: int, related: bool, share: float
) -> None:
    """Trying everything counts no fewer."""
    setting = Setting(max(n_truths, n_valid + 1), n_actions, n_valid)
    tiny = config(seed, 6, 5, share=share)
    found = space_size(encode_config(tiny), setting, float(related))
    instances = every_instance(tiny, setting, related)
    assert 0 <= found.least <= len(instances)


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


# Counted whole by another program, an instance's observations at a time; see the gate of editions of 2026.
# The second reading then changed 5 or 6 cells of each of these tables, and many of three that were here.
_EASY = {
    "chemical_analysis": 144_714_692_785_003,
    "fantasy_artefacts": 431_390_994_344_419,
    "mineral_identification": 151_047_467_516_909,
}


@pytest.mark.parametrize("name", _EASY)
def test_the_bound_is_near_the_sizes_of_bundled_domains(name: str) -> None:
    encoded = encode_config(load_bundled(name))
    easy = space_size(encoded, Setting.parse("easy"), 1.0)
    assert _EASY[name] / 3 < easy.least < _EASY[name]
    assert space_size(encoded, Setting.parse("easy"), 1.0) == easy


@pytest.mark.parametrize("name", ["MedicalEnv", "ChemicalEnv", "MusicEnv", "EducationEnv", "MLEnv"])
@pytest.mark.slow
def test_domains_of_few_related_actions_have_a_bound_that_suffices(release: Path, name: str) -> None:
    path = release / "domains" / f"{name}.json"
    encoded = encode_config(parse_config(path.read_text("utf-8"), name))
    for setting in (Setting.parse("easy"), Setting.parse("hard")):
        assert space_size(encoded, setting, 1.0).least > 10**9
    assert count_boards(encoded, Setting.parse("easy"), 1.0).least > 10**8


def test_more_than_sixteen_truths_to_rule_out_are_not_counted() -> None:
    assert space_size(dense(40, 70, 3), Setting(30, 40), 1.0) == SpaceSize(0)


def test_nothing_is_held_where_truths_or_actions_are_too_few() -> None:
    encoded = dense(7, 3, 3)
    for setting in (Setting(4, 4), Setting(8, 2)):
        assert space_size(encoded, setting, 1.0) == SpaceSize(0, is_exact=True)
        assert count_boards(encoded, setting, 1.0) == SpaceSize(0, is_exact=True, of_boards=True)


def test_lists_of_a_domain_with_too_few_actions_are_not_listed() -> None:
    """Of 60 truths there are 1.4e12 lists of 12, but none of 16 actions."""
    assert count_boards(dense(60, 10, 3), Setting.parse("hard"), 1.0).least == 0


def test_a_minimum_above_one_is_left_aside_and_said() -> None:
    encoded = encode_config(config(3, 8, 6))
    left_aside, plain = space_size(encoded, Setting(4, 4), 2.0), space_size(encoded, Setting(4, 4), 1.0)
    assert left_aside.least == plain.least
    assert "before those that are too easy are left out" in str(left_aside)
    assert "minimum" not in str(plain)


def test_a_size_is_told_in_a_sentence() -> None:
    assert str(SpaceSize(1234, is_exact=True)) == "the space holds exactly 1,234 instances"
    assert str(SpaceSize(56789)) == "the space holds at least 5.67e4 instances"
    assert str(SpaceSize(7)) == "the space holds at least 7 instances"


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
