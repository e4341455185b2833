"""Models of models.toml play a published edition: at two servers, and one episode of each before the rest."""

import io
import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from perennial.flows.console import progress
from perennial.flows.refresh.evaluation import prepare_evaluation
from perennial.flows.refresh.several import stage_plan
from perennial.flows.run.plain_stages import PlainStages
from perennial.flows.stages.grow import grow
from perennial.flows.stages.workspace import Policies, Workspace, open_workspace
from perennial.schemas.errors import EndpointFailed, InvalidOption
from perennial.schemas.model_calls import DEFAULT_MAX_TOKENS
from perennial.schemas.settings import load_settings
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from tests.flows.conftest import KEY, Published
from tests.flows.hand_made_root import perennial
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server

SECOND = "sk-second-0123456789"
STRICT = ServerOptions(keys=(SECOND,), models=("o3-2025",), refuse=("temperature",))


@pytest.fixture
def root(published: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data root with an edition of 24 instances, in a folder that may hold a models.toml."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PERENNIAL_API_KEY", KEY)
    shutil.copytree(published.root, tmp_path / "data")
    return tmp_path / "data"


def play(root: Path, players: str, replay: bool = False, **flags: Any) -> Workspace:
    """Stage an evaluation in this process, without Prefect, and return what is staged."""
    given = {"root": str(root), "edition": "small", "players": players, "runs": 1}
    settings = load_settings({**given, **flags})
    plan = prepare_evaluation(settings, Store(str(root)))
    staging = Staging(Store(str(root)), plan.unit)
    if replay:
        staging.remove()
    staging.write_plan(plan)
    policies = Policies.read(settings)
    policies = replace(policies, calls=replace(policies.calls, replay=replay))
    workspace = open_workspace(str(root), plan.unit)
    grow(workspace, policies, PlainStages())
    return workspace


def rows(workspace: Workspace, table: str) -> list[dict[str, Any]]:
    staging = workspace.staging
    return [row for key in sorted(staging.done_keys()) for row in staging.read_batch(key, table)]


def requests(calls: Sequence[dict[str, Any]], model: str) -> list[dict[str, Any]]:
    return [json.loads(row["request"]) for row in calls if row["model"] == model]


@pytest.fixture
def second(root: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A second server, which models.toml describes as o3."""
    with running_server(STRICT) as server:
        Path("models.toml").write_text(
            f'[o3]\nmodel = "o3-2025"\nbase_url = "{server.url}"\nkey_env = "SECOND_KEY"\n'
            'api = { temperature = "unset" }\nreasoning_effort = "low"\nsystem_role = "developer"\n'
        )
        yield server


@pytest.mark.slow
def test_one_evaluation_is_played_at_two_servers_with_the_parameters_of_each_model(
    root: Path, second: RunningServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with running_server(ServerOptions(keys=(KEY,), models=("plain",))) as first:
        with pytest.raises(InvalidOption, match=r"models.toml: \[o3\]: the environment variable SECOND_KEY"):
            play(root, "plain,o3", base_url=first.url, temperature=0.3)
        monkeypatch.setenv("SECOND_KEY", SECOND)
        planned = perennial(
            *(monkeypatch, capsys, "evaluate", "small", "--players", "plain,o3", "--base-url", first.url),
            *("--root", str(root), "--dry-run"),
        )
        assert f"endpoint for o3: {second.url} (models.toml, with SECOND_KEY)" in planned.out
        workspace = play(root, "plain,o3", base_url=first.url, temperature=0.3)
        answered = {"plain": first.status().answered, "o3": second.status().answered}
        assert {line.outcome for line in (*first.log(), *second.log())} == {"answered"}
    calls = rows(workspace, "calls")
    limit = {"max_tokens": DEFAULT_MAX_TOKENS}
    asked = {
        "plain": {"temperature": 0.3, **limit},
        "o3": {"model": "o3-2025", "reasoning_effort": "low", **limit},
    }
    places = {"plain": first.url, "o3": second.url}
    for model, params in asked.items():
        sent = requests(calls, model)
        assert len(sent) == answered[model] > 0
        assert [one["params"] for one in sent] == [params] * len(sent)
        assert {row["endpoint"] for row in calls if row["model"] == model} == {places[model]}
    assert {one["messages"][0]["role"] for one in requests(calls, "o3")} == {"developer"}
    assert {one["messages"][0]["role"] for one in requests(calls, "plain")} == {"system"}
    assert workspace.evaluation.model_params == {
        "o3": {"model": "o3-2025", "reasoning_effort": "low", "system_role": "developer", **limit}
    }
    # Both servers are gone, or ask nothing: the same calls are found again, by their ids.
    again = play(root, "plain,o3", replay=True, base_url=first.url, temperature=0.3)
    assert second.status().answered == answered["o3"]
    for table in ("episodes", "turns", "calls"):
        assert [drop_seconds(row) for row in rows(again, table)] == [
            drop_seconds(row) for row in rows(workspace, table)
        ]


def drop_seconds(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "seconds"}


@pytest.mark.slow
def test_whoever_corrects_the_facts_of_a_model_resumes_what_was_begun(
    root: Path, second: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECOND_KEY", SECOND)
    workspace = play(root, "o3")
    described = Path("models.toml").read_text()
    Path("models.toml").write_text(f'{described}family = "O"\nparameters_billion = 9\n')
    store = Store(str(root))
    settings = load_settings({"root": str(root), "edition": "small", "players": ["o3"], "runs": 1})
    plan = prepare_evaluation(settings, store)
    assert plan == replace(workspace.evaluation, facts={"o3": {"family": "O", "parameters_billion": 9.0}})
    staged = workspace.staging.done_keys()
    stage_plan(store, plan)
    assert staged
    assert (workspace.staging.done_keys(), workspace.staging.read_plan()) == (staged, plan)


@pytest.mark.slow
def test_smoke_buys_one_episode_of_each_model_before_the_rest(
    root: Path, second: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECOND_KEY", SECOND)
    described = Path("models.toml").read_text()
    Path("models.toml").write_text(
        described + described.replace("[o3]", "[warm]").replace("unset", "").replace('""', "1.0")
    )
    printed = Console(record=True, width=300, file=io.StringIO())
    with progress.show_on(printed):
        with pytest.raises(EndpointFailed) as failed:
            play(root, "o3,warm", smoke=True)
        first = second.status().answered
        refused = [line.outcome for line in second.log()].count("bad_request")
        told = (
            r"--smoke: a call of player 'warm' failed for good.*: 1 x HTTP 400: .*'temperature' is not suppo"
        )
        assert re.match(told, str(failed.value))
        assert "`perennial evaluate small`" in str(failed.value)
        play(root, "o3", smoke=True)
    smoked = re.findall(
        r"^smoke +o3: \w+ after (\d+) turns, [\d,]+ tokens, cost unknown, ", printed.export_text(), re.M
    )
    assert len(smoked) == 2
    assert (int(smoked[0]), refused) == (first, 1)


@pytest.mark.slow
def test_what_smoke_bought_is_not_bought_again(
    root: Path, second: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECOND_KEY", SECOND)
    workspace = play(root, "o3", smoke=True)
    assert len(rows(workspace, "calls")) == second.status().answered
    assert {row["status"] for row in rows(workspace, "episodes")} == {"solved"}
