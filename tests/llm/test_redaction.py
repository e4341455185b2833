"""Keys are replaced in all that is kept of a reply, however they are spelt."""

import json
from base64 import b64encode

import pytest

from perennial.schemas.model_calls import Reply
from perennial.tasks.llm.client import Redaction
from perennial.tasks.llm.replies import read_attempt
from perennial.tasks.llm.retry_policy import HttpResult
from tests.llm.http_double import KEY, completion, request


def read_redacted(redaction: Redaction, received: HttpResult) -> Reply:
    return redaction.reply(read_attempt(request(), redaction.redact_received(received), None).reply)


@pytest.mark.parametrize(
    "spelt", [KEY, KEY.replace("/", "\\/"), KEY.replace("+", "\\u002B"), "sk-test-0123456789abcdef%2F%2B"]
)
@pytest.mark.parametrize("status", [200, 401, 500])
def test_the_key_is_replaced_however_it_is_spelt(spelt, status):
    body = completion(f"your key is {KEY}", reasoning=KEY) if status == 200 else "Key: " + "x" * 260 + spelt
    redaction = Redaction([KEY])
    reply = read_redacted(redaction, HttpResult(status, body))
    text = repr(reply)
    assert "[key]" in text
    assert "0123456789" not in text


def test_a_short_placeholder_key_does_not_change_answers():
    redaction = Redaction(["ollama", ""])
    answer = read_redacted(redaction, HttpResult(200, completion("ollama")))
    refusal = read_redacted(redaction, HttpResult(400, "ollama no"))
    assert answer.content == "ollama"
    assert refusal.error == "HTTP 400: [key] no"


def in_escapes(key: str, form: str) -> str:
    return "".join(form.format(ord(char)) for char in key)


SPELLINGS = {
    "json": in_escapes(KEY, "\\u{:04x}"),
    "JSON": in_escapes(KEY, "\\u{:04X}"),
    "json within json": in_escapes(KEY, "\\\\u{:04x}"),
    "some characters only": KEY[:3] + in_escapes(KEY[3:7], "\\u{:04x}") + KEY[7:],
    "url": in_escapes(KEY, "%{:02x}"),
    "url twice": in_escapes(KEY, "%25{:02X}"),
    "html": in_escapes(KEY, "&#{};"),
    "HTML": in_escapes(KEY, "&#x{:X};"),
}


@pytest.mark.parametrize("name", SPELLINGS)
@pytest.mark.parametrize("status", [200, 400])
def test_a_key_in_escapes_cannot_be_decoded_from_what_is_kept(name, status):
    body = completion("hi")[:-1] + ', "debug": "' + SPELLINGS[name] + '"}'
    reply = read_redacted(Redaction([KEY]), HttpResult(status, body))
    assert json.loads(reply.raw)["debug"] == "[key]"
    assert SPELLINGS[name] not in repr(reply)
    assert reply.status == ("ok" if status == 200 else "rejected")


@pytest.mark.parametrize("before", ["", "x", "Bearer ", "Authorization: Bearer "])
def test_a_key_in_base64_is_replaced_wherever_it_begins(before):
    coded = b64encode(f"{before}{KEY} and more".encode()).decode()
    reply = read_redacted(Redaction([KEY]), HttpResult(200, completion("hi", debug=coded)))
    left = json.loads(reply.raw)["choices"][0]["message"]["debug"]
    assert "[key]" in left
    assert len(left) < len(coded) - len(KEY)


@pytest.mark.parametrize("key", ["k", "key", "[key]", "ey]", "bad", "Incorrect"])
def test_what_replaces_a_key_is_not_replaced_again(key):
    told = f"Incorrect API key provided: {key}. A bad key."
    redaction = Redaction([key, KEY])
    reply = read_redacted(redaction, HttpResult(401, json.dumps({"error": {"message": f"{told} {KEY}"}})))
    assert "[[" not in reply.error
    assert "]]" not in reply.error
    assert redaction.text(reply.error) == reply.error
    assert KEY not in repr(reply)
    if len(key) < 4:
        assert reply.error == f"HTTP 401: {told} [key]"


def test_a_short_key_is_replaced_as_a_word_and_not_within_one():
    reply = read_redacted(Redaction(["test"]), HttpResult(401, "the latest key test is contested"))
    assert reply.error == "HTTP 401: the latest key [key] is contested"
