"""How an edition of every benchmark whose questions have one reply is queried, and its commands refused."""

from pathlib import Path
from typing import Any

from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.prefect_harness import Harness


def query_rows(root: Path, sql: str) -> list[tuple[Any, ...]]:
    """Return what a query finds in a data root."""
    return [tuple(row) for row in open_catalog(Store(str(root))).query(sql)[1]]


def check_refusal(harness: Harness, folder: Path, command: tuple[str, ...], words: list[str]) -> None:
    """Check that the command is refused in one line that has these words, before anything is written."""
    done = harness.perennial(*command, cwd=folder)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    for word in words:
        assert word in done.stderr
    assert not (folder / "data" / "tables").exists()
