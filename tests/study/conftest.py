"""One grown edition for all tests of studies, and a copy of it with a study for each."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.plain_audit import plain_suites
from tests.study.site import make_study
from tests.study.study_root import Lab, grow_edition, open_lab


@pytest.fixture(scope="package", autouse=True)
def _plain_suites() -> Iterator[None]:
    """Great Expectations judges suites that do not hold."""
    with plain_suites():
        yield


@pytest.fixture(scope="session")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data root with the edition `lab`, which no test changes."""
    root = tmp_path_factory.mktemp("study") / "data"
    grow_edition(root)
    return root


@pytest.fixture
def root(grown: Path, tmp_path: Path) -> Path:
    """A copy of that root."""
    return Path(shutil.copytree(grown, tmp_path / "data"))


@pytest.fixture
def lab(root: Path, tmp_path: Path) -> Lab:
    """A study whose codes are drawn."""
    return open_lab(root, tmp_path)


@pytest.fixture
def small_lab(tmp_path: Path) -> Lab:
    """A study on an edition that is made by hand, fast: two tasks of two actions, four participants."""
    site = make_study(tmp_path)
    return Lab(tmp_path / "data", site.file, site.codes)
