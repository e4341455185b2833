"""The scripted server by which whole refreshes are tested: its faults, its log, its words, its start."""

import asyncio
import json
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from perennial.flows.practice.grade import grade, open_question
from tests.conftest import REPOSITORY
from tests.practice.drawn import draw
from tests.server.command_line import parse_options
from tests.server.faults import EXTRA_FAULTS, SUBSTANCE_FAULTS, TRANSPORT_FAULTS
from tests.server.log import ANSWERED, answers_by_digest, read_log
from tests.server.options import ServerOptions
from tests.server.roles import scripts
from tests.server.running import RunningServer, running_server
from tests.server.script import Asked
from tests.server.wire import request_digest

KEY = "sk-of-a-test"
ECHO = "tests.server.echo"
LONG = "All of this is repeated word by word. " * 10


def messages(text: str) -> list[dict[str, str]]:
    return [{"role": "system", "content": "ECHO"}, {"role": "user", "content": text}]


def body_of(text: str, model: str = "scripted", **params: Any) -> dict[str, Any]:
    return {"model": model, "messages": messages(text), **params}


async def post(session: aiohttp.ClientSession, server: RunningServer, body: Any, key: str | None = KEY):
    """Return status, headers and body, or the name of the error that the client met."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    try:
        async with session.post(f"{server.url}/chat/completions", data=data, headers=headers) as reply:
            return reply.status, reply.headers, await reply.text()
    except aiohttp.ClientError as error:
        return type(error).__name__, {}, ""


def ask_in_turn(server: RunningServer, bodies: list[Any], key: str | None = KEY) -> list[Any]:
    async def main():
        async with aiohttp.ClientSession() as session:
            return [await post(session, server, body, key) for body in bodies]

    return asyncio.run(main())


def ask(server: RunningServer, body: Any, key: str | None = KEY):
    return ask_in_turn(server, [body], key)[0]


def make_completion(text: str) -> tuple[dict[str, Any], str]:
    """Return the message and the finish reason of a completion."""
    (choice,) = json.loads(text)["choices"]
    return choice["message"], choice["finish_reason"]


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


@pytest.mark.parametrize("key", [None, KEY[:-1]])
def test_a_wrong_key_is_refused(server: RunningServer, key: str | None):
    before = len(server.log())
    status, _, text = ask(server, body_of("a"), key)
    assert status == 401
    assert json.loads(text)["error"]["code"] == "invalid_api_key"
    assert [line.outcome for line in server.log()[before:]] == ["unauthorised"]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"{", "not JSON"),
        (b"[]", "not a JSON object"),
        (b'{"model": "scripted", "messages": [{"role": "user", "content": "\\ud800"}]}', "JSON"),
        ({"messages": messages("a")}, "`model`"),
        ({"model": "scripted"}, "`messages`"),
        ({"model": "scripted", "messages": [{"role": "user", "content": None}]}, "`content`"),
        ({"model": "scripted", "messages": [{"role": "player", "content": "a"}]}, "'player'"),
        (body_of("a", stream=True), "`stream`"),
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


@pytest.mark.slow
def test_every_transport_fault_on_the_wire():
    options = ServerOptions(
        roles=ECHO,
        faults=dict.fromkeys(TRANSPORT_FAULTS, 1.0),
        max_transport_faults=1,
        retry_after_s=1.2,
        slow_s=0.03,
    )
    bodies = [body_of(f"{LONG} {i}") for i in range(50)]
    met: dict[str, Any] = {}
    with running_server(options) as server:
        replies = ask_in_turn(server, bodies, key=None)
        lines = [line for line in server.log() if line.outcome != ANSWERED]
    assert len(lines) == len(replies)
    for line, (status, headers, text) in zip(lines, replies, strict=True):
        met[line.outcome] = status
        if line.outcome in ("429", "503"):
            assert (headers["Retry-After"], headers["retry-after-ms"]) == ("2", "1200")
        if line.outcome.isdigit():
            assert "message" in json.loads(text)["error"]
        elif line.outcome == "html":
            assert headers["Content-Type"].startswith("text/html")
            assert "<html>" in text
        elif line.outcome == "invalid_json":
            assert headers["Content-Type"] == "application/json"
            assert text.startswith('{"id":"chatcmpl')
            with pytest.raises(ValueError):
                json.loads(text)
        elif line.outcome == "slow":
            assert make_completion(text)[0]["content"].startswith(LONG)
    statuses = {name: int(name) for name in TRANSPORT_FAULTS if name.isdigit()}
    lost = {"drop": "ServerDisconnectedError", "drop_midway": "ClientPayloadError"}
    assert met == {**statuses, **lost, "html": 200, "invalid_json": 200, "slow": 200}


@pytest.mark.slow
def test_every_content_fault_on_the_wire():
    own = {"echo.shouted": 1.0, "echo.backwards": 1.0}
    options = ServerOptions(
        roles=ECHO, faults={**dict.fromkeys(SUBSTANCE_FAULTS, 1.0), **dict.fromkeys(EXTRA_FAULTS, 0.5), **own}
    )
    texts = [f"{LONG} {i}" for i in range(50)]
    with running_server(options) as server:
        replies = ask_in_turn(server, [body_of(text) for text in texts])
        log = server.log()
    assert {fault for line in log for fault in line.faults} == {*SUBSTANCE_FAULTS, *EXTRA_FAULTS, *own}
    for text, (status, _, body), line in zip(texts, replies, log, strict=True):
        message, finish_reason = make_completion(body)
        substance, *extras = line.faults
        assert status == 200
        assert ("usage" in json.loads(body)) == ("missing_usage" not in extras)
        assert ("reasoning_content" in message) == ("reasoning_field" in extras)
        content = message["content"]
        if "think_tags" in extras and content is not None:
            thoughts, _, content = content.partition("</think>\n\n")
            assert thoughts.startswith("<think>")
            assert "<ANSWER>none of these</ANSWER>" in thoughts
            assert '{"draft": true' in thoughts
        expected = {
            "fenced": f"```json\n{text}\n```",
            "truncated": text[: len(text) // 2],
            "empty": "",
            "refusal": None,
            "echo.shouted": text.upper(),
            "echo.backwards": text[::-1],
            "prose": content,
        }
        assert content == expected[substance]
        assert finish_reason == ("length" if substance == "truncated" else "stop")
        assert (message["refusal"] is not None) == (substance == "refusal")
        if substance == "prose":
            before, after = content.split(text)
            assert len(before) > 10 < len(after)


@pytest.mark.slow
def test_equal_requests_get_equal_replies_from_any_process():
    faults = {
        **dict.fromkeys([*SUBSTANCE_FAULTS, *EXTRA_FAULTS, "echo.shouted"], 0.2),
        "429": 0.3,
        "drop": 0.2,
    }
    bodies = [body_of(text) for text in ("chance", LONG, *map(str, range(8))) for _ in range(3)]

    def replies_of(seed: int, order: list[int]) -> tuple[dict[int, str], list[tuple[Any, ...]]]:
        # Each body is asked until it is answered.
        whole = {}
        with running_server(ServerOptions(roles=ECHO, seed=seed, faults=faults)) as server:
            for i in order:
                while (reply := ask(server, bodies[i]))[0] != 200:
                    pass
                whole[i] = reply[2]
            lines = [(str(line.digest), line.attempt, line.outcome, line.faults) for line in server.log()]
        return whole, sorted(lines)

    forth = list(range(len(bodies)))
    first, first_lines = replies_of(0, forth)
    again, again_lines = replies_of(0, forth[::-1])
    other, other_lines = replies_of(1, forth)
    assert first == again
    assert first_lines == again_lines
    assert first != other
    assert first_lines != other_lines
    assert json.loads(first[0])["id"] != json.loads(other[0])["id"]
    # Repeats of one request differ in nothing, and each is an answer of its own.
    assert first[0] == first[1] == first[2]
    assert len(first_lines) > len(bodies)


@pytest.mark.slow
def test_a_request_is_served_after_so_many_bad_attempts():
    options = ServerOptions(roles=ECHO, faults={"500": 1.0}, max_transport_faults=2)
    with running_server(options) as server:
        statuses = [status for status, _, _ in ask_in_turn(server, [body_of("a"), body_of("b")] * 4)]
        log = server.log()
    assert statuses == [500] * 4 + [200] * 4
    of_a = [(line.attempt, line.outcome) for line in log if line.digest == log[0].digest]
    assert of_a == [(1, "500"), (2, "500"), (3, ANSWERED), (4, ANSWERED)]
    assert list(answers_by_digest(log).values()) == [2, 2]


@pytest.mark.slow
def test_replies_are_held_after_so_many_answers_until_released():
    async def main(server: RunningServer):
        async with aiohttp.ClientSession() as session:
            asked = [asyncio.create_task(post(session, server, body_of(str(i)))) for i in range(10)]
            status = await asyncio.to_thread(server.wait_held, 7)
            assert (status.answered, status.held, status.waiting) == (3, True, 7)
            # Those seven wait at the server: no other than the three that it answered can end.
            while sum(task.done() for task in asked) < 3:
                await asyncio.wait([task for task in asked if not task.done()], return_when="FIRST_COMPLETED")
            assert sum(task.done() for task in asked) == 3
            # Those who go away while held are abandoned, and take nobody's place.
            for task in [task for task in asked if not task.done()][:2]:
                task.cancel()
            while server.status().waiting > 5:
                await asyncio.sleep(0.01)
            server.release(hold_after=1)
            status = await asyncio.to_thread(server.wait_held, 4)
            assert (status.answered, status.waiting) == (4, 4)
            server.release()
            done = await asyncio.gather(*asked, return_exceptions=True)
            return [reply for reply in done if isinstance(reply, tuple)]

    with running_server(ServerOptions(roles=ECHO, hold_after=3)) as server:
        replies = asyncio.run(main(server))
        status = server.status()
        log = server.log()
    assert [reply[0] for reply in replies] == [200] * 8
    assert (status.answered, status.held, status.waiting) == (8, False, 0)
    assert sorted(line.outcome for line in log) == ["abandoned"] * 2 + [ANSWERED] * 8
    assert max(answers_by_digest(log).values()) == 1


def test_a_command_line_gives_options():
    asked = ["--port=8399", "--model=a", "--key", KEY, "--fault=429=0.05", "--no-tools", "--hold-after=0"]
    assert parse_options([*asked, "--roles", ECHO]) == ServerOptions(
        port=8399, models=("a",), keys=(KEY,), faults={"429": 0.05}, has_tools=False, hold_after=0, roles=ECHO
    )
    assert parse_options(["--roles", ECHO]) == ServerOptions(roles=ECHO)


@pytest.mark.slow
def test_a_server_of_its_own_answers_until_a_signal():
    command = [sys.executable, "-m", "tests.server", "--roles", ECHO]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        server = RunningServer(process.stdout.readline().strip())
        assert make_completion(ask(server, body_of("hello"))[2])[0]["content"] == "hello"
        process.send_signal(signal.SIGTERM)
    assert process.returncode == 0
