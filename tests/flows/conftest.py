"""One Prefect server and one small published edition for all tests of the flows."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.flows.hand_made_root import Run, commands_on, two_editions
from tests.flows.prefect_harness import SMALL_REFRESH, Harness, running_server
from tests.flows.warm_start import WarmStart
from warehouse.store.store import Store

KEY = "sk-scripted-0123456789abcdef"


@dataclass(frozen=True)
class Published:
    """A data root with the edition `small`, and what the refresh printed."""

    root: Path
    stdout: str


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harness]:
    """Commands of `perennial` that share one Prefect server."""
    home = tmp_path_factory.mktemp("prefect")
    with running_server(home) as environment:
        warm = WarmStart(environment, home) if sys.platform == "linux" else None
        yield Harness(environment, warm)
        if warm is not None:
            warm.close()


@pytest.fixture(scope="session")
def keyed(harness: Harness) -> Harness:
    """Commands of `perennial` with a key in their environment."""
    return harness.but(PERENNIAL_API_KEY=KEY)


@pytest.fixture(scope="session")
def published(harness: Harness, tmp_path_factory: pytest.TempPathFactory) -> Published:
    """The undisturbed run of a small refresh."""
    root = tmp_path_factory.mktemp("undisturbed")
    done = harness.perennial("refresh", *SMALL_REFRESH, "--root", str(root), cwd=root)
    assert done.returncode == 0, done.stderr
    return Published(root, done.stdout)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A data root with the editions e1 and e2."""
    return two_editions(tmp_path / "data")


@pytest.fixture
def run(store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Commands of `perennial` on that root, in this process."""
    return commands_on(store, monkeypatch, capsys)
