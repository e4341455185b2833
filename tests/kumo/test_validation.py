"""Every rule on a small clean configuration, the rules against brute force, and the authors' release."""

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.errors import UnusableConfig
from perennial.schemas.kumo.things import OutcomeState, SeedConfig
from perennial.tasks.kumo.answers import Move, parse_answer
from perennial.tasks.kumo.players import answer
from perennial.tasks.kumo.validation import RULES, refuse_unsafe, validate_config
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
