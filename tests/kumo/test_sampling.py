"""Sampling against brute force, its rules, its reproducibility and its errors."""

import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from perennial.schemas.errors import InstancesExhausted, UnsatisfiableSetting
from perennial.schemas.kumo.things import Instance, Outcome, OutcomeState, SeedConfig, Setting
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import EncodedConfig, canonical_instance_id, encode_config, instance_id
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.sampling.shown import ObservableState, observable_states
from perennial.tasks.kumo.sampling.solver import select_states
from tests.kumo.brute_force import Key, every_instance, is_consistent, observable, relates, ruled_out

EASY, HARD = Setting(4, 6), Setting(12, 16)
DOMAINS = (
    "MedicalEnv",
    "FantasyEnv",
    "ChemicalEnv",
    "GeologicalEnv",
    "SpiceEnv",
    "EnzymeEnv",
    "MathematicalEnv",
)


def wide_config(n_truths: int = 70, n_actions: int = 34, seed: int = 5) -> SeedConfig:
    """A sound domain of the prescribed size with both kinds of outcomes; more truths than a word has bits."""
    rng = random.Random(seed)
    truths = tuple(f"truth {i}" for i in range(n_truths))
    outcomes = []
    for a in range(n_actions):
        n_states = rng.randint(2, 4)
        groups = [tuple(rng.sample(truths, rng.randint(1, 5))) for _ in range(n_states - 1)] + [()]
        if a % 2:
            states = [OutcomeState(None, 10.0 * s, 10.0 * s + 10, groups[s]) for s in range(n_states)]
        else:
            states = [OutcomeState(f"result {s}", None, None, groups[s]) for s in range(n_states)]
        outcomes.append(Outcome(f"action {a}", "float" if a % 2 else "str", tuple(states)))
    return SeedConfig("Wide", truths, tuple(o.action for o in outcomes), tuple(outcomes))


WIDE = encode_config(wide_config())


def tiny(*rules: tuple[tuple[str, ...], ...], n_truths: int = 4) -> EncodedConfig:
    """A configuration with one action for each tuple of rule-out sets."""
    outcomes = tuple(
        Outcome(f"a{a}", "str", tuple(OutcomeState(f"s{s}", None, None, out) for s, out in enumerate(states)))
        for a, states in enumerate(rules)
    )
    truths = tuple(f"t{i}" for i in range(n_truths))
    return encode_config(SeedConfig("Tiny", truths, tuple(o.action for o in outcomes), outcomes))


# t2 and t3 are irrelevant to instances of t0 and t1, whose second action must then be the other related one.
IRRELEVANT = tiny((("t0",), ("t1",)), (("t0",), ("t1",)), (("t2",), ("t3",)), (("t2",), ()))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[SeedConfig, Setting]:
    """A tiny configuration, sound or not, and a setting that it is large enough for."""
    truths = tuple(f"t{i}" for i in range(draw(st.integers(3, 6))))
    outcomes = []
    for a in range(draw(st.integers(2, 5))):
        ranged = draw(st.booleans())
        states = []
        for s in range(draw(st.integers(1, 3))):
            rules_out = tuple(sorted(draw(st.sets(st.sampled_from(truths), max_size=3))))
            if ranged:
                low, length = draw(st.integers(0, 4)), draw(st.integers(0, 2))
                states.append(OutcomeState(None, float(low), float(low + length), rules_out))
            else:
                states.append(
                    OutcomeState(f"s{s}" if draw(st.integers(0, 9)) else "s0", None, None, rules_out)
                )
        outcomes.append(Outcome(f"a{a}", "float" if ranged else "str", tuple(states)))
    config = SeedConfig("Tiny", truths, tuple(o.action for o in outcomes), tuple(outcomes))
    n_truths = draw(st.integers(2, len(truths)))
    n_valid = draw(st.integers(1, min(3, n_truths - 1)))
    return config, Setting(n_truths, draw(st.integers(1, len(outcomes))), n_valid)


def ids_of(encoded: EncodedConfig, keys: set[Key]) -> set[str]:
    return {
        canonical_instance_id(
            encoded,
            [encoded.truth_index[t] for t in truths],
            [(encoded.action_index[a], s) for a, s in states],
        )
        for truths, states in keys
    }


def assert_obeys_the_rules(config: SeedConfig, setting: Setting, instance: Instance) -> None:
    by_action = {outcome.action: outcome for outcome in config.outcomes}
    outcomes = [by_action[action] for action in instance.actions]
    truths, valid = set(instance.truths), set(instance.valid_truths)
    assert (len(truths), len(set(instance.actions)), len(valid)) == (
        setting.n_truths,
        setting.n_actions,
        setting.n_valid,
    )
    states = [state for state in instance.states if state is not None]
    assert truths - ruled_out(outcomes, states) == valid
    for outcome, state, observation in zip(outcomes, states, instance.observations, strict=True):
        assert type(observation) is (float if outcome.states[state].is_range else str)
        assert outcome.state_of(observation) == state
    if not all(relates(outcome, truths) for outcome in outcomes):
        for outcome in config.outcomes:
            if relates(outcome, truths) and outcome.action not in instance.actions:
                assert not any(is_consistent(outcome.states[s], valid) for s in observable(outcome))


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example((IRRELEVANT.config, Setting(2, 2)), 0.0, 1)
@example((IRRELEVANT.config, Setting(2, 3)), 1.0, 1)
@given(worlds(), st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 2**64 - 1))
def test_everything_that_brute_force_finds_is_found_and_nothing_else(
    world: tuple[SeedConfig, Setting], least: float, seed: int
) -> None:
    config, setting = world
    encoded = encode_config(config)
    expected = ids_of(encoded, every_instance(config, setting, all_related=least > 0))
    assume(len(expected) <= 400)
    sample = sample_instances(encoded, SamplingRequest(setting, len(expected) + 1, seed, least))
    assert isinstance(sample.shortfall, InstancesExhausted if expected else UnsatisfiableSetting)
    assert set(sample.ids) == expected
    assert len(sample.ids) == len(expected)
    for instance, its_id in zip(sample.instances, sample.ids, strict=True):
        assert instance_id(encoded, instance) == its_id
        assert_obeys_the_rules(config, setting, instance)
    if expected:
        assert f"{len(expected):,} distinct instances exist" in str(sample.shortfall)
        assert sample.counts.enumerated == len(expected)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(worlds(), st.integers(0, 2**32), st.integers(1, 30))
def test_a_run_that_goes_on_finds_what_one_long_run_finds(
    world: tuple[SeedConfig, Setting], seed: int, count: int
) -> None:
    config, setting = world
    encoded = encode_config(config)
    whole = sample_instances(encoded, SamplingRequest(setting, 2 * count, seed, 0.0))
    first = sample_instances(encoded, SamplingRequest(setting, count, seed, 0.0))
    rest = sample_instances(
        encoded, SamplingRequest(setting, count, seed, 0.0, first_index=count), known_ids=set(first.ids)
    )
    assert whole.instances == first.instances + rest.instances


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(worlds(), st.data())
def test_the_solver_selects_states_exactly_where_some_fit(
    world: tuple[SeedConfig, Setting], data: st.DataObject
) -> None:
    config, setting = world
    states = observable_states(encode_config(config))
    truths = data.draw(st.permutations(range(len(config.truths))))[: setting.n_truths]
    valid, invalid = truths[: setting.n_valid], truths[setting.n_valid :]
    found = select_states(states, truths, valid, setting.n_actions, random.Random(1))
    assert (found is not None) == is_coverable(config, states, truths, valid, setting.n_actions)
    if found is not None:
        assert len({states[g].action for g in found}) == len(found) <= setting.n_actions
        covered = {t for g in found for t in truths if states[g].mask >> t & 1}
        assert covered == set(invalid)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(worlds(), st.integers(0, 2**64 - 1))
def test_a_draw_without_the_solver_is_refused_only_where_nothing_fits(
    world: tuple[SeedConfig, Setting], seed: int
) -> None:
    import numpy as np

    from perennial.tasks.kumo.sampling.construct import UNSATISFIABLE, draw
    from perennial.tasks.kumo.sampling.tables import SamplingTables

    config, setting = world
    tables = SamplingTables(encode_config(config))
    unforced = np.full((12, setting.n_actions), -1, np.int32)
    size = (setting.n_truths, setting.n_actions, setting.n_valid)
    seeds, attempts = np.full(12, seed, np.uint64), np.zeros(12, np.int64)
    draws = draw(tables.kernel, size, False, seeds, np.arange(12), attempts, unforced)
    for status, truths, marks in zip(draws.status, draws.truths, draws.valid, strict=True):
        valid = truths[marks].tolist()
        names = [config.truths[t] for t in valid]
        usable = sum(any(is_consistent(o.states[s], names) for s in observable(o)) for o in config.outcomes)
        if status == UNSATISFIABLE and usable >= setting.n_actions:
            assert not is_coverable(config, tables.states, truths.tolist(), valid, setting.n_actions)


def is_coverable(
    config: SeedConfig,
    states: Sequence[ObservableState],
    truths: Sequence[int],
    valid: Sequence[int],
    n_actions: int,
) -> bool:
    """Whether some observable states of at most so many actions leave exactly the valid truths."""
    names = {config.truths[t] for t in truths}
    invalid = names - {config.truths[t] for t in valid}
    return any(
        names & ruled_out([config.outcomes[g.action] for g in chosen], [g.state for g in chosen]) == invalid
        for size in range(1, n_actions + 1)
        for chosen in combinations(states, size)
        if len({g.action for g in chosen}) == size
    )


@pytest.mark.parametrize("setting", [EASY, HARD, Setting(6, 10, 2), Setting(5, 34)])
@pytest.mark.parametrize("least", [0.0, 1.0])
def test_instances_obey_the_rules(setting: Setting, least: float) -> None:
    sample = sample_instances(WIDE, SamplingRequest(setting, 60, 3, least))
    assert len(sample.ids) == 60
    for position, instance in enumerate(sample.instances):
        assert_obeys_the_rules(WIDE.config, setting, instance)
        assert (instance.seed, instance.index) == (3, position)
        if least > 0:
            outcomes = [o for o in WIDE.config.outcomes if o.action in instance.actions]
            assert all(any(relates(o, {truth}) for o in outcomes) for truth in instance.truths)


@pytest.mark.parametrize("name", DOMAINS)
def test_instances_of_released_domains_obey_the_rules(release: Path, name: str) -> None:
    encoded = encode_config(parse_config((release / "domains" / f"{name}.json").read_text(), name))
    n_actions = min(16, len(encoded.actions))
    for setting in (EASY, Setting(12, n_actions), Setting(5, n_actions, 2)):
        sample = sample_instances(encoded, SamplingRequest(setting, 100, 8, 0.0))
        assert len(set(sample.ids)) == 100
        for instance, its_id in zip(sample.instances, sample.ids, strict=True):
            assert instance_id(encoded, instance) == its_id
            assert_obeys_the_rules(encoded.config, setting, instance)


def test_instances_that_random_drawing_never_meets_come_from_the_solver() -> None:
    setting = Setting(70, 34, 40)
    sample = sample_instances(WIDE, SamplingRequest(setting, 10, 1, 0.0))
    assert sample.counts.enumerated >= 10
    assert len(set(sample.ids)) == 10
    assert len({instance.valid_truths for instance in sample.instances}) == 10
    assert len({instance.truths[0] for instance in sample.instances}) > 5
    assert len({instance.actions[0] for instance in sample.instances}) > 5
    for instance in sample.instances:
        assert_obeys_the_rules(WIDE.config, setting, instance)


@pytest.mark.parametrize("setting", [EASY, HARD])
def test_equal_requests_give_equal_samples_and_seeds_differ(setting: Setting) -> None:
    request = SamplingRequest(setting, 300, 2**63 + 11)
    once, again = sample_instances(WIDE, request), sample_instances(WIDE, request)
    other = sample_instances(WIDE, replace(request, seed=12))
    assert once == again
    assert repr(once) == repr(again)
    assert not set(once.ids) & set(other.ids)


@pytest.mark.slow
def test_the_number_of_processes_changes_nothing() -> None:
    request = SamplingRequest(Setting(3, 3), 9_000, 4)
    seen: list[int] = []
    alone = sample_instances(WIDE, request)
    assert sample_instances(WIDE, request, workers=2, progress=seen.append) == alone
    assert seen == sorted(seen)
    assert seen[-1] == 9_000
    assert alone.counts.duplicates > 0


def test_a_sample_does_not_depend_on_what_is_asked_beyond_it() -> None:
    short = sample_instances(WIDE, SamplingRequest(HARD, 20, 6))
    long = sample_instances(WIDE, SamplingRequest(HARD, 5_000, 6))
    assert long.instances[:20] == short.instances
    rest = sample_instances(WIDE, SamplingRequest(HARD, 80, 6, first_index=20), known_ids=set(short.ids))
    assert rest.instances == long.instances[20:100]


def test_known_instances_are_not_issued_again() -> None:
    known = sample_instances(WIDE, SamplingRequest(Setting(2, 1), 60, 1))
    new = sample_instances(WIDE, SamplingRequest(Setting(2, 1), 60, 1), known_ids=set(known.ids))
    second = sample_instances(WIDE, SamplingRequest(Setting(2, 1), 1, 1), known_ids={known.ids[0]})
    assert (second.counts.candidates, second.counts.duplicates) == (2, 1)
    assert len(new.ids) == 60
    assert not set(known.ids) & set(new.ids)
    assert new.counts.duplicates >= 60


@pytest.mark.parametrize("setting", [EASY, HARD])
def test_the_order_shown_gives_nothing_away(setting: Setting) -> None:
    instances = sample_instances(WIDE, SamplingRequest(setting, 2_000, 21, 0.0)).instances
    places = [instance.truths.index(instance.valid_truths[0]) for instance in instances]
    expected = 2_000 / setting.n_truths
    spread = 5 * math.sqrt(expected)
    assert all(abs(places.count(place) - expected) < spread for place in range(setting.n_truths))
    ruling = [0] * setting.n_actions
    for instance in instances:
        bits = sum(1 << WIDE.truth_index[truth] for truth in instance.truths)
        for place, (action, state) in enumerate(zip(instance.actions, instance.states, strict=True)):
            ruling[place] += bool(WIDE.masks[WIDE.action_index[action]][state or 0] & bits)
    assert max(ruling) - min(ruling) < 6 * math.sqrt(2 * 2_000 * 0.25)


def entropy(sets: Iterable[Sequence[str]]) -> float:
    """The entropy, in bits, of the distribution of actions over the instances."""
    counts = Counter(action for actions in sets for action in actions)
    total = sum(counts.values())
    return -sum(n / total * math.log2(n / total) for n in counts.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "setting", "plain"),
    # Of 500 instances each by a transcription of the paper's algorithms, two seeds' larger value.
    [("FantasyEnv", EASY, 4.8220), ("ChemicalEnv", EASY, 4.8338), ("MusicEnv", HARD, 5.2196)],
)
def test_actions_are_as_diverse_as_those_of_a_plain_solver(
    release: Path, name: str, setting: Setting, plain: float
) -> None:
    config = parse_config((release / "domains" / f"{name}.json").read_text(), name)
    sample = sample_instances(encode_config(config), SamplingRequest(setting, 1_000, 2, 0.0))
    assert entropy([i.actions for i in sample.instances]) > plain


def test_observations_of_touching_and_overlapping_ranges_are_read_back() -> None:
    ranges = [(0.0, 1.0), (1.0, 2.0), (0.5, 3.0), (2.5, 2.0), (-1e308, 1.7e308), (0.25, 0.75)]
    states = tuple(OutcomeState(None, low, high, ("t0",)) for low, high in ranges)
    config = SeedConfig("Ranges", ("t0", "t1"), ("a",), (Outcome("a", "float", states),))
    encoded = encode_config(config)
    sample = sample_instances(encoded, SamplingRequest(Setting(2, 1), 9, 0, 0.0))
    assert {instance.states[0] for instance in sample.instances} == {0, 1, 2, 4}
    for instance in sample.instances:
        assert config.outcomes[0].state_of(instance.observations[0]) == instance.states[0]
        if instance.states[0] == 2:
            assert 2.0 <= float(instance.observations[0]) < 3.0
