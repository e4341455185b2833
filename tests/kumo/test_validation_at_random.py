"""The validator against brute force on random configurations, and on the authors' release."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.errors import UnusableConfig
from perennial.schemas.kumo.things import Outcome, OutcomeState, SeedConfig
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.validation import RULES, one_to_one_share, refuse_unsafe, validate_config
from tests.kumo.test_validation import label, small, span, with_height

NAMES = st.sampled_from(
    ["Oak", "oak", " Oak", "Elm", "Fir", "", "Smell", "a\nb", "\ud800", "x" * 5000]
) | st.text(max_size=3)
BOUNDS = st.none() | st.integers(0, 6).map(float) | st.floats()
STATES = st.builds(OutcomeState, st.none() | NAMES, BOUNDS, BOUNDS, st.lists(NAMES, max_size=4).map(tuple))
OUTCOMES = st.builds(
    Outcome, NAMES, st.sampled_from(["str", "float", "int", ""]), st.lists(STATES, max_size=5).map(tuple)
)
CONFIGS = st.builds(
    SeedConfig,
    NAMES,
    st.lists(NAMES, max_size=6).map(tuple),
    st.lists(NAMES, max_size=6).map(tuple),
    st.lists(OUTCOMES, max_size=5).map(tuple),
    truth_notes=st.dictionaries(NAMES, NAMES, max_size=2),
)


@pytest.mark.slow
@given(CONFIGS)
def test_no_configuration_crashes_the_validator(config: SeedConfig) -> None:
    findings = validate_config(config)
    assert findings == validate_config(config)
    assert {found.rule for found in findings} <= set(RULES)
    assert all(found.message.isprintable() and len(found.message) < 2000 for found in findings)
    assert 0.0 <= one_to_one_share(config) <= 1.0
    unsafe = any(RULES[found.rule].unsafe for found in findings)
    try:
        assert refuse_unsafe(config) == findings
    except UnusableConfig:
        assert unsafe
    else:
        assert not unsafe


RANGES = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 12)).map(
        lambda pair: span(float(pair[0]), float(pair[1]), "Oak")
    ),
    min_size=2,
    max_size=6,
)


@given(RANGES)
def test_overlaps_are_those_that_brute_force_finds(ranges: list[OutcomeState]) -> None:
    found = Counter(f.rule for f in small(with_height(*ranges)))
    proper = [(s.low, s.high) for s in ranges if s.low is not None and s.high is not None and s.low < s.high]
    halves = [{i / 2 for i in range(25) if low < i / 2 < high} for low, high in proper]
    assert found["overlapping-ranges"] == sum(bool(a & b) for a, b in combinations(halves, 2))
    assert found["inverted-range"] == len(ranges) - len(proper)
    covered = set().union(*halves)
    within = {
        i + 0.5 for i in range(12) if proper and min(proper)[0] < i + 0.5 < max(high for _, high in proper)
    }
    assert found["range-gap"] == (not within <= covered)


@given(RANGES)
def test_without_overlap_or_inversion_each_number_falls_into_its_own_state(
    ranges: list[OutcomeState],
) -> None:
    config = with_height(*ranges)
    if not {"overlapping-ranges", "inverted-range"} & {found.rule for found in small(config)}:
        outcome = config.outcomes[2]
        for index, state in enumerate(ranges):
            assert state.low is not None
            assert state.high is not None
            assert outcome.state_of(state.low) == index
            assert outcome.state_of((state.low + state.high) / 2) == index


SETS = st.lists(st.lists(st.sampled_from(["Oak", "Ash", "Elm", "Yew"]), max_size=4), min_size=1, max_size=4)


@given(SETS)
def test_truths_ruled_out_always_never_and_unknown_are_those_of_brute_force(sets: list[list[str]]) -> None:
    states = [label(f"s{i}", *names) for i, names in enumerate(sets)]
    config = SeedConfig("Trees", ("Oak", "Ash", "Elm"), ("Smell",), (Outcome("Smell", "str", tuple(states)),))
    found = Counter(f.rule for f in validate_config(config))
    in_all = [t for t in config.truths if all(t in names for names in sets)]
    in_none = [t for t in config.truths if not any(t in names for names in sets)]
    assert found["always-ruled-out"] == bool(in_all)
    assert found["never-ruled-out"] == len(in_none)
    assert found["rules-out-nothing"] == (len(in_none) == 3)
    assert found["unknown-truth"] == sum("Yew" in names for names in sets)
    repeated = sum(count > 1 for names in sets for count in Counter(names).values())
    assert found["repeated-rule-out"] == repeated


# --- the authors' release ------------------------------------------------------------------------


def test_defects_of_the_released_domains_are_found_as_measured(release: Path) -> None:
    configs = [
        parse_config(path.read_text(encoding="utf-8"), path.name)
        for path in sorted((release / "domains").glob("*.json"))
    ]
    by_domain = {config.name: Counter(f.rule for f in validate_config(config)) for config in configs}
    total = sum(by_domain.values(), Counter[str]())
    assert len(configs) == 67
    assert total == {
        "duplicate-truth": 1,
        "similar-truth": 3,
        "truth-action-collision": 1,
        "undeclared-type": 7,  # 6 int, 1 dict
        "missing-type": 3,
        "wrong-state-kind": 2,
        "similar-label": 1,
        "inverted-range": 4,
        "overlapping-ranges": 38,
        "range-gap": 145,
        "always-ruled-out": 1,
        "never-ruled-out": 4,
        "rules-out-nothing": 27,
        "too-few-truths": 1,
        "few-truths": 37,
        "too-few-actions": 15,
        "few-actions": 14,
    }
    small_ones = {name for name, rules in by_domain.items() if any("few" in rule for rule in rules)}
    # InventorEnv lists 50 truths, one of them twice; 49 domains are too small as listed.
    assert len(small_ones) == 50
    unsafe = {name for name, rules in by_domain.items() if any(RULES[rule].unsafe for rule in rules)}
    assert len(unsafe) == 13
    assert by_domain["RelicEnv"]["truth-action-collision"] == 1
    assert by_domain["InventorEnv"]["duplicate-truth"] == 1
