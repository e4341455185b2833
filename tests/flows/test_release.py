"""A failed audit publishes nothing and keeps what is staged."""

from pathlib import Path

import pytest

from flows.refresh.publish import audit_and_publish
from flows.stages.completeness import progress_of
from flows.stages.workspace import open_workspace
from schemas.benchmark import Batch
from schemas.errors import AuditFailed, EditionConflict
from tests.warehouse import tiny_edition
from warehouse.catalog.catalog import published_editions
from warehouse.staging.staging import Staging
from warehouse.store.store import Store


def test_a_failed_audit_publishes_nothing_and_keeps_the_staging(tmp_path: Path) -> None:
    staging = Staging(Store(str(tmp_path)), "e1")
    staging.write_plan(tiny_edition.plan("e1").growth)
    rows = tiny_edition.rows()
    rows["episodes"][0]["status"] = "lost"
    workspace = open_workspace(str(tmp_path), "e1")
    for key in progress_of(workspace).asked:
        staging.write_batch(key, {})
    staging.write_batch(workspace.key(Batch("statistics")), rows)
    with pytest.raises(AuditFailed, match=r"status is one of.*broken by 1 rows.*staging/e1"):
        audit_and_publish(str(tmp_path), "e1")
    assert published_editions(staging.store) == ()
    assert not (tmp_path / "tables").exists()
    assert staging.is_done(workspace.key(Batch("statistics")))

    sound = tiny_edition.rows()
    staging.write_batch(workspace.key(Batch("statistics")), sound)
    assert audit_and_publish(str(tmp_path), "e1")["episodes"] == len(sound["episodes"])
    assert published_editions(staging.store) == ("e1",)


def test_a_workspace_needs_a_plan(tmp_path: Path) -> None:
    with pytest.raises(EditionConflict, match="nothing is staged for edition 'e9'"):
        open_workspace(str(tmp_path), "e9")
