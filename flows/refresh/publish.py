"""Stage 6: audit what is staged and, if it holds, publish it as an edition."""

from datetime import UTC, datetime

from flows.console.clock import refuse_clock_set_back
from flows.kumo.gate.check_batches import gate_audits
from flows.refresh.template_hashes import template_hashes
from flows.stages.completeness import require_complete
from flows.stages.workspace import open_workspace
from warehouse.audit.audit import audit, require_passed
from warehouse.editions.publish import publish
from warehouse.staging.merge_parts import consolidate


def audit_and_publish(root: str, edition: str) -> dict[str, int]:
    """Publish the staged edition after its audit and return the rows of each table.

    Raises AuditFailed, and publishes nothing, where an expectation does not hold; the staged data stays.
    Raises Damaged where it is not what was staged, EditionConflict where the clock was set back.
    """
    workspace = open_workspace(root, edition)
    staging = workspace.staging
    refuse_clock_set_back(staging.store, datetime.now(UTC))
    with staging.scratch_folder() as folder:
        files = consolidate(staging, folder)
        # Only now: what is removed while it is read would be missed otherwise.
        require_complete(workspace)
        results = [*audit(files), *gate_audits(workspace)]
        require_passed(results, staging.store.location(staging.folder))
        publication = publish(
            staging.store,
            workspace.plan,
            {},
            results,
            created_at=datetime.now(UTC),
            files=files,
            templates=template_hashes(),
        )
    return publication.counts
