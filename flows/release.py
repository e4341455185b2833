"""Stage 6: audit what is staged and, if it holds, publish it as an edition."""

from datetime import UTC, datetime

from flows.workspace import open_workspace
from warehouse.audit import audit, require_passed
from warehouse.publish import consolidate, publish


def audit_and_publish(root: str, edition: str) -> dict[str, int]:
    """Publish the staged edition after its audit and return the rows of each table.

    Raises AuditFailed, and publishes nothing, where an expectation does not hold; the staged data stays.
    """
    workspace = open_workspace(root, edition)
    staging = workspace.staging
    tables = consolidate(staging)
    results = audit(tables)
    require_passed(results, staging.store.location(staging.folder))
    publication = publish(staging.store, workspace.plan, tables, results, created_at=datetime.now(UTC))
    return publication.counts
