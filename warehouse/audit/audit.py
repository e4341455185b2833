"""The audit between writing and publishing, over files, in bounded memory.

Each expectation is a search for the rows that break it: those of a table are derived from `schemas.tables`,
and the suite `cross_table` holds what tables say of each other (`references`, `extends`) and the rules of
`rules/*.sql`. Great Expectations judges what was found.
"""

import os
import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from schemas.benchmark import benchmarks
from schemas.errors import AuditFailed
from schemas.tables import TABLES
from warehouse.audit.great_expectations import judge
from warehouse.audit.search import Finding, search_query, search_table
from warehouse.catalog.question_views import list_files
from warehouse.catalog.sql.confinement import quote

if TYPE_CHECKING:
    import duckdb

    from schemas.table_form import Table

CROSS_TABLE = "cross_table"
_NAMED = re.compile(r"\b(?:FROM|JOIN)\s+(\w+)")
_MEMORY = "512MB"
_THREADS = 4


def audit(files: Mapping[str, Path], questions: Mapping[str, Path] | None = None) -> list[dict[str, Any]]:
    """Return a row of table `audits` for every expectation on these tables, each a local Parquet file.

    `questions` are the tables of the edition that the answers among them refer to; those passed their own
    audit.
    """
    questions = {name: file for name, file in (questions or {}).items() if name not in files}
    rules = cross_table_rules(set(files), set(questions))
    findings: list[Finding] = []
    with TemporaryDirectory(prefix="perennial-audit-") as folder:
        connection = _view_over_files({**files, **questions}, folder)
        for name in files:
            findings += search_table(connection, TABLES[name])
        findings += [search_query(connection, CROSS_TABLE, rule, sql) for rule, sql in rules.items()]
        connection.close()
    return judge(findings)


def require_pass(rows: list[dict[str, Any]], where: str) -> None:
    """Raise AuditFailed, naming each broken expectation and its rows, unless all critical ones held."""
    broken = [row for row in rows if not row["success"] and row["severity"] == "critical"]
    if broken:
        failures = "; ".join(
            f"{row['suite']}: {row['expectation']}, broken by {row['unexpected_count']} rows, "
            f"{row['observed']}"
            for row in broken
        )
        raise AuditFailed(
            f"the audit failed, nothing was published: {failures}. The staged data is kept in {where}: "
            "look at it, then remove that folder and refresh again"
        )


def cross_table_rules(own: AbstractSet[str], others: AbstractSet[str] = frozenset()) -> dict[str, str]:
    """Return each rule's sentence and its query for offending rows of the own tables.

    A rule may look into the others too. It belongs to questions or to answers, whichever it names.
    """
    present = own | others
    rules: dict[str, str] = {}
    for table in TABLES.values():
        if table.name in own:
            rules |= _rules_of_references(table, present)
        if table.name in own and table.extends in present:
            rules |= _rule_of_extension(table)
    packages = (benchmark.sql for benchmark in benchmarks().values() if benchmark.sql)
    for package in ("warehouse.audit", *packages):
        for entry in list_files(package, "rules"):
            if entry.name.endswith(".sql"):
                text = entry.read_text(encoding="utf-8")
                if _concerns(text, own, others):
                    first_line = text.splitlines()[0].removeprefix("--").strip()
                    rules[first_line] = text
    return rules


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
        f'SELECT \'{other}\' AS lacking, {key} FROM "{one}" ANTI JOIN "{other}" USING ({key})'
        for one, other in sides
    )
    sentence = f"every row of {table.extends} has its row in {table.name}, and no other row is there"
    return {sentence: " UNION ALL ".join(lacking)}


def _concerns(sql: str, own: AbstractSet[str], others: AbstractSet[str]) -> bool:
    """Whether a rule is of the own tables: all that it names are there, and own where they hold answers.

    Where it names no answers, questions have to be own, if it names any.
    """
    named = {TABLES[name] for name in _NAMED.findall(sql) if name in TABLES}
    by_kind = (_of_kind(named, kind) for kind in ("answers", "questions", "either"))
    deciding = next(filter(None, by_kind), set())
    return deciding <= own and {table.name for table in named} <= own | others


def _of_kind(tables: "set[Table]", kind: str) -> set[str]:
    return {table.name for table in tables if table.kind == kind}


def _view_over_files(files: Mapping[str, Path], folder: str) -> "duckdb.DuckDBPyConnection":
    """Return a connection with the tables under their names; what outgrows memory goes to `folder`."""
    import duckdb

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
