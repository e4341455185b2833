"""Sizes, names and ranges of configurations: what counts once, and what is no finding."""

from dataclasses import replace

from perennial.schemas.kumo.things import Outcome, SeedConfig
from perennial.tasks.kumo.validation import one_to_one_share, validate_config
from tests.kumo.tree_config import CLEAN, SMELL, label, small, span, with_height, with_smell, with_truth


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
