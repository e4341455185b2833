"""What Prefect's server keeps of a refresh with models: its graph, artifacts, assets, log and states."""

import json
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from perennial.flows.run.prefect_stages import asset_key
from perennial.flows.stages.grow import list_jobs
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.conftest import KEY
from tests.flows.one_shot import query_rows
from tests.flows.prefect_harness import Harness
from tests.server.options import ServerOptions
from tests.server.running import running_server

pytestmark = pytest.mark.slow

EDITION = "graph"
REFRESH = (
    *("--author", "scripted", "--propose", "1", "--categories", "science", "--counterfactual"),
    *("--domains", "mineral_identification,chemical_analysis", "--worlds", "1", "--settings", "easy"),
    *("--players", "scripted,algorithm-3", "--instances", "2", "--runs", "1", "--edition", EDITION),
)
MATERIALIZED = "prefect.asset.materialization.succeeded"
STAGES = (
    *("domains", "worlds", "counterfactuals", "proposals", "configs", "sample", "books", "gate", "overlap"),
    "publish",
)


@dataclass(frozen=True)
class Kept:
    """What the server's database holds of one flow run, and the data root that it published into."""

    database: Path
    run: str
    root: Path

    def rows(self, sql: str, *values: object) -> list[dict[str, Any]]:
        """Return the rows of the query."""
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute(sql, values)]

    @property
    def tasks(self) -> dict[str, dict[str, Any]]:
        """The task runs by id."""
        rows = self.rows("SELECT * FROM task_run WHERE flow_run_id = ?", self.run)
        return {str(UUID(row["id"])): row for row in rows}

    def upstream(self, task: dict[str, Any]) -> set[str]:
        """Return the ids of the task runs that this one has edges from."""
        return {one["id"] for inputs in json.loads(task["task_inputs"]).values() for one in inputs}


@pytest.fixture(scope="module")
def kept(keyed_by_prefect: Harness, tmp_path_factory: pytest.TempPathFactory) -> Kept:
    root = tmp_path_factory.mktemp("graph")
    with running_server(ServerOptions(keys=(KEY,), faults={"writer.missing_rule": 0.5})) as server:
        asked = ("refresh", *REFRESH, "--base-url", server.url, "--root", str(root))
        done = keyed_by_prefect.perennial(*asked, cwd=root)
    assert done.returncode == 0, done.stderr
    assert "warning: assets" not in done.stdout
    assert "warning: artifacts" not in done.stdout
    database = Path(keyed_by_prefect.environment["PREFECT_HOME"]) / "prefect.db"
    (run,) = Kept(database, "", root).rows("SELECT id FROM flow_run WHERE name = ?", EDITION)
    return Kept(database, run["id"], root)


def gates_of(kept: Kept) -> dict[tuple[str, str], str]:
    """Return the task run that ends each stage, by unit and stage."""
    gates = {}
    for number, task in kept.tasks.items():
        if task["name"].endswith(" done"):
            unit, stage = task["name"].removesuffix(" done").split(": ")
            gates[unit, stage] = number
    return gates


def test_every_run_has_ended_when_the_command_has(kept: Kept) -> None:
    assert {task["state_type"] for task in kept.tasks.values()} == {"COMPLETED"}
    (flow,) = kept.rows("SELECT state_type, tags FROM flow_run WHERE id = ?", kept.run)
    tags = {tag.partition(":")[0]: tag.partition(":")[2] for tag in json.loads(flow["tags"])}
    assert (flow["state_type"], set(tags)) == ("COMPLETED", {"edition", "root", "root-id", "process"})
    assert (tags["edition"], tags["root"]) == (EDITION, str(kept.root))


def test_the_edges_are_those_that_the_stages_declare(kept: Kept) -> None:
    gates, tasks = gates_of(kept), kept.tasks
    assert set(gates) == {
        *((EDITION, stage) for stage in STAGES),
        *((f"{EDITION}@1", stage) for stage in ("episodes", "publish")),
    }
    for (unit, stage), gate in gates.items():
        batches = kept.upstream(tasks[gate])
        expected = {gates[other] for other in _declared(unit, stage, list(gates))}
        assert batches, (unit, stage)
        for batch in batches:
            assert kept.upstream(tasks[batch]) == expected, (unit, stage)
    ends = {number for gate in gates.values() for number in (gate, *kept.upstream(tasks[gate]))}
    assert ends == set(tasks)
    names = {task["name"] for task in tasks.values()}
    assert {"domains Mineral Identification", "domains Chemical Analysis", f"publish {EDITION}"} <= names


def _declared(unit: str, stage: str, ran: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the stages whose tables this one reads, by what both declare."""
    jobs = {(of, job.name): job for of in (EDITION, f"{EDITION}@1") for job in list_jobs(of, "kumo")}
    order = list(jobs)
    of_unit = [node for node in order[: order.index((unit, stage))] if node in ran and node[0] == unit]
    reads = set(jobs[unit, stage].reads)
    yield from (node for node in of_unit if stage == "publish" or reads & set(jobs[node].writes))
    questions = {table for node in order if node[0] == EDITION for table in jobs[node].writes}
    if unit != EDITION and reads & questions:
        yield EDITION, "publish"


def test_each_stage_has_one_artifact_with_a_title_made_by_the_task_that_ends_it(kept: Kept) -> None:
    made = kept.rows("SELECT * FROM artifact WHERE flow_run_id = ?", kept.run)
    gates = gates_of(kept)
    assert sorted(str(UUID(one["task_run_id"])) for one in made) == sorted(gates.values())
    by_key = {one["key"]: one for one in made}
    texts = {key: json.loads(one["data"]) for key, one in by_key.items()}
    assert by_key["kumo-sample"]["description"] == f"Stage sample of {EDITION}"
    assert all(text.startswith("# ") for text in texts.values())
    ((instances,),) = query_rows(kept.root, "SELECT count(*) FROM instances")
    assert f"| instances | {instances} |" in texts["kumo-sample"]
    assert "how the instances of a configuration and setting were drawn" in texts["kumo-sample"]
    assert "CaDiCaL" in texts["kumo-sample"]
    assert "## Rejections" in texts["kumo-books"]
    assert "## Leaderboard" in texts["kumo-evaluation"]
    link = f"/episodes?edition={EDITION}&player=algorithm-3&setting=easy)"
    assert link in texts["kumo-evaluation"]
    assert f"{kept.root}/tables/<table>/edition={EDITION}/" in texts["kumo-edition"]


def test_the_log_has_a_line_of_each_stage(kept: Kept) -> None:
    log = kept.rows("SELECT message FROM log WHERE flow_run_id = ? ORDER BY timestamp", kept.run)
    stages = [line["message"].split()[0] for line in log if " batches " in line["message"]]
    assert list(dict.fromkeys(stages)) == [*STAGES, "episodes"]
    assert stages.count("publish") >= 2


def test_the_publishing_tasks_materialize_each_table_from_its_parents(kept: Kept) -> None:
    tables = {asset_key(str(kept.root), table): table for table in TABLES}
    events = _materializations(kept, tables)
    publishing = {
        f"prefect.task-run.{number}"
        for number, task in kept.tasks.items()
        if task["name"].startswith(f"publish {EDITION}")
    }
    parents: dict[str, set[str]] = defaultdict(set)
    rows: dict[str, int] = defaultdict(int)
    for event in events:
        table, payload = tables[event["resource_id"]], json.loads(event["payload"])
        related = json.loads(event["related"])
        made_by = {
            one["prefect.resource.id"] for one in related if one["prefect.resource.role"] == "task-run"
        }
        assert made_by <= publishing
        assert made_by
        parents[table] |= {
            tables[one["prefect.resource.id"]] for one in related if one["prefect.resource.role"] == "asset"
        }
        rows[table] += payload["rows"]
        assert payload["edition"] == EDITION
        assert payload["columns"] == [column.name for column in TABLES[table].file_columns]
    list(TopologicalSorter(parents).static_order())  # raises CycleError
    assert parents["kumo_domains"] == {"calls"}
    assert parents["kumo_instances"] == {"kumo_seed_configs"}
    assert parents["instances"] == {"kumo_instances", "kumo_seed_configs"}
    assert parents["kumo_books"] == {"calls", "kumo_seed_configs", "instances", "kumo_instances"}
    assert parents["statistics"] >= {"instances", "kumo_instances", "episodes", "kumo_episodes"}
    assert parents["audits"] >= {"validations", "kumo_books", "episodes"}
    catalog = open_catalog(Store(str(kept.root)))
    for table, count in rows.items():
        assert catalog.query(f"SELECT count(*) FROM {table}")[1] == [(count,)], table
    published = {name for name in TABLES if catalog.query(f"SELECT count(*) FROM {name}")[1] != [(0,)]}
    assert set(rows) == {name for name in published if TABLES[name].of_editions}


def _materializations(kept: Kept, tables: dict[str, str]) -> list[dict[str, Any]]:
    """Return the events of these assets once the server has written all of both units' audits."""
    deadline = time.monotonic() + 30
    while True:
        found = kept.rows("SELECT * FROM events WHERE event = ?", MATERIALIZED)
        events = [event for event in found if event["resource_id"] in tables]
        audits = [event for event in events if tables[event["resource_id"]] == "audits"]
        if len(audits) == 2 or time.monotonic() > deadline:
            return events
        time.sleep(0.2)
