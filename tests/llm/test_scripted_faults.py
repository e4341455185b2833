import json
import random
from typing import Any

import pytest

from perennial.schemas.errors import InvalidOption
from tests.llm.scripted_asking import ECHO, LONG, ask, ask_in_turn, body_of, make_completion
from tests.server.echo import Echo, scripts
from tests.server.faults import (
    EXTRA_FAULTS,
    SUBSTANCE_FAULTS,
    TRANSPORT_FAULTS,
    Completion,
    fault_names,
    with_faults,
)
from tests.server.log import ANSWERED, answers_by_digest
from tests.server.options import ServerOptions
from tests.server.running import running_server

pytestmark = pytest.mark.slow


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
            assert make_completion(text)[0]["content"].startswith(LONG)
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
    assert make_completion(replies[3][2])[0]["content"] == "softly"
    assert make_completion(replies[7][2])[0]["content"].endswith("SOFTLY")


def test_rates_are_kept_and_one_role_may_have_its_own():
    options = ServerOptions(
        roles=ECHO, faults={"empty": 1.0, "echo.empty": 0.0, "echo.prose": 0.3}, all_faults=0
    )
    with running_server(options) as server:
        ask_in_turn(server, [body_of(str(i)) for i in range(400)])
        faults = [line.faults for line in server.log()]
    assert set(faults) == {(), ("prose",)}
    assert 80 < faults.count(("prose",)) < 160


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
