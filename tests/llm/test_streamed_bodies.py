"""Bodies that stream though nobody asked for it: read as the completion that they make, or named."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.model_calls import CALL_STATUSES
from perennial.tasks.llm.endpoint import read_completion
from perennial.tasks.llm.replies import read_attempt
from perennial.tasks.llm.retry_policy import HttpResult
from tests.llm.http_double import completion, request, usage


def read(body: str):
    return read_attempt(request(), HttpResult(200, body), None).reply


def chunk(finish=None, **delta) -> str:
    return json.dumps(
        {"model": "served-1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    )


USAGE = json.dumps({"model": "served-1", "choices": [], "usage": usage(10, 3)})
CHUNKS = [
    chunk(role="assistant", content=""),
    chunk(reasoning_content="let me "),
    chunk(reasoning_content="see"),
    chunk(content="Par"),
    chunk(content="is"),
    chunk("stop"),
    USAGE,
]


@pytest.mark.parametrize(
    "body",
    [
        "".join(f"data: {one}\n\n" for one in [*CHUNKS, "[DONE]"]),
        "".join(f"data: {one}\r\n\r\n" for one in [*CHUNKS, "[DONE]"]),
        "".join(f"data:{one}\n" for one in [*CHUNKS, "[DONE]"]),
        ": PROCESSING\n\n" + "".join(f"event: chunk\nid: 7\ndata: {one}\n\n" for one in CHUNKS),
    ],
)
def test_a_stream_of_events_is_the_reply_that_it_makes(body):
    reply = read(body)
    assert (reply.status, reply.content, reply.reasoning) == ("ok", "Paris", "let me see")
    assert (reply.finish_reason, reply.served_model) == ("stop", "served-1")
    assert (reply.prompt_tokens, reply.completion_tokens) == (10, 3)
    assert reply.raw == body


def test_the_pieces_of_a_streamed_call_are_one_call():
    pieces = [
        {"index": 0, "id": "a", "function": {"name": "python", "arguments": ""}},
        {"index": 0, "function": {"arguments": '{"code": '}},
        {"index": 1, "id": "b", "function": {"name": "f", "arguments": "{}"}},
        {"index": 0, "function": {"arguments": '"1"}'}},
        "no piece",
    ]
    body = "".join(f"data: {chunk(tool_calls=[piece])}\n\n" for piece in pieces)
    reply = read(body + f"data: {chunk('tool_calls')}\n\ndata: [DONE]\n\n")
    calls = json.loads(reply.content)["tool_calls"]
    assert reply.status == "tool_call"
    assert [(call["id"], *call["function"].values()) for call in calls] == [
        ("a", "python", '{"code": "1"}'),
        ("b", "f", "{}"),
    ]


@pytest.mark.parametrize("tail", ["\ndata: [DONE]\n", "\n\ndata: [DONE]\n\n", "data:[DONE]"])
def test_a_completion_before_the_end_of_a_stream_is_read(tail):
    assert read(completion("hi") + tail).content == "hi"
    assert read("data: " + completion("hi") + "\n" + tail).content == "hi"


@pytest.mark.parametrize(
    ("chunks", "status", "words"),
    [
        ([chunk(content="Par")], "invalid_body", "broke off its reply (finish_reason is stream interrupted)"),
        ([chunk(content="Par"), chunk("MAX_TOKENS")], "truncated", None),
        (
            [chunk(content="P"), json.dumps({"error": {"message": "engine died"}})],
            "invalid_body",
            "engine died",
        ),
        (["{}"], "invalid_body", "no JSON object"),
        (["{", "x"], "invalid_body", "no JSON object"),
    ],
)
def test_a_stream_that_makes_no_whole_reply_is_named(chunks, status, words):
    reply = read("".join(f"data: {one}\n\n" for one in chunks))
    assert reply.status == status
    assert words is None or words in reply.error


def test_a_stream_that_ended_need_not_say_why():
    assert read(f"data: {chunk(content='hi')}\n\ndata: [DONE]\n\n").status == "ok"


EVENTS = st.lists(
    st.sampled_from([*CHUNKS, "[DONE]", "[]", "{", '{"choices": 7}', '{"choices": [{"delta": 7}]}', "", "x"])
)


@given(EVENTS, st.sampled_from(["\n", "\n\n", "\r\n\r\n", ""]))
def test_any_stream_is_read_as_something(events, gap):
    body = "".join(f"data: {one}{gap}" for one in events)
    read_completion(body)
    assert read(body).status in CALL_STATUSES
