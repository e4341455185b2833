"""What is read of a reply: six inputs, or why there are none; and nothing in it can do harm."""

import json
import random
from dataclasses import replace
from functools import lru_cache

import pytest

from perennial.schemas.model_calls import ModelRequest, Reply
from perennial.tasks.a2rbench.expansion import expansion_request, read_expansion, read_in_lines
from perennial.tasks.a2rbench.rule_author import VerdictForm
from perennial.tasks.authors import Unusable
from tests.a2rbench.authored_rules import LINES, SWAP
from tests.a2rbench.expansion.expanding import EXPANDER, Damage
from tests.a2rbench.scripted_expander import ScriptedExpander, ScriptedJudge
from tests.server.script import Asked


@lru_cache(maxsize=1)
def request() -> ModelRequest:
    return expansion_request(EXPANDER, SWAP, {0: LINES}, 1)


def say(fault: str | None = None) -> str:
    asked = Asked("m", request().messages, {})
    return ScriptedExpander().reply(asked, fault, random.Random(4))


def read(text: str) -> list[object] | Unusable:
    return read_expansion(Reply("c", "ok", text), 1, [LINES])


def test_good_inputs_are_read_as_they_are_written() -> None:
    document = json.loads(say().split("```")[1].removeprefix("json"))
    new = document["new_input"]
    assert read(say()) == [*new["examples"], new["query"]]
    # Two of five examples may recur, as there are few tiny inputs.
    new["examples"][:2] = LINES[:2]
    assert read(json.dumps(document)) == [*new["examples"], new["query"]]


FAULTS = {
    "in_prose": ("not_json", "no JSON document"),
    "bare_list": ("not_the_form", "object"),
    "not_a_number": ("not_the_form", "status"),
    "no_input": ("not_the_form", "new_input is missing"),
    "few": ("wrong_number", "4 examples"),
    "wrong_depth": ("bad_input", "example 3"),
    "numbers": ("bad_input", "other than tokens"),
    "too_large": ("bad_input", "401 tokens"),
    "recurring": ("not_new", "the query"),
    "twice": ("repeated", "two of the inputs"),
    "skipped": ("skipped", "no further inputs"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_bad_inputs_have_a_reason_and_a_line_that_says_what_was_wrong(fault: str) -> None:
    found = read(say(fault))
    reason, words = FAULTS[fault]
    assert isinstance(found, Unusable)
    assert found.rule == reason
    assert words in found.message
    assert len(found.message.splitlines()) == 1


def test_three_examples_of_the_history_are_too_many() -> None:
    document = json.loads(say().split("```")[1].removeprefix("json"))
    document["new_input"]["examples"][:3] = LINES[:3]
    found = read(json.dumps(document))
    assert isinstance(found, Unusable)
    assert found.rule == "not_new"
    assert "3 of the 5 examples" in found.message


DAMAGES: dict[str, tuple[Damage, str]] = {
    "cut off": (lambda text: Reply("", "truncated", text[:80]), "truncated"),
    "cut off without a word": (lambda text: text[: len(text) // 2], "not_json"),
    "endless": (lambda text: text + "x" * 300_000, "too_long"),
    "refused": (lambda _text: Reply("", "refused"), "refused"),
    "empty": (lambda _text: Reply("", "empty"), "empty"),
    "nested": (lambda _text: '{"a": ' + "[" * 100_000, "not_json"),
    "nested and closed": (lambda _text: '{"a": ' + "[" * 90_000 + "]" * 90_000 + "}", "not_json"),
    "long number": (lambda text: text.replace('"r"', "9" * 10_000), "not_json"),
    "odd status": (lambda text: text.replace("CONTINUE", "\\ud800"), "not_json"),
    "odd token": (lambda text: text.replace('[["', '[["\\ud800', 1), "not_json"),
    "empty token": (lambda text: text.replace('[["', '[["", "', 1), "bad_input"),
    "control token": (lambda text: text.replace('[["', '[["\\u0007', 1), "bad_input"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_replies_are_refused_in_a_line_that_a_table_can_hold(name: str) -> None:
    damage, reason = DAMAGES[name]
    damaged = damage(say())
    reply = Reply("c", "ok", damaged) if isinstance(damaged, str) else replace(damaged, call_id="c")
    found = read_expansion(reply, 1, [LINES])
    assert isinstance(found, Unusable)
    assert found.rule == reason
    found.message.encode()
    assert len(found.message.splitlines()) == 1
    assert len(found.message) < 1_000


def test_a_verdict_is_true_or_false_with_reasons() -> None:
    asked = Asked("m", request().messages, {})
    judged = {}
    for fault in (None, *ScriptedJudge.faults):
        text = ScriptedJudge().reply(asked, fault, random.Random(0))
        found = read_in_lines(Reply("c", "ok", text), VerdictForm)
        judged[fault] = found.rule if isinstance(found, Unusable) else (found.is_valid, found.reasoning)
    assert judged == {
        None: (True, "they show it"),
        "refuses": (False, "the first example\nsays nothing"),
        "verdict_in_words": "not_the_form",
        "in_prose": "not_json",
    }
