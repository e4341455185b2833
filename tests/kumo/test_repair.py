"""Repairs of the authors' configurations: void, repeated and ambiguous parts go, and each change is named."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.kumo.things import Outcome, OutcomeState, SeedConfig
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.release.repair import repair_config
from perennial.tasks.kumo.validation import RULES, validate_config
from tests.kumo.small_worlds import some
from tests.kumo.tree_config import CLEAN, label, span

REPAIRABLE = {
    "duplicate-truth",
    "duplicate-action",
    "unlisted-outcome",
    "unknown-truth",
    "repeated-rule-out",
    "inverted-range",
    "undeclared-type",
    "missing-outcome",
    "too-few-states",
    "rules-out-nothing",
    "never-ruled-out",
    "overlapping-ranges",
}


def rules_of(config: SeedConfig) -> set[str]:
    return {found.rule for found in validate_config(config, min_truths=0, min_actions=0)}


def with_outcome(*outcomes: Outcome) -> SeedConfig:
    added = tuple(outcome.action for outcome in outcomes)
    return replace(CLEAN, actions=(*CLEAN.actions, *added), outcomes=(*CLEAN.outcomes, *outcomes))


@pytest.mark.parametrize(
    ("broken", "change"),
    [
        (replace(CLEAN, truths=(*CLEAN.truths, "Oak")), "truth 'Oak' was listed 2 times: kept once"),
        (replace(CLEAN, actions=(*CLEAN.actions, "Smell")), "action 'Smell' was listed 2 times: kept once"),
        (replace(CLEAN, truths=(*CLEAN.truths, "Yew")), "'Yew' was dropped: a truth that nothing rules out"),
        (
            replace(CLEAN, actions=(*CLEAN.actions, "Lick")),
            "'Lick' was dropped: missing-outcome: every action has an outcome entry",
        ),
        (
            replace(
                CLEAN, outcomes=(*CLEAN.outcomes, Outcome("Lick", "str", (label("a"), label("b", "Oak"))))
            ),
            "the outcomes of 'Lick', which is no action, were dropped",
        ),
        (
            with_outcome(Outcome("Lick", "str", (label("a", "Fig"), label("b", "Oak")))),
            "'Fig', no truth, was dropped from the rules of 'Lick'",
        ),
        (
            with_outcome(Outcome("Lick", "int", (label("a"), label("b", "Oak")))),
            "the type of 'Lick' was 'int': its states are of type str",
        ),
        (
            with_outcome(Outcome("Lick", "str", (label("a", "Oak"),))),
            "'Lick' was dropped: always-ruled-out: no truth is ruled out by every state of one action",
        ),
        (
            with_outcome(Outcome("Lick", "str", (label("a"), label("b")))),
            "'Lick' was dropped: an action that rules nothing out",
        ),
        (
            with_outcome(Outcome("Weigh", "float", (span(5, 2, "Oak"), span(5, 9)))),
            "the range 5..2 of 'Weigh' was read from its lower bound on",
        ),
        (
            with_outcome(Outcome("Weigh", "float", (span(1, 5, "Oak"), span(4, 9)))),
            "'Weigh' was dropped: overlapping-ranges: ranges of an action do not overlap (they may share an "
            "end point)",
        ),
    ],
)
def test_a_defect_is_repaired_and_the_change_named(broken: SeedConfig, change: str) -> None:
    assert rules_of(broken) & REPAIRABLE
    repaired, changes = repair_config(broken, {})
    assert changes == (change,)
    assert rules_of(repaired) == set()
    assert repair_config(repaired, {}) == (repaired, ())


def test_a_truth_that_a_dropped_action_alone_ruled_out_goes_too() -> None:
    broken = with_outcome(Outcome("Weigh", "float", (span(1, 5, "Yew"), span(4, 9))))
    repaired, changes = repair_config(replace(broken, truths=(*broken.truths, "Yew")), {})
    assert [change.split(":")[0] for change in changes] == ["'Weigh' was dropped", "'Yew' was dropped"]
    assert (repaired.truths, repaired.actions) == (CLEAN.truths, CLEAN.actions)


def test_what_would_need_a_decision_stays_and_is_found() -> None:
    similar = replace(CLEAN, truths=(*CLEAN.truths, "oak"))
    ruled_out = Outcome("Lick", "str", (label("a", "oak"), label("b")))
    similar = replace(similar, actions=(*CLEAN.actions, "Lick"), outcomes=(*CLEAN.outcomes, ruled_out))
    repaired, changes = repair_config(similar, {})
    assert changes == ()
    assert rules_of(repaired) == {"similar-truth"}


def test_goal_nouns_and_title_are_the_operators_or_made_of_the_name() -> None:
    nameless = replace(CLEAN, name="StarConstellationEnv", goal="", book_title="", truth_noun="truth")
    repaired, changes = repair_config(nameless, {})
    assert changes == ()
    assert repaired.goal == "Find the truth that no outcome rules out (Star Constellation)."
    assert repaired.book_title == "Star Constellation: what each outcome rules out"
    asked, _ = repair_config(nameless, {"truth_noun": "star"})
    assert (asked.goal, asked.truth_noun) == (repaired.goal.replace("truth", "star"), "star")
    assert repair_config(nameless, {"goal": "Name it."})[0].goal == "Name it."
    assert repair_config(replace(nameless, name="MLEnv"), {})[0].book_title.startswith("ML: ")


_NAMES = st.sampled_from(["Oak", "Elm", "Ash", "Fir", "oak", "Yew"])
_STATES = st.lists(
    st.builds(
        OutcomeState,
        st.sampled_from(["a", "b", "A"]),
        st.none(),
        st.none(),
        st.lists(_NAMES, max_size=4).map(tuple),
    )
    | st.builds(
        OutcomeState,
        st.none(),
        st.integers(0, 6).map(float),
        st.integers(0, 6).map(float),
        st.lists(_NAMES, max_size=4).map(tuple),
    ),
    max_size=3,
).map(tuple)


@pytest.mark.slow
@some
@given(
    st.lists(_NAMES, max_size=6),
    st.lists(st.builds(Outcome, st.sampled_from(["x", "y", "z"]), st.sampled_from(["str", "int"]), _STATES)),
)
def test_a_repair_adds_nothing_and_leaves_only_what_needs_a_decision(
    truths: list[str], outcomes: list[Outcome]
) -> None:
    config = SeedConfig("TreeEnv", tuple(truths), tuple(each.action for each in outcomes), tuple(outcomes))
    repaired, changes = repair_config(config, {})
    assert set(repaired.truths) <= set(config.truths)
    assert set(repaired.actions) <= set(config.actions)
    # What is left alone lacks nothing: no rule of truths that are not listed, none of actions.
    assert not rules_of(repaired) & REPAIRABLE
    assert (not changes) == (replace(repaired, goal="", book_title="") == config)


@pytest.mark.slow
def test_65_of_the_67_released_domains_can_be_sampled_once_repaired(release: Path) -> None:
    before, after = 0, {}
    for path in sorted((release / "domains").glob("*.json")):
        config = parse_config(path.read_text(encoding="utf-8"), path.name)
        before += not any(RULES[rule].unsafe for rule in rules_of(config))
        unsafe = {rule for rule in rules_of(repair_config(config, {})[0]) if RULES[rule].unsafe}
        after |= {path.stem: unsafe} if unsafe else {}
    assert before == 54
    assert after == {"CircusActEnv": {"similar-truth"}, "DemographicEnv": {"similar-truth"}}
