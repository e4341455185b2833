"""The artifacts of a refresh in Prefect's pages."""

import json
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.watchers.prefect_artifacts import Artifacts
from tests.flows.conftest import Published
from tests.flows.prefect_harness import Harness

pytestmark = pytest.mark.slow

STAGES = ("sample", "books", "episodes", "publish")


def artifacts(by_prefect: Harness, root: Path) -> dict[str, dict[str, Any]]:
    """Return the artifacts of the flow run that published into this root, by key."""
    links = find_artifacts(by_prefect, {"key": {"any_": ["tables"]}})
    (run,) = {item["flow_run_id"] for item in links if str(root) in item["data"]}
    return {item["key"]: item for item in find_artifacts(by_prefect, {"flow_run_id": {"any_": [run]}})}


def find_artifacts(by_prefect: Harness, which: dict[str, Any]) -> list[dict[str, Any]]:
    answer: list[dict[str, Any]] = by_prefect.post("/artifacts/filter", {"artifacts": which, "limit": 200})
    return answer


def test_each_stage_has_its_progress_and_rows(by_prefect: Harness, published_by_prefect: Published) -> None:
    assert "warning" not in published_by_prefect.stdout
    made = artifacts(by_prefect, published_by_prefect.root)
    for stage in STAGES:
        assert (made[f"stage-{stage}"]["type"], made[f"stage-{stage}"]["data"]) == ("progress", 100.0)
        assert made[f"rows-{stage}"]["type"] == "table"
    assert json.loads(made["rows-episodes"]["data"])[0] == {"table": "episodes", "rows": 144}
    rows = {row["table"]: row["rows"] for row in json.loads(made["edition"]["data"])}
    assert rows["kumo_instances"] == 24
    rows = {row["table"]: row["rows"] for row in json.loads(made["evaluation"]["data"])}
    assert rows["episodes"] == 144
    assert rows["statistics"] > 0
    leaderboard = json.loads(made["leaderboard"]["data"])
    assert {(row["setting"], row["player"], row["attempted"]) for row in leaderboard} >= {
        ("easy", "algorithm-3", 12),
        ("6x8", "random", 24),
    }
    assert f"{published_by_prefect.root}/tables/<table>/edition=small/" in made["tables"]["data"]


def test_runs_are_named_by_edition_stage_domain_and_setting(
    by_prefect: Harness, published_by_prefect: Published
) -> None:
    run = artifacts(by_prefect, published_by_prefect.root)["tables"]["flow_run_id"]
    (flow,) = by_prefect.post("/flow_runs/filter", {"flow_runs": {"id": {"any_": [run]}}})
    assert flow["name"] == "small"
    tasks = by_prefect.post("/task_runs/filter", {"flow_runs": {"id": {"any_": [run]}}, "limit": 200})
    names = {task["name"] for task in tasks}
    assert {"domains Mineral Identification", "domains Chemical Analysis", "publish small"} <= names
    both = "Mineral Identification and 1 more"
    assert {f"sample {both} easy", f"books {both} easy", f"gate {both} 6x8", "publish small@1"} <= names
    assert [name for name in names if "cfg_" in name] == []
    assert {name.split()[0] for name in names if name.startswith("episodes ")} == {"episodes"}


def test_outside_of_a_flow_run_nothing_is_made() -> None:
    watcher = Artifacts()
    watcher.stage_started("sample", 2)
    watcher.batch_done("sample", 1, {})
    watcher.stage_done("sample", {"kumo_instances": 2})
    watcher.published({"kumo_instances": 2})
    watcher.failed(ValueError())
