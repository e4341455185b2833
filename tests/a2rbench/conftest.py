"""The small edition with analyses and without figures, each published once for tests that only read it."""

from pathlib import Path

import pytest

from perennial.warehouse.store.store import Store
from tests.a2rbench import made_edition
from tests.a2rbench.made_analyses import add_analyses


@pytest.fixture(scope="session")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Store:
    made = made_edition.rows()
    add_analyses(made)
    root: Path = tmp_path_factory.mktemp("analysed") / "root"
    return made_edition.publish(root, made, made_edition.statistics(made))


@pytest.fixture(scope="session")
def unfigured(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The edition without statistics."""
    root: Path = tmp_path_factory.mktemp("unfigured") / "root"
    return made_edition.publish(root, made_edition.rows(), [])
