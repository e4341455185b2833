"""A data root with two editions, e1 and e2, made by hand, and commands run on it in this process."""

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from perennial.flows.cli import app as cli
from perennial.warehouse.store.store import Store
from tests.flows.progress_lines import without_progress
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import publish


@dataclass(frozen=True)
class Shown:
    """The exit code of a command and what it printed."""

    code: int
    out: str
    err: str


Run = Callable[..., Shown]


def publish_day(store: Store, edition: str, day: int) -> None:
    """Publish the tiny edition under this name, on that day of January 2026."""
    created_at = datetime(2026, 1, day, tzinfo=UTC)
    publish(store, tiny_edition.plan(edition), tiny_edition.tables(), [], created_at)


def two_editions(root: Path) -> Store:
    """A root with the published editions e1 and e2."""
    shutil.copytree(_made_once().name, root, dirs_exist_ok=True)
    return Store(str(root))


@cache
def _made_once() -> "TemporaryDirectory[str]":
    """The two editions, published once in a process: a copy of them takes a twentieth of the CPU time."""
    folder = TemporaryDirectory()
    for day, edition in enumerate(("e1", "e2"), start=1):
        publish_day(Store(folder.name), edition, day)
    return folder


def commands_on(store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return what runs a command of `perennial` on the root, at 120 columns."""
    monkeypatch.setenv("COLUMNS", "120")
    return lambda *arguments: perennial(monkeypatch, capsys, *arguments, "--root", store.root)


def perennial(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str | Path
) -> Shown:
    """Run a command of `perennial` in this process; lines of progress are left out."""
    monkeypatch.setattr(sys, "argv", ["perennial", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    printed = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return Shown(ended.value.code, printed.out, without_progress(printed.err))
