"""Rebuilding a published edition: equal where nothing was touched, and what differs is named."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from perennial.warehouse.catalog.confinement import table_file
from tests.flows.conftest import Published
from tests.flows.prefect_harness import Harness


@pytest.fixture
def copied(published: Published, tmp_path: Path) -> Path:
    """A copy of the published root that a test may spoil."""
    root = tmp_path / "root"
    shutil.copytree(published.root, root, ignore=shutil.ignore_patterns(".prefect"))
    return root


def _change(root: Path, table: str, change: Callable[[list[dict[str, Any]]], None]) -> None:
    path = root / table_file(table, "small")
    file = pq.ParquetFile(path)
    schema = file.schema_arrow
    rows = file.read().to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path, compression="zstd")


def test_an_untouched_edition_comes_back_byte_for_byte(
    harness: Harness, published: Published, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    done = harness.perennial(
        "reproduce", "small", "--root", str(published.root), "--keep", str(kept), cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "reproduced, byte for byte where no clock is involved" in done.stdout
    assert "DIFFER" not in done.stdout
    assert any(kept.rglob("*.parquet"))
    again = harness.perennial(
        "reproduce", "small", "--root", str(published.root), "--keep", str(kept), cwd=tmp_path
    )
    assert again.returncode == 2
    assert "not empty" in again.stderr
    assert again.stderr.count("\n") == 1


@pytest.mark.slow
def test_an_altered_row_is_named_and_ends_with_exit_code_1(harness: Harness, copied: Path) -> None:
    altered: list[str] = []

    def change(rows: list[dict[str, Any]]) -> None:
        rows[0]["expected_steps"] += 1.0
        altered.append(rows[0]["instance_id"])

    _change(copied, "kumo_instances", change)
    done = harness.perennial("reproduce", "small", "--root", str(copied), cwd=copied)
    assert done.returncode == 1
    assert f"kumo_instances: 1 rows differ in expected_steps (such as {altered[0]})" in done.stdout
    assert "small was not reproduced: rows differ" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_missing_row_is_told(harness: Harness, copied: Path) -> None:
    _change(copied, "kumo_books", lambda rows: rows.pop())
    done = harness.perennial("reproduce", "small", "--root", str(copied), "--json", cwd=copied)
    assert done.returncode == 1
    tables = {table["table"]: table for table in json.loads(done.stdout)["tables"]}
    assert not tables["kumo_books"]["same_rows"]
    assert tables["kumo_books"]["difference"].startswith("0 rows only published, 1 only rebuilt (such as bk_")
    assert tables["kumo_instances"]["same_rows"]
