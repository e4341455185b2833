"""What models are asked of books, how their replies are read, and what a read-back is compared with."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import assume, given
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
from perennial.tasks.kumo.authors.read_back import (
    PassageForm,
    compare,
    parse_read_back,
    read_back_request,
    read_back_schema,
)
from perennial.tasks.kumo.books import closed_ends, describe_rule
from tests.kumo.saying import changed, ends, one_action, read_back
from tests.kumo.small_worlds import some, worlds
from tests.kumo.test_books import CLINIC
from tests.server.book_text import given_in
from tests.server.script import Asked

# Comparison of a read-back with the rules: perfect ones pass, and one changed thing is found as its kind.


KINDS = ("missing", "extra", "confirmed", "ambiguous")


def perfect(rules):
    return read_back(
        one_action(
            rule.action,
            rule.label,
            ends(rule.low, rule.high, True, closed) if rule.label is None else None,
            sorted(rule.rules_out),
        )
        for rule, closed in zip(rules, closed_ends(rules), strict=True)
    )


def verdict_of(world, said):
    return compare(said, world.instance.truths, world.rules)


def change(said, place, **values):
    entries = list(said.actions)
    entries[place] = changed(entries[place], **values)
    return read_back(entries)


def outcome_at(said, place):
    return said.actions[place].outcomes[0]


def kinds_of(verdict):
    return {kind for kind in KINDS if getattr(verdict, kind)}


def exclusions(world):
    return [(i, name) for i, rule in enumerate(world.rules) for name in sorted(rule.rules_out)]


def without(outcome, name):
    return [each for each in outcome.rules_out if each != name]


@pytest.mark.slow
@some
@given(worlds(), st.randoms(use_true_random=False))
def test_a_perfect_statement_passes_however_it_is_arranged_and_written(world, rng):
    entries = []
    for entry in perfect(world.rules).actions:
        excluded = entry.outcomes[0].rules_out
        if not excluded and rng.random() < 0.5:
            continue  # what rules out nothing may be left out
        cut = rng.randint(0, len(excluded))
        entries += [changed(entry, rules_out=excluded[:cut]), changed(entry, rules_out=excluded[cut:])]
    rng.shuffle(entries)
    assert verdict_of(world, read_back(entries)) == BookVerdict()
    assert BookVerdict().passed
    labels = [rule.label for rule in world.rules if rule.label is not None]
    assume(len({label.casefold() for label in labels}) == len(set(labels)))
    assert verdict_of(world, read_back(map(in_other_case_and_spacing, entries))).passed


def in_other_case_and_spacing(entry):
    def other(name):
        return None if name is None else f" {name.swapcase()}  "

    (outcome,) = entry.outcomes
    rules_out = list(map(other, outcome.rules_out))
    return changed(entry, action=other(entry.action), label=other(outcome.label), rules_out=rules_out)


@pytest.mark.slow
@some
@given(worlds(), st.data(), st.booleans())
def test_one_changed_exclusion_is_found_as_its_kind(world, data, as_well):
    said, truths = perfect(world.rules), world.instance.truths
    place, name = data.draw(st.sampled_from(exclusions(world)))
    outcome, start = outcome_at(said, place), f'action "{said.actions[place].action}": '
    left_out = without(outcome, name)
    other = data.draw(st.sampled_from(sorted({*truths, "No such truth"} - set(outcome.rules_out))))
    passage = PassageForm(passage="this speaks against it", names=[name.upper()])

    def judge(**values):
        return verdict_of(world, change(said, place, **values))

    def line(truth):
        rule = replace(world.rules[place], rules_out=frozenset({truth}))
        return describe_rule(rule, closed_ends(world.rules)[place])

    assert judge(rules_out=left_out) == BookVerdict(missing=(line(name),))
    assert judge(rules_out=[*outcome.rules_out, other]) == BookVerdict(extra=(line(other),))
    confirming = judge(rules_out=outcome.rules_out if as_well else left_out, confirms=[name])
    unclear = judge(rules_out=left_out, unclear=[passage])
    assert (kinds_of(confirming), kinds_of(unclear)) == ({"confirmed"}, {"ambiguous"})
    for (told,), end in (
        (confirming.confirmed, f' confirms "{name}"'),
        (unclear.ambiguous, ": “this speaks against it”"),
    ):
        assert told.startswith(start)
        assert told.endswith(end)


@pytest.mark.slow
@some
@given(worlds(), st.data(), st.sampled_from(["action", "label", "low", "high"]))
def test_an_outcome_under_another_name_or_bound_is_missing_and_extra(world, data, what):
    place, _ = data.draw(st.sampled_from(exclusions(world)))
    said = perfect(world.rules)
    outcome = outcome_at(said, place)
    if what == "action":
        values = {"action": said.actions[place].action + " too"}
    elif what == "label":
        assume(outcome.label is not None)
        values = {"label": f"not {outcome.label} at all"}
    else:
        assume(outcome.range is not None)
        bound = data.draw(st.sampled_from([None, getattr(outcome.range, what) + 0.125]))
        values = {"range": outcome.range.model_copy(update={what: bound})}
    verdict = verdict_of(world, change(said, place, **values))
    assert kinds_of(verdict) == {"missing", "extra"}
    assert len(verdict.missing) == len(verdict.extra) == 1


def test_an_unknown_outcome_that_rules_out_nothing_is_no_error():
    said = perfect(CLINIC.rules)
    stranger = one_action("Swab", "green")
    assert verdict_of(CLINIC, read_back([*said.actions, stranger])).passed
    odd = PassageForm(passage="green is odd", names=[])
    wrong = changed(stranger, confirms=["Flu"], unclear=[odd])
    assert verdict_of(CLINIC, read_back([*said.actions, wrong])) == BookVerdict(
        confirmed=('action "Swab": "green" confirms "Flu"',),
        ambiguous=('action "Swab": "green": “green is odd”',),
    )


def test_a_passage_of_no_outcome_is_ambiguous_and_told_once():
    said = read_back(perfect(CLINIC.rules).actions, ["Tests often help.", "Tests often help."])
    assert verdict_of(CLINIC, said) == BookVerdict(ambiguous=("“Tests often help.”",))


def test_a_confirmation_of_what_no_rule_excludes_is_an_error_too():
    said = change(perfect(CLINIC.rules), 3, confirms=["Cold"])
    assert verdict_of(CLINIC, said).confirmed == ('action "Swab": "red" confirms "Cold"',)


def test_a_passage_that_names_no_truth_excuses_no_missing_rule():
    said = change(
        perfect(CLINIC.rules), 0, rules_out=[], unclear=[PassageForm(passage="it depends", names=[])]
    )
    assert kinds_of(verdict_of(CLINIC, said)) == {"missing", "ambiguous"}


# The clinic's thermometer: [35, 37.5) rules out Flu, [37.5, 42] rules out Cold.
@pytest.mark.parametrize(
    ("place", "included", "kinds"),
    [
        (0, (True, False), set()),
        (0, (False, False), set()),  # no other range has 35
        (0, (None, False), set()),
        (0, (True, True), {"missing", "extra"}),
        (0, (True, None), {"ambiguous"}),
        (0, (None, None), {"ambiguous"}),
        (1, (True, True), set()),
        (1, (True, False), set()),  # no other range has 42
        (1, (True, None), set()),
        (1, (None, None), set()),  # the range below leaves 37.5 out, so only this one can have it
        (1, (False, True), {"missing", "extra"}),
    ],
)
def test_ends_count_where_two_ranges_share_them(place, included, kinds):
    said = perfect(CLINIC.rules)
    low, high = included
    changed_range = outcome_at(said, place).range.model_copy(
        update={"low_included": low, "high_included": high}
    )
    verdict = verdict_of(CLINIC, change(said, place, range=changed_range))
    assert kinds_of(verdict) == kinds


def test_an_open_end_is_told_in_words():
    said = perfect(CLINIC.rules)
    open_end = outcome_at(said, 0).range.model_copy(update={"high_included": None})
    assert verdict_of(CLINIC, change(said, 0, range=open_end)).ambiguous == (
        'action "Thermometer": 35.0 (included) to 37.5 (excluded): '
        "whether 37.5 belongs to this range is not said",
    )


def test_a_wrong_range_is_told_as_it_was_said():
    said = perfect(CLINIC.rules)
    wrong = ends(None, 37.5, None, True)
    assert verdict_of(CLINIC, change(said, 0, range=wrong)).extra == (
        'action "Thermometer": no bound (not said) to 37.5 (included) rules out "Flu"',
    )


def test_nothing_hangs_on_the_ends_of_a_range_that_rules_out_nothing():
    rules = (
        BookRule("Scale", None, 0.0, 5.0, frozenset()),
        BookRule("Scale", None, 5.0, 9.0, frozenset({"Gout"})),
    )
    said = perfect(rules)
    for end in (True, None):
        loose = outcome_at(said, 0).range.model_copy(update={"high_included": end})
        assert compare(change(said, 0, range=loose), ["Gout"], rules).passed


def test_names_that_two_listed_ones_share_match_exactly_only():
    rules = (
        BookRule("Swab", "Red", None, None, frozenset({"A"})),
        BookRule("Swab", "red", None, None, frozenset({"B"})),
    )
    said = perfect(rules)
    assert compare(said, ["A", "B"], rules).passed
    assert kinds_of(compare(change(said, 0, label="RED"), ["A", "B"], rules)) == {"missing", "extra"}


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
