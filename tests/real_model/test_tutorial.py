"""The commands of docs/tutorial.md, with a scripted model; `test_real_model` asks the real one."""

from pathlib import Path

import pytest

from tests.flows.prefect_harness import Harness
from tests.real_model.tutorial import run_tutorial
from tests.server.options import ServerOptions
from tests.server.running import running_server


@pytest.mark.slow
def test_the_commands_of_the_tutorial_run_in_their_order(harness: Harness, tmp_path: Path) -> None:
    with running_server(ServerOptions(models=("smollm2-135m",), roles="tests.server.one_word")) as server:
        printed = run_tutorial(tmp_path, server.url, harness)
    assert list(printed) == ["init", "try", "evaluate", "query", "episode", "report"]
    assert "of 18" in printed["try"]
    assert {"short", "long"} <= set(printed["query"].split())
    assert "turn 1: reply" in printed["episode"]
    (report,) = tmp_path.glob("reports/*.html")
    assert "beyondbench" in report.read_text("utf-8")
