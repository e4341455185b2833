"""Commands, without Prefect and beside one server of it, and a small published edition."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run, commands_on, perennial, two_editions
from tests.flows.plain_audit import plain_suites
from tests.flows.prefect_harness import SMALL_REFRESH, Harness

KEY = "sk-scripted-0123456789abcdef"


@dataclass(frozen=True)
class Published:
    """A data root with the edition `small`, and what the refresh printed."""

    root: Path
    stdout: str


@pytest.fixture(scope="package", autouse=True)
def _plain_suites() -> Iterator[None]:
    """Great Expectations judges what is published by Prefect, and suites that do not hold."""
    with plain_suites():
        yield


@pytest.fixture(scope="session")
def keyed(harness: Harness) -> Harness:
    """Commands of `perennial` with a key in their environment."""
    return harness.but(PERENNIAL_API_KEY=KEY)


@pytest.fixture(scope="session")
def keyed_by_prefect(by_prefect: Harness) -> Harness:
    """Commands of `perennial` as users run them, with a key in their environment."""
    return by_prefect.but(PERENNIAL_API_KEY=KEY)


@pytest.fixture(scope="session")
def published(harness: Harness, tmp_path_factory: pytest.TempPathFactory) -> Published:
    """The undisturbed run of a small refresh."""
    return _publish(harness, tmp_path_factory)


@pytest.fixture(scope="session")
def published_by_prefect(by_prefect: Harness, tmp_path_factory: pytest.TempPathFactory) -> Published:
    """The same, by Prefect."""
    return _publish(by_prefect, tmp_path_factory)


def _publish(harness: Harness, tmp_path_factory: pytest.TempPathFactory) -> Published:
    root = tmp_path_factory.mktemp("undisturbed")
    done = harness.perennial("refresh", *SMALL_REFRESH, "--root", str(root), cwd=root)
    assert done.returncode == 0, done.stderr
    return Published(root, done.stdout)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A data root with the editions e1 and e2; in a file that makes another one, `run` is on that."""
    return Path(two_editions(tmp_path / "data").root)


@pytest.fixture
def store(root: Path) -> Store:
    return Store(str(root))


@pytest.fixture
def run(store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Commands of `perennial` on that root, in this process."""
    return commands_on(store, monkeypatch, capsys)


@pytest.fixture
def give(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Commands of `perennial` in this process, on the data root that they name, at 120 columns."""
    monkeypatch.setenv("COLUMNS", "120")
    return lambda *arguments: perennial(monkeypatch, capsys, *arguments)
