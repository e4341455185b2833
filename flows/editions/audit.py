"""Audit what is published: do all expectations still hold of an edition's tables?"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from schemas.errors import AuditFailed, InvalidOption
from schemas.tables import staged_tables
from warehouse.catalog.catalog import published_editions, table_file
from warehouse.editions.publish import published_plan
from warehouse.store.store import Store

IMPORTED = "imported, and not held to the audit: its findings stand in `rejections`"


def editions_to_audit(store: Store, edition: str | None) -> tuple[str, ...]:
    """Return the edition, or all published ones; raise InvalidOption where it, or any, is not published."""
    editions = published_editions(store)
    if edition and edition not in editions:
        known = ", ".join(editions) or "none"
        raise InvalidOption(f"edition {edition!r} is not published in {store.root}; published: {known}")
    if not editions:
        raise InvalidOption(f"no edition is published in {store.root}: run `perennial refresh` first")
    return (edition,) if edition else editions


def audit_edition(store: Store, edition: str) -> tuple[str, tuple[str, ...]]:
    """Return in words how the audit of a published edition went, and each expectation that is broken.

    Imported editions are passed over, since they are kept as they were found.
    """
    if published_plan(store, edition).growth.imported_from:
        return IMPORTED, ()
    rows = _audited(store, edition)
    broken = tuple(_in_words(row) for row in rows if not row["success"] and row["severity"] == "critical")
    if broken:
        return f"{len(broken)} of {len(rows):,} expectations are broken", broken
    return f"all {len(rows):,} expectations hold", ()


def require_held(broken: dict[str, tuple[str, ...]], store: Store) -> None:
    """Raise AuditFailed, naming each broken expectation of each edition, where there is one."""
    told = "; ".join(f"{edition}: {text}" for edition, texts in broken.items() for text in texts)
    if told:
        raise AuditFailed(
            f"the audit of what is published in {store.root} failed: {told}. Published tables are never "
            "changed: compare them with a copy, and withdraw an edition that nobody should use"
        )


def _audited(store: Store, edition: str) -> list[dict[str, Any]]:
    from warehouse.audit.audit import audit

    with TemporaryDirectory(prefix="perennial-audit-") as folder:
        benchmark = published_plan(store, edition).benchmark
        names = {name: table_file(name, edition) for name in staged_tables(benchmark)}
        return audit({name: store.local_file(file, Path(folder) / name) for name, file in names.items()})


def _in_words(row: dict[str, Any]) -> str:
    return (
        f"{row['suite']}: {row['expectation']}, broken by {row['unexpected_count']} rows, {row['observed']}"
    )
