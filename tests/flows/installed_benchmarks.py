"""Benchmarks as packages of somebody else: the toy, and the example of the docs, found by entry point."""

import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from perennial.prompts import render
from perennial.schemas.benchmark import GROUP, benchmarks
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog import dictionary
from perennial.warehouse.catalog.scores import published_sql
from tests.conftest import REPOSITORY

EXAMPLE = REPOSITORY / "docs/mastermind"


def write_package(folder: Path) -> Path:
    """Install the toy in a folder, and return that."""
    return _write_info(folder, "toy", "1", {"toy": "tests.toy.benchmark:BENCHMARK"})


def write_example(folder: Path) -> Path:
    """Install the example of the docs in a folder, as pip does, and return that."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    shutil.copytree(EXAMPLE / "perennial_mastermind", folder / "perennial_mastermind")
    return _write_info(folder, project["name"], project["version"], project["entry-points"][GROUP])


def _write_info(folder: Path, name: str, version: str, entries: Mapping[str, str]) -> Path:
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [f"{entry} = {value}" for entry, value in entries.items()]
    (info / "entry_points.txt").write_text("\n".join([f"[{GROUP}]", *lines, ""]))
    return folder


@contextmanager
def installed(package: Path) -> Iterator[None]:
    """Let this process find it while the block runs."""
    sys.path.insert(0, str(package))
    _forget()
    try:
        yield
    finally:
        sys.path.remove(str(package))
        _forget()


def _forget() -> None:
    benchmarks.cache_clear()
    render._environment.cache_clear()
    dictionary._view_columns.cache_clear()
    published_sql.cache_clear()
    vars(TABLES).pop("_known", None)
