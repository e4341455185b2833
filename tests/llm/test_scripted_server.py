import asyncio
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from perennial.flows.practice.grade import grade, open_question
from tests.llm.scripted_asking import ECHO, KEY, ask, ask_in_turn, body_of, make_completion, messages
from tests.practice.drawn import draw
from tests.server.log import ANSWERED, answers_by_digest, read_log
from tests.server.options import ServerOptions
from tests.server.roles import scripts
from tests.server.running import RunningServer, running_server
from tests.server.script import Asked
from tests.server.wire import request_digest


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    options = ServerOptions(roles=ECHO, keys=("sk-other", KEY), refuse=("response_format",))
    with running_server(options) as running:
        yield running


@pytest.mark.slow
def test_a_client_of_openai_reads_a_reply_and_the_models(server: RunningServer):
    from openai import AsyncOpenAI

    async def main():
        async with AsyncOpenAI(base_url=server.url, api_key=KEY, max_retries=0) as client:
            reply = await client.chat.completions.create(
                model="scripted", messages=messages("Good morning!"), temperature=0.5, seed=3
            )
            return reply, [model.id async for model in client.models.list()]

    reply, models = asyncio.run(main())
    assert models == ["scripted", "scripted-perfect"]
    assert reply.choices[0].message.content == "Good morning!"
    assert reply.choices[0].message.refusal is None
    assert reply.choices[0].finish_reason == "stop"
    usage = reply.usage
    # 4 + 13 characters asked, 13 replied, four a token.
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (5, 4, 9)
    assert usage.prompt_tokens_details.cached_tokens == 0
    assert usage.completion_tokens_details.reasoning_tokens == 0
    line = server.log()[-1]
    assert line.digest == request_digest(
        "scripted", messages("Good morning!"), {"temperature": 0.5, "seed": 3}
    )
    assert (line.outcome, line.attempt, line.role, line.model) == (ANSWERED, 1, "echo", "scripted")


@pytest.mark.parametrize("key", [None, "sk-wrong", KEY[:-1], ""])
def test_a_wrong_key_is_refused(server: RunningServer, key: str | None):
    before = len(server.log())
    status, _, text = ask(server, body_of("a"), key)
    assert status == 401
    assert json.loads(text)["error"]["code"] == "invalid_api_key"
    assert [line.outcome for line in server.log()[before:]] == ["unauthorised"]


def test_models_need_the_key_too(server: RunningServer):
    async def main():
        async with aiohttp.ClientSession() as session, session.get(f"{server.url}/models") as reply:
            return reply.status

    assert asyncio.run(main()) == 401


def test_an_unknown_model_is_refused(server: RunningServer):
    status, _, text = ask(server, body_of("a", model="gpt-17"))
    assert status == 404
    error = json.loads(text)["error"]
    assert error["code"] == "model_not_found"
    assert "'gpt-17'" in error["message"]
    assert server.log()[-1].outcome == "unknown_model"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[]", "not a JSON object"),
        (b'{"model": "scripted", "messages": [{"role": "user", "content": "\\ud800"}]}', "JSON"),
        ({"messages": messages("a")}, "`model`"),
        ({"model": "scripted"}, "`messages`"),
        ({"model": "scripted", "messages": []}, "`messages`"),
        ({"model": "scripted", "messages": [{"role": "user", "content": None}]}, "`content`"),
        ({"model": "scripted", "messages": [{"role": "player", "content": "a"}]}, "'player'"),
        (body_of("a", stream=True), "`stream`"),
        (body_of("a", n=2), "`n`"),
        (body_of("a", max_tokens=0), "`max_tokens`"),
        (body_of("a", max_completion_tokens=2.5), "`max_completion_tokens`"),
        (b'{"model": "scripted", "messages": [{"role": "user", "content": "ECHO"}], "p": NaN}', "parameter"),
        (body_of("a", response_format={"type": "json_object"}), "'response_format' is not supported"),
        ({"model": "scripted", "messages": [{"role": "user", "content": "Hello"}]}, "No role recognises"),
    ],
)
def test_a_bad_request_is_refused_and_told_why(server: RunningServer, body: Any, told: str):
    status, _, text = ask(server, body)
    assert status == 400
    assert told in json.loads(text)["error"]["message"]
    assert server.log()[-1].outcome in ("bad_request", "unrecognised")


def test_a_role_that_fails_is_told(server: RunningServer):
    status, _, text = ask(server, body_of("fail"))
    assert status == 500
    assert "The role echo failed: ValueError: asked to fail" in text
    assert server.log()[-1].outcome == "role_failed"


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_a_token_limit_cuts_the_reply(server: RunningServer, name: str):
    cut, whole = ask_in_turn(server, [body_of("0123456789", **{name: limit}) for limit in (2, 3)])
    assert make_completion(cut[2])[1] == "length"
    assert make_completion(cut[2])[0]["content"] == "01234567"
    assert json.loads(cut[2])["usage"]["completion_tokens"] == 2
    assert make_completion(whole[2])[1] == "stop"
    assert make_completion(whole[2])[0]["content"] == "0123456789"


@pytest.mark.slow
def test_the_log_file_holds_what_the_log_holds_and_never_the_key(tmp_path: Path):
    path = tmp_path / "log.jsonl"
    options = ServerOptions(roles=ECHO, keys=(KEY,), log=str(path), faults={"429": 0.5, "prose": 0.5})
    with running_server(options) as server:
        ask_in_turn(server, [body_of(str(i % 4)) for i in range(20)])
        ask(server, body_of("a"), key="sk-wrong")
        log = server.log()
        assert read_log(path) == log
    assert read_log(path) == log
    assert [line.n for line in log] == list(range(1, len(log) + 1))
    assert sum(answers_by_digest(log).values()) == sum(line.outcome == ANSWERED for line in log) > 0
    assert "sk-" not in path.read_text()
    assert KEY not in repr(options)


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", ["a2rbench", "beyondbench", "knowlogic"])
def test_the_usual_roles_answer_questions_of_every_benchmark(benchmark: str):
    (question,) = draw(benchmark, 1)
    asked = Asked("scripted", tuple(dict(message) for message in open_question(question).messages), {})
    role = next(role for role in scripts() if role.recognises(asked))
    assert grade(question, str(role.reply(asked, None, random.Random(0)))).success
