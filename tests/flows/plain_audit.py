"""The audit's suites by DuckDB alone, for commands that test something else.

Validation by Great Expectations takes more than half of the CPU time of a tiny refresh. Each expectation has
its condition in SQL beside it, so that DuckDB can say whether a suite holds. Where one does not, Great
Expectations validates it after all, and says what it shows. `tests/warehouse/test_suites.py` holds both
against each other.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import duckdb

from perennial.schemas.rows import JsonObject
from perennial.warehouse.audit import audit
from perennial.warehouse.audit.great_expectations import CheckpointRunner
from perennial.warehouse.audit.suites import COLUMNS, RULE, TYPES, TableExpectation, name_type

if TYPE_CHECKING:
    import pandas as pd

_REPOSITORY = str(Path(__file__).resolve().parents[2])
_START = f"""import sys
if sys.argv[1] in ("refresh", "evaluate"):
    sys.path.append({_REPOSITORY!r})
    from tests.flows import plain_audit
    sys.path.remove({_REPOSITORY!r})
    plain_audit.judge_by_duckdb()
from perennial.flows.cli.app import main
main()
"""
# Starts `perennial` so that DuckDB judges its suites, and also without Prefect.
PROGRAM = (sys.executable, "-P", "-c", _START)
PLAIN_PROGRAM = (*PROGRAM[:-1], _START.replace("judge_by_duckdb()", "run_plainly()"))
_NOTHING_RAISED = {"raised_exception": False, "exception_message": None, "exception_traceback": None}


def holds(suite: Sequence[TableExpectation], frame: "pd.DataFrame", table: str) -> bool:
    """Whether no row of the frame breaks an expectation of the suite."""
    types = {name: name_type(type_.pyarrow_dtype) for name, type_ in frame.dtypes.items()}
    for expectation in suite:
        arguments = expectation.arguments
        if expectation.type == COLUMNS and list(types) != arguments["column_list"]:
            return False
        if expectation.type == TYPES and arguments["types"] != types:
            return False
        if expectation.type == RULE and len(frame):
            return False
    conditions = " OR ".join(f"({expectation.broken})" for expectation in suite if expectation.broken)
    if not conditions or not len(frame):
        return True
    import pyarrow as pa

    with closing(_database().cursor()) as connection:
        connection.register(table, pa.Table.from_pandas(frame, preserve_index=False))
        return not connection.execute(f'SELECT 1 FROM "{table}" WHERE {conditions} LIMIT 1').fetchall()


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """One for a process: to open another takes longer than to judge a tiny table."""
    return duckdb.connect(config={"threads": 1})


class PlainRunner:
    """Stands in for `CheckpointRunner` where a suite holds."""

    def __init__(self, docs: Path | None = None) -> None:
        self._docs = docs
        self._assets: list[tuple[str, tuple[str, ...]]] = []
        self._checkpoints: CheckpointRunner | None = None

    def add_source(self, name: str, assets: Iterable[str]) -> None:
        self._assets.append((name, tuple(assets)))
        if self._checkpoints is not None:
            self._checkpoints.add_source(*self._assets[-1])

    def run(
        self,
        source: str,
        asset: str,
        suite: Sequence[TableExpectation],
        frame: "pd.DataFrame",
        key: Sequence[str] = (),
    ) -> JsonObject:
        if self._docs is not None or not holds(suite, frame, asset):
            return self._open().run(source, asset, suite, frame, key)
        results = [_describe(expectation) for expectation in suite]
        return {
            "success": True,
            "statistics": {
                "evaluated_expectations": len(results),
                "successful_expectations": len(results),
                "unsuccessful_expectations": 0,
                "success_percent": 100.0,
            },
            "results": results,
            "meta": {"great_expectations_version": _version()},
        }

    def build_docs(self) -> Path:
        return self._open().build_docs()

    def _open(self) -> CheckpointRunner:
        if self._checkpoints is None:
            self._checkpoints = CheckpointRunner(self._docs)
            for source in self._assets:
                self._checkpoints.add_source(*source)
        return self._checkpoints


@cache
def _version() -> str:
    return version("great_expectations")


def _describe(expectation: TableExpectation) -> dict[str, Any]:
    arguments = expectation.arguments
    observed = {"observed_value": arguments["column_list"]} if expectation.type == COLUMNS else {}
    return {
        "success": True,
        "expectation_config": {
            "type": expectation.type,
            "kwargs": arguments,
            "description": expectation.sentence,
            "severity": "critical",
        },
        "result": observed,
        "exception_info": _NOTHING_RAISED,
    }


@contextmanager
def plain_suites() -> Iterator[None]:
    """Let audits of this process be judged so."""
    with patch.object(audit, "CheckpointRunner", PlainRunner):
        yield


def judge_by_duckdb() -> None:
    """Let audits of this process be judged so to its end."""
    audit.CheckpointRunner = PlainRunner  # type: ignore[misc,assignment]


def leave_prefect_out() -> None:
    """Let commands of this process do their jobs as `perennial try` does."""
    from perennial.flows.cli.run import refresh

    refresh.execute_by_prefect = refresh.execute_plainly


def run_plainly() -> None:
    """Do both."""
    judge_by_duckdb()
    leave_prefect_out()
