"""A walk for each journey; commands run without Prefect, as all quick tests do."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.conftest import KEY
from tests.flows.prefect_harness import Harness
from tests.journeys.walking import SIX_MODELS, TERMINAL_WIDTH, Walk
from tests.server.running import RunningServer, running_server


@pytest.fixture(scope="session")
def terminal(harness: Harness) -> Harness:
    """A terminal of 80 columns, with a key in its environment."""
    return harness.but(COLUMNS=str(TERMINAL_WIDTH), PERENNIAL_API_KEY=KEY)


@pytest.fixture
def walk(terminal: Harness, tmp_path: Path) -> Walk:
    """A user with an empty folder for data and a terminal."""
    (tmp_path / "warehouse/data").mkdir(parents=True)
    return Walk(tmp_path, terminal)


@pytest.fixture
def server() -> Iterator[RunningServer]:
    """A server of six models."""
    with running_server(SIX_MODELS) as controls:
        yield controls
