"""Every rule on a small clean configuration, the rules against brute force, and the authors' release."""

import math
import re
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.errors import UnusableConfig
from perennial.schemas.kumo.things import Outcome, OutcomeState, SeedConfig
from perennial.tasks.kumo.answers import Move, parse_answer
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.players import answer
from perennial.tasks.kumo.validation import RULES, one_to_one_share, refuse_unsafe, validate_config
from tests.kumo.tree_config import (
    CLEAN,
    HEIGHT,
    SMELL,
    TOUCH,
    label,
    small,
    span,
    with_action,
    with_height,
    with_smell,
    with_truth,
)

Case = tuple[str, SeedConfig, str | None, str | None, str]
CASES: list[Case] = [
    ("blank-name", with_truth(" \t"), None, None, "truth ' \\t' (number 5) is blank"),
    ("blank-name", replace(CLEAN, name=""), None, None, "domain name '' (number 1) is blank"),
    ("blank-name", with_action(""), "", None, "action '' (number 4) is blank"),
    ("blank-name", with_smell(label("", "Oak"), label("b", "Elm")), "Smell", "", "'' (number 1) is blank"),
    ("control-character", with_truth("Bay\nleaf"), None, None, "holds the invisible character U+000A"),
    ("control-character", with_action("Ta\x00ste"), "Ta\x00ste", None, "U+0000"),
    ("answer-tag", with_truth("Bay</ANSWER>"), None, None, "'Bay</ANSWER>' holds '</ANSWER>'"),
    ("answer-tag", with_truth("<answer>Bay"), None, None, "holds '<answer>'"),
    ("answer-tag", with_action("Ta</Answer>ste"), "Ta</Answer>ste", None, "holds '</Answer>'"),
    ("unfit-text", with_truth("Bay </BOOK>"), None, None, "'Bay </BOOK>' holds the mark </BOOK"),
    ("unfit-text", with_action("<Rule_Outs>"), "<Rule_Outs>", None, "holds the mark <Rule_Outs"),
    ("unfit-text", replace(CLEAN, truth_notes={"Oak": "</book>"}), None, None, "note for truth 'Oak' holds"),
    ("long-name", with_truth("Bay" * 67), None, None, "has 201 characters, expected 200 at most"),
    ("long-name", with_truth("Bay" * 100_000), None, None, "has 300,000 characters"),
    ("long-text", replace(CLEAN, action_notes={"Smell": "x" * 5_001}), None, None, "expected 5,000 at most"),
    ("long-text", replace(CLEAN, goal="<" + " " * 1_000_000), None, None, "goal has 1,000,001 characters"),
    ("long-text", replace(CLEAN, goal="x" * 5_001), None, None, "goal has 5,001 characters"),
    (
        "unfit-text",
        replace(CLEAN, outcomes=(SMELL, TOUCH, replace(HEIGHT, unit="m\u200f"))),
        *("Height", None, "unit 'm\\u200f' holds the invisible character U+200F"),
    ),
    ("untrimmed-name", with_truth(" Bay"), None, None, "truth ' Bay' has spaces around it; write 'Bay'"),
    ("untrimmed-name", with_smell(label("a ", "Oak"), label("b")), "Smell", "a ", "write 'a'"),
    ("blank-noun", replace(CLEAN, action_noun=" "), None, None, "action_noun is ' '"),
    ("duplicate-truth", replace(CLEAN, truths=(*CLEAN.truths, "Oak")), None, None, "'Oak' is listed 2 times"),
    ("duplicate-action", replace(CLEAN, actions=(*CLEAN.actions, "Touch")), "Touch", None, "listed 2 times"),
    ("similar-truth", with_truth("OAK"), None, None, "'OAK' differs from 'Oak'"),
    ("similar-action", with_action("sMELL"), "sMELL", None, "'sMELL' differs from 'Smell'"),
    ("truth-action-collision", with_truth("touch"), "Touch", None, "truth 'touch'; rename one"),
    ("unknown-note", replace(CLEAN, truth_notes={"Yew": "x"}), None, None, "has a note for 'Yew'"),
    ("unknown-note", replace(CLEAN, action_notes={"Oak": "x"}), None, None, "has a note for 'Oak'"),
    ("missing-outcome", replace(CLEAN, actions=(*CLEAN.actions, "Taste")), "Taste", None, "no outcome entry"),
    (
        "duplicate-outcome",
        replace(CLEAN, outcomes=(*CLEAN.outcomes, SMELL)),
        "Smell",
        None,
        "2 outcome entries",
    ),
    (
        "unlisted-outcome",
        replace(CLEAN, outcomes=(*CLEAN.outcomes, replace(SMELL, action="Taste"))),
        "Taste",
        None,
        "add it to actions or remove",
    ),
    ("undeclared-type", with_smell(*SMELL.states, kind="bool"), "Smell", None, "type 'bool' is not known"),
    ("missing-type", with_height(*SMELL.states, kind="str"), None, None, "no outcome has type 'float'"),
    ("no-states", with_smell(), "Smell", None, "no outcome state"),
    ("wrong-state-kind", with_smell(span(0, 1, "Oak"), label("b")), "Smell", "0..1", "has a range, but"),
    ("wrong-state-kind", with_height(span(0, 1, "Oak"), label("b")), "Height", "b", "has a label, but"),
    (
        "wrong-state-kind",
        with_smell(label("a", "Oak"), OutcomeState(None, None, None, ())),
        "Smell",
        "None..None",
        "neither label nor range",
    ),
    (
        "wrong-state-kind",
        with_smell(label("a", "Oak"), OutcomeState("b", 0.0, 1.0, ())),
        "Smell",
        "b",
        "both label and range",
    ),
    (
        "wrong-state-kind",
        with_height(span(0, 1, "Oak"), OutcomeState(None, 1.0, None, ())),
        "Height",
        "1.0..None",
        "half a range",
    ),
    ("duplicate-label", with_smell(label("a", "Oak"), label("a")), "Smell", "a", "occurs 2 times"),
    ("similar-label", with_smell(label("a b", "Oak"), label("A  b")), "Smell", "A  b", "differs from 'a b'"),
    (
        "non-finite-range",
        with_height(span(0, 1, "Oak"), span(1, math.inf)),
        "Height",
        "1..inf",
        "and inf, expected",
    ),
    ("non-finite-range", with_height(span(0, 1, "Oak"), span(math.nan, 2)), "Height", "nan..2", "nan and 2"),
    ("inverted-range", with_height(span(0, 1, "Oak"), span(9, 2)), "Height", "9..2", "9 is not below high 2"),
    ("inverted-range", with_height(span(0, 1, "Oak"), span(2, 2)), "Height", "2..2", "2 is not below high 2"),
    (
        "range-too-wide",
        with_height(span(0, 1, "Oak"), span(-1.7e308, 1.7e308)),
        "Height",
        "-1.7e+308..1.7e+308",
        "is not finite",
    ),
    ("overlapping-ranges", with_height(span(0, 2, "Oak"), span(1, 3)), "Height", "0..2", "overlaps 1..3"),
    ("overlapping-ranges", with_height(span(1, 2, "Oak"), span(1, 2)), "Height", "1..2", "overlaps 1..2"),
    ("range-gap", with_height(span(5, 6, "Oak"), span(0, 4)), "Height", None, "no range holds 4..5,"),
    ("unknown-truth", with_smell(label("a", "Oak", "Yew"), label("b")), "Smell", "a", "names 'Yew', which"),
    ("unknown-truth", with_smell(label("a", "Oak", "elm "), label("b")), "Smell", "a", "(is 'Elm' meant?)"),
    ("repeated-rule-out", with_smell(label("a", "Oak", "Oak"), label("b")), "Smell", "a", "'Oak' 2 times"),
    (
        "always-ruled-out",
        with_smell(label("a", "Oak", "Elm"), label("b", "Oak")),
        "Smell",
        None,
        "rules out 'Oak',",
    ),
    ("never-ruled-out", replace(CLEAN, truths=(*CLEAN.truths, "Yew")), None, None, "is ruled out by no"),
    ("rules-out-nothing", with_smell(label("a"), label("b")), "Smell", None, "no state of this action"),
    ("too-few-truths", with_smell(label("a", "Oak"), label("b")), None, None, "4 distinct truths, but 5 are"),
    ("too-few-actions", with_smell(label("a", "Oak"), label("b")), None, None, "distinct actions, but 9 are"),
]
SIZES = {"too-few-truths": (5, 3), "too-few-actions": (4, 9)}


def test_the_clean_configuration_has_no_findings() -> None:
    assert small(CLEAN) == []


@pytest.mark.parametrize(
    ("rule", "config", "action", "state", "told"), CASES, ids=[case[0] for case in CASES]
)
def test_a_broken_rule_gives_exactly_its_finding(
    rule: str, config: SeedConfig, action: str | None, state: str | None, told: str
) -> None:
    min_truths, min_actions = SIZES.get(rule, (4, 3))
    [found] = validate_config(config, min_truths=min_truths, min_actions=min_actions)
    assert (found.rule, found.action, found.state) == (rule, action, state)
    assert (found.severity, found.domain) == (RULES[rule].severity, config.name)
    assert told in found.message
    assert found.message.startswith(f"domain {config.name!r}")
    for place in (action, state):
        assert place is None or repr(place) in found.message
    assert found.message.isprintable()
    if RULES[rule].unsafe:
        with pytest.raises(UnusableConfig, match=rule):
            refuse_unsafe(config)
    else:
        assert found.rule in {kept.rule for kept in refuse_unsafe(config)}


def test_a_refusal_counts_all_and_quotes_the_first_in_one_line() -> None:
    config = with_smell(label("a", *(f"Tree {i}" for i in range(1000))), label("b", "Oak"))
    with pytest.raises(UnusableConfig, match=r"unknown-truth \(1000\).*'Tree 2'.*and 997 more") as refusal:
        refuse_unsafe(config)
    assert len(str(refusal.value)) < 1500
    assert str(refusal.value).isprintable()


def test_a_single_state_is_too_few_and_rules_out_always_or_nothing() -> None:
    always = [found.rule for found in small(with_smell(label("a", "Oak")))]
    nothing = [found.rule for found in small(with_smell(label("a")))]
    assert always == ["too-few-states", "always-ruled-out"]
    assert nothing == ["too-few-states", "rules-out-nothing"]


def test_every_rule_has_a_case() -> None:
    elsewhere = {"too-few-states", "few-truths", "few-actions"}
    assert {case[0] for case in CASES} | elsewhere == set(RULES)


def test_limits_of_length_and_line_breaks_in_notes_are_no_findings() -> None:
    longest = with_truth("B" * 200)
    assert small(replace(longest, truth_notes={"Oak": "x" * 4_998 + "\r\n"}, goal="one\n\ttwo")) == []


def test_every_tag_of_the_prompts_has_a_finding() -> None:
    templates = (Path(__file__).parents[2] / "prompts" / "kumo").rglob("*.j2")
    tags = {tag for file in templates for tag in re.findall(r"</?[A-Z_]+>", file.read_text(encoding="utf-8"))}
    assert len(tags) == 8
    for tag in tags:
        (found,) = small(replace(CLEAN, goal=f"Find {tag.lower()} it."))
        assert found.rule == "unfit-text"


@given(st.sampled_from(["<ANSWER>", "</ANSWER>", "<answer>", "x"]), st.text("<>/ ANSWERanswer", max_size=12))
def test_an_answer_tag_is_found_exactly_where_a_name_cannot_be_answered(tag: str, rest: str) -> None:
    name = f"Bay{rest}{tag}"
    is_read = parse_answer(answer(name), [name], []) == Move("truth", name)
    assert is_read != ("answer-tag" in {found.rule for found in small(with_truth(name))})


def test_several_defects_are_all_found_in_one_run() -> None:
    broken = with_height(span(0, 2, "Oak", "Yew"), span(1, 3), span(9, 8))
    rules = [found.rule for found in validate_config(broken)]
    assert rules == [
        "inverted-range",
        "overlapping-ranges",
        "unknown-truth",
        "too-few-truths",
        "too-few-actions",
    ]


# The validator against brute force on random configurations, and on the authors' release.


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


# Sizes, names and ranges of configurations: what counts once, and what is no finding.


def test_fewer_than_fifty_truths_and_thirty_actions_are_a_warning_and_fewer_than_hard_draws_an_error() -> (
    None
):
    names = tuple(f"tree {i}" for i in range(50))
    outcomes = tuple(
        Outcome(f"test {i}", "str", (label("a", *names), label("b")))
        if i
        else Outcome("test 0", "float", (span(0, 1, *names), span(1, 2)))
        for i in range(30)
    )
    config = SeedConfig("Trees", names, tuple(outcome.action for outcome in outcomes), outcomes)
    assert validate_config(config) == []
    for truths, actions, rules in (
        (49, 30, {"few-truths"}),
        (12, 16, {"few-truths", "few-actions"}),
        (50, 15, {"too-few-actions"}),
        (11, 29, {"too-few-truths", "few-actions"}),
    ):
        smaller = replace(config, truths=names[:truths], actions=config.actions[:actions])
        found = {one.rule: one.severity for one in validate_config(smaller) if "few" in one.rule}
        assert found == {rule: "error" if rule.startswith("too") else "warning" for rule in rules}
        asked = validate_config(smaller, min_truths=truths, min_actions=actions + 1)
        assert [one.rule for one in asked if "few" in one.rule] == ["too-few-actions"]


def test_repeated_names_count_once_towards_the_size() -> None:
    doubled = replace(CLEAN, truths=(*CLEAN.truths, "Oak"), actions=(*CLEAN.actions, "Smell"))
    rules = {found.rule for found in validate_config(doubled, min_truths=5, min_actions=4)}
    assert {"too-few-truths", "too-few-actions"} <= rules


def test_an_entry_of_an_unlisted_action_counts_for_nothing_else() -> None:
    taste = Outcome("Taste", "float", (span(0, 1, "Yew"), span(1, 2)))
    config = replace(with_height(*SMELL.states, kind="str"), truths=(*CLEAN.truths, "Yew"))
    rules = [found.rule for found in small(replace(config, outcomes=(*config.outcomes, taste)))]
    assert rules == ["unlisted-outcome", "missing-type", "never-ruled-out"]


def test_one_accent_in_two_encodings_is_one_name() -> None:
    assert "similar-truth" in {found.rule for found in small(replace(CLEAN, truths=("\u00e9", "e\u0301")))}


def test_joiners_that_belong_to_a_script_are_no_invisible_characters() -> None:
    assert small(with_truth("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645")) == []


def test_ranges_within_a_wider_one_leave_no_gap() -> None:
    rules = {found.rule for found in small(with_height(span(0, 9, "Oak"), span(1, 2), span(5, 6)))}
    assert rules == {"overlapping-ranges"}


def test_many_overlaps_are_cut_short_and_counted_as_such() -> None:
    found = small(with_height(*(span(0, 1 + i, "Oak") for i in range(3000)), span(4000, 4001)))
    overlaps = [f for f in found if f.rule == "overlapping-ranges"]
    assert len(overlaps) == 101
    assert "more than 100 pairs" in overlaps[-1].message


def test_one_to_one_share_counts_states_that_rule_out_exactly_one_truth() -> None:
    # sharp 2, mild 1, rough 2, smooth 2, low 2, high 1
    assert one_to_one_share(CLEAN) == 2 / 6
    assert one_to_one_share(with_smell(label("a", "Oak", "Oak", "Yew"), label("b"))) == 2 / 5
    assert one_to_one_share(replace(CLEAN, outcomes=())) == 0.0
