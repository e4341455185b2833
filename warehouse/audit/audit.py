"""The audit between writing and publishing, over files, in bounded memory.

Each table has a suite of Great Expectations, derived from `perennial.schemas.tables`, which a checkpoint
validates on its rows: all of them, or a sample where the table is large, which DuckDB then searches whole.
What tables say of each other (`references`, `extends`) and the rules of `rules/*.sql` are queries for the
rows that break them; a checkpoint expects that there is none.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import duckdb

from perennial.schemas.benchmark import benchmarks
from perennial.schemas.errors import AuditFailed
from perennial.schemas.ids import canonical_json
from perennial.schemas.plan import EditionPlan
from perennial.schemas.rows import JsonObject, Row, Rows
from perennial.schemas.tables import EDITIONS, TABLES
from perennial.warehouse.audit.great_expectations import CheckpointRunner
from perennial.warehouse.audit.suites import (
    COLUMNS,
    NOT_NULL,
    TYPES,
    AuditedRows,
    read_broken,
    read_rows,
    rule_suite,
    table_suite,
)
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.catalog.dictionary import list_files

if TYPE_CHECKING:
    from perennial.schemas.table_form import Table

CROSS_TABLE = "cross_table"
_PRIVATE = "private_instances"
_NAMED = re.compile(r"\b(?:FROM|JOIN)\s+(\w+)")
_NAME_WIDTH = 120
_MEMORY = "512MB"
_THREADS = 4
_IN_WORDS = 5
_WIDTH = 200
# Of all rows that break an expectation; the same of some is kept.
_UNBOUNDED = {"unexpected_list", "unexpected_index_list", "unexpected_index_query"}
_STRUCTURE = (COLUMNS, TYPES)


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit gives: rows of `audits`, one per expectation, and of `validations`, one per suite."""

    rows: list[Row] = field(default_factory=list)
    validations: list[Row] = field(default_factory=list)


def audit(
    files: Mapping[str, Path],
    questions: Mapping[str, Path] | None = None,
    unit: str = "staged",
    runner: CheckpointRunner | None = None,
    plan: EditionPlan | None = None,
) -> Audit:
    """Validate these tables of an edition or evaluation, each a local Parquet file.

    `questions` are the tables of the edition that the answers among them refer to; those passed their own
    audit. `runner` is that of several audits, of which Data Docs are to be built. `plan` is the edition's,
    whose private share the rules look at.
    """
    questions = {name: file for name, file in (questions or {}).items() if name not in files}
    rules = cross_table_rules({*files, *([EDITIONS.name] if plan else [])}, set(questions))
    names = {rule: _name_rule(rule) for rule in rules}
    runner = runner or CheckpointRunner()
    runner.add_source(unit, [*files, *names.values()])
    done, is_sound = Audit(), True
    with (
        TemporaryDirectory(prefix="perennial-audit-") as folder,
        closing(_view_over_files({**files, **questions}, folder)) as connection,
    ):
        if plan is not None:
            _view_private_share(connection, plan)
        for name, file in files.items():
            suite = table_suite(TABLES[name])
            sample = read_rows(connection, TABLES[name], file, suite)
            result = runner.run(unit, name, suite, sample.frame, TABLES[name].key)
            done.validations.append(validation_row(name, name, result, sample))
            done.rows.extend(audit_rows(name, name, result, sample, TABLES[name].key))
            is_sound = is_sound and has_structure(result)
        # A rule reads columns by their names.
        for rule, sql in rules.items() if is_sound else ():
            sample = read_broken(connection, sql, rule)
            result = runner.run(unit, names[rule], rule_suite(rule), sample.frame)
            done.validations.append(validation_row(names[rule], CROSS_TABLE, result, sample))
            done.rows.extend(audit_rows(names[rule], CROSS_TABLE, result, sample))
    return done


def failed_validations(audited: Audit) -> bytes:
    """The results of the validations that failed as JSON, with rows for evidence; nothing for none."""
    failed = {
        row["validation"]: json.loads(row["result"]) for row in audited.validations if row["unsuccessful"]
    }
    return f"{json.dumps(failed, indent=1, ensure_ascii=False)}\n".encode() if failed else b""


def require_pass(rows: Rows, where: str) -> None:
    """Raise AuditFailed, naming each broken expectation and its rows, unless all critical ones held."""
    broken = [row for row in rows if not row["success"] and row["severity"] == "critical"]
    if broken:
        raise AuditFailed(
            f"the audit failed, nothing was published: {'; '.join(map(describe_broken, broken))}. The staged "
            f"data is kept in {where}: look at it, then remove that folder and refresh again"
        )


def describe_broken(row: Row) -> str:
    """Say which expectation of which suite is broken, by how many rows, and show some."""
    return (
        f"{row['suite']}: {row['expectation']}, broken by {row['unexpected_count']} rows, {row['observed']}"
    )


def cross_table_rules(tables: AbstractSet[str], others: AbstractSet[str] = frozenset()) -> dict[str, str]:
    """Each rule's sentence and its query for offending rows of the own tables.

    A rule may look into the others too. It belongs to questions or to answers, whichever it names.
    """
    present = tables | others
    rules: dict[str, str] = {}
    for table in TABLES.values():
        if table.name in tables:
            rules |= _rules_of_references(table, present)
        if table.name in tables and table.extends in present:
            rules |= _rule_of_extension(table)
    packages = (benchmark.sql for benchmark in benchmarks().values() if benchmark.sql)
    for package in ("perennial.warehouse.audit", *packages):
        for entry in list_files(package, "rules"):
            if entry.name.endswith(".sql"):
                text = entry.read_text(encoding="utf-8")
                if _concerns(text, tables, others):
                    first_line = text.splitlines()[0].removeprefix("--").strip()
                    rules[first_line] = text
    return rules


def _name_rule(rule: str) -> str:
    """The rule's words as the name of a data asset, which is a file's name in Data Docs."""
    return "_".join(re.findall(r"\w+", rule))[:_NAME_WIDTH]


def _rules_of_references(table: "Table", present: AbstractSet[str]) -> dict[str, str]:
    return {
        f"every {table.name}.{link.column} is in {link.to_table}": (
            f'SELECT "{link.column}" FROM "{table.name}" '
            f'ANTI JOIN "{link.to_table}" ON "{table.name}"."{link.column}" '
            f'= "{link.to_table}"."{link.to_column}" '
            f'WHERE "{table.name}"."{link.column}" IS NOT NULL'
        )
        for link in table.references
        if link.to_table in present
    }


def _rule_of_extension(table: "Table") -> dict[str, str]:
    key = ", ".join(f'"{column}"' for column in table.key)
    sides = ((table.extends, table.name), (table.name, table.extends))
    lacking = (
        f'SELECT \'{other}\' AS lacking, {key} FROM "{first}" ANTI JOIN "{other}" USING ({key})'
        for first, other in sides
    )
    sentence = f"every row of {table.extends} has its row in {table.name}, and no other row is there"
    return {sentence: " UNION ALL ".join(lacking)}


def _concerns(sql: str, tables: AbstractSet[str], others: AbstractSet[str]) -> bool:
    """Whether a rule is of the own tables: all that it names are there, and own where they hold answers.

    Where it names no answers, questions have to be own, if it names any.
    """
    read = (EDITIONS.name if name == _PRIVATE else name for name in _NAMED.findall(sql))
    named = {TABLES[name] for name in read if name in TABLES}
    by_kind = (_of_kind(named, kind) for kind in ("answers", "questions", "either"))
    deciding = next(filter(None, by_kind), set())
    return deciding <= tables and {table.name for table in named} <= tables | others


def _of_kind(tables: "set[Table]", kind: str) -> set[str]:
    return {table.name for table in tables if table.kind == kind}


def _view_over_files(files: Mapping[str, Path], folder: str) -> duckdb.DuckDBPyConnection:
    """A connection with the tables under their names; what outgrows memory goes to `folder`."""
    limits = {
        "memory_limit": _MEMORY,
        "threads": min(_THREADS, os.cpu_count() or 1),
        "temp_directory": folder,
        "preserve_insertion_order": False,
    }
    connection = duckdb.connect(":memory:", config=limits)
    for name, file in files.items():
        connection.execute(
            f'CREATE VIEW "{name}" AS FROM read_parquet({quote(str(file))}, hive_partitioning = false)'
        )
    return connection


def _view_private_share(connection: duckdb.DuckDBPyConnection, plan: EditionPlan) -> None:
    """Add what of `editions` is known before it is published, and the view of private instances."""
    settings = quote(canonical_json({"private_share": plan.private_share}))
    connection.execute(
        f"CREATE VIEW {EDITIONS.name} AS SELECT {quote(plan.edition)} AS edition, "
        f"{quote(plan.seed_commitment)} AS seed_commitment, {settings} AS settings"
    )
    views = {entry.name: entry for entry in list_files("perennial.warehouse.catalog", "views")}
    sql = views[f"{_PRIVATE}.sql"].read_text(encoding="utf-8")
    connection.execute(f"CREATE VIEW {_PRIVATE} AS {sql}")


def validation_row(name: str, suite: str, result: JsonObject, sample: AuditedRows) -> Row:
    """The row of `validations`: the result without what is drawn or told by a clock in each run."""
    kept = {
        "suite_name": name,
        "success": result["success"],
        "statistics": result["statistics"],
        "results": [_keep(check) for check in result["results"]],
        "meta": {"great_expectations_version": result["meta"]["great_expectations_version"]},
    }
    return {
        "validation": name,
        "suite": suite,
        "validated_rows": len(sample.frame),
        "rows": sample.rows,
        "expectations": result["statistics"]["evaluated_expectations"],
        "unsuccessful": result["statistics"]["unsuccessful_expectations"],
        "result": canonical_json(kept),
    }


def audit_rows(
    name: str, suite: str, result: JsonObject, sample: AuditedRows, key: Sequence[str] = ()
) -> Iterator[Row]:
    """A row of `audits` for each expectation of the suite.

    Where columns or types are not those of the schema, what could not be computed for that is left out.
    """
    is_sound = has_structure(result)
    for check in result["results"]:
        sentence, error = check["expectation_config"]["description"], _error(check)
        if error and not is_sound:
            continue
        broken = max(int(not check["success"]), check["result"].get("unexpected_count") or 0)
        yield {
            "suite": suite,
            "expectation": sentence,
            "success": check["success"],
            "observed": error or _describe(check, sample, key),
            "unexpected_count": sample.counts.get(sentence, broken),
            "severity": "critical",
            "validation": name,
        }


def has_structure(result: JsonObject) -> bool:
    """Whether a table has the columns of its schema, with their types."""
    return all(row["success"] for row in result["results"] if row["expectation_config"]["type"] in _STRUCTURE)


def _describe(check: JsonObject, sample: AuditedRows, key: Sequence[str]) -> str:
    """Say what was seen: how many rows, or some of those that break the expectation."""
    kind, result = check["expectation_config"]["type"], check["result"]
    if kind == COLUMNS:
        return ", ".join(result["observed_value"])
    if check["success"]:
        if len(sample.frame) < sample.rows:
            return f"{sample.rows:,} rows, {len(sample.frame):,} of them by a sample, all by DuckDB"
        return f"{sample.rows:,} rows"
    if kind == TYPES:
        return ", ".join(f"{name} is {type_}" for name, type_ in result["observed_value"].items())
    rows = result.get("partial_unexpected_index_list") or result["partial_unexpected_list"]
    if kind == NOT_NULL:
        rows = [{name: row[name] for name in row if name in key or row[name] is None} for row in rows]
    return "rows such as " + "; ".join(_show(row) for row in rows[:_IN_WORDS])


def _show(row: Row) -> str:
    return ", ".join(f"{name}={_shorten(value)}" for name, value in row.items())


def _shorten(value: object) -> object:
    """Cut texts, which may be whole books, and write in words what is not a number for JSON."""
    if isinstance(value, str) and len(value) > _WIDTH:
        return value[:_WIDTH] + "..."
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if isinstance(value, list):
        return [_shorten(item) for item in value]
    return {name: _shorten(item) for name, item in value.items()} if isinstance(value, dict) else value


def _keep(row: JsonObject) -> JsonObject:
    config = row["expectation_config"]
    kwargs = {name: value for name, value in config["kwargs"].items() if name != "batch_id"}
    kept = {
        "expectation_config": {
            **{name: config[name] for name in ("type", "description", "severity")},
            "kwargs": kwargs,
        },
        "success": row["success"],
        "result": {name: _shorten(value) for name, value in row["result"].items() if name not in _UNBOUNDED},
    }
    error = _error(row)
    return kept | ({"exception_message": error} if error else {})


def _error(check: JsonObject) -> str:
    """What was raised, "" for nothing: it is told directly, or by metric."""
    info = check["exception_info"]
    infos = [info] if "raised_exception" in info else info.values()
    return next((str(entry["exception_message"]) for entry in infos if entry["raised_exception"]), "")
