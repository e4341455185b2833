"""Views that lead from an episode to what it came from: lineage, revisions, messages of calls."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import publish

NOW = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(str(tmp_path))
    publish(store, tiny_edition.plan("e1"), tiny_edition.tables(), [], NOW)
    return store


@pytest.mark.parametrize("view", ["lineage", "kumo_lineage"])
def test_lineage_leads_from_an_episode_to_its_replies_and_its_refresh(store: Store, view: str) -> None:
    names, rows = open_catalog(store).query(
        f"FROM {view} WHERE player IN ('algorithm-3', 'm') ORDER BY player, run"
    )
    lost, cut, own = (dict(zip(names, row, strict=True)) for row in (rows[2], rows[1], rows[0]))
    assert (own["call_ids"], own["player_model"]) == (None, None)
    assert (lost["call_ids"], lost["player_model"], lost["player_template"]) == (
        ["call_lost"],
        "m",
        "kumo/players/turn.md.j2",
    )
    assert (cut["tokens"], cut["cost_usd"], cut["score"], cut["turns"]) == (7, 0.5, 0.0, 1)
    assert (own["seed"], own["index"], own["domain"], own["setting"]) == (3, 0, "Weather", "3x2")
    assert own["content_hash"] == tiny_edition.CONTENT_HASH
    assert json.loads(own["refresh_settings"])["edition"] == "e1"
    assert own["created_at"] == NOW


def test_lineage_leads_from_an_episode_to_its_configuration(store: Store) -> None:
    names, rows = open_catalog(store).query("FROM kumo_lineage WHERE player = 'algorithm-3'")
    (row,) = rows
    found = dict(zip(names, row, strict=True))
    assert found["moves"] == ["measure", "look up", "rain"]
    assert found["feedback"] == ["4.5", "grey", None]
    assert found["config_id"] == tiny_edition.CONFIG.config_id
    assert (found["seed"], found["index"], found["domain"]) == (3, 0, "Weather")
    assert found["book_verdict"] == "passed"
    assert found["created_at"] == NOW


def test_lineage_leads_from_an_episode_to_the_templates_behind_it(store: Store) -> None:
    rows = open_catalog(store).query(
        "SELECT DISTINCT player_template, player_template_hash, book_version_call_ids FROM kumo_lineage "
        "WHERE player = 'm'"
    )[1]
    assert rows == [("kumo/players/turn.md.j2", "tpl_1", ["call_draft"])]


def test_revisions_count_books_and_the_errors_of_their_first_versions(store: Store) -> None:
    rows = open_catalog(store).query("SELECT * EXCLUDE (edition) FROM revisions")[1]
    assert rows == [("Weather", "3x2", "m", 1, 0, 0, 1, 1, 0, 0, 0)]


def test_call_messages_tell_what_a_model_was_told(store: Store) -> None:
    rows = open_catalog(store).query(
        "SELECT call_id, position, role, content FROM call_messages WHERE call_role = 'writer'"
    )[1]
    assert rows == [("call_draft", 1, "user", "what now?")]
