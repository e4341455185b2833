"""What the models are asked, and how their replies are read."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.errors import EndpointFailed, UnreadableInput
from perennial.schemas.kumo.things import BookRule, BookVerdict
from perennial.schemas.model_calls import ModelChoice, Reply
from perennial.tasks.authors import Unusable, unusable_status
from perennial.tasks.kumo.authors.books import (
    read_book_reply,
    read_judgement,
    read_revision,
    revision_request,
    writing_request,
)
from perennial.tasks.kumo.authors.read_back import parse_read_back, read_back_request, read_back_schema
from tests.kumo.saying import ends
from tests.kumo.small_worlds import some, worlds
from tests.kumo.test_books import CLINIC
from tests.server.book_text import given_in
from tests.server.script import Asked

MODEL = ModelChoice("m")
OUTCOME = {"label": "clear", "range": None, "rules_out": [], "confirms": [], "unclear": []}
RANGE = {"low": 1, "high": 2.5, "low_included": True, "high_included": None}


def reply(content, status="ok"):
    return Reply("call_1", status, content=content)


def ask_messages(request):
    return Asked(request.model, request.messages, request.params)


def writing(world=CLINIC):
    return writing_request(MODEL, world.config, world.instance, world.rules)


def reading(book, problem=None):
    return read_back_request(MODEL, CLINIC.config, CLINIC.instance, book, 0, problem)


def revising(book, verdict=BookVerdict(missing=("a line",)), problem=None):  # noqa: B008
    return revision_request(MODEL, CLINIC.config, CLINIC.instance, CLINIC.rules, book, verdict, problem, 0)


@pytest.mark.parametrize(
    ("content", "book"),
    [
        ("Here:\n<BOOK>\nText.\n</BOOK>\nDone.", "Text.\n"),
        ("<book>a</BOOK>", "a\n"),
        ("<BOOK>first</BOOK> no, rather <BOOK>second</BOOK>", "second\n"),
        ("I use <BOOK> and </BOOK>.\n<BOOK>\nText\n\n</BOOK>", "Text\n"),
        ("<BOOK>Text</BOOK> I put it into <BOOK></BOOK>.", "Text\n"),
        ("<BOOK><BOOK>Text</BOOK></BOOK>", "Text\n"),
        ("<BOOK>whole</BOOK> and <BOOK>cut off", "whole\n"),
    ],
)
def test_the_last_complete_pair_of_tags_holds_the_book(content, book):
    assert read_book_reply(reply(content)) == book


@pytest.mark.parametrize(
    "text",
    [
        "At 5 < 6 and 7 > 3, as \u201cbook\u201d value.",
        "\u03bcm, k\u03a9 and \u03b2-carotene",
        "\u2764\ufe0f\u200d\U0001f525",
        "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "[Oak]: see [1]",
    ],
)
def test_signs_of_honest_text_are_no_marks(text):
    assert read_book_reply(reply(f"<BOOK>Rules.\nOf {text}</BOOK>")) == f"Rules.\nOf {text}\n"


@pytest.mark.parametrize("content", ["# A book\n\nText.", "<BOOK>cut", "cut</BOOK>", "<BOOK> \n </BOOK>", ""])
def test_without_such_a_pair_there_is_no_book(content):
    problem = read_book_reply(reply(content))
    assert isinstance(problem, Unusable)
    assert problem.rule == "no_book"
    assert not problem.is_final


def test_a_failed_call_without_a_reason_is_named():
    with pytest.raises(EndpointFailed, match=r"call call_1 failed \(unavailable\)"):
        unusable_status(reply("", "unavailable"))


@pytest.mark.parametrize(
    ("content", "true"),
    [
        ("<ANSWER>True</ANSWER>", True),
        ("<answer> TRUE </answer>", True),
        ("<ANSWER>False</ANSWER> ... <ANSWER>True</ANSWER>", True),
        ("<ANSWER>True</ANSWER> ... <ANSWER>False</ANSWER>", False),
        ("True", False),
        ("<ANSWER>Truely</ANSWER>", False),
        ("<ANSWER>False</ANSWER><BOOK>Say <ANSWER>True</ANSWER></BOOK>", False),
        ("<BOOK>a</BOOK><ANSWER>True</ANSWER><BOOK>b</BOOK>", True),
        ("", False),
    ],
)
def test_the_revisers_verdict_is_the_last_answer_outside_of_books(content, true):
    assert (read_judgement(content) is True) is true


def test_a_revision_is_taken_with_or_without_a_verdict_but_not_against_one():
    assert read_revision(reply("<ANSWER>False</ANSWER><BOOK>b</BOOK>"), "a") == "b\n"
    assert read_revision(reply("<BOOK>b</BOOK>"), "a") == "b\n"
    seen = read_revision(reply("<ANSWER>True</ANSWER><BOOK>b</BOOK>"), "a")
    assert isinstance(seen, Unusable)
    assert seen.rule == "reviser_saw_no_error"
    assert read_revision(reply("<ANSWER>True</ANSWER><BOOK>b</BOOK>"), None) == "b\n"
    refused = read_revision(reply("<ANSWER>True</ANSWER>", "refused"), "a")
    assert isinstance(refused, Unusable)
    assert refused.rule == "refused"


def test_a_read_back_is_read():
    said = {
        "actions": [{"action": "Swab", "outcomes": [OUTCOME, {**OUTCOME, "label": None, "range": RANGE}]}]
    }
    read = parse_read_back(f"Sure:\n```json\n{json.dumps({**said, 'unclear': ['what?']})}\n```")
    assert read.unclear == ["what?"]
    (entry,) = read.actions
    assert entry.action == "Swab"
    assert [(outcome.label, outcome.range) for outcome in entry.outcomes] == [
        ("clear", None),
        (None, ends(1.0, 2.5, True, None)),
    ]


@pytest.mark.parametrize(
    ("outcome", "problem"),
    [
        ({"label": None}, "expected either a label or a range, and null for the other one, got neither"),
        ({"range": RANGE}, "expected either a label or a range, and null for the other one, got both"),
        ({"label": 3}, "label: input should be a valid string"),
        ({"rules_out": "Flu"}, "rules_out: input should be a valid list"),
        ({"colour": "red"}, "colour: extra inputs are not permitted"),
        ({"label": None, "range": {**RANGE, "low": "1"}}, "range.low: input should be a valid number"),
        ({"label": None, "range": {**RANGE, "low": 10**400}}, "range.low"),
        ({"label": None, "range": {**RANGE, "low_included": "yes"}}, "low_included: input should be a valid"),
        ({"unclear": ["words"]}, "unclear.0: input should be"),
    ],
)
def test_another_form_is_told_by_its_place(outcome, problem):
    said = {"actions": [{"action": "Swab", "outcomes": [{**OUTCOME, **outcome}]}], "unclear": []}
    with pytest.raises(UnreadableInput, match=re.escape(problem)) as caught:
        parse_read_back(json.dumps(said))
    assert str(caught.value).startswith("the reply is not of the form asked for: actions.0.outcomes.0")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    ["", "The book says nothing.", "[]", '{"actions": [', '{"actions": [], "actions": [], "unclear": []}'],
)
def test_what_is_no_such_object_is_unreadable(content):
    with pytest.raises(UnreadableInput):
        parse_read_back(content)


def test_many_wrong_places_are_counted():
    with pytest.raises(UnreadableInput, match=r"; and 46 more$"):
        parse_read_back(json.dumps({"actions": [{"outcomes": []}] * 50, "unclear": []}))


@pytest.mark.slow
@given(st.text() | st.recursive(st.none() | st.text() | st.floats(), st.lists).map(json.dumps))
def test_any_reply_is_read_or_refused(content):
    with pytest.raises(UnreadableInput):
        parse_read_back(content)
    assert isinstance(read_book_reply(reply(content)), Unusable)
    assert read_judgement(content) is not True


def test_strict_structured_output_takes_the_schema():
    schema = read_back_schema()
    forms = [schema, *schema["$defs"].values()]
    assert len(forms) == 5
    for form in forms:
        assert form["additionalProperties"] is False
        assert form["required"] == list(form["properties"])
        assert not any("default" in value for value in form["properties"].values())


@pytest.mark.slow
@some
@given(worlds())
def test_the_writer_gets_every_rule_exactly(world):
    told = given_in(ask_messages(writing(world)))
    assert told.rules == world.rules
    assert told.instance.truths == world.instance.truths
    assert told.instance.actions == world.instance.actions


def test_the_writer_gets_notes_units_ends_and_title():
    content = writing().messages[-1]["content"]
    assert "with the title “The Clinic's Guidebook”" in content
    assert "The goal of the game: Find the disease." in content
    values = json.JSONDecoder().raw_decode(content, content.index("```json\n") + 8)[0]
    assert values["truths"] == [{"name": "Cold"}, {"name": "Flu", "note": "A viral infection"}]
    thermometer, swab = values["actions"]
    assert thermometer["unit"] == "°C"
    assert thermometer["outcomes"] == [
        {"low": 35, "low_included": True, "high": 37.5, "high_included": False, "rules_out": ["Flu"]},
        {"low": 37.5, "low_included": True, "high": 42, "high_included": True, "rules_out": ["Cold"]},
    ]
    assert swab["note"] == "A look at the throat"
    assert swab["outcomes"][1] == {"label": "red", "rules_out": []}
    assert '"low": 35,' in content


def test_prompts_speak_the_domains_language_and_leave_no_template_behind():
    requests = [writing(), reading("A book.\n"), revising("A book.\n"), revising(None)]
    for request in requests:
        assert [message["role"] for message in request.messages] == ["system", "user"]
        for message in request.messages:
            assert not re.search(r"\{[%{#]|[%#]\}|\n{4}|\bNone\b", message["content"])
        assert "diagnostic test" in request.messages[-1]["content"]
    assert len({request.template_hash for request in requests}) == 3
    assert len({request.call_id for request in requests}) == 4


def test_the_reviser_is_told_each_kind_under_its_heading():
    verdict = BookVerdict(("lacks",), ("adds",), ("confirms",), ("leaves\nopen",))
    content = revising("A book.\n", verdict).messages[-1]["content"]
    assert re.search(
        r"lacks:\n- lacks\n\n.*have:\n- adds\n\n.*:\n- confirms\n\n.*:\n- leaves open\n", content
    )
    some = revising("A book.\n", BookVerdict(extra=("adds",))).messages[-1]["content"]
    assert "Rules that the guidebook lacks" not in some


def test_large_and_small_bounds_reach_the_writer():
    rules = (
        BookRule("Swab", None, -1e300, 1e-9, frozenset()),
        BookRule("Swab", None, 1e-9, 2**53 + 0.0, frozenset()),
    )
    request = writing_request(MODEL, CLINIC.config, CLINIC.instance, rules)
    told = json.JSONDecoder().raw_decode(
        request.messages[-1]["content"], request.messages[-1]["content"].index("```json\n") + 8
    )[0]
    bounds = [(o["low"], o["high"]) for a in told["actions"] for o in a["outcomes"]]
    assert bounds == [(-1e300, 1e-9), (1e-9, 2.0**53)]
