"""The deployed flows: their parameters, what `prefect.yaml` says of them, and the audit of editions."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from schemas.settings import RefreshSettings
from tests.flows.conftest import Published
from tests.flows.prefect_harness import Harness
from tests.flows.test_rotation import as_if_imported
from warehouse.catalog.catalog import table_file
from warehouse.store.store import Store

PROJECT = Path(__file__).parents[2]
SECRETS = {"webhook", "openlineage_url"}


def test_every_setting_but_the_secret_ones_is_a_typed_parameter_with_its_help() -> None:
    from flows.serve.deployments import kumo_refresh

    schema = kumo_refresh.parameters.properties
    assert set(schema) == set(RefreshSettings.model_fields) - SECRETS
    assert next(iter(schema)) == "domains"
    assert {name for name, field in schema.items() if not field.get("description")} == set()
    assert {name for name, field in schema.items() if field["default"] is not None} == set()
    kinds = {name: [kind.get("type") for kind in schema[name]["anyOf"]] for name in schema}
    assert kinds["domains"] == ["array", "null"]
    assert kinds["instances"] == ["integer", "null"]
    assert schema["instances"]["anyOf"][0]["maximum"] == 1_000_000


def test_parameters_are_checked_before_anything_runs() -> None:
    from prefect.exceptions import ParameterTypeError

    from flows.serve.deployments import kumo_refresh

    assert kumo_refresh.validate_parameters({"instances": "3"})["instances"] == 3
    with pytest.raises(ParameterTypeError, match="instances"):
        kumo_refresh.validate_parameters({"instances": 0})


def test_prefect_yaml_deploys_the_flows_that_are_served() -> None:
    from flows.cli.serve import DEFAULT_CRON
    from flows.serve import deployments

    document = yaml.safe_load((PROJECT / "prefect.yaml").read_text())
    found = {entry["name"]: entry for entry in document["deployments"]}
    assert set(found) == {"kumo-refresh", "analyse", "audit"}
    for name, entry in found.items():
        file, function = entry["entrypoint"].split(":")
        assert (PROJECT / file).is_file()
        assert getattr(deployments, function).name == name
        assert entry["concurrency_limit"] == {"limit": 1, "collision_strategy": "CANCEL_NEW"}
    assert [schedule["cron"] for schedule in found["kumo-refresh"]["schedules"]] == [DEFAULT_CRON]


@pytest.mark.slow
def test_published_editions_are_audited_and_an_offence_is_named(
    harness: Harness, published: Published, tmp_path: Path
) -> None:
    source, store = Store(str(published.root)), Store(str(tmp_path))
    for edition in ("damaged", "release", "sound"):
        for file in Path(published.root).rglob("edition=small/part-0.parquet"):
            store.write_file(table_file(file.parent.parent.name, edition), file)
    as_if_imported(store, "release", "digest")
    books = source.read_table(table_file("books", "small"))
    pq.write_table(books.slice(1), tmp_path / table_file("books", "damaged"))
    done = harness.perennial("audit", "--root", str(tmp_path), "--json", cwd=tmp_path)
    assert done.returncode == 4
    editions = json.loads(done.stdout)["editions"]
    assert editions["release"]["told"].startswith("imported, and not held to the audit")
    assert editions["release"]["broken"] == editions["sound"]["broken"] == []
    assert editions["damaged"]["broken"]
    error = done.stderr.splitlines()[-1]
    assert error.startswith("perennial: error: the audit of what is published")
    assert "damaged: " in error
    assert books["book_id"][0].as_py() in error
