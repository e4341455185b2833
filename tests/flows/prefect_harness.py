"""Run `perennial` as its users do, in processes of their own, beside one Prefect server."""

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from perennial.flows.serve.embedded_server import EmbeddedServer
from perennial.flows.serve.prefect_environment import configure_prefect, prefect_home
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.plain_audit import PROGRAM
from tests.flows.progress_lines import without_progress
from tests.flows.warm_start import WarmProcess, WarmStart, end_with

SMALL_REFRESH = (
    *("--domains", "mineral_identification,chemical_analysis"),
    *("--settings", "easy,6x8"),
    *("--instances", "6"),
    *("--runs", "2"),
    *("--players", "algorithm-3,optimum,greedy,random,reader"),
    *("--edition", "small"),
    *("--seed", "0"),
)

# A pool of workers pays for itself in batches of seconds, of which no test here has one.
ONE_WORKER = {"PERENNIAL_WORKERS": "1"}


def clean_environment() -> dict[str, str]:
    """Return this process's environment without anything of perennial's or Prefect's, and without a key."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PERENNIAL_", "PREFECT_", "OPENAI_"))
    }
    return {**kept, "COLUMNS": "120"}


def plain_environment(home: Path) -> dict[str, str]:
    """Return the environment of commands that start no Prefect server and reach none."""
    nobody = {"PREFECT_API_URL": "http://127.0.0.1:9/api", "PREFECT_SERVER_EPHEMERAL_ENABLED": "false"}
    quiet = {"PREFECT_HOME": str(home), "PREFECT_LOGGING_LEVEL": "CRITICAL", "DO_NOT_TRACK": "1"}
    return {**clean_environment(), **nobody, **quiet, **ONE_WORKER}


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
            yield {**clean_environment(), **prefect, **ONE_WORKER}
    finally:
        os.environ.clear()
        os.environ.update(before)


def basic(auth_string: str) -> str:
    """Return the header `Authorization` for Prefect's auth string."""
    return f"Basic {b64encode(auth_string.encode()).decode()}"


@dataclass(frozen=True)
class Harness:
    """Starts commands of `perennial` in the given environment, as forks of what is `warm` where that fits."""

    environment: dict[str, str]
    warm: WarmStart | None = None

    def but(self, **environment: str) -> "Harness":
        """Return one with these variables besides, or instead."""
        return replace(self, environment={**self.environment, **environment})

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

    def start(self, *arguments: str, cwd: Path, stderr: int = subprocess.STDOUT) -> "subprocess.Popen[str]":
        """Start the command and return its process; what it prints as errors is in its `stdout` too."""
        options: dict[str, Any] = {
            "cwd": cwd,
            "env": self.environment,
            "stdout": subprocess.PIPE,
            "stderr": stderr,
            "text": True,
        }
        if self.warm is not None and self.warm.fits(self.environment):
            return WarmProcess(self.warm, ["perennial", *arguments], **options)
        if sys.platform == "linux":
            owner = os.getpid()
            options["preexec_fn"] = lambda: end_with(owner)
        return subprocess.Popen([*PROGRAM, *arguments], **options)

    def perennial(
        self, *arguments: str, cwd: Path, timeout: float = 240
    ) -> "subprocess.CompletedProcess[str]":
        """Run the command and return what it printed, without lines of progress, and its exit code."""
        process = self.start(*arguments, cwd=cwd, stderr=subprocess.PIPE)
        try:
            out, errors = process.communicate(timeout=timeout)
        finally:
            process.kill()
            process.wait()
        return subprocess.CompletedProcess(process.args, process.returncode, out, without_progress(errors))


def edition_content(root: Path, edition: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return every table's rows of an edition, but for columns of the clock and for `validations.result`."""
    catalog = open_catalog(Store(str(root)))
    content = {}
    for table in TABLES.values():
        if not table.of_editions:
            continue
        # Without Prefect, DuckDB judges the suites (`plain_audit`) and has no result of Great Expectations.
        names = [column.name for column in table.columns if not column.volatile and column.name != "result"]
        kept = ", ".join(f'"{name}"' for name in names)
        content[table.name] = catalog.query(f"SELECT {kept} FROM {table.name} WHERE edition = '{edition}'")[1]
    return content


def read_until(process: "subprocess.Popen[str]", pattern: str) -> None:
    """Read what the process prints up to a line in which this is found; fail where there is none."""
    assert process.stdout is not None
    printed = ""
    for line in process.stdout:
        printed += line
        if re.search(pattern, line):
            return
    raise AssertionError(printed)


def wait_until(holds: Callable[[], bool], timeout_s: float = 60.0) -> None:
    """Return once this holds; fail where it does not within the time."""
    deadline = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    """Whether the process lives; a dead one that nobody has waited for does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
