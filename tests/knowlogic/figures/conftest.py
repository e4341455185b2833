"""The usual edition made by hand, published once for all tests that only read it."""

from pathlib import Path

import pytest

from tests.knowlogic.figures import made_edition


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("made")
    made_edition.publish(root, made_edition.rows())
    return root
