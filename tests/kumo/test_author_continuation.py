"""Joining the pieces of a document that was cut off: nothing lost, nothing doubled, nothing repaired."""

import json
from typing import Any

import pytest

from perennial.schemas.errors import EndpointFailed
from perennial.tasks.kumo.authors.configurations import merge
from perennial.tasks.llm.structured import is_cut_off, json_text
from tests.kumo.author_ask import AuthorAsk, Damage, configure, cut, rules, status, whole_config

# Configurations that arrive in pieces, prompts that cannot be used, and calls that fail.


@pytest.mark.parametrize("name", ["truncated", "ok"])
@pytest.mark.parametrize("share", [0.001, 0.3, 0.5, 0.99])
def test_a_document_cut_in_two_is_continued_and_merged(name: Any, share: float) -> None:
    ask = AuthorAsk(damages={1: cut(share, name)})
    configured = configure(ask)
    assert configured.config == whole_config()
    assert configured.rejections == ()
    assert len(configured.call_ids) == 3
    going_on = ask.requests[2]
    assert going_on.template == "kumo/authors/configure_continue.md.j2"
    assert "response_format" not in going_on.params  # a rest is no document of the schema
    assert going_on.messages[:2] == ask.requests[1].messages
    assert going_on.messages[2] == {"role": "assistant", "content": ask.replies[1].content}
    assert ask.replies[1].content[-200:] in going_on.messages[3]["content"]


def test_a_document_cut_in_four_is_continued_three_times() -> None:
    ask = AuthorAsk(damages={1: cut(0.3), 2: cut(0.4), 3: cut(0.5)})
    configured = configure(ask)
    assert configured.config == whole_config()
    assert configured.rejections == ()
    assert len(configured.call_ids) == 5
    roles = [message["role"] for message in ask.requests[4].messages]
    assert roles == ["system", "user", *["assistant", "user"] * 3]


def test_fences_around_the_pieces_cost_nothing() -> None:
    def fence(share: float) -> Damage:
        return lambda text: f"```json\n{text[: int(len(text) * share)]}\n```"

    ask = AuthorAsk(damages={1: fence(0.35), 2: fence(0.6), 3: fence(1.0)})
    assert configure(ask).config == whole_config()
    assert len(ask.requests) == 4


def test_at_the_limit_of_continuations_the_version_is_refused() -> None:
    ask = AuthorAsk(damages={1: cut(0.5), 2: cut(0.5), 3: cut(0.5)})
    configured = configure(ask, continuations=2)
    assert configured.config == whole_config()
    (rejection,) = configured.rejections
    assert rejection.rule == "cut_off"
    assert "after 2 continuations" in rejection.message
    assert rejection.call_id == ask.requests[3].call_id
    assert ask.requests[4].template == "kumo/authors/configure_repair.md.j2"


@pytest.mark.parametrize(
    ("damage", "rule"),
    [
        (lambda text: f"Certainly! Here is the rest: {text}", "not_continued"),
        (lambda text: text[5:], "not_continued"),
        (lambda text: "__import__('os').system('touch owned')", "not_continued"),
        (status("empty"), "empty"),
        (status("refused"), "refused"),
        (status("truncated"), "truncated"),
    ],
)
def test_a_continuation_that_does_not_fit_is_never_made_to(damage: Damage, rule: str) -> None:
    ask = AuthorAsk(damages={1: lambda text: text[: text.index('"outcomes"')], 2: damage})
    configured = configure(ask)
    assert rules(configured) == [rule]
    assert configured.rejections[0].call_id == ask.requests[2].call_id
    assert configured.config == whole_config()


def test_a_repair_that_is_cut_off_is_continued_too() -> None:
    ask = AuthorAsk(faults={1: "duplicate_truth"}, damages={2: cut(0.5)})
    configured = configure(ask)
    assert configured.config == whole_config()
    assert len(configured.call_ids) == 4


# ---- the prompt, and calls that fail


@pytest.mark.parametrize(
    ("damage", "rule"),
    [
        (status("empty"), "empty"),
        (status("refused"), "refused"),
        (cut(0.5), "truncated"),
        (lambda text: text * 50, "long_prompt"),
    ],
)
def test_a_prompt_that_cannot_be_used_is_asked_for_anew(damage: Damage, rule: str) -> None:
    ask = AuthorAsk(damages={0: damage})
    configured = configure(ask)
    assert configured.config == whole_config()
    assert rules(configured) == [rule]
    assert [request.repeat for request in ask.requests[:2]] == [0, 1]
    problem = configured.rejections[0].message.removeprefix("the prompt for this domain: ")
    assert problem in ask.requests[1].messages[-1]["content"]


@pytest.mark.parametrize("number", [0, 1])
def test_a_rejected_call_drops_the_domain_at_once(number: int) -> None:
    rejected = status("rejected", error="HTTP 400: too long")
    ask = AuthorAsk(damages=dict.fromkeys(range(number, 9), rejected))
    configured = configure(ask)
    assert configured.config is None
    assert rules(configured) == ["rejected", "dropped"]
    assert len(ask.requests) == (1 if number == 0 else 3)


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("name", ["unavailable", "html_body", "invalid_body"])
def test_a_call_that_failed_is_for_the_operator(name: Any, number: int) -> None:
    failed = status(name, error="HTTP 503: come back later")
    ask = AuthorAsk(damages={1: cut(0.5), number: failed})
    with pytest.raises(EndpointFailed, match="come back later"):
        configure(ask)


CONFIG = {
    "truths": ["Alpha Moss", "Beta Moss", 'The "Odd" One', "Über Moos"],
    "actions": ["Look", "Weigh"],
    "outcomes": [
        {"action": "Look", "type": "str", "states": [{"label": "deep blue", "rules_out": ["Alpha Moss"]}]},
        {"action": "Weigh", "type": "float", "states": [{"range": [-1.5e2, 12.25], "rules_out": []}]},
    ],
}
TEXTS = (json.dumps(CONFIG), json.dumps(CONFIG, indent=2, ensure_ascii=False))


def cuts(text: str) -> list[tuple[str, str]]:
    return [(text[:end], text[end:]) for end in range(1, len(text))]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    ("piece", "around"),
    [
        ("{}", "{}"),
        ("Here it is:\n```json\n{}", "{}\n```\nDone."),
        ("```json\n{}", "```json\n{}\n```"),
        ("```json\n{}\n```", "{}"),
        ("{}", "```\n{}\n```"),
        ("{}", "\n{}"),
        ("{}", "Sure, I continue.\n```json\n{}\n```\nNow it is complete."),
    ],
)
def test_pieces_cut_anywhere_give_the_document(text: str, piece: str, around: str) -> None:
    for start, rest in cuts(text):
        whole = merge(piece.replace("{}", start), around.replace("{}", rest))
        assert whole is not None, start[-20:]
        assert json.loads(json_text(whole)) == CONFIG, start[-20:]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("length", [20, 60, 200])
def test_a_long_repeat_at_the_seam_is_left_out(text: str, length: int) -> None:
    for start, rest in cuts(text)[length:]:
        whole = merge(start, f"```json\n{start[-length:]}{rest}\n```")
        assert whole is not None
        assert json.loads(json_text(whole)) == CONFIG, start[-20:]


def test_a_short_repeat_counts_where_nothing_else_can_be_read() -> None:
    assert merge('{"a": ["Alpha", "Be', '"Beta"]}') == '{"a": ["Alpha", "Beta"]}'
    assert merge('{"a": ["Alpha", "Beta"', '"Beta", "C"]}') == '{"a": ["Alpha", "Beta", "C"]}'
    assert merge('{"a": ["beta', 'beta"]}') == '{"a": ["betabeta"]}'
    assert merge('{"a": ["b"', '"]}') is None


def test_a_piece_may_be_cut_off_again() -> None:
    text = TEXTS[0]
    quarter = len(text) // 4
    whole = text[:quarter]
    for i in range(1, 4):
        assert is_cut_off(whole)
        end = None if i == 3 else (i + 1) * quarter
        joined = merge(whole, text[i * quarter : end])
        assert joined is not None
        whole = joined
    assert whole == text


def test_a_document_begun_anew_stands_in_place_of_the_piece() -> None:
    text = TEXTS[0]
    assert merge(text[:80], text) == text
    assert merge(text[:80], f"```json\n{text}\n```") == text
    assert merge(text[:80], text[:120]) == text[:120]
    other = text.replace("Alpha Moss", "Gamma Moss")
    for end in range(20, len(text)):
        assert merge(text[:end], f"Sorry, once more:\n```json\n{other}\n```") == other


@pytest.mark.parametrize(
    "more",
    [
        "The document is complete.",
        "",
        "Here is the rest: , 5]}",
        "```python\nprint('x')\n```",
        '{"other": 1}',
        "]]}}",
        "__import__('os').system('touch owned')",
    ],
)
def test_what_does_not_fit_is_not_made_to(more: str) -> None:
    whole = merge('{"truths": ["A", "B"], "actions": [1', more)
    assert whole is None or is_cut_off(whole)
    if more:
        assert whole is None


def test_prose_that_was_cut_off_before_the_document_is_continued() -> None:
    whole = merge("Let me think. The config", 'uration is:\n```json\n{"a": 1}\n```')
    assert whole is not None
    assert json_text(whole) == '{"a": 1}'
