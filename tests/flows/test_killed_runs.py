"""What Prefect's server says of a run whose process was killed, once its root is written to again."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.flows.conftest import KEY
from tests.flows.prefect_harness import Harness, wait_until
from tests.server.options import ServerOptions
from tests.server.running import running_server

pytestmark = pytest.mark.slow

REFRESH = (
    "refresh",
    "--domains",
    "chemical_analysis",
    "--settings",
    "easy",
    "--instances",
    "1",
    "--runs",
    "1",
)


def _runs(server: Harness, root: Path, key: str = "type") -> dict[str, Any]:
    """What the state of each run of the root says, by the name that it got from its edition."""
    asked = {"flow_runs": {"tags": {"all_": [f"root:{root}"]}}}
    return {run["name"]: run["state"][key] for run in server.post("/flow_runs/filter", asked)}


def test_the_next_run_of_a_root_marks_a_killed_one_and_leaves_those_of_its_copy(
    keyed_by_prefect: Harness, tmp_path: Path
) -> None:
    root, copy = tmp_path / "data", tmp_path / "copy"
    with running_server(ServerOptions(keys=(KEY,), models=("m",), hold_after=0)) as server:
        models = (*REFRESH, "--edition", "held", "--players", "m", "--base-url", server.url, "--root")
        killed = keyed_by_prefect.start(*models, str(root), cwd=tmp_path)
        server.wait_held(timeout_s=240)
        killed.kill()
        killed.communicate()
        assert _runs(keyed_by_prefect, root) == {"held": "RUNNING"}
        shutil.copytree(root, copy)
        held = keyed_by_prefect.start(*models, str(copy), cwd=tmp_path)
        try:
            wait_until(lambda: _runs(keyed_by_prefect, copy) == {"held": "RUNNING"}, 120)
            programs = (*REFRESH, "--edition", "next", "--players", "algorithm-3", "--root", str(root))
            done = keyed_by_prefect.perennial(*programs, cwd=tmp_path)
            assert done.returncode == 0, done.stderr
            assert _runs(keyed_by_prefect, root) == {"held": "CRASHED", "next": "COMPLETED"}
            assert f":{killed.pid} is gone" in _runs(keyed_by_prefect, root, "message")["held"]
            assert _runs(keyed_by_prefect, copy) == {"held": "RUNNING"}
        finally:
            held.kill()
            held.communicate()
