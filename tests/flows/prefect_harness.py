"""Run `perennial` as its users do, in processes of their own, beside one Prefect server."""

import json
import os
import subprocess
import sys
import urllib.request
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.serve.embedded_server import EmbeddedServer
from flows.serve.prefect_environment import configure_prefect, prefect_home
from schemas.tables import TABLES
from warehouse.catalog.catalog import open_catalog
from warehouse.store.store import Store

SMALL_REFRESH = (
    *("--domains", "mineral_identification,chemical_analysis"),
    *("--settings", "easy,6x8"),
    *("--instances", "6"),
    *("--runs", "2"),
    *("--edition", "small"),
)


def clean_environment() -> dict[str, str]:
    """Return this process's environment without anything of perennial's or Prefect's, and without a key."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PERENNIAL_", "PREFECT_", "OPENAI_"))
    }
    return {**kept, "COLUMNS": "120"}


@contextmanager
def running_server(home: Path) -> Iterator[dict[str, str]]:
    """Run a Prefect server and yield the environment in which commands use it."""
    before = dict(os.environ)
    try:
        configure_prefect(str(home), verbose=False)
        with EmbeddedServer(prefect_home(str(home))) as server:
            server.wait_ready()
            prefect = {name: value for name, value in os.environ.items() if name.startswith("PREFECT_")}
            os.environ.clear()
            os.environ.update(before)
            yield {**clean_environment(), **prefect}
    finally:
        os.environ.clear()
        os.environ.update(before)


def basic(auth_string: str) -> str:
    """Return the header `Authorization` for Prefect's auth string."""
    return f"Basic {b64encode(auth_string.encode()).decode()}"


@dataclass(frozen=True)
class Harness:
    """Starts commands of `perennial` in the given environment."""

    environment: dict[str, str]

    def post(self, path: str, document: dict[str, Any]) -> Any:
        """Return what the Prefect server answers to this document, sent with the harness's credentials."""
        request = urllib.request.Request(
            f"{self.environment['PREFECT_API_URL']}{path}",
            json.dumps(document).encode(),
            {
                "Content-Type": "application/json",
                "Authorization": basic(self.environment["PREFECT_API_AUTH_STRING"]),
            },
        )
        with urllib.request.urlopen(request, timeout=30) as reply:
            return json.load(reply)

    def start(self, *arguments: str, cwd: Path) -> "subprocess.Popen[str]":
        """Start the command and return its process; both outputs are in its `stdout`."""
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "flows.cli.app", *arguments],
            cwd=cwd,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def perennial(
        self, *arguments: str, cwd: Path, timeout: float = 240
    ) -> "subprocess.CompletedProcess[str]":
        """Run the command and return what it printed and its exit code."""
        return subprocess.run(
            [sys.executable, "-P", "-m", "flows.cli.app", *arguments],
            cwd=cwd,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )


def edition_content(root: Path, edition: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return every table's rows of an edition, wall-clock columns aside."""
    catalog = open_catalog(Store(str(root)))
    content = {}
    for table in TABLES.values():
        if not table.of_editions:
            continue
        kept = ", ".join(f'"{column.name}"' for column in table.columns if not column.volatile)
        content[table.name] = catalog.query(f"SELECT {kept} FROM {table.name} WHERE edition = '{edition}'")[1]
    return content
