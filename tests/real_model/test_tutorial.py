"""The commands of docs/tutorial.md, with a real small model; what it says is its own affair."""

from pathlib import Path

import pytest

from tests.real_model.server import INSTALL, missing_packages, real_server
from tests.real_model.tutorial import run_tutorial

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(missing_packages()), reason=f"a real model needs: {INSTALL}"),
]


def test_the_commands_of_the_tutorial_run_in_their_order(tmp_path: Path) -> None:
    with real_server() as url:
        printed = run_tutorial(tmp_path, url, shorten=10)
    assert list(printed) == ["init", "try", "evaluate", "query", "episode", "report"]
    assert "of 18" in printed["try"]
    assert {"short", "long"} <= set(printed["query"].split())
    assert "turn 1: reply" in printed["episode"]
    (report,) = tmp_path.glob("reports/*.html")
    assert "beyondbench" in report.read_text("utf-8")
