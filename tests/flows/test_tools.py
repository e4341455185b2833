"""`tools:MODEL` in an evaluation: planned, played in the sandbox, interrupted, published, and compared."""

from collections.abc import Iterator
from pathlib import Path

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


@pytest.mark.slow
def test_logs_of_inspect_show_calls_of_tools_and_a_message_per_result(
    server: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspect_log = pytest.importorskip("inspect_ai.log", reason="the extra `inspect` is not installed")
    monkeypatch.chdir(tmp_path)
    root, chosen = tmp_path / "data", {"tasks": ["addition"], "instances": 2, "runs": 1, "seed": 5}
    make_edition(root, "e", benchmark="beyondbench", players=["tools:m", "m"], base_url=server.url, **chosen)
    export_edition(Store(str(root)), "e", tmp_path / "out", form=ExportForm.inspect)
    logs = [inspect_log.read_eval_log(str(path)) for path in (tmp_path / "out/logs").iterdir()]
    (log,) = [log for log in logs if log.eval.metadata["player"] == "tools:m"]
    assert len(log.samples) == 4
    for sample in log.samples:
        asked, called, result, answered = sample.messages[-4:]
        assert [message.role for message in sample.messages[-4:]] == [
            "user",
            "assistant",
            "tool",
            "assistant",
        ]
        (call,) = called.tool_calls
        assert (called.text, call.function) == ("I let Python add them.", "python")
        assert call.arguments["code"].removeprefix("print(sum(").removesuffix("))") in asked.text
        assert (result.tool_call_id, result.function) == (call.id, "python")
        assert answered.text == f"The script says \\boxed{{{result.text.strip()}}}"
        assert not answered.tool_calls
    (plain,) = [log for log in logs if log.eval.metadata["player"] == "m"]
    assert {message.role for sample in plain.samples for message in sample.messages} == {"user", "assistant"}
