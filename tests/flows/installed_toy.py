"""The toy benchmark as an installed package of somebody else, found by its entry point."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prompts import render
from schemas.benchmark import benchmarks
from schemas.tables import TABLES


def write_package(folder: Path) -> Path:
    """Install the toy in a folder, and return that."""
    info = folder / "toy-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[perennial.benchmarks]\ntoy = tests.toy.benchmark:BENCHMARK\n")
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
    vars(TABLES).pop("_known", None)
