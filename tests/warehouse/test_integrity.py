"""What does not hold together is found and named: keys, references, counts, staged parts, files beside."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.catalog.later_statistics import as_statistics, keep_analysis
from perennial.warehouse.catalog.scores import keep_scores, score_files
from perennial.warehouse.editions.integrity import beside_flaws, relation_flaws, staged_state
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import publish

CREATED = datetime(2026, 1, 2, tzinfo=UTC)
Rows = list[dict[str, Any]]


def _publish(root: Path, changed: dict[str, Rows] | None = None) -> Store:
    store = Store(str(root))
    publish(store, tiny_edition.plan("e1"), tiny_edition.tables(changed), [], CREATED)
    return store


def _holder(table: str) -> str:
    """Return what publishes the last row of a table: the last call is its author's."""
    return "e1@1" if TABLES[table].kind == "answers" else "e1"


@pytest.mark.slow
def test_a_sound_edition_has_no_flaw(tmp_path: Path) -> None:
    store = _publish(tmp_path)
    assert [relation_flaws(store, unit) for unit in ("e1", "e1@1")] == [[], []]
    assert beside_flaws(store) == (1, [])


@pytest.mark.parametrize("table", [name for name in tiny_edition.rows() if TABLES[name].references])
def test_an_orphan_is_found_in_every_reference(tmp_path: Path, table: str) -> None:
    rows, links = tiny_edition.rows()[table], TABLES[table].references
    if not rows:
        rejected = dict.fromkeys(("stage", "subject", "rule", "message"), "x")
        rows = [{**rejected, "call_id": None}]
    lost = dict.fromkeys((link.column for link in links), "lost")
    flaws = relation_flaws(_publish(tmp_path, {table: [rows[0] | lost, *rows[1:]]}), _holder(table))
    for link in links:
        assert f"{table}.{link.column}: 1 rows refer to no row of {link.to_table}, such as lost" in flaws


@pytest.mark.parametrize("table", ["instances", "kumo_instances", "turns", "calls"])
def test_a_key_that_repeats_is_found(tmp_path: Path, table: str) -> None:
    rows = tiny_edition.rows()[table]
    (flaw,) = relation_flaws(_publish(tmp_path, {table: [*rows, rows[-1]]}), _holder(table))
    key = ", ".join(str(rows[-1][name]) for name in TABLES[table].key)
    assert flaw == f"{table}: 1 keys are not unique, such as {key}"


@pytest.mark.slow
def test_references_hold_within_an_edition_and_not_across(tmp_path: Path) -> None:
    store = _publish(tmp_path)
    other = tiny_edition.tables({"instances": []})
    publish(store, tiny_edition.plan("e2"), other, [], CREATED)
    assert relation_flaws(store, "e1") == []
    assert len(relation_flaws(store, "e2")) == 2
    assert len(relation_flaws(store, "e2@1")) == 1


def test_an_unreadable_table_is_told_and_not_raised(tmp_path: Path) -> None:
    store = _publish(tmp_path)
    (tmp_path / table_file("kumo_books", "e1")).write_bytes(b"PAR1 no table PAR1")
    (flaw,) = relation_flaws(store, "e1")
    assert flaw.startswith("keys and references cannot be followed")
    assert "kumo_books" in flaw
    assert "\n" not in flaw


def test_staged_parts_are_counted_and_each_damaged_one_is_named(tmp_path: Path) -> None:
    staging = Staging(Store(str(tmp_path)), "e1")
    rows = tiny_edition.rows()
    for key in ("one", "two", "three"):
        staging.write_batch(key, {"kumo_books": rows["kumo_books"], "turns": rows["turns"]})
    state = staged_state(staging)
    assert (state.batches, state.parts, state.flaws) == (3, 6, ())
    (tmp_path / "staging/e1/turns/one.parquet").write_bytes(b"x")
    (tmp_path / "staging/e1/kumo_books/two.parquet").unlink()
    flaws = staged_state(staging).flaws
    assert len(flaws) == 2
    assert "turns/one.parquet is truncated: 1 of" in flaws[0]
    assert flaws[1].endswith("kumo_books/two.parquet is missing")


def test_analyses_and_scores_are_read_too(tmp_path: Path) -> None:
    store = _publish(tmp_path)
    keep_analysis(store, "e1", [], as_statistics("e1", []))
    keep_scores(store, [{"benchmark": "other", "player": "m", "score": 0.5, "source": "a paper"}])
    assert beside_flaws(store) == (3, [])
    (name,) = score_files(store)
    (tmp_path / name).write_bytes(b"")
    count, (flaw,) = beside_flaws(store)
    assert count == 3
    assert flaw.startswith(f"{name} cannot be read")
