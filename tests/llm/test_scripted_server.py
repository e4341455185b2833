import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from schemas.errors import InvalidOption
from tests.server.command_line import parse_options, to_argv
from tests.server.echo import Echo, scripts
from tests.server.faults import (
    EXTRA_FAULTS,
    SUBSTANCE_FAULTS,
    TRANSPORT_FAULTS,
    Completion,
    fault_names,
    with_faults,
)
from tests.server.hold import Hold
from tests.server.log import ANSWERED, answers_by_digest, read_log
from tests.server.options import ServerOptions
from tests.server.running import REPOSITORY, RunningServer, running_server
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


def said(text: str) -> tuple[dict[str, Any], str]:
    """Return the message and the finish reason of a completion."""
    (choice,) = json.loads(text)["choices"]
    return choice["message"], choice["finish_reason"]


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    options = ServerOptions(roles=ECHO, keys=("sk-other", KEY), refuse=("response_format",))
    with running_server(options) as running:
        yield running


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
    assert said(cut[2])[1] == "length"
    assert said(cut[2])[0]["content"] == "01234567"
    assert json.loads(cut[2])["usage"]["completion_tokens"] == 2
    assert said(whole[2])[1] == "stop"
    assert said(whole[2])[0]["content"] == "0123456789"


def test_every_transport_fault_on_the_wire():
    options = ServerOptions(
        roles=ECHO,
        faults=dict.fromkeys(TRANSPORT_FAULTS, 1.0),
        max_transport_faults=1,
        retry_after_s=1.2,
        slow_s=0.03,
    )
    bodies = [body_of(f"{LONG} {i}") for i in range(100)]
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
            assert said(text)[0]["content"].startswith(LONG)
    statuses = {name: int(name) for name in TRANSPORT_FAULTS if name.isdigit()}
    lost = {"drop": "ServerDisconnectedError", "drop_midway": "ClientPayloadError"}
    assert met == {**statuses, **lost, "html": 200, "invalid_json": 200, "slow": 200}


def test_every_content_fault_on_the_wire():
    own = {"echo.shouted": 1.0, "echo.backwards": 1.0}
    options = ServerOptions(
        roles=ECHO,
        faults={**dict.fromkeys(SUBSTANCE_FAULTS, 1.0), **dict.fromkeys(EXTRA_FAULTS, 0.5), **own},
    )
    texts = [f"{LONG} {i}" for i in range(100)]
    with running_server(options) as server:
        replies = ask_in_turn(server, [body_of(text) for text in texts])
        log = server.log()
    assert {fault for line in log for fault in line.faults} == {*SUBSTANCE_FAULTS, *EXTRA_FAULTS, *own}
    for text, (status, _, body), line in zip(texts, replies, log, strict=True):
        message, finish_reason = said(body)
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


def test_equal_requests_get_equal_replies_from_any_process():
    faults = {
        **dict.fromkeys([*SUBSTANCE_FAULTS, *EXTRA_FAULTS, "echo.shouted"], 0.2),
        "429": 0.3,
        "drop": 0.2,
    }
    bodies = [body_of(text) for text in ("chance", LONG, *map(str, range(30))) for _ in range(3)]

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


def test_a_request_is_served_after_so_many_bad_attempts():
    options = ServerOptions(roles=ECHO, faults={"500": 1.0}, max_transport_faults=2)
    with running_server(options) as server:
        statuses = [status for status, _, _ in ask_in_turn(server, [body_of("a"), body_of("b")] * 4)]
        log = server.log()
    assert statuses == [500] * 4 + [200] * 4
    of_a = [(line.attempt, line.outcome) for line in log if line.digest == log[0].digest]
    assert of_a == [(1, "500"), (2, "500"), (3, ANSWERED), (4, ANSWERED)]
    assert list(answers_by_digest(log).values()) == [2, 2]


def test_a_perfect_model_has_faults_of_transport_only():
    options = ServerOptions(roles=ECHO, faults={"503": 1.0, "echo.shouted": 1.0, "think_tags": 1.0})
    body = body_of("softly", model="scripted-perfect")
    with running_server(options) as server:
        replies = ask_in_turn(server, [body] * 4 + [body_of("softly")] * 4)
    assert [status for status, _, _ in replies] == [503, 503, 503, 200] * 2
    assert said(replies[3][2])[0]["content"] == "softly"
    assert said(replies[7][2])[0]["content"].endswith("SOFTLY")


def test_rates_are_kept_and_one_role_may_have_its_own():
    options = ServerOptions(
        roles=ECHO, faults={"empty": 1.0, "echo.empty": 0.0, "echo.prose": 0.3}, all_faults=0
    )
    with running_server(options) as server:
        ask_in_turn(server, [body_of(str(i)) for i in range(400)])
        faults = [line.faults for line in server.log()]
    assert set(faults) == {(), ("prose",)}
    assert 80 < faults.count(("prose",)) < 160


def test_replies_are_held_after_so_many_answers_until_released():
    async def main(server: RunningServer):
        async with aiohttp.ClientSession() as session:
            asked = [asyncio.create_task(post(session, server, body_of(str(i)))) for i in range(10)]
            status = await asyncio.to_thread(server.wait_held, 7)
            assert (status.answered, status.held, status.waiting) == (3, True, 7)
            await asyncio.sleep(0.1)
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


def test_an_answer_that_never_went_out_leaves_its_place_to_another():
    async def main():
        hold = Hold(1)
        await hold.take()
        other = asyncio.create_task(hold.take())
        await asyncio.sleep(0)
        assert (hold.held, hold.waiting) == (False, 1)
        hold.settle(answered=False)
        await other
        hold.settle(answered=True)
        assert (hold.held, hold.waiting) == (True, 0)

    asyncio.run(main())


CLIENT = """
import asyncio, sys, aiohttp
async def main():
    async with aiohttp.ClientSession() as session:
        async def one(i):
            messages = [{"role": "user", "content": f"ECHO {i}"}]
            body = {"model": "scripted", "messages": messages}
            async with session.post(sys.argv[1] + "/chat/completions", json=body) as reply:
                await reply.read()
        await asyncio.gather(*(one(i) for i in range(20)))
asyncio.run(main())
"""


def test_what_a_killed_client_had_not_been_answered_is_abandoned():
    with running_server(ServerOptions(roles=ECHO, hold_after=5)) as server:
        client = subprocess.Popen([sys.executable, "-c", CLIENT, server.url])
        server.wait_held(waiting=15)
        client.send_signal(signal.SIGKILL)
        client.wait()
        # At once: the server must notice by itself that nobody is there for what it lets go.
        server.release()
        deadline = time.monotonic() + 5
        while len(server.log()) < 20 and time.monotonic() < deadline:
            time.sleep(0.01)
        outcomes = [line.outcome for line in server.log()]
    assert sorted(outcomes) == ["abandoned"] * 15 + [ANSWERED] * 5


def test_a_client_that_gives_up_on_a_slow_answer_is_abandoned():
    async def main(server: RunningServer):
        timeout = aiohttp.ClientTimeout(total=0.2)
        async with aiohttp.ClientSession(timeout=timeout) as session:
            with pytest.raises(TimeoutError):
                await post(session, server, body_of("a"))
            return await post(session, server, body_of("a"))

    options = ServerOptions(roles=ECHO, faults={"slow": 1.0}, slow_s=20, max_transport_faults=1)
    with running_server(options) as server:
        assert asyncio.run(main(server))[0] == 200
        lines = [(line.attempt, line.outcome) for line in server.log()]
    assert lines == [(1, "slow"), (1, "abandoned"), (2, ANSWERED)]


def test_replies_that_wait_do_so_at_the_same_time():
    async def main(server: RunningServer):
        async with aiohttp.ClientSession() as session:
            begin = time.perf_counter()
            replies = await asyncio.gather(*(post(session, server, body_of(str(i))) for i in range(100)))
            return time.perf_counter() - begin, {reply[0] for reply in replies}

    with running_server(ServerOptions(roles=ECHO, latency_s=0.1)) as server:
        seconds, statuses = asyncio.run(main(server))
    assert statuses == {200}
    assert 0.1 <= seconds < 1.5


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


def test_help_lists_every_fault_and_gives_an_example():
    command = [sys.executable, "-m", "tests.server", "--roles", ECHO, "--help"]
    help_text = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    for name in (*TRANSPORT_FAULTS, *SUBSTANCE_FAULTS, *EXTRA_FAULTS, "echo.shouted", "echo.backwards"):
        assert f"\n  {name}" in help_text
    assert "python -m tests.server --port 8399" in help_text


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--fault", "echo.whispered=0.1"], "there is no fault 'echo.whispered'"),
        (["--fault", "500=1.5"], "the rate of '500' is 1.5"),
        (["--fault", "500=nan"], "the rate of '500' is nan"),
        (["--fault", "500"], "'500' is no NAME=RATE"),
        (["--faults", "-1"], "the rate of 'faults' is -1.0"),
        (["--latency", "-1"], "latency_s is -1.0"),
        (["--hold-after", "-1"], "hold_after is -1"),
    ],
)
def test_options_that_make_no_sense_are_told(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit, match="2"):
        parse_options(["--roles", ECHO, *arguments])
    assert told in capsys.readouterr().err.splitlines()[-1]


def test_a_command_line_gives_back_its_options():
    options = ServerOptions(
        host="localhost",
        port=8399,
        seed=-7,
        latency_s=0.25,
        models=("a", "b-perfect"),
        keys=(KEY, "sk-2"),
        faults={"429": 0.05, "echo.shouted": 1e-05},
        all_faults=0.02,
        max_transport_faults=0,
        retry_after_s=1.5,
        slow_s=9.0,
        refuse=("response_format",),
        log="a file",
        hold_after=0,
        roles=ECHO,
        die_with_parent=True,
    )
    assert parse_options(to_argv(options)) == options
    assert parse_options(to_argv(ServerOptions(roles=ECHO))) == ServerOptions(roles=ECHO)


def test_a_server_that_does_not_start_says_why():
    with (
        pytest.raises(RuntimeError, match="no fault 'nothing'"),
        running_server(ServerOptions(roles=ECHO, faults={"nothing": 1.0})),
    ):
        pass
    with running_server(ServerOptions(roles=ECHO)) as server:
        port = int(server.url.split(":")[2].split("/")[0])
        with (
            pytest.raises(RuntimeError, match="cannot listen"),
            running_server(ServerOptions(roles=ECHO, port=port)),
        ):
            pass


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly_even_while_it_holds(number: signal.Signals):
    async def main(url: str):
        async with aiohttp.ClientSession() as session:
            asked = asyncio.create_task(session.post(f"{url}/chat/completions", json=body_of("a")))
            await asyncio.sleep(0.2)
            process.send_signal(number)
            with pytest.raises(aiohttp.ClientError):
                await asked

    process = start("--hold-after=0")
    asyncio.run(main(process.stdout.readline().strip()))
    assert process.wait(timeout=10) == 0
    assert process.stderr.read() == ""
    close(process)


def test_it_dies_with_its_parent_when_asked_to():
    process = start("--die-with-parent", "--hold-after=0")
    assert process.stdout.readline().startswith("http://127.0.0.1:")
    process.stdin.close()
    assert process.wait(timeout=10) == 0
    close(process)


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.server", "--roles", ECHO, *arguments],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )


def close(process: subprocess.Popen[str]) -> None:
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()


@pytest.mark.parametrize(
    ("reply", "fenced"),
    [
        ('{"a": {"b": 1}}', '```json\n{"a": {"b": 1}}\n```'),
        ('Here it is: {"a": {"b": 1}} Done.', 'Here it is: ```json\n{"a": {"b": 1}}\n``` Done.'),
        # The rest of a reply that was cut off: its first whole object is only a part.
        ('"a": {"b": 1}, "c": 2}', '```json\n"a": {"b": 1}, "c": 2}\n```'),
        ('{"a": {"b": 1}, "c', '```json\n{"a": {"b": 1}, "c\n```'),
        ("<ANSWER>Flu</ANSWER>", "```json\n<ANSWER>Flu</ANSWER>\n```"),
        ("", "```json\n\n```"),
    ],
)
def test_a_fence_goes_round_the_json_or_the_whole(reply: str, fenced: str):
    assert with_faults(reply, "fenced", (), random.Random(0)).content == fenced


def test_a_short_reply_is_not_cut():
    assert with_faults("a" * 200, "truncated", (), random.Random(0)) == Completion("a" * 200)
    assert with_faults("a" * 201, "truncated", (), random.Random(0)) == Completion(
        "a" * 100, finish_reason="length"
    )


def test_a_role_may_not_take_the_name_of_a_fault_of_all_roles():
    class Bold(Echo):
        faults = ("prose",)

    with pytest.raises(InvalidOption, match="role 'echo' has a fault 'prose'"):
        fault_names([Bold()])
    assert "echo.prose" in fault_names(scripts())
