"""A walk for each journey; commands run without Prefect, as all quick tests do."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.conftest import KEY, harness
from tests.flows.prefect_harness import Harness
from tests.journeys.walking import SIX_MODELS, TERMINAL_WIDTH, Walk
from tests.server.in_thread import serving
from tests.server.running import ServerControls

__all__ = ["harness"]


@pytest.fixture
def walk(harness: Harness, tmp_path: Path) -> Walk:
    """A user with a key, an empty folder and a terminal of 80 columns."""
    terminal = harness.but(COLUMNS=str(TERMINAL_WIDTH), PERENNIAL_API_KEY=KEY)
    return Walk(tmp_path, terminal)


@pytest.fixture
def server() -> Iterator[ServerControls]:
    """A server of six models."""
    with serving(SIX_MODELS) as controls:
        yield controls
