"""Words of servers for one thing: why a reply ended, why a call failed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.errors import EndpointFailed
from perennial.schemas.model_calls import ANSWERED_STATUSES
from perennial.tasks.llm.replies import read_attempt
from perennial.tasks.llm.retry_policy import HttpResult
from perennial.tasks.llm.server_words import read_ending, read_failure
from tests.llm.http_double import Answer, MemoryLedger, against, ask, completion, fault, ok, request

WORDS = """
truncated: length MAX_TOKENS max_tokens model_length length_limit maxPredictedTokensReached time_limit
truncated: FINISH_REASON_MAX_TOKENS model_context_window_exceeded ERROR_LIMIT token_limit contextLengthReached
truncated: maximum_tokens max_new_tokens REASON_MAX_LEN kLENGTH incomplete truncated MAXTOKENS limit context
truncated: num_predict tokens
refused: content_filter SAFETY RECITATION PROHIBITED_CONTENT BLOCKLIST SPII guardrail_intervened refusal
refused: content_filtered sensitive contentFilter content_filter:PROHIBITED_CONTENT ERROR_TOXIC MODEL_ARMOR
refused: IMAGE_SAFETY flagged
invalid_body: error network_error abort aborted cancelled canceled timeout kTIMED_OUT server_error USER_CANCEL
invalid_body: insufficient_system_resource userStopped modelUnloaded resource_exhausted not_finished
ok: stop eos eos_token stop_sequence end_turn COMPLETE tool_calls eosFound stopStringFound endoftext normal
ok: kEND_ID FINISH_REASON_UNSPECIFIED null FINISH_REASON_STOP never_heard_of
"""
ENDINGS = [
    (status, word)
    for status, _, words in (line.partition(":") for line in WORDS.strip().splitlines())
    for word in words.split()
]


def read(body: object, status: int = 200):
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    return read_attempt(request(), HttpResult(status, text), None).reply


def test_a_reply_ended_for_the_same_reason_in_the_words_of_every_server():
    for status, word in (*ENDINGS, ("ok", "")):
        reply = read(completion("part", finish=word))
        kept = word or None if status != "invalid_body" else None
        assert (word, reply.status, reply.finish_reason) == (word, status, kept)
        for spelled in (word.upper(), word.replace("_", "-"), word.replace("_", " ")):
            assert read_ending(spelled) == read_ending(word), word


def test_a_word_that_is_not_known_is_no_known_reason():
    assert read_ending("never_heard_of") == read_ending("OTHER") == "unknown"
    assert read_ending("stop", "never_heard_of") == "complete"
    assert read_ending(None, "never_heard_of") == "unknown"
    assert read_ending(None, 7) == "complete"


@pytest.mark.parametrize(
    ("native", "status"), [("MAX_TOKENS", "truncated"), ("SAFETY", "refused"), ("end_turn", "ok")]
)
def test_a_routers_word_does_not_hide_what_the_server_behind_it_said(native, status):
    body = json.loads(completion("part"))
    body["choices"][0]["native_finish_reason"] = native
    assert read(body).status == status


@pytest.mark.parametrize(
    ("choice", "status"),
    [
        ({"finish_reason": "content_filter: SAFETY", "index": 0}, "refused"),
        ({"finish_reason": "MAX_TOKENS", "message": None}, "truncated"),
        ({"finish_reason": "abort", "message": None}, "invalid_body"),
        ({"finish_reason": "stop"}, "invalid_body"),
    ],
)
def test_a_choice_that_was_stopped_before_its_first_word_has_no_message(choice, status):
    assert read({"choices": [choice]}).status == status


# ---- refused, too long, or passing

REFUSED = [
    (400, {"error": {"code": "content_filter", "message": "filtered"}}),
    (400, {"error": {"code": "400", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}),
    (403, {"error": {"code": 403, "message": "Denied", "metadata": {"flagged_input": "y"}}}),
    (403, {"error": {"message": "flagged"}}),
    (403, {"error": "Your prompt was flagged"}),
    (422, {"detail": "Content violates our safety guidelines"}),
    (400, {"code": "DataInspectionFailed", "message": "no"}),
    (400, {"error": {"code": "1301", "message": "系统检测到输入或生成内容可能包含不安全或敏感内容"}}),
    (400, {"error": {"message": "Rejected: considered high risk"}}),
    (400, {"error": {"message": "Invalid prompt: potentially violating our usage policy.", "code": "x"}}),
    (
        400,
        {"error": {"message": "Provider returned error", "metadata": {"raw": '{"code":"content_filter"}'}}},
    ),
    (451, "Blocked by our content guardrail"),
    (200, {"choices": [], "prompt_filter_results": [{"results": {"hate": {"filtered": True}}}]}),
    (200, {"choices": [], "promptFeedback": {"blockReason": "SAFETY"}}),
    (200, {"choices": None, "base_resp": {"status_code": 1026, "status_msg": "input new_sensitive"}}),
    (200, {"error": {"code": 403, "message": "Input flagged by moderation"}}),
]
OVERFLOW = [
    (400, {"error": {"message": "no", "code": "context_length_exceeded"}}),
    (400, {"error": {"type": "exceed_context_size_error", "message": "request (9412 tokens) is too much"}}),
    (422, {"error": "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens"}),
    (400, {"message": "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens)."}),
    (400, {"error": {"message": "The input token count (120) exceeds the maximum number of tokens allowed"}}),
    (400, {"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}}),
    (500, {"error": "the request exceeds the available context size"}),
    (400, {"error": "Trying to keep the first 5000 tokens when context the overflows"}),
    (400, {"code": "InvalidParameter", "message": "Range of input length should be [1, 30720]"}),
    (413, {"error": {"code": "tokens_limit_reached", "message": "Max size: 8000 tokens."}}),
    (413, "<html><title>Request Entity Too Large</title>"),
    (200, {"error": {"code": 400, "message": "maximum context length is 8192 tokens"}}),
]
PASSING = [
    (400, {"error": {"message": "Provider returned error", "code": 400}}),
    (400, {"error": {"message": "Loading model"}}),
    (503, {"error": {"message": "Model a/b is currently loading", "estimated_time": 20.0}}),
    (498, {"error": {"message": "capacity exceeded"}}),
    (425, ""),
    (529, {"error": {"type": "overloaded_error"}}),
]
REJECTED = [
    (403, {"error": {"message": "You do not have access to this model"}}),
    (403, {"error": {"message": "Your account was flagged and suspended"}}),
    (403, {"error": {"code": "unsupported_country_region_territory", "message": "Country not supported"}}),
    (403, "<html><title>Request blocked</title>"),
    (401, {"error": {"message": "flagged"}}),
    (400, {"error": {"message": "Unknown parameter: 'safety_settings'", "code": "unknown_parameter"}}),
    (400, {"error": {"message": "max_tokens: this model supports at most 4096 completion tokens"}}),
    (413, {"error": {"message": "Request too large on tokens per minute", "code": "rate_limit_exceeded"}}),
    (400, {"error": {"message": "System role not supported"}}),
]


@pytest.mark.parametrize(
    ("status", "http_status", "body"),
    [("refused", *one) for one in REFUSED]
    + [("overflow", *one) for one in OVERFLOW]
    + [("unavailable", *one) for one in PASSING]
    + [("rejected", *one) for one in REJECTED],
)
def test_an_error_says_whether_the_prompt_is_refused_too_long_or_the_trouble_passes(
    status, http_status, body
):
    reply = read(body, http_status)
    assert reply.status == status
    assert (reply.error is None) == (status in ANSWERED_STATUSES)
    assert status != "overflow" or "context" in reply.error


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "message", "code", "metadata", "raw", "details", "filtered"]), inner
        )
    ),
    max_leaves=12,
)


@pytest.mark.slow
@given(st.integers(200, 599), JSON)
def test_any_error_is_read_as_something(http_status, body):
    assert read_failure(http_status, body) in ("refused", "overflow", "passing", None)


# ---- what becomes of the calls after it


@pytest.mark.parametrize("answer", [fault(403, "Your input was flagged"), fault(400, "no", "content_filter")])
def test_a_refused_prompt_is_an_answer_that_is_kept_and_stops_nothing(answer):
    ledger = MemoryLedger()

    async def test(server, asker):
        for n in range(7):
            assert (await asker.ask(request(repeat=n))).status == "refused"
        assert (await asker.ask(request(repeat=0))).status == "refused"
        assert len(server.seen) == 7

    against(answer, test=test, ledger=ledger)


def test_prompts_that_are_too_long_never_stop_a_model():
    async def test(server, asker):
        for n in range(12):
            reply = await asker.ask(request(repeat=n))
            assert (reply.status, reply.attempts) == ("overflow", 1)

    against(fault(400, "too long", "context_length_exceeded"), test=test)


def test_a_403_closes_no_endpoint_whose_key_was_answered():
    ledger = MemoryLedger()

    async def test(server, asker):
        assert (await asker.ask(request())).status == "ok"
        assert (await asker.ask(request(repeat=1))).status == "rejected"
        assert (await asker.ask(request(repeat=2))).status == "ok"

    against(ok(), fault(403, "not this one"), ok(), test=test, ledger=ledger)

    async def resume(server, asker):
        assert (await asker.ask(request(repeat=1))).status == "rejected"
        assert (await asker.ask(request(repeat=3))).status == "ok"

    against(fault(403, "not this one"), ok(), test=resume, ledger=ledger)


def test_a_key_that_is_withdrawn_on_the_way_stops_the_model_and_is_named():
    async def test(server, asker):
        assert (await asker.ask(request())).status == "ok"
        for n in range(1, 5):
            assert (await asker.ask(request(repeat=n))).status == "rejected"
        with pytest.raises(EndpointFailed, match=r"5 calls in a row.*PERENNIAL_API_KEY"):
            await asker.ask(request(repeat=5))

    against(ok(), fault(403, "no longer"), test=test)


@pytest.mark.parametrize("word", ["network_error", "abort"])
def test_a_reply_that_the_server_broke_off_is_asked_for_again(word):
    reply, server = ask(ok("par", finish=word), ok("whole"))
    assert (reply.status, reply.content, len(server.seen)) == ("ok", "whole", 2)


def test_a_failure_in_a_body_of_status_200_is_tried_again():
    body = json.dumps({"error": {"message": "Provider returned error", "code": 502}})
    reply, server = ask(Answer(body=body), ok("there"))
    assert (reply.content, len(server.seen)) == ("there", 2)


# ---- a limit of the reply that is too high


@pytest.mark.parametrize(
    ("message", "limit", "is_of_model"),
    [
        ("max_tokens is too large: 16000. This model supports at most 4,096 completion tokens", 4096, True),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8192, True),
        ("`max_tokens` must be less than or equal to `8192`", 8192, True),
        ("max_tokens: 16000 > 4096, which is the maximum allowed number of output tokens", 4096, True),
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 16000. This model's maximum context "
            "length is 4096 tokens and your request has 50 input tokens (16000 > 4096 - 50).",
            4046,
            False,
        ),
        (
            "This model's maximum context length is 4096 tokens. However, you requested 16050 tokens (50 in "
            "the messages, 16000 in the completion).",
            4046,
            False,
        ),
        (
            "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 50 `inputs` tokens and more",
            4046,
            False,
        ),
    ],
)
def test_a_limit_that_the_server_does_not_take_is_lowered_to_what_it_takes(message, limit, is_of_model):
    async def test(server, asker):
        first = await asker.ask(request(max_tokens=16_000))
        again = await asker.ask(request(repeat=1, max_tokens=16_000))
        assert (first.status, again.status) == ("ok", "ok")
        limits = [seen.body["max_tokens"] for seen in server.seen]
        assert limits == [16_000, limit, limit if is_of_model else 16_000]

    against(fault(400, message), ok(), test=test)


@pytest.mark.parametrize("message", ["maximum context length is 4096 tokens, and 5000 input tokens", "no"])
def test_a_prompt_that_leaves_no_room_is_not_sent_again(message):
    reply, server = ask(fault(400, message), ok(), asked=request(max_tokens=500))
    assert (reply.answered, len(server.seen)) == (False, 1)
