"""Counterfactual domains: as many facts as can be are other ones, and all else is as it was."""

import random
from collections import Counter

import pytest

from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.schemas.kumo.things import Instance, Outcome, OutcomeState, SeedConfig
from perennial.schemas.model_calls import ModelChoice
from perennial.tasks.kumo.authors.books import writing_request
from perennial.tasks.kumo.books import check_book, rules_of, write_book
from perennial.tasks.kumo.encoding import encode_config, instance_id
from perennial.tasks.kumo.game import CLOSED_TEMPLATE, Terms, system_message
from perennial.tasks.kumo.validation import validate_config
from perennial.tasks.kumo.worlds import make_counterfactual, share_changed

TRUE = load_bundled("chemical_analysis")
MADE = make_counterfactual(TRUE, 7)
NOTICE = "The facts of this game are not those of the real world"


def _rules(outcome: Outcome, truth: str) -> frozenset[int]:
    return frozenset(number for number, state in enumerate(outcome.states) if truth in state.rules_out)


def test_names_stay_and_the_domain_is_one_of_its_own() -> None:
    assert (MADE.name, MADE.is_counterfactual, TRUE.is_counterfactual) == (
        "Chemical Analysis (counterfactual)",
        True,
        False,
    )
    assert (MADE.truths, MADE.actions, MADE.truth_notes) == (TRUE.truths, TRUE.actions, TRUE.truth_notes)
    assert MADE.domain_id != TRUE.domain_id
    assert make_counterfactual(TRUE, 7) == MADE
    assert make_counterfactual(TRUE, 8).config_id != MADE.config_id
    instance = Instance(TRUE.truths[:4], TRUE.actions[:2], (0, 0), (0.0, 40.0), TRUE.truths[:1], 0, 0)
    assert instance_id(encode_config(TRUE), instance) != instance_id(encode_config(MADE), instance)


def test_each_action_exchanges_its_cells_and_as_many_as_can_differ() -> None:
    changed = total = 0
    for before, after in zip(TRUE.outcomes, MADE.outcomes, strict=True):
        cells = {truth: ends for truth, *ends in before.cells}
        moved = {truth: ends for truth, *ends in after.cells}
        known = [truth for truth in TRUE.truths if _rules(before, truth) or truth in cells]
        assert {truth for truth in TRUE.truths if _rules(after, truth) or truth in moved} == set(known)
        assert Counter((_rules(after, truth), str(moved.get(truth))) for truth in known) == Counter(
            (_rules(before, truth), str(cells.get(truth))) for truth in known
        )
        differ = sum(_rules(before, truth) != _rules(after, truth) for truth in known)
        commonest = max(Counter(_rules(before, truth) for truth in known).values())
        assert differ == min(len(known), 2 * (len(known) - commonest))
        changed, total = changed + differ, total + len(known)
    assert share_changed(TRUE, MADE) == pytest.approx(changed / total)
    assert 0.6 < changed / total < 0.7
    assert validate_config(MADE) == []


def test_which_permutation_it_is_is_drawn() -> None:
    """Three kinds of two truths: each truth gets each of the four cells of the other kinds about as often."""
    truths = tuple("abcdef")
    states = tuple(OutcomeState(str(n), None, None, truths[2 * n : 2 * n + 2]) for n in range(3))
    config = SeedConfig("D", truths, ("act",), (Outcome("act", "str", states),))
    got = Counter(
        next(iter(_rules(make_counterfactual(config, seed).outcomes[0], "a"))) for seed in range(200)
    )
    assert set(got) == {1, 2}
    assert min(got.values()) > 60


@pytest.mark.parametrize("style", ["list", "prose", "table", "by-truth"])
def test_books_and_messages_say_that_the_facts_are_exchanged(style: str) -> None:
    encoded = encode_config(MADE)
    instance = Instance(TRUE.truths[:4], TRUE.actions[:6], (0,) * 6, (0.0,) * 6, TRUE.truths[:1], 0, 0)
    rules = rules_of(encoded, instance)
    book = write_book(MADE, instance, rules, random.Random(1), style)
    assert f"{NOTICE}: the names are the same" in book
    assert "Only what this guidebook says counts." in book
    assert check_book(book, instance, rules).passed
    request = writing_request(ModelChoice("writer"), MADE, instance, rules)
    assert NOTICE in str(request.messages)
    terms = Terms(MADE, instance.truths, instance.actions)
    assert NOTICE in system_message(terms, book="a book")["content"]
    closed = system_message(terms, CLOSED_TEMPLATE)["content"]
    assert NOTICE in closed
    assert "go by what you know" not in closed
    true = Terms(TRUE, instance.truths, instance.actions)
    assert NOTICE not in system_message(true, book="a book")["content"]
    assert "go by what you know" in system_message(true, CLOSED_TEMPLATE)["content"]
