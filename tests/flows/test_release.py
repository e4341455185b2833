"""A failed audit publishes nothing and keeps what is staged."""

from pathlib import Path
from typing import Any

import pytest

from perennial.flows.refresh.publish import audit_and_publish
from perennial.flows.stages.grow import progress_of
from perennial.flows.stages.workspace import open_workspace
from perennial.schemas.errors import AuditFailed, EditionConflict
from perennial.schemas.tables import staged_tables
from perennial.schemas.units import is_evaluation
from perennial.warehouse.catalog.catalog import published_units
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from tests.warehouse import tiny_edition

ROWS = tiny_edition.rows()


@pytest.mark.parametrize(
    ("unit", "table", "column", "wrong", "rule"),
    [
        ("e1", "instances", "index", -1, r"index >= 0, broken by 1 rows.*staging/e1"),
        ("e1@1", "episodes", "status", "lost", r"status is one of.*broken by 1 rows.*staging/e1@1"),
    ],
)
def test_a_failed_audit_publishes_nothing_and_keeps_the_staging(
    tmp_path: Path, unit: str, table: str, column: str, wrong: object, rule: str
) -> None:
    if unit == "e1@1":
        stage(tmp_path, "e1", ROWS)
        audit_and_publish(str(tmp_path), "e1")
    before = published_units(Store(str(tmp_path)))
    broken = [{**ROWS[table][0], column: wrong}, *ROWS[table][1:]]
    staging, key = stage(tmp_path, unit, {**ROWS, table: broken})
    with pytest.raises(AuditFailed, match=rule):
        audit_and_publish(str(tmp_path), unit)
    assert published_units(staging.store) == before
    assert not (tmp_path / "tables" / table).exists()
    assert staging.is_done(key)

    stage(tmp_path, unit, ROWS)
    assert audit_and_publish(str(tmp_path), unit)[table] == len(ROWS[table])
    assert published_units(staging.store) == (*before, unit)


def stage(root: Path, unit: str, rows: dict[str, list[dict[str, Any]]]) -> tuple[Staging, str]:
    """Stage the rows of the unit's tables with the last of its batches; return that batch's key too."""
    plan = tiny_edition.plan("e1")
    staging = Staging(Store(str(root)), unit)
    staging.write_plan(plan.evaluation if is_evaluation(unit) else plan.growth)
    *others, last = progress_of(open_workspace(str(root), unit)).asked
    for key in others:
        staging.write_batch(key, {})
    own = staged_tables("kumo", answers=is_evaluation(unit))
    staging.write_batch(last, {name: rows[name] for name in own if name in rows})
    return staging, last


def test_a_workspace_needs_a_plan(tmp_path: Path) -> None:
    with pytest.raises(EditionConflict, match="nothing is staged for edition 'e9'"):
        open_workspace(str(tmp_path), "e9")
