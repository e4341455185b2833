"""An edition that is staged up to the gate, and what tests do to it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from perennial.flows.kumo.edition import KumoEdition, WorkCell
from perennial.flows.refresh.plan import prepare_refresh
from perennial.flows.run.plain_stages import PlainStages
from perennial.flows.stages.grow import Work, grow
from perennial.flows.stages.workspace import Policies, Workspace, open_workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import AuditFailed
from perennial.schemas.kumo.things import GatePolicy
from perennial.schemas.settings import load_settings
from perennial.schemas.tables import TABLES
from perennial.tasks.kumo.encoding import EncodedConfig
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from tests.warehouse.tiny_edition import staged_rows

EDITION = "gated"
SETTINGS = {
    "domains": "mineral_identification",
    "settings": "easy,5x6",
    "instances": 6,
    "players": "algorithm-3",
    "sampler": "kumo-2025",
    "seed": 0,
}
KUMO_ROW = pa.table({"benchmark": ["kumo"]})
Rows = list[dict[str, Any]]
Change = Callable[[Rows], None]


class _StopsAtGate(PlainStages):
    def run(self, name: str, *work: Any, **options: Any) -> dict[str, int]:
        if name == "gate":
            raise StopIteration
        return super().run(name, *work, **options)


def swap_observations(rows: Rows) -> None:
    """Exchange the first two observations of the third instance."""
    seen = rows[2]["observations"]
    seen[0], seen[1] = seen[1], seen[0]


def stage_edition(root: Path, edition: str, **asked: Any) -> None:
    """Stage in the root all of an edition that comes before the gate."""
    settings = load_settings({**SETTINGS, **asked, "root": str(root), "edition": edition})
    prepared = prepare_refresh(settings, Store(str(root)))
    Staging(Store(str(root)), edition).write_plan(prepared.plan.growth)
    policies = Policies.read(settings, prepared.part.inputs)
    with pytest.raises(StopIteration):
        grow(open_workspace(str(root), edition), policies, _StopsAtGate())


def root_of(workspace: Workspace) -> str:
    return workspace.staging.store.root


def first_cell(workspace: Workspace) -> WorkCell:
    return KumoEdition(workspace).cells[0]


def first_config(workspace: Workspace) -> EncodedConfig:
    edition = KumoEdition(workspace)
    return edition.config(edition.configs_of(first_cell(workspace))[0])


def run_batch(workspace: Workspace, batch: Batch, policy: GatePolicy | None = None) -> None:
    policies = replace(Policies.read(load_settings({})), own_policy=policy or GatePolicy())
    Work(root_of(workspace), EDITION, (batch,), policies).run()


def change_batch(workspace: Workspace, stage: str, table: str, change: Change) -> None:
    """Stage the first batch's rows of a table again, as if they had been made so."""
    key = workspace.key(first_cell(workspace).batch(stage))
    staging = workspace.staging
    tables = {name: staging.read_batch(key, name) for name in staging.parts(key)}
    rows = tables.setdefault(table, [])
    change(rows)
    if table == "kumo_instances":
        tables["instances"] = _shared_rows(rows, tables["instances"])
        names = [column.name for column in TABLES[table].columns]
        tables[table] = [{name: row[name] for name in names} for row in rows]
    staging.write_batch(key, tables)


def _shared_rows(rows: Rows, shared: Rows) -> Rows:
    """Return the rows of `instances` that go with these of `kumo_instances`: the first of the shared ones."""
    ids = [row["instance_id"] for row in rows]
    return [
        {**row, "instance_id": id_, "content_hash": id_.partition("_")[2]}
        for row, id_ in zip(shared, ids, strict=False)
    ]


def gate_audits(workspace: Workspace) -> Rows:
    return workspace.rows(Batch("overlap"), "audits")


def pass_gate(workspace: Workspace, policy: GatePolicy | None = None) -> dict[str, dict[str, Any]]:
    """Pass the gate and return its rows by expectation."""
    for cell in KumoEdition(workspace).cells:
        run_batch(workspace, cell.batch("gate"), policy)
    run_batch(workspace, Batch("overlap"), policy)
    return {row["expectation"]: row for row in gate_audits(workspace)}


def refuse(workspace: Workspace, policy: GatePolicy | None = None) -> str:
    with pytest.raises(AuditFailed) as refused:
        pass_gate(workspace, policy)
    assert refused.value.exit_code == 4
    message = str(refused.value)
    assert "nothing was published" in message
    assert message.count("\n") == 0
    return message


def publish_copy(workspace: Workspace, edition: str, change: Change = lambda rows: None) -> None:
    """Publish the staged instances and configurations as an earlier edition, changed."""
    store = workspace.staging.store
    tables = ("instances", "kumo_instances", "kumo_seed_configs")
    content = {table: staged_rows(workspace.staging, table).to_pylist() for table in tables}
    change(content["kumo_instances"])
    content["instances"] = _shared_rows(content["kumo_instances"], content["instances"])
    for table, rows in content.items():
        made = pa.Table.from_pylist(rows, schema=TABLES[table].arrow_schema())
        store.write_table(table_file(table, edition), made)
    store.write_table(table_file("editions", edition), KUMO_ROW)
