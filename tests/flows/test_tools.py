"""`tools:MODEL` in an evaluation: planned, played in the sandbox, interrupted, published, and compared."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.benchmark import find_benchmark
from perennial.flows.export.export_edition import ExportForm, export_edition
from perennial.flows.refresh.models import refuse_tools
from perennial.flows.stages.estimates import estimate_players
from perennial.schemas.errors import InvalidOption
from perennial.schemas.plan import EvaluationPlan
from perennial.schemas.settings import load_settings
from perennial.tasks.tools import MOST_ROUNDS
from perennial.warehouse.store.store import Store
from tests.flows.foreign_packages import check_by_every_eval_ever
from tests.flows.made_units import make_edition
from tests.flows.one_shot import query_rows
from tests.flows.prefect_harness import Harness
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server

REFRESH = ("refresh", "--benchmark", "beyondbench", "--root", "data", "--seed", "5", "--tasks", "addition")
PROBLEMS = "SELECT count(*) FROM instances"


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with running_server(ServerOptions(roles="tests.server.calculator", models=("m",))) as running:
        yield running


@pytest.mark.parametrize(
    ("benchmark", "entry", "why"),
    [
        ("kumo", "", "games of kumo take several replies"),
        ("knowlogic", "batch = true", "batch = true asks in batches"),
        ("a2rbench", '[m.extra_body]\ntools = [{type = "web_search"}]', "offers tools of its own"),
        ("beyondbench", '[m.api]\nfunctions = [{name = "f"}]', "offers tools of its own"),
    ],
)
def test_a_player_that_cannot_have_tools_is_refused_by_name(
    benchmark: str, entry: str, why: str, tmp_path: Path
) -> None:
    (tmp_path / "models.toml").write_text(f"[m]\n{entry}\n")
    settings = load_settings({"models_file": str(tmp_path / "models.toml"), "benchmark": benchmark})
    with pytest.raises(InvalidOption, match=f"player 'tools:m': .*{why}"):
        refuse_tools(settings, find_benchmark(benchmark), ["tools:m", "m"])


def test_an_estimate_has_room_for_the_rounds() -> None:
    plan = EvaluationPlan("e", "1", "b", ("m", "tools:m"), 1, 1, "v", {"max_tokens": 100})
    tokens = {"prompt_tokens": 50, "answer_tokens": 20, "longest_reply": 100}
    plain, tools = estimate_players(plan, {}, {}, calls=10, **tokens)
    assert (plain.calls_high, tools.calls_high) == (10, 10 * (1 + MOST_ROUNDS))
    assert tools.completion_tokens_high == (1 + MOST_ROUNDS) * plain.completion_tokens_high
    assert tools.prompt_tokens_high > (1 + MOST_ROUNDS) * plain.prompt_tokens_high


@pytest.mark.slow
def test_twenty_problems_are_solved_with_tools_and_none_without(
    harness: Harness, server: RunningServer, tmp_path: Path
) -> None:
    given = (*REFRESH, "--instances", "20", "--runs", "1", "--edition", "e", "--base-url", server.url)
    players = ("--players", "m,tools:m,exact,guesser")
    # The limit ends the play in its middle: the same command resumes it.
    cut = harness.perennial(*given, *players, "--max-calls", "35", cwd=tmp_path)
    assert cut.returncode != 0
    done = harness.perennial(*given, *players, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    root = tmp_path / "data"
    ((problems,),) = query_rows(root, PROBLEMS)
    assert problems >= 20
    rates = "SELECT player, avg(success::INT), avg(turns) FROM episodes WHERE player LIKE '%m' GROUP BY 1"
    assert query_rows(root, f"{rates} ORDER BY 1") == [("m", 0.0, 1.0), ("tools:m", 1.0, 2.0)]
    # Each prompt was answered once, and each script ran once.
    assert sum(line.outcome == "answered" for line in server.log()) == 3 * problems
    calls = "SELECT role, status, count(*) FROM calls GROUP BY ALL ORDER BY ALL"
    assert query_rows(root, calls) == [
        ("player", "ok", 2 * problems),
        ("player", "tool_call", problems),
        ("tool", "ok", problems),
    ]
    gap = "SELECT player, control, gap, gap_low < -.7, gap_high < -.7 FROM control_gaps WHERE domain = 'all'"
    assert query_rows(root, gap) == [("m", "tools:m", -1.0, True, True)]
    again = harness.perennial("reproduce", "e@1", "--root", "data", cwd=tmp_path)
    assert "is reproduced, byte for byte" in again.stdout
    report = harness.perennial("report", "e", "--root", "data", cwd=tmp_path)
    assert report.returncode == 0, report.stderr
    assert "Without and with tools" in next(tmp_path.rglob("*.html")).read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (ServerOptions(refuse=("tools",)), "takes no tools: HTTP 400"),
        (ServerOptions(has_tools=False), "its server or the model knows no tools"),
    ],
)
def test_a_server_without_tools_is_refused_before_anything_is_grown(
    options: ServerOptions, said: str, harness: Harness, tmp_path: Path
) -> None:
    with running_server(options) as running:
        given = ("--players", "tools:scripted", "--base-url", running.url)
        done = harness.perennial(*REFRESH, *given, cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (6, 1), done.stderr
    assert said in done.stderr
    assert "leave tools:scripted out" in done.stderr
    assert not list(tmp_path.glob("data/**/*.parquet"))


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An edition whose model calls the function well, unreadably, twice at once, or without an id."""
    folder = tmp_path_factory.mktemp("exported")
    rates = {"parallel_calls": 0.3, "malformed_arguments": 0.3, "calls_without_id": 0.2}
    faults = {f"calculator.{name}": rate for name, rate in rates.items()}
    options = ServerOptions(roles="tests.server.calculator", models=("m",), faults=faults)
    chosen = {"benchmark": "beyondbench", "tasks": ["addition"], "instances": 10, "runs": 1, "seed": 5}
    with pytest.MonkeyPatch.context() as patch, running_server(options) as running:
        patch.chdir(folder)
        make_edition(folder / "data", "e", players=["tools:m", "m"], base_url=running.url, **chosen)
    return folder


@pytest.mark.slow
def test_every_eval_ever_has_calls_of_tools_and_a_message_per_result(exported: Path, tmp_path: Path) -> None:
    export_edition(Store(str(exported / "data")), "e", tmp_path / "out", form=ExportForm.eee)
    lines: dict[str, list[dict[str, Any]]] = {"m": [], "tools:m": []}
    for path in (tmp_path / "out").glob("data/*/*/*/*[0-9a-f].json"):
        record = json.loads(path.read_text("utf-8"))
        player = record["model_info"]["additional_details"]["player"]
        for result in record["evaluation_results"]:
            config = result["generation_config"]["generation_args"].get("agentic_eval_config")
            offered = [tool["name"] for tool in config["available_tools"]] if config else []
            assert offered == ["python"] * (player == "tools:m")
        samples = path.with_name(f"{path.stem}_samples.jsonl").read_text("utf-8")
        lines[player] += [json.loads(line) for line in samples.splitlines()]
    assert {line["interaction_type"] for line in lines["m"]} == {"single_turn"}
    check_by_every_eval_ever(tmp_path / "out", tmp_path / "packages")
    kinds = set()
    for line in lines["tools:m"]:
        assert line["interaction_type"] == "agentic"
        question, called, *rest = line["messages"]
        assert [message["turn_idx"] for message in line["messages"]] == [*range(2 + len(rest))]
        calls, results = called["tool_calls"], [turn for turn in rest if turn["role"] == "tool"]
        every_call = [call for turn in (called, *rest) for call in turn["tool_calls"] or ()]
        assert line["evaluation"]["tool_calls_count"] == len(every_call)
        assert all(call["name"] == "python" for call in every_call)
        unread = calls[0]["arguments"].get("arguments")
        kinds.add((len(calls), unread is not None, called["content"], line["metadata"]["status"]))
        if not calls[0]["id"]:
            # Nothing can be sent back, so the reply is the last message, and no answer is read from it.
            assert (rest, line["answer_attribution"]) == ([], [])
            continue
        assert [turn["tool_call_id"] for turn in results] == [[call["id"]] for call in every_call]
        assert unread in (None, "{'code': 'print(1)'")
        assert unread is None or results[0]["content"].startswith("error: the arguments")
        numbers = every_call[-1]["arguments"]["code"].removeprefix("print(sum(").removesuffix("))")
        assert numbers in question["content"]
        answer = f"The script says \\boxed{{{results[-1]['content'].strip()}}}"
        assert (rest[-1]["content"], rest[-1]["tool_calls"]) == (answer, None)
        assert line["answer_attribution"][0]["extracted_value"] == answer
    assert kinds == {
        (1, False, "I let Python add them.", "solved"),
        (1, False, "", "tool_call"),
        (1, True, "", "solved"),
        (2, False, "Two at once.", "solved"),
    }


@pytest.mark.slow
def test_logs_of_inspect_are_of_the_same_messages(exported: Path, tmp_path: Path) -> None:
    inspect_log = pytest.importorskip("inspect_ai.log", reason="the extra `inspect` is not installed")
    for form in (ExportForm.inspect, ExportForm.eee):
        export_edition(Store(str(exported / "data")), "e", tmp_path / form, form=form)
    samples = {}
    for path in (tmp_path / "inspect/logs").iterdir():
        samples |= {sample.uuid: sample for sample in inspect_log.read_eval_log(str(path)).samples}
    compared = 0
    for path in (tmp_path / "eee").rglob("*_samples.jsonl"):
        for line in map(json.loads, path.read_text("utf-8").splitlines()):
            messages = samples[line["metadata"]["episode_id"]].messages
            if line["interaction_type"] == "single_turn":
                assert [message.role for message in messages] == ["user", "assistant"]
                continue
            for written, message in zip(line["messages"], messages, strict=True):
                assert (written["role"], written["content"]) == (message.role, message.text)
                if message.role == "tool":
                    assert (written["tool_call_id"], message.function) == ([message.tool_call_id], "python")
                calls = message.tool_calls or () if message.role == "assistant" else ()
                for call, made in zip(written["tool_calls"] or (), calls, strict=True):
                    assert (call["id"], call["name"]) == (made.id, made.function)
                    assert made.parse_error or call["arguments"] == made.arguments
                    compared += 1
    assert compared > 20
