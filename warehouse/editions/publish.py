"""Publish what was audited, an edition or an evaluation: all tables first, its own row last.

Until that last row is there, no reader sees anything of it; a publish that was cut off is simply done
again. A file of what is published is never written a second time.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perennial.schemas.errors import Damaged, EditionConflict
from perennial.schemas.model_calls import ModelRequest, Reply
from perennial.schemas.plan import EditionPlan, EvaluationPlan, Plan, plan_from_json
from perennial.schemas.tables import TABLES
from perennial.schemas.units import describe_unit, is_evaluation
from perennial.warehouse.catalog.catalog import visible_evaluations
from perennial.warehouse.catalog.confinement import row_file, table_file
from perennial.warehouse.catalog.later_statistics import keep_analysis
from perennial.warehouse.editions.manifest import seal_row, write_manifest
from perennial.warehouse.lock import sole_writer
from perennial.warehouse.store.parquet import parquet_bytes, rows_as_table, with_place
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True, slots=True)
class Publication:
    """What was published: its name, and the rows of each table."""

    unit: str
    counts: dict[str, int]


def read_published_plan(store: Store, edition: str) -> EditionPlan:
    """The plan of a published edition, as its row in `editions` keeps it."""
    return EditionPlan.from_json(_settings(store, edition))


def evaluation_plan(store: Store, evaluation: str) -> EvaluationPlan:
    """The plan of a published evaluation, as its row in `evaluations` keeps it."""
    return EvaluationPlan.from_json(_settings(store, evaluation))


def unit_plan(store: Store, unit: str) -> Plan:
    """The plan of a published edition or evaluation."""
    return plan_from_json(unit, _settings(store, unit))


def read_counts(store: Store, unit: str) -> dict[str, int]:
    """The number of rows of each table of a published edition or evaluation."""
    return _read_column(store, unit, "counts")


def _settings(store: Store, unit: str) -> dict[str, Any]:
    return _read_column(store, unit, "settings")


def _read_column(store: Store, unit: str, column: str) -> dict[str, Any]:
    (row,) = store.read_table(row_file(unit), [column]).to_pylist()
    values: dict[str, Any] = json.loads(row[column])
    return values


def publish(
    store: Store,
    plan: Plan,
    tables: dict[str, "pyarrow.Table"],
    audits: list[dict[str, Any]],
    created_at: datetime,
    files: Mapping[str, Path] | None = None,
    templates: Mapping[str, str] | None = None,
    statistics: "pyarrow.Table | None" = None,
) -> Publication:
    """Write the tables, the audit and, last, the row of the edition or evaluation; return the counts.

    `files` are tables too large for memory: local Parquet files as they are to be published. `templates` are
    the hashes of prompt templates that the manifest keeps. `statistics` of an evaluation are the figures of
    its edition with it: readers see both at once. Raises EditionConflict where it is already published.
    Nobody else writes to the root meanwhile: see `perennial.warehouse.lock`.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    unit, files = plan.unit, files or {}
    with sole_writer(store, f"publish {unit}"):
        if store.exists(row_file(unit)):
            raise _conflict_of_published(store, unit)
        whole = {**tables, "audits": rows_as_table(audits, TABLES["audits"])}
        counts = {name: table.num_rows for name, table in whole.items()}
        counts |= {name: pq.read_metadata(path).num_rows for name, path in files.items()}
        # A table without rows has no file: readers of Parquet stumble over an empty row group.
        for name, table in whole.items():
            if counts[name]:
                store.write_table(table_file(name, unit), with_place(table, TABLES[name], unit, plan.canary))
        for name, path in files.items():
            if counts[name]:
                store.write_file(table_file(name, unit), path)
        row = {
            "benchmark": plan.benchmark,
            "created_at": created_at,
            "seed": plan.seed,
            "settings": json.dumps(plan.as_json(), sort_keys=True, ensure_ascii=False),
            "code_version": plan.code_version,
            "counts": json.dumps(counts, sort_keys=True),
            "manifest_sha256": write_manifest(store, plan, counts, templates or {}),
        }
        if isinstance(plan, EditionPlan):
            row |= {
                "seed_commitment": plan.seed_commitment or None,
                "freshness": plan.freshness,
                "canary": plan.canary,
                "is_trial": plan.is_trial,
            }
        else:
            row["answers"] = plan.answers
        form = TABLES["evaluations" if is_evaluation(unit) else "editions"]
        rows = pa.Table.from_pylist([row], schema=form.arrow_schema())
        whole_row = parquet_bytes(with_place(rows, form, unit, plan.canary))
        seal_row(store, unit, whole_row)
        if statistics is not None:
            units = (*visible_evaluations(store, plan.edition), unit)
            keep_analysis(store, plan.edition, units, statistics)
        # Whoever lost the lock without knowing it is stopped here at the latest.
        if not store.create_bytes(row_file(unit), whole_row):
            raise _conflict_of_published(store, unit)
        return Publication(unit, counts)


def _conflict_of_published(store: Store, unit: str) -> EditionConflict:
    option = "--name" if is_evaluation(unit) else "--edition"
    return EditionConflict(
        f"{describe_unit(unit)} is already published in {store.root} and is never changed: "
        f"choose another {option}"
    )


# The calls of a published edition, read back from its tables `calls` and `messages`.

_REPLY_COLUMNS = tuple(field.name for field in fields(Reply) if field.name not in ("content", "raw"))


def stored_replies(store: Store, edition: str) -> Iterator[tuple[ModelRequest, Reply]]:
    """Each call of the edition: its request and its reply, without the raw body, which no table has.

    Raises Damaged where a request does not give the call id under which it stands: a table was altered.
    """
    if not store.exists(table_file("calls", edition)):
        return
    texts = {
        row["message_id"]: row["content"]
        for row in store.read_table(table_file("messages", edition)).to_pylist()
    }
    for row in store.read_table(table_file("calls", edition)).to_pylist():
        yield _request(row, texts, edition), reply_of(row)


def _request(row: dict[str, Any], texts: dict[str, str], edition: str) -> ModelRequest:
    asked = json.loads(row["request"])
    request = ModelRequest(
        role=row["role"],
        model=asked["model"],
        messages=tuple(_message(item, texts) for item in asked["messages"]),
        params=asked["params"],
        template=row["template"],
        template_hash=row["template_hash"],
        repeat=row["repeat"],
    )
    if request.call_id != row["call_id"]:
        raise Damaged(
            f"the request of call {row['call_id']} in edition {edition!r} gives the id {request.call_id}: "
            "tables calls and messages are not what was written (`perennial verify` says more)"
        )
    return request


def _message(item: dict[str, str], texts: dict[str, str]) -> dict[str, str]:
    rest = {key: value for key, value in item.items() if key not in ("role", "message_id")}
    return {"role": item["role"], "content": texts[item["message_id"]], **rest}


def reply_of(row: dict[str, Any]) -> Reply:
    """The reply that a row of table `calls` holds."""
    return Reply(**{name: row[name] for name in _REPLY_COLUMNS}, content=row["reply"] or "")
