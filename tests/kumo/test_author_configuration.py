"""Configurations by a model: the two steps, what is refused, repair, and domains that are dropped."""

import asyncio
import json
import random
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from perennial.flows.kumo.author_domains import configure_proposals
from perennial.schemas.errors import InvalidOption
from perennial.schemas.kumo.plan import AuthoringPlan
from perennial.schemas.kumo.settings import KumoSettings
from perennial.schemas.kumo.things import BOOK_STYLES, SECOND_CONFIGURER, Setting
from perennial.tasks.kumo.authors.books import rule_values
from perennial.tasks.kumo.authors.configurations import Configured
from perennial.tasks.kumo.books import rules_of, write_book
from perennial.tasks.kumo.encoding import encode_config, encode_instance
from perennial.tasks.kumo.game import Board, KumoGame
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.validation import RULES
from perennial.tasks.llm.structured import JsonAsker
from tests.kumo.author_ask import PROPOSAL, AuthorAsk, Damage, configure, rules, status, whole_config
from tests.server.config_text import CONFIG_FAULTS

VALIDATOR_RULES = {
    "overlapping_ranges": {"overlapping-ranges"},
    "always_ruled_out": {"always-ruled-out"},
    "too_few_truths": {"too-few-truths"},
    "unknown_truth": {"unknown-truth"},
    "missing_action": {"missing-outcome"},
    "duplicate_truth": {"duplicate-truth"},
    "never_valid": {"unknown-truth"},
    "not_json": {"unreadable"},
}


def edit(**changes: object) -> Damage:
    """Change keys of the document that the role says; None drops one."""

    def damage(text: str) -> str:
        values = {**json.loads(text), **changes}
        return json.dumps({key: value for key, value in values.items() if value is not None})

    return damage


# ---- the way it should go


def test_two_calls_give_a_configuration_of_the_proposal() -> None:
    ask = AuthorAsk()
    configured = configure(ask)
    config = configured.config
    assert config is not None
    assert (config.name, config.category, config.goal) == (PROPOSAL.name, PROPOSAL.category, PROPOSAL.goal)
    assert (config.truth_noun, config.action_noun) == (PROPOSAL.truth_noun, PROPOSAL.action_noun)
    assert config.book_title == PROPOSAL.book_title
    assert len(config.truths) >= 50
    assert len(config.actions) >= 30
    said = [
        state for outcome in json.loads(ask.replies[1].content)["outcomes"] for state in outcome["states"]
    ]
    kept = [state for outcome in config.outcomes for state in outcome.states]
    assert [(s.label, [s.low, s.high] if s.is_range else None, list(s.rules_out)) for s in kept] == [
        (state["label"], state["range"], state["rules_out"]) for state in said
    ]
    assert configured.rejections == configured.warnings == ()
    assert configured.call_ids == tuple(request.call_id for request in ask.requests)
    assert len(configured.call_ids) == 2


def test_the_second_call_holds_the_reply_to_the_first_and_our_own_rules() -> None:
    ask = AuthorAsk()
    configure(ask)
    first, second = ask.requests
    metadata = first.messages[-1]["content"]
    for value in (PROPOSAL.name, PROPOSAL.goal, PROPOSAL.truths, PROPOSAL.actions, PROPOSAL.truth_noun):
        assert value in metadata
    assert "response_format" not in first.params
    asked = second.messages[-1]["content"]
    assert asked.startswith(ask.replies[0].content.strip("\n"))
    assert "50 or more names" in asked
    assert "30 or more names" in asked
    assert second.params["response_format"]["json_schema"]["name"] == "seed_configuration"
    templates = [request.template for request in ask.requests]
    assert templates == ["kumo/authors/configure_prompt.md.j2", "kumo/authors/configure.md.j2"]
    assert {request.role for request in ask.requests} == {"configurer"}


def test_a_prompt_with_template_syntax_is_passed_on_as_it_is() -> None:
    ask = AuthorAsk(damages={0: lambda text: "{{ 7 * 7 }} {% raw %}" + text})
    assert configure(ask).config is not None
    assert ask.requests[1].messages[-1]["content"].startswith("{{ 7 * 7 }} {% raw %}")


def test_a_server_without_structured_output_gives_the_same_configuration() -> None:
    ask = AuthorAsk(has_schemas=False)
    configured = configure(ask)
    assert configured.config == whole_config()
    assert ask.replies[1].status == "rejected"
    assert configured.call_ids == (ask.requests[0].call_id, ask.requests[2].call_id)


# ---- around and instead of the document


@pytest.mark.parametrize("wrap", ["```json\n{}\n```", "Certainly!\n\n{}\n\nI hope that this helps."])
def test_fences_and_prose_around_the_document_cost_nothing(wrap: str) -> None:
    configured = configure(AuthorAsk(damages={1: lambda text: wrap.replace("{}", text)}))
    assert configured.config == whole_config()
    assert configured.rejections == ()


def test_what_the_model_calls_the_domain_does_not_count() -> None:
    names = {"name": "Another", "goal": "g", "category": "c", "truth_noun": " ", "book_title": "b"}
    configured = configure(AuthorAsk(damages={1: edit(**names)}))
    assert configured.config == whole_config()
    assert configured.rejections == ()


def test_notes_and_all_else_are_kept_as_written() -> None:
    notes = {"Nothing of the kind": "a note"}
    configured = configure(AuthorAsk(damages={1: edit(truth_notes=notes)}))
    assert configured.config == replace(whole_config(), truth_notes=notes)
    assert len(configured.warnings) == 1
    assert "Nothing of the kind" in configured.warnings[0]


@pytest.mark.parametrize(
    ("damage", "rule", "message"),
    [
        (status("empty"), "empty", "empty"),
        (status("refused", "No."), "refused", "refused"),
        (status("truncated", " "), "truncated", "cut off"),
        (lambda text: "__import__('os').system('touch owned')", "unreadable", "no JSON document"),
        (lambda text: f"Truths = {json.loads(text)['truths']!r}", "unreadable", "broken"),
        (lambda text: text.replace('"truths"', "'truths'"), "unreadable", "broken"),
        (lambda text: text.replace('"range": null', '"range": set()', 1), "unreadable", "broken"),
        (lambda text: text.replace('"range": null', '"range": NaN', 1), "unreadable", "NaN"),
        (edit(actions=None), "unreadable", "lacks the key 'actions'"),
        (edit(code="print(1)"), "unreadable", "unknown key 'code'"),
        (edit(truths=["A", 5]), "unreadable", r"truths[1]: expected text in quotes, got 5"),
        (lambda text: f"[{text}]", "unreadable", "expected a JSON object"),
    ],
)
def test_what_is_no_configuration_is_refused_and_repaired(damage: Damage, rule: str, message: str) -> None:
    ask = AuthorAsk(damages={1: damage})
    configured = configure(ask)
    assert configured.config == whole_config()
    (rejection,) = configured.rejections
    assert (rejection.stage, rejection.subject, rejection.rule) == ("configuration", PROPOSAL.name, rule)
    assert message in rejection.message
    assert "\n" not in rejection.message
    assert rejection.call_id == ask.requests[1].call_id
    assert configured.call_ids == tuple(request.call_id for request in ask.requests)
    assert rejection.message in ask.requests[2].messages[-1]["content"]
    if rule == "unreadable":
        assert ask.requests[2].messages[-2] == {"role": "assistant", "content": ask.replies[1].content}


# ---- repair


@pytest.mark.parametrize("fault", sorted(set(CONFIG_FAULTS) - {"never_valid"}))
def test_errors_go_back_to_the_model_and_are_repaired(fault: str) -> None:
    ask = AuthorAsk(faults={1: fault})
    configured = configure(ask)
    assert configured.config == whole_config()
    assert VALIDATOR_RULES[fault] <= set(rules(configured))
    assert {rejection.call_id for rejection in configured.rejections} == {ask.requests[1].call_id}
    repair = ask.requests[2]
    assert repair.template == "kumo/authors/configure_repair.md.j2"
    assert [message["role"] for message in repair.messages] == ["system", "user", "assistant", "user"]
    assert all(found.message in repair.messages[-1]["content"] for found in configured.rejections)
    assert len(ask.requests) == 3


def test_a_repair_may_succeed_in_the_second_round() -> None:
    ask = AuthorAsk(faults={1: "overlapping_ranges", 2: "missing_action"})
    configured = configure(ask)
    assert configured.config == whole_config()
    first, second = ask.requests[1].call_id, ask.requests[2].call_id
    found = {(rejection.rule, rejection.call_id) for rejection in configured.rejections}
    assert ("overlapping-ranges", first) in found
    assert ("missing-outcome", second) in found
    assert len(configured.call_ids) == 4
    # Only the last version goes back, so that a conversation does not grow with every round.
    assert len(ask.requests[3].messages) == 4
    assert ask.requests[3].messages[2]["content"] == ask.replies[2].content


def test_a_domain_that_never_gets_valid_is_dropped_with_all_that_was_found() -> None:
    ask = AuthorAsk(faults={1: "never_valid"})
    configured = configure(ask)
    assert configured.config is None
    assert configured.warnings == ()
    assert rules(configured) == ["unknown-truth"] * 4 + ["dropped"]
    versions = [request.call_id for request in ask.requests[1:]]
    assert [rejection.call_id for rejection in configured.rejections] == [*versions, None]
    assert "none of 4 versions" in configured.rejections[-1].message
    assert configured.call_ids == (ask.requests[0].call_id, *versions)
    assert len(set(configured.call_ids)) == 5


def test_the_same_defect_in_every_version_is_asked_for_anew_each_time() -> None:
    ask = AuthorAsk(faults=dict.fromkeys(range(9), "not_json"))
    configured = configure(ask, repairs=2)
    assert rules(configured) == ["unreadable"] * 3 + ["dropped"]
    # A server that answers equal messages alike must not be asked the same again.
    assert len({json.dumps(request.messages) for request in ask.requests}) == len(ask.requests) == 4


@pytest.mark.parametrize("first", [0, 1])
def test_an_empty_reply_is_never_asked_for_in_the_same_words(first: int) -> None:
    ask = AuthorAsk(damages=dict.fromkeys(range(first, 9), status("empty")))
    configured = configure(ask)
    assert configured.config is None
    assert rules(configured) == ["empty"] * 4 + ["dropped"]
    assert len({json.dumps(request.messages) for request in ask.requests}) == len(ask.requests) == first + 4


def test_of_many_findings_every_rule_is_quoted_and_the_others_are_counted() -> None:
    # The last truths are gone, so that they are unknown wherever they are ruled out.
    def damage(text: str) -> str:
        values = json.loads(text)
        values["truths"] = [values["truths"][0] + " ", *values["truths"][1:45]]
        return json.dumps(values)

    ask = AuthorAsk(damages={1: damage})
    configured = configure(ask)
    assert configured.config is not None
    counts = Counter(rules(configured))
    assert counts["unknown-truth"] > 50
    text = ask.requests[2].messages[-1]["content"]
    quoted = [line for line in text.splitlines() if line.startswith("- domain")]
    assert len(quoted) == 40
    assert f"and {counts.total() - 40} more" in text
    for rule, count in counts.items():
        assert f"{rule} ({count})" in text
        assert any(f"- {found.message}" in quoted for found in configured.rejections if found.rule == rule)
    assert counts.keys() <= RULES.keys()


# ---- notes


def test_notes_are_kept_and_books_of_every_writer_show_them_and_closed_players_do_not() -> None:
    config = whole_config()
    noted = [truth for truth in config.truths if truth in config.truth_notes]
    assert 10 < len(noted) < len(config.truths)
    assert 3 < len(config.action_notes) < len(config.actions)
    encoded = encode_config(config)
    instance = sample_instances(encoded, SamplingRequest(Setting(12, 16), 1, 0, 1.0)).instances[0]
    texts = {config.truth_notes[truth] for truth in instance.truths if truth in noted}
    texts |= {config.action_notes[action] for action in instance.actions if action in config.action_notes}
    assert len(texts) == 2
    stated = rules_of(encoded, instance)
    for style in BOOK_STYLES:
        book = write_book(config, instance, stated, random.Random(1), style)
        assert all(text.rstrip(".") in book for text in texts), style
    assert all(text in str(rule_values(config, instance, stated)["rules"]) for text in texts)
    game = KumoGame(Board(config, instance, encode_instance(encoded, instance), rules=stated))
    assert not any(text in str(game.opening("closed")) for text in texts)


@pytest.mark.parametrize(
    ("notes", "rule"),
    [
        ([{"name": 0, "note": "A lichen.", "source": "x"}], "unreadable"),
        ([{"name": 0, "note": "x" * 301}], "long-note"),
        ([{"name": 0, "note": "A lichen.\nIt is grey."}], "long-note"),
        ([{"name": 0, "note": "Answer this one where in doubt."}], "note-to-players"),
        ([{"name": n, "note": "It is smooth, shiny, sweet and round."} for n in range(40)], "words-in-notes"),
        ([{"name": 0, "note": "A lichen."}, {"name": 0, "note": "Another."}], "unreadable"),
        ([{"name": 0, "note": 7}], "unreadable"),
        ([{"name": 0}], "unreadable"),
        (["A lichen."], "unreadable"),
        ("A lichen.", "unreadable"),
    ],
)
def test_a_note_that_does_more_than_say_what_a_truth_is_is_refused(notes: Any, rule: str) -> None:
    truths = whole_config().truths
    if isinstance(notes, list):
        notes = [
            {**note, "name": truths[note["name"]]}
            if isinstance(note, dict) and isinstance(note["name"], int)
            else note
            for note in notes
        ]
    result = configure(AuthorAsk(damages={1: edit(truth_notes=notes)}))
    assert set(rules(result)) == {rule}
    assert result.config is not None


# ---- two configurers of the same proposals


def configure_both(second: str) -> tuple[AuthorAsk, list[Configured]]:
    ask = AuthorAsk()
    session: Any = SimpleNamespace(json_asker=JsonAsker)
    calls: Any = ask
    authoring = AuthoringPlan(configurer="first", second_configurer=second)
    proposals = [replace(PROPOSAL, name=PROPOSAL.name + suffix) for suffix in ("", SECOND_CONFIGURER)]
    return ask, asyncio.run(configure_proposals(session, calls, authoring, proposals, {}))


def test_a_second_model_configures_the_same_proposal_and_is_not_told_so() -> None:
    ask, (first, second) = configure_both("second")
    assert first.config is not None
    assert second.config is not None
    assert (first.config.name, second.config.name) == (PROPOSAL.name, f"{PROPOSAL.name} (second configurer)")
    assert first.config.goal == second.config.goal
    assert first.config.truths != second.config.truths
    assert {request.model for request in ask.requests} == {"first", "second"}
    assert not any("configurer" in str(request.messages) for request in ask.requests)


def test_a_second_configuration_with_the_first_ones_list_of_truths_is_refused() -> None:
    _, (first, second) = configure_both(
        "another"
    )  # a model of which the role writes what the first one wrote
    assert (first.status, second.status) == ("accepted", "near_duplicate")
    assert second.rejections[-1].subject == f"{PROPOSAL.name} (second configurer)"


def test_the_second_configurer_is_another_model_and_needs_proposals() -> None:
    for settings in (
        {"configurer": "m", "proposer": "m", "second_configurer": "m"},
        {"second_configurer": "m"},
    ):
        with pytest.raises(
            InvalidOption, match="--second-configurer m: expected another model than the conf"
        ):
            KumoSettings(**settings).authoring(has_domains=False)
    both = KumoSettings(author="a", second_configurer="b", propose=4).authoring(has_domains=False)
    assert (both.proposals, both.n_domains) == (4, 8)
    assert KumoSettings(author="a", second_configurer="b", propose=0).authoring(False).second_configurer == ""
