"""What a journey is written with: a folder in which a user types commands, and what they print."""

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.prefect_harness import Harness
from tests.journeys.named_models import NAMES
from tests.server.options import ServerOptions

TERMINAL_WIDTH = 80
SIX_MODELS = ServerOptions(models=NAMES, roles="tests.journeys.named_models")


@dataclass(frozen=True)
class Screen:
    """What a command printed: its result, and the lines for a person beside it."""

    result: str
    beside: str

    @property
    def lines(self) -> list[str]:
        """The lines of the result."""
        return self.result.splitlines()

    def document(self) -> Any:
        """The result as JSON."""
        return json.loads(self.result)


@dataclass(frozen=True)
class Walk:
    """A user with an empty folder and a terminal of 80 columns."""

    folder: Path
    harness: Harness

    def type(self, line: str, expecting: int = 0) -> Screen:
        """Type a command, as README and docs show them; fail where its exit code is not the expected one."""
        program, *arguments = shlex.split(line.replace("\\\n", " "))
        assert program == "perennial"
        done = self.harness.perennial(*arguments, cwd=self.folder)
        assert done.returncode == expecting, f"{line}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stdout + done.stderr
        return Screen(done.stdout, done.stderr)

    def write(self, name: str, text: str) -> None:
        """Save a file in the folder."""
        (self.folder / name).write_text(text, encoding="utf-8")

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """What a query of the data root gives."""
        catalog = open_catalog(Store(str(self.folder / "warehouse/data")))
        return [tuple(row) for row in catalog.query(sql)[1]]
