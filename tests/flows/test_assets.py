"""The tables of a published edition as Prefect assets."""

import time
from pathlib import Path
from typing import Any

import pytest
from prefect.assets import Asset

from perennial.flows.watchers.prefect_assets import asset_key
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.conftest import Published
from tests.flows.prefect_harness import Harness

pytestmark = pytest.mark.slow

_MADE = "prefect.asset.materialization.succeeded"
_WITH_ROWS = (
    *("editions", "instances", "kumo_domains", "kumo_seed_configs", "kumo_outcomes", "kumo_instances"),
    *("kumo_draws", "kumo_books", "validations", "audits"),
    *("evaluations", "episodes", "turns", "kumo_episodes", "kumo_moves", "statistics"),
)
_MATERIALISED = len(_WITH_ROWS) + 2  # `audits` and `validations` by the edition and by its evaluation


def _wait_for_events(by_prefect: Harness, root: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the server's materialisation events of this root by table, once all of them have come."""
    tables = {asset_key(str(root), table): table for table in TABLES}
    wanted = {"limit": 50, "filter": {"event": {"name": [_MADE]}, "resource": {"id": list(tables)}}}
    events: list[dict[str, Any]] = []
    deadline = time.monotonic() + 20
    while len(events) < _MATERIALISED and time.monotonic() < deadline:
        events = by_prefect.post("/events/filter", wanted)["events"]
        time.sleep(0.1)
    found: dict[str, list[dict[str, Any]]] = {}
    for event in events:
        found.setdefault(tables[event["resource"]["prefect.resource.id"]], []).append(event)
    return found


def test_each_table_of_the_edition_is_materialised(
    by_prefect: Harness, published_by_prefect: Published
) -> None:
    materialised = _wait_for_events(by_prefect, published_by_prefect.root)
    assert set(materialised) >= set(_WITH_ROWS)
    assert sum(map(len, materialised.values())) == _MATERIALISED
    catalog = open_catalog(Store(str(published_by_prefect.root)))
    for table, events in materialised.items():
        payloads = [event["payload"] for event in events]
        assert {payload["edition"] for payload in payloads} == {"small"}
        of_answers = TABLES[table].kind in ("answers", "analysis")
        assert {payload["evaluation"] for payload in payloads} >= {"1" if of_answers else ""}
        for payload in payloads:
            assert payload["columns"] == [column.name for column in TABLES[table].file_columns]
        rows = sum(payload["rows"] for payload in payloads)
        assert catalog.query(f"SELECT count(*) FROM {table}")[1] == [(rows,)]


def test_each_asset_names_those_that_it_rests_on(
    by_prefect: Harness, published_by_prefect: Published
) -> None:
    materialised = _wait_for_events(by_prefect, published_by_prefect.root)
    rests_on = {
        table: {
            related["prefect.resource.id"].rsplit("/", 1)[-1]
            for event in events
            for related in event["related"]
            if related["prefect.resource.role"] == "asset"
        }
        for table, events in materialised.items()
    }
    assert rests_on["kumo_domains"] == set()
    assert rests_on["kumo_books"] == {"kumo_seed_configs", "instances", "kumo_instances"}
    assert rests_on["episodes"] == {"instances", "kumo_instances", "kumo_books"}
    assert rests_on["statistics"] == {
        *("kumo_seed_configs", "instances", "kumo_instances", "episodes", "kumo_episodes")
    }
    assert rests_on["audits"] >= {"kumo_books", "episodes", "statistics"}


@pytest.mark.parametrize(
    ("root", "key"),
    [
        ("/srv/bench", "perennial://srv/bench/tables/kumo_books"),
        ("file:///srv/bench/", "perennial://srv/bench/tables/kumo_books"),
        ("s3://bucket/bench", "perennial://bucket/bench/tables/kumo_books"),
        ("s3://key:secret@bucket/bench?token=1", "perennial://bucket/bench/tables/kumo_books"),
    ],
)
def test_a_key_says_where_the_table_is_without_credentials(root: str, key: str) -> None:
    assert asset_key(root, "kumo_books") == key


def test_any_root_gives_keys_that_prefect_takes_and_that_differ() -> None:
    roots = [
        "/srv/a b",
        "/srv/a_b",
        "/srv/a\tb",
        "/srv/100%",
        "/srv/{x}|y^`",
        f"/{'d' * 600}",
        f"/{'d' * 601}",
    ]
    keys = [Asset(key=asset_key(root, table)).key for root in roots for table in TABLES]
    assert len(set(keys)) == len(keys)
