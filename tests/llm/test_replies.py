import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.model_calls import ANSWERED_STATUSES, CALL_STATUSES, Price
from perennial.tasks.llm.reasoning import split_reasoning
from perennial.tasks.llm.replies import MAX_RAW_CHARS, cost_usd, read_attempt
from perennial.tasks.llm.retry_policy import HttpResult
from tests.llm.http_double import completion, request, usage

PRICE = Price(prompt=2.0, completion=10.0, cached=0.5)


def read(body: str, status: int = 200, price: Price | None = PRICE):
    return read_attempt(request(), HttpResult(status, body, 0.25), price, 2).reply


# ---- statuses


def test_a_plain_reply():
    reply = read(completion(" Hello.\n", usage=usage(100, 20, cached=40, reasoning=5)))
    assert (reply.status, reply.content, reply.finish_reason) == ("ok", " Hello.\n", "stop")
    assert (reply.reasoning, reply.reasoning_source, reply.error) == (None, "none", None)
    assert (reply.call_id, reply.served_model, reply.latency_s, reply.attempts) == (
        request().call_id,
        "served-1",
        0.25,
        2,
    )
    assert (reply.prompt_tokens, reply.completion_tokens, reply.reasoning_tokens, reply.cached_tokens) == (
        100,
        20,
        5,
        40,
    )
    assert reply.usage == "reported"
    assert reply.cost_usd == pytest.approx((60 * 2 + 40 * 0.5 + 20 * 10) / 1e6)
    assert json.loads(reply.raw)["id"] == "c1"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (completion("cut o", finish="length"), "truncated"),
        (completion("", finish="length"), "truncated"),
        (completion("<think>and so", finish="length"), "truncated"),
        (completion(None, refusal="I cannot."), "refused"),
        (completion("Par", finish="content_filter"), "refused"),
        (completion([{"type": "refusal", "refusal": "no"}]), "refused"),
        (completion("fine", refusal=""), "ok"),
        (completion(""), "empty"),
        (completion(None), "empty"),
        (completion(" \n"), "empty"),
        (completion("<think>all of it</think>\n"), "empty"),
        (completion(None, tool_calls=[{"id": "x"}], finish="tool_calls"), "tool_call"),
        (completion("so", tool_calls=["?", 7], finish="stop"), "tool_call"),
        (completion(None, function_call={"name": "f"}, finish="function_call"), "tool_call"),
        (completion(None, tool_calls=[{"id": "x"}], finish="length"), "truncated"),
        (completion("fine", tool_calls=[]), "ok"),
        (completion("fine", tool_calls={"id": "x"}), "ok"),
        (completion("odd", finish="eos"), "ok"),
        (completion("none", finish=None), "ok"),
        (completion("part", finish="error"), "invalid_body"),
        (completion({"text": "x"}), "invalid_body"),
        (completion(7), "invalid_body"),
        ("<html><body>502</body></html>", "html_body"),
        ("  \n<!-- x --><!DOCTYPE HTML PUBLIC>", "html_body"),
        ("", "invalid_body"),
        ("null", "invalid_body"),
        ("[]", "invalid_body"),
        ('"<html>"', "invalid_body"),
        ("data: {}\n\n", "invalid_body"),
        ('{"choices": []}', "invalid_body"),
        ('{"choices": {"0": 1}}', "invalid_body"),
        ('{"choices": [null]}', "invalid_body"),
        ('{"choices": [{"text": "old protocol"}]}', "invalid_body"),
        ('{"choices": [{"message": "hi"}]}', "invalid_body"),
        ("[" * 100_000, "invalid_body"),
        ('{"error":' * 50_000, "invalid_body"),
        ("9" * 10_000, "invalid_body"),
    ],
)
def test_exactly_one_status(body, status):
    reply = read(body)
    assert reply.status == status
    assert (reply.error is None) == (status in ANSWERED_STATUSES)
    assert reply.raw == (body or None)


@pytest.mark.parametrize(
    ("status", "body", "expected", "error"),
    [
        (400, '{"error": {"message": "too\\nlong"}}', "rejected", "HTTP 400: too long"),
        (
            422,
            '{"detail": [{"loc": ["x"], "msg": "field required"}]}',
            "rejected",
            "HTTP 422: field required",
        ),
        (418, '{"error": "teapot"}', "rejected", "HTTP 418: teapot"),
        (404, '{"message": "no route"}', "rejected", "HTTP 404: no route"),
        (403, "<html><title>Blocked</title><b>x</b>", "rejected", "HTTP 403: Blocked"),
        (400, "", "rejected", "HTTP 400: (no body)"),
        (500, "oh", "unavailable", "HTTP 500: oh"),
        (302, "", "rejected", "HTTP 302: a redirect, which is not followed"),
        (429, '{"error": {"code": "insufficient_quota", "message": "pay"}}', "rejected", "HTTP 429: pay"),
        (429, '{"error": {"code": "slow_down", "message": "wait"}}', "unavailable", "HTTP 429: wait"),
        (400, '{"error":' * 90 + "1" + "}" * 90, "rejected", "HTTP 400: "),
    ],
)
def test_error_statuses_say_what_the_server_said(status, body, expected, error):
    reply = read(body, status)
    assert reply.status == expected
    assert reply.error.startswith(error)


def test_an_error_is_one_short_line_and_raw_is_bounded():
    reply = read(json.dumps({"error": {"message": "word\n" * 400_000}}), 400)
    assert len(reply.error) <= 300
    assert "\n" not in reply.error
    assert len(reply.raw) == MAX_RAW_CHARS


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "message", "choices", "content", "usage", "refusal", "model"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@pytest.mark.slow
@given(st.text(max_size=60) | JSON.map(json.dumps), st.integers(100, 599))
def test_no_body_raises(body, http_status):
    reply = read(body, http_status)
    assert reply.status in CALL_STATUSES
    assert reply.answered or reply.error


@pytest.mark.slow
@given(JSON, JSON, JSON, JSON)
def test_no_field_raises(content, finish, reasoning, counts):
    body = completion(content, finish, counts, reasoning_content=reasoning, refusal=finish)
    reply = read(body)
    assert reply.status in CALL_STATUSES
    assert isinstance(reply.content, str)
    json.dumps(reply.content).encode()
    reply.content.encode()


def test_half_a_character_can_be_stored():
    reply = read(
        '{"model": "m", "choices": [{"message": {"content": "smile \\ud83d"}, "finish_reason": "length"}]}'
    )
    assert (reply.status, reply.content) == ("truncated", "smile \ufffd")
    reply.raw.encode()


def test_content_may_be_a_list_of_parts():
    parts = [{"type": "text", "text": "one "}, {"type": "image"}, "x", {"type": "text", "text": "two"}]
    assert read(completion(parts)).content == "one xtwo"


# ---- reasoning


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_reasoning_in_a_field(name):
    reply = read(completion("42", **{name: "let me see"}))
    assert (reply.content, reply.reasoning, reply.reasoning_source) == ("42", "let me see", "field")
    empty = read(completion("42", **{name: "", "reasoning_details": []}))
    assert (empty.reasoning, empty.reasoning_source) == (None, "none")


@pytest.mark.parametrize(
    ("message", "reasoning"),
    [
        ({"thinking": "a"}, "a"),
        ({"reasoning": "a", "reasoning_details": [{"type": "reasoning.text", "text": "b"}]}, "a"),
        ({"reasoning": None, "reasoning_details": [{"type": "reasoning.summary", "summary": "b"}]}, "b"),
        ({"reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]}, None),
        ({"thinking_blocks": [{"type": "thinking", "thinking": "a", "signature": "x"}]}, "a"),
        ({"reasoning": {"content": [{"type": "reasoning_text", "text": "a"}]}}, "a"),
        ({"reasoning_effort": "high", "thought_signature": "x", "reasoning_tokens": 3}, None),
    ],
)
def test_fields_of_reasoning_are_known_by_their_name(message, reasoning):
    reply = read(completion("42", **message))
    assert (reply.content, reply.reasoning) == ("42", reasoning)


@pytest.mark.parametrize(
    ("part", "content", "reasoning"),
    [
        ({"type": "output_text", "text": "b"}, "ab", None),
        ({"type": "text", "text": {"value": "b"}}, "ab", None),
        ("b", "ab", None),
        ({"text": "b"}, "ab", None),
        ({"type": "thinking", "thinking": "b"}, "a", "b"),
        ({"type": "thinking", "thinking": [{"type": "text", "text": "b"}, {"text": "c"}]}, "a", "bc"),
        ({"type": "reasoning", "text": "b"}, "a", "b"),
        ({"type": "reasoning", "summary": [{"type": "summary_text", "text": "b"}]}, "a", "b"),
        ({"type": "redacted_thinking", "data": "b"}, "a", None),
        ({"text": "b", "thought": True}, "a", "b"),
        ({"type": "image_url", "image_url": {"url": "b"}}, "a", None),
    ],
)
def test_parts_are_text_or_reasoning(part, content, reasoning):
    reply = read(completion([{"type": "text", "text": "a"}, part]))
    assert (reply.content, reply.reasoning) == (content, reasoning)


def test_reasoning_in_a_field_and_in_tags():
    reply = read(completion("<think>b</think>42", reasoning="a"))
    assert (reply.content, reply.reasoning, reply.reasoning_source) == ("42", "a\nb", "field")


@pytest.mark.parametrize(
    ("text", "content", "reasoning"),
    [
        ("no tags at all ", "no tags at all ", None),
        ("<think>a</think>\n\nb", "b", "a"),
        ("<THINKING>a</Thinking> b", "b", "a"),
        ("x <think>a</think> y <think>b</think> z", "x\ny\nz", "a\nb"),
        ("<think>a never closed <ANSWER>no</ANSWER>", "", "a never closed <ANSWER>no</ANSWER>"),
        ("x <think>a", "x", "a"),
        ("a </think> b", "b", "a"),
        ("<ANSWER>no</ANSWER></think><ANSWER>yes</ANSWER>", "<ANSWER>yes</ANSWER>", "<ANSWER>no</ANSWER>"),
        ("<think>a<think>b</think>c</think>d", "d", "a\nb\nc"),
        ("<think></think>x", "x", None),
        ("<thi<think>x</think>nk>y", "<thi\nnk>y", "x"),
        ("<think>a <reflection>b</reflection> c", "", "a\nb\nc"),
        # what belongs to a game
        ("[think] is no tag", "[think] is no tag", None),
        ("<ANSWER>[Reflection]</ANSWER>", "<ANSWER>[Reflection]</ANSWER>", None),
        ('[["plan", "draft"], [A], [Thought]]', '[["plan", "draft"], [A], [Thought]]', None),
        ("a < think > b", "a < think > b", None),
        ("a <thinkers> b <rethink> c", "a <thinkers> b <rethink> c", None),
        ("[Answer] C", "[Answer] C", None),
    ],
)
def test_think_tags(text, content, reasoning):
    assert split_reasoning(text) == (content, reasoning)


PIECES = st.sampled_from(
    ["<think>", "</think>", "<THINK>", "<thinking>", "</thinking>", "<thi", "nk>", "<", "/"]
)
WORDS = st.text(alphabet="ab \n", max_size=4)
TAG = re.compile(r"</?think(?:ing)?>", re.IGNORECASE)


@pytest.mark.slow
@given(st.lists(PIECES | WORDS, max_size=14).map("".join))
def test_content_and_reasoning_hold_all_text_and_content_no_tag(text):
    content, reasoning = split_reasoning(text)
    assert not TAG.search(content)
    together = sorted("".join((content + (reasoning or "")).split()))
    assert together == sorted("".join(TAG.sub("", text).split()))
    if not TAG.search(text):
        assert (content, reasoning) == (text, None)


@given(WORDS.filter(str.strip), WORDS.filter(str.strip))
def test_what_follows_the_last_closing_tag_is_content(thought, said):
    for text in (f"<think>{thought}</think>{said}", f"{thought}</think>{said}"):
        assert split_reasoning(text) == (said.lstrip(), thought.strip())


# ---- usage and cost


@pytest.mark.parametrize(
    "counts",
    [
        None,
        {},
        [],
        "x",
        {"prompt_tokens": 5},
        usage(-1, 3),
        usage("5", "3"),
        usage(True, 3),
        usage(1.5, 3),
        usage(5, float(10**30)),
    ],
)
def test_missing_or_senseless_usage_is_unknown_never_zero(counts):
    reply = read(completion(usage=counts))
    assert (reply.status, reply.usage, reply.cost_usd) == ("ok", "missing", None)
    assert reply.tokens is None


def test_details_that_make_no_sense_are_unknown():
    reply = read(completion(usage=usage(10, 2, cached=11, reasoning="many")))
    assert (reply.usage, reply.cached_tokens, reply.reasoning_tokens) == ("reported", None, None)
    assert reply.cost_usd == pytest.approx((10 * 2 + 2 * 10) / 1e6)


@pytest.mark.parametrize(
    ("price", "counts", "cost"),
    [
        (None, (1, 1, 0), None),
        (Price(None, 1.0), (1, 1, 0), None),
        (Price(1.0, None), (1, 1, 0), None),
        (Price(1.0, 1.0), (None, 1, 0), None),
        (Price(1.0, 1.0), (1, None, 0), None),
        (Price(1.0, 2.0), (10**6, 10**6, None), 3.0),
        (Price(1.0, 2.0), (10**6, 0, 10**6), 1.0),
        (Price(1.0, 2.0, 0.25), (10**6, 0, 10**6), 0.25),
        (Price(0.0, 0.0), (5, 5, None), 0.0),
    ],
)
def test_cost(price, counts, cost):
    assert cost_usd(price, *counts) == cost
