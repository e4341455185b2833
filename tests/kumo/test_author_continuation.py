"""Joining the pieces of a document that was cut off: nothing lost, nothing doubled, nothing repaired."""

import json

import pytest

from perennial.tasks.kumo.authors.configurations import merge
from perennial.tasks.llm.structured import is_cut_off, json_text

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
    ("before", "around"),
    [
        ("", "{}"),
        ("Here it is:\n```json\n", "{}\n```\nDone."),
        ("```json\n", "```json\n{}\n```"),
        ("", "```\n{}\n```"),
        ("", "Sure, I continue.\n```json\n{}\n```\nNow it is complete."),
    ],
)
def test_pieces_cut_anywhere_give_the_document(text: str, before: str, around: str) -> None:
    for start, rest in cuts(text):
        whole = merge(before + start, around.replace("{}", rest))
        assert whole is not None, start[-20:]
        assert json.loads(json_text(whole)) == CONFIG, start[-20:]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("length", [20, 60, 200])
def test_a_long_repeat_at_the_seam_is_left_out(text: str, length: int) -> None:
    for start, rest in cuts(text)[length:]:
        whole = merge(start, f"```json\n{start[-length:]}{rest}\n```")
        assert whole is not None
        assert json.loads(json_text(whole)) == CONFIG, start[-20:]


@pytest.mark.parametrize("text", TEXTS)
def test_a_fence_closed_too_early_is_left_out(text: str) -> None:
    for start, rest in cuts(text):
        assert merge(f"```json\n{start}\n```", rest) == f"```json\n{text}"


@pytest.mark.parametrize("text", TEXTS)
def test_a_line_end_before_the_rest_is_no_part_of_it(text: str) -> None:
    for start, rest in cuts(text):
        whole = merge(start, "\n" + rest)
        assert whole is not None, start[-20:]
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
