"""A staged edition, grown once."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.kumo import gate as check_batches
from perennial.flows.stages.workspace import Workspace, open_workspace
from perennial.tasks.kumo.space import space_size
from tests.flows.gate.staged_edition import EDITION, stage_edition


@pytest.fixture(scope="session")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root in which all is staged that comes before the gate."""
    root = tmp_path_factory.mktemp("staged")
    stage_edition(root, EDITION)
    return root


@pytest.fixture
def workspace(staged: Path, tmp_path: Path) -> Workspace:
    """A copy of it that a test may break."""
    root = tmp_path / "root"
    shutil.copytree(staged, root)
    return open_workspace(str(root), EDITION)


@pytest.fixture(scope="module", autouse=True)
def _sizes() -> Iterator[None]:
    """Compute the size of a space once for all tests: it takes longest of the gate, and depends on no row."""
    found: dict[str, Any] = {}

    def remembered(*arguments: Any) -> Any:
        key = repr(arguments)
        if key not in found:
            found[key] = space_size(*arguments)
        return found[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(check_batches, "space_size", remembered)
        yield
