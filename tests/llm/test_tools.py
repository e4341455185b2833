"""A model that may run scripts: its rounds by the protocol of Chat Completions, at the scripted server."""

import asyncio
import json
import threading
from typing import Any

import pytest

from perennial.schemas.errors import LimitReached
from perennial.schemas.game import Episode
from perennial.schemas.model_calls import ModelRequest, Price, Reply, Spent
from perennial.schemas.settings.model_entry import CallPolicy
from perennial.tasks import tools
from perennial.tasks.beyondbench.gate import TaskGame
from perennial.tasks.beyondbench.problem import draw_problem
from perennial.tasks.beyondbench.registry import TASKS
from perennial.tasks.llm.clients import ModelClients, ReplayClient
from perennial.tasks.llm.replies import read_message
from perennial.tasks.play import parse_model_player, play_model
from tests.llm.http_double import FAST, MemoryLedger
from tests.server.options import ServerOptions
from tests.server.running import running_server

ROLES = "tests.server.calculator"
PROBLEM, _ = draw_problem(TASKS["addition"], "standard", 8, 5, 0)


@pytest.fixture(autouse=True)
def _run_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run scripts in this process: the sandbox has tests of its own."""
    monkeypatch.setattr(tools, "run_script", _run)


def _run(code: str, *_rest: object) -> tuple[str, str]:
    assert threading.current_thread() is not threading.main_thread()
    printed: list[str] = []
    exec(code, {"print": lambda value: printed.append(f"{value}\n")})
    return "".join(printed), ""


def play(
    ledger: MemoryLedger | None = None, player: str = "tools:m", fault: str = "", **policy: Any
) -> Episode[TaskGame]:
    async def run(url: str) -> Episode[TaskGame]:
        chosen = parse_model_player(player, {"max_tokens": 400}, ("tools",))
        prices = {"m": Price(1.0, 2.0)}
        clients = ModelClients(CallPolicy(url, **policy), {}, ledger or MemoryLedger(), prices, Spent(), FAST)
        async with clients:
            return await play_model(clients.ask, chosen, TaskGame(PROBLEM, PROBLEM.prompt), 0)

    faults = {f"calculator.{fault}": 1.0} if fault else {}
    with running_server(ServerOptions(roles=ROLES, models=("m",), faults=faults)) as server:
        return asyncio.run(run(server.url))


def test_a_model_that_needs_tools_solves_with_them_and_not_without() -> None:
    assert play(player="m").status == "wrong"
    ledger = MemoryLedger()
    episode = play(ledger)
    call, answer = episode.turns
    assert (episode.status, answer.feedback) == ("solved", None)
    assert call.feedback == str(sum(PROBLEM.params.values))
    asked, run, last = ledger.stored
    assert (call.call_id, answer.call_id) == (asked.call_id, last.call_id)
    assert (asked.status, run.content, last.status) == ("tool_call", call.feedback, "ok")
    # What scripts cost is nothing; each of the two replies counts.
    assert episode.tokens == asked.tokens + last.tokens
    assert episode.cost_usd == asked.cost_usd + last.cost_usd


@pytest.mark.parametrize(
    ("fault", "status", "turns", "feedback"),
    [
        ("malformed_arguments", "solved", 3, "error: the arguments: not JSON"),
        ("unknown_function", "solved", 3, "error: there is no function 'wolfram': call python"),
        ("parallel_calls", "solved", 2, "first\n\n"),
        ("endless_calls", "turn_limit", tools.MOST_ROUNDS + 1, ""),
        ("calls_without_id", "tool_call", 1, None),
        ("older_form", "tool_call", 1, None),
    ],
)
def test_what_a_model_does_badly_is_answered_or_ends_the_episode(
    fault: str, status: str, turns: int, feedback: str | None
) -> None:
    episode = play(fault=fault)
    assert (episode.status, len(episode.turns)) == (status, turns)
    assert [turn.number for turn in episode.turns] == [*range(1, turns + 1)]
    assert (episode.turns[0].feedback or "").startswith(feedback or "")
    assert (episode.turns[0].feedback is None) == (feedback is None)


def test_a_call_of_a_tool_that_nobody_offered_is_no_answer() -> None:
    reply = read_message({"content": "\\boxed{3}", "tool_calls": [{"id": "1", "function": {"name": "f"}}]})
    game = TaskGame(PROBLEM, PROBLEM.prompt)

    async def ask(request: ModelRequest) -> Reply:
        return Reply(request.call_id, reply.status, reply.content)

    episode = asyncio.run(play_model(ask, parse_model_player("m", {}, ()), game, 0))
    assert (episode.status, len(episode.turns)) == ("tool_call", 1)


@pytest.mark.parametrize("most", [1, 2])
def test_a_run_that_is_resumed_repeats_no_call_and_no_script(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = MemoryLedger()
    if most == 1:
        with pytest.raises(LimitReached):
            play(ledger, max_calls=1)
    else:
        play(ledger)
    done = len(ledger.stored)
    monkeypatch.setattr(tools, "run_script", lambda *_: pytest.fail("a script ran again"))
    assert play(ledger).status == "solved"
    assert (done, len(ledger.stored)) == (1 + most, 3)
    # The stored replies alone give the same.
    chosen = parse_model_player("tools:m", {"max_tokens": 400}, ("tools",))
    replay = ReplayClient(ledger.find)
    again = asyncio.run(play_model(replay.ask, chosen, TaskGame(PROBLEM, PROBLEM.prompt), 0))
    assert (again.status, replay.missing) == ("solved", set())


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        ('{"code": "print(1)"}', "1"),
        ('{"code": 1}', "error: the arguments are not an object with one text"),
        ('{"code": "", "lang": "en"}', "error: the arguments are not an object with one text"),
        ('["code"]', "error: the arguments are not an object with one text"),
        ('{"code": "a", "code": "b"}', "error: the arguments: key 'code' occurs twice"),
        ("[" * 200, "error: the arguments: nested too deeply"),
        ("", "error: the arguments: not JSON"),
        ('{"code": "x = 1"}', "(the script printed nothing)"),
        ('{"code": "print(\'a\' * 10001)"}', "a" * 10_000 + "\n(cut after 10,000 characters)"),
    ],
)
def test_arguments_are_held_to_their_form_and_output_is_cut(arguments: str, result: str) -> None:
    (message,) = answer([("python", arguments)])
    assert message["content"].startswith(result)
    assert len(message["content"]) < 10_100


def test_calls_beyond_the_bound_of_a_reply_are_answered_and_not_run() -> None:
    answers = answer([("python", '{"code": "print(2)"}')] * (tools.MOST_CALLS + 1))
    assert [message["content"] for message in answers[:-1]] == ["2"] * tools.MOST_CALLS
    assert answers[-1]["content"].startswith("error: not run")
    assert [message["tool_call_id"] for message in answers] == [f"c{n}" for n in range(len(answers))]


def answer(calls: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return the messages of results."""
    listed = [
        {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(calls)
    ]
    reply = Reply("call_1", "tool_call", json.dumps({"content": "", "tool_calls": listed}))

    async def run() -> list[dict[str, Any]] | None:
        return await tools.answer_calls(tools.ToolRunner(MemoryLedger()).ask, reply)

    messages = asyncio.run(run())
    assert messages is not None
    assert messages[0] == {"role": "assistant", "content": "", "tool_calls": listed}
    return messages[1:]


def test_two_calls_of_one_id_cannot_be_answered() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "python", "arguments": "{}"}}
    reply = Reply("call_1", "tool_call", json.dumps({"content": "", "tool_calls": [call, call]}))
    assert asyncio.run(tools.answer_calls(tools.ToolRunner(MemoryLedger()).ask, reply)) is None
