"""Environments of verifiers: its own command evaluates scripted models on practice questions."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.practice.grade import grade
from perennial.schemas.benchmark import benchmarks
from perennial.schemas.errors import InvalidOption
from tests.practice.drawn import GIVEN, draw
from tests.server.options import ServerOptions
from tests.server.running import running_server

vf = pytest.importorskip("verifiers.v1", reason="the extra `verifiers` is not installed")
PACKAGES = {name: pytest.importorskip(f"perennial_{name}") for name in GIVEN}

from tests.verifiers_tasks.hostile_policy import POLICIES  # noqa: E402
from tests.verifiers_tasks.traces import trace_of  # noqa: E402 (it needs verifiers)

# The scripted models of each benchmark: one that is right, and one that is not.
MODELS = {
    "a2rbench": ("tests.a2rbench.scripted_model", "right", "lost"),
    "beyondbench": ("tests.beyondbench.scripted_model", "right", "lost"),
    "knowlogic": ("tests.knowlogic.scripted_model", "right", "lost"),
    "kumo": ("tests.server.roles", "scripted-perfect", "scripted"),
}


@contextmanager
def serving(benchmark: str, **changed: Any) -> Iterator[str]:
    """Yield the URL of a scripted server that answers this benchmark's questions."""
    roles, *models = MODELS[benchmark]
    options = ServerOptions(models=tuple(models), roles=roles)
    with running_server(replace(options, **changed)) as server:
        yield server.url


def evaluate(folder: Path, benchmark: str, url: str, model: str, *options: str) -> list[dict[str, Any]]:
    """Run verifiers' own evaluation of 3 questions, and return its traces in order."""
    given = {"seed": 5, **GIVEN[benchmark]}
    flags = [
        word
        for name, value in given.items()
        for word in (f"--env.taskset.{name.replace('_', '-')}", _text_of(value))
    ]
    command = [Path(sys.executable).with_name("vf-eval"), f"perennial-{benchmark}", *flags, "-n", "3"]
    client = ["--model", model, "--client.base-url", url, "--no-push", "--no-rich", "--output-dir", folder]
    done = subprocess.run(
        [*map(str, [*command, *client, *options])],
        cwd=folder,
        env={**os.environ, "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    (file,) = folder.rglob("traces.jsonl")
    episodes = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    traces = [trace for episode in episodes for trace in episode.get("traces", [episode])]
    return sorted(traces, key=lambda trace: trace["task"]["data"]["idx"])


def _text_of(value: Any) -> str:
    return json.dumps(value) if isinstance(value, list) else str(value)


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", GIVEN)
def test_verifiers_evaluates_models_on_what_sample_draws(benchmark: str, tmp_path: Path) -> None:
    _, right, wrong = MODELS[benchmark]
    drawn = [question.as_json() for question in draw(benchmark, 3)]
    with serving(benchmark, faults={"player.no_answer": 1.0} if benchmark == "kumo" else {}) as url:
        for model in (right, wrong):
            (tmp_path / model).mkdir()
            traces = evaluate(tmp_path / model, benchmark, url, model)
            assert [trace["task"]["data"]["practice"] for trace in traces] == drawn
            assert all(trace["ok"] for trace in traces)
            score = float(model == right)
            assert [trace["rewards"] for trace in traces] == [
                {"game_score": {"score": score, "weight": 1.0}}
            ] * 3
            assert {trace["metrics"]["success"] for trace in traces} == {score}
            for trace, line in zip(traces, drawn, strict=True):
                replies = [node["message"]["content"] for node in trace["nodes"] if node["sampled"]]
                expected = grade(line, replies)
                assert expected.measures.items() <= trace["metrics"].items()
                assert (len(replies) > 1) == (benchmark == "kumo" and model == right)
                sent = [node["message"] for node in trace["nodes"][: len(line["question"])]]
                assert [one["content"] for one in sent] == [one["content"] for one in line["question"]]


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", GIVEN)
def test_hostile_policies_get_what_their_answers_deserve(benchmark: str, tmp_path: Path) -> None:
    number = len(POLICIES)
    roles = "tests.verifiers_tasks.hostile_policy"
    options = ("--env.agent.max-turns", "20", "-n", str(number))
    with running_server(ServerOptions(models=("m",), roles=roles)) as server:
        traces = evaluate(tmp_path, benchmark, server.url, "m", *options)
    lines = [question.as_json() for question in draw(benchmark, number)]
    for trace, line in zip(traces, lines, strict=True):
        assert trace["task"]["data"]["practice"] == line
        if not trace["ok"]:
            assert trace["rewards"] == {}
            continue
        replies = [node["message"].get("content") or "" for node in trace["nodes"] if node["sampled"]]
        deserved = grade(line, replies)
        assert trace["rewards"]["game_score"]["score"] == deserved.score
        assert trace["metrics"]["success"] == deserved.success
        sent = [node["message"]["content"] for node in trace["nodes"] if not node["sampled"]]
        assert sent[: len(line["question"])] == [message["content"] for message in line["question"]]
        assert '"practice"' not in json.dumps({**trace, "task": None})
    # Nobody is lucky often, and an exception of the policy ends no other question.
    assert sum(trace["rewards"]["game_score"]["score"] for trace in traces if trace["ok"]) <= 2
    assert sum(not trace["ok"] for trace in traces) == 1


@pytest.mark.slow
def test_a_limit_of_turns_leaves_a_game_unfinished(tmp_path: Path) -> None:
    with serving("kumo") as url:
        for trace in evaluate(tmp_path, "kumo", url, "scripted-perfect", "--env.agent.max-turns", "1"):
            assert trace["rewards"]["game_score"]["score"] == 0.0
            assert trace["metrics"]["unfinished"] == 1.0


@pytest.mark.parametrize("benchmark", GIVEN)
def test_an_environment_has_the_questions_of_its_seed_without_end(benchmark: str, tmp_path: Path) -> None:
    environment = PACKAGES[benchmark].load_environment(seed=5, root=str(tmp_path), **GIVEN[benchmark])
    assert isinstance(environment, vf.Env)
    assert not environment.taskset.bounded
    tasks = list(islice(environment.taskset, 2))
    assert [task.data.practice for task in tasks] == [question.as_json() for question in draw(benchmark, 2)]
    assert [task.key for task in tasks] == [one.instance_id for one in draw(benchmark, 2)]
    assert [task.data.practice for task in islice(environment.taskset, 2)] == [
        task.data.practice for task in tasks
    ]


def test_every_installed_benchmark_has_an_environment() -> None:
    assert set(PACKAGES) == set(benchmarks())


def test_a_curriculum_is_a_parameter() -> None:
    environment = PACKAGES["beyondbench"].load_environment(tasks=["sorting/standard"], curriculum=2)
    sizes = [task.data.practice["difficulty"]["size"] for task in islice(environment.taskset, 6)]
    assert sizes[0] == sizes[1] < sizes[2] == sizes[3] < sizes[4] == sizes[5]


@pytest.mark.parametrize(
    ("benchmark", "given", "said"),
    [
        ("kumo", {"truth": 3}, "truth: kumo has no such parameter; .*did you mean truths?"),
        ("kumo", {"size": "huge"}, "setting 'huge' is not known"),
        ("knowlogic", {"size": "easy"}, "size: knowlogic has no such parameter; it has domains, scenarios"),
        ("kumo", {"curriculum": 3, "truths": 4}, "--truths: set by --curriculum"),
        ("kumo", {"curriculum": "fast"}, "--curriculum"),
    ],
)
def test_a_wrong_parameter_is_named_in_one_line(benchmark: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidOption, match=said) as caught:
        PACKAGES[benchmark].load_environment(**given)
    assert "\n" not in str(caught.value)


def test_a_trace_is_graded_as_perennial_reads_replies() -> None:
    """Reasoning in tags is no answer, and a reply that was cut off is not read."""
    from perennial.flows.verifiers_tasks.question_task import QuestionData, QuestionTask

    (question,) = draw("knowlogic", 1, languages=["en"])
    task = QuestionTask(QuestionData.from_question(question))
    right = f"<think>[ABCD]</think>\nThe answer is [{question.answer}]."
    call = {"id": "1", "name": "search", "arguments": "{}"}
    called = trace_of(task, right, "tool_calls", call)
    asyncio.run(task.score(called))
    assert called.reward == 0.0  # the game ended with the call
    for content, reason, score, ended in (
        (right, "stop", 1.0, ""),
        (right, "length", 0.0, "truncated"),
        ("", "stop", 0.0, "unparsed"),
        (f"<think>[{question.answer}]</think>", "stop", 0.0, "unparsed"),
    ):
        trace = trace_of(task, content, reason)
        asyncio.run(task.score(trace))
        assert trace.reward == score
        assert [name for name in ("unparsed", "truncated", "unfinished") if trace.metrics[name]] == [
            *([ended] if ended else [])
        ]
