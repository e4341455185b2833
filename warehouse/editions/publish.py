"""Publish an audited edition: all tables first, the edition's own row last.

Until that last row is there, no reader sees anything of the edition; a publish that was cut off is
simply done again. A file of a published edition is never written a second time.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemas.analysis_tables import AUDITS
from schemas.errors import EditionConflict
from schemas.plan import RefreshPlan
from schemas.tables import EDITIONS
from warehouse.catalog.catalog import published_editions, table_file
from warehouse.editions.manifest import seal_row, write_manifest
from warehouse.lock.root_lock import sole_writer
from warehouse.store.parquet import parquet_bytes, sort_by_key
from warehouse.store.store import Store

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True, slots=True)
class Publication:
    """What was published: the rows of each table."""

    edition: str
    counts: dict[str, int]


def published_plan(store: Store, edition: str) -> RefreshPlan:
    """Return the plan of a published edition, as its row in `editions` keeps it."""
    (row,) = store.read_table(table_file("editions", edition)).to_pylist()
    return RefreshPlan.from_json(json.loads(row["settings"]))


def publish(
    store: Store,
    plan: RefreshPlan,
    tables: dict[str, "pyarrow.Table"],
    audits: list[dict[str, Any]],
    created_at: datetime,
    files: Mapping[str, Path] | None = None,
    templates: Mapping[str, str] | None = None,
) -> Publication:
    """Write the tables, the audit and, last, the edition's row; return the counts.

    `files` are tables too large for memory: local Parquet files, sorted by the table's key. `templates` are
    the hashes of prompt templates that the edition's manifest keeps. Raises EditionConflict where the
    edition is already published. Nobody else writes to the root meanwhile: see `warehouse.lock.root_lock`.
    """
    with sole_writer(store, f"publish {plan.edition}"):
        return _published(store, plan, tables, audits, created_at, files or {}, templates or {})


def _published(
    store: Store,
    plan: RefreshPlan,
    tables: dict[str, "pyarrow.Table"],
    audits: list[dict[str, Any]],
    created_at: datetime,
    files: Mapping[str, Path],
    templates: Mapping[str, str],
) -> Publication:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if plan.edition in published_editions(store):
        raise _already_published(store, plan)
    audit_table = pa.Table.from_pylist(audits, schema=AUDITS.arrow_schema())
    whole = {**tables, "audits": sort_by_key(audit_table, AUDITS)}
    for name, table in whole.items():
        store.write_table(table_file(name, plan.edition), table)
    counts = {name: table.num_rows for name, table in whole.items()}
    for name, path in files.items():
        store.write_file(table_file(name, plan.edition), path)
        counts[name] = pq.read_metadata(path).num_rows
    row = {
        "benchmark": plan.benchmark,
        "created_at": created_at,
        "seed": plan.seed,
        "settings": json.dumps(plan.as_json(), sort_keys=True, ensure_ascii=False),
        "code_version": plan.code_version,
        "counts": json.dumps(counts, sort_keys=True),
        "manifest_sha256": write_manifest(store, plan, counts, templates),
    }
    whole_row = parquet_bytes(pa.Table.from_pylist([row], schema=EDITIONS.arrow_schema()))
    seal_row(store, plan.edition, whole_row)
    # Whoever lost the lock without knowing it is stopped here at the latest.
    if not store.create_bytes(table_file("editions", plan.edition), whole_row):
        raise _already_published(store, plan)
    return Publication(plan.edition, counts)


def _already_published(store: Store, plan: RefreshPlan) -> EditionConflict:
    return EditionConflict(
        f"edition {plan.edition!r} is already published in {store.root} and is never changed: "
        "choose another --edition"
    )
