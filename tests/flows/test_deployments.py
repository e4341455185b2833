"""The deployed flows: their parameters, what `prefect.yaml` says of them, and the audit of editions."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import yaml

from perennial.schemas.errors import AuditFailed
from perennial.schemas.kumo.settings import KumoSettings
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.kumo.bundled_domains import bundled_domains
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run
from tests.flows.prefect_harness import Harness
from tests.flows.test_rotation import mark_imported
from tests.flows.webhook import running_hook

PROJECT = Path(__file__).parents[2]
OPERATORS = {
    "benchmark",
    "root",
    "runner",
    "base_url",
    "models_file",
    "webhook",
    "openlineage_url",
    "domains_from",
    "release",
}
# Parameters of free text: none of them may become an address, a path, a header or code.
NAMES = {
    "author",
    "proposer",
    "configurer",
    "second_configurer",
    "writer",
    "reviser",
    "second_writer",
    "judge",
    "reliability",
    "players",
    "anchors",
    "settings",
    "size",
    "edition",
}
TEXTS = {*NAMES, "books", "book_style", "protocol", "categories", "reasoning_effort", "sampler", "sparse"}


def test_every_setting_but_the_operators_own_is_a_typed_parameter_with_its_help() -> None:
    from perennial.flows.serve.deployments import grow_edition

    schema = grow_edition.parameters.properties
    assert set(schema) == set(KumoSettings.model_fields) - OPERATORS
    assert next(iter(schema)) == "domains"
    assert {name for name, field in schema.items() if not field.get("description")} == set()
    assert {name for name, field in schema.items() if field["default"] is not None} == set()
    kinds = {name: [kind.get("type") for kind in schema[name]["anyOf"]] for name in schema}
    assert kinds["domains"] == kinds["players"] == ["array", "string", "null"]
    assert kinds["instances"] == ["integer", "null"]
    assert schema["instances"]["anyOf"][0]["maximum"] == 1_000_000


def test_parameters_of_free_text_are_these_and_domains_are_the_bundled_ones() -> None:
    from perennial.flows.serve.deployments import analyse, audit, grow_edition

    schema = grow_edition.parameters.properties
    items = {name: field["anyOf"][0].get("items", field["anyOf"][0]) for name, field in schema.items()}
    assert {name for name, item in items.items() if item["type"] == "string"} == {*TEXTS, "domains"}
    assert items["domains"]["enum"] == list(bundled_domains())
    for flow in (analyse, audit):
        assert set(flow.parameters.properties) == {"edition"}


@pytest.mark.parametrize(
    "parameters",
    [
        *({name: "http://127.0.0.1:1/x"} for name in sorted(OPERATORS)),
        {"domains": "chemical_analysis,/etc/passwd"},
        *({"domains": [name]} for name in ("/etc/passwd", "own.json", "../x.json", "http://127.0.0.1:1/")),
        {"edition": "../../elsewhere"},
    ],
)
def test_a_run_with_a_parameter_of_the_operators_own_is_refused_by_the_flow(
    parameters: dict[str, Any],
) -> None:
    from prefect.exceptions import ParameterTypeError, SignatureMismatchError

    from perennial.flows.serve.deployments import analyse, audit, grow_edition

    for flow in (grow_edition, analyse, audit):
        with pytest.raises((ParameterTypeError, SignatureMismatchError)):
            flow.validate_parameters(parameters)


@pytest.mark.slow
def test_a_crash_is_told_to_the_operators_webhook_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from prefect.client.schemas.objects import FlowRun
    from prefect.states import Crashed

    from perennial.flows.serve.deployments import grow_edition

    monkeypatch.setenv("PERENNIAL_ROOT", str(tmp_path))
    with running_hook() as operators, running_hook() as attackers:
        monkeypatch.setenv("PERENNIAL_WEBHOOK", operators.url)
        parameters = {"webhook": attackers.url, "root": "/elsewhere", "edition": "e"}
        (hook,) = grow_edition.on_crashed_hooks
        hook(grow_edition, FlowRun(flow_id=uuid4(), parameters=parameters), Crashed(message="gone"))
    assert attackers.taken == []
    assert [(told["root"], told["edition"]) for told in operators.taken] == [(str(tmp_path), "e")]


def test_parameters_are_checked_before_anything_runs() -> None:
    from prefect.exceptions import ParameterTypeError

    from perennial.flows.serve.deployments import grow_edition

    assert grow_edition.validate_parameters({"instances": "3"})["instances"] == 3
    # As `prefect deployment run --param players=a,b` gives it.
    given = grow_edition.validate_parameters({"players": "a, b", "domains": "chemical_analysis"})
    assert (given["players"], given["domains"]) == (["a", "b"], ["chemical_analysis"])
    with pytest.raises(ParameterTypeError, match="instances"):
        grow_edition.validate_parameters({"instances": 0})


def test_prefect_yaml_deploys_the_flows_that_are_served() -> None:
    from perennial.flows.cli.operate.serve import DEFAULT_CRON
    from perennial.flows.serve import deployments

    document = yaml.safe_load((PROJECT / "prefect.yaml").read_text())
    found = {entry["name"]: entry for entry in document["deployments"]}
    assert set(found) == {"refresh", "analyse", "audit"}
    for name, entry in found.items():
        file, function = entry["entrypoint"].split(":")
        assert (PROJECT / file).is_file()
        assert getattr(deployments, function).name == name
        assert entry["parameters"] == {}
        assert entry["enforce_parameter_schema"] is True
        assert entry["concurrency_limit"] == {"limit": 1, "collision_strategy": "CANCEL_NEW"}
    assert [schedule["cron"] for schedule in found["refresh"]["schedules"]] == [DEFAULT_CRON]


@pytest.mark.slow
def test_published_editions_are_audited_and_an_offence_is_named(
    store: Store, run: Run, by_prefect: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark_imported(store, "e2", "digest")
    store.write_table(table_file("audits", "e1"), TABLES["audits"].arrow_schema().empty_table())
    for unit in ("e1@1", "e2@1"):
        rows = store.read_table(table_file("episodes", unit))
        scores = pc.add(rows["score"], 7)
        columns = rows.set_column(rows.schema.get_field_index("score"), "score", scores)
        pq.write_table(columns, Path(store.root, table_file("episodes", unit)))
    done = run("audit", "--json")
    assert done.code == 4
    editions = json.loads(done.out)["editions"]
    assert editions["e2"]["summary"].startswith("imported, so not audited")
    assert editions["e1"]["broken"] == editions["e2"]["broken"] == []
    assert editions["e1@1"]["broken"] == editions["e2@1"]["broken"] != []
    error = done.err.splitlines()[-1]
    assert error.startswith("perennial: error: the audit of what is published")
    for unit in ("e1@1", "e2@1"):
        assert f"{unit}: episodes: score >= 0 <= 1, broken by 4 rows, rows such as score=8.0" in error
    _audit_as_served(by_prefect, Path(store.root), monkeypatch)


def _audit_as_served(harness: Harness, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the flow as `perennial serve` does: its artifact links Data Docs, which replace older ones."""
    from prefect.settings import PREFECT_API_AUTH_STRING, PREFECT_API_URL, temporary_settings

    from perennial.flows.serve.deployments import audit

    docs = root / ".prefect" / "data-docs"
    (docs / "older").mkdir(parents=True)
    url, auth_string = (harness.environment[f"PREFECT_API_{name}"] for name in ("URL", "AUTH_STRING"))
    for name, value in (("_ROOT", root), ("__DATA_DOCS", docs)):
        monkeypatch.setenv(f"PERENNIAL{name}", str(value))
    monkeypatch.setenv("PREFECT_API_URL", url)
    with (
        temporary_settings({PREFECT_API_URL: url, PREFECT_API_AUTH_STRING: auth_string}),
        pytest.raises(AuditFailed, match=r"score=8\.0"),
    ):
        audit("e1")
    (folder,) = docs.iterdir()
    assert len(folder.name) > 20
    assert folder.stat().st_mode & 0o777 == 0o700
    assert any("8.0" in page.read_text() for page in folder.rglob("*.html"))
    (artifact,) = harness.post("/artifacts/filter", {"artifacts": {"key": {"any_": ["data-docs"]}}})
    assert artifact["flow_run_id"] is not None
    assert f"({url.removesuffix('/api')}/data-docs/{folder.name}/index.html)" in artifact["data"]
