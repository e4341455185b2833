"""The ledger is deleted during a refresh: one line, exit code 8, and nothing is paid for twice."""

from pathlib import Path

import pytest

from tests.flows.prefect_harness import Harness
from tests.flows.test_signals import REFRESH, refreshing
from tests.server.log import answers_by_digest

pytestmark = pytest.mark.slow


def test_a_ledger_deleted_during_a_refresh_is_one_line_and_its_copy_goes_on(
    keyed: Harness, tmp_path: Path
) -> None:
    with refreshing(keyed, tmp_path) as (process, server):
        for file in tmp_path.glob("ledger.sqlite*"):
            file.unlink()
        server.release()
        out, _ = process.communicate(timeout=240)
        assert process.returncode == 8, out
        (line,) = [line for line in out.splitlines() if line.startswith("perennial: error: ")]
        (rescued,) = tmp_path.glob("ledger-rescued-*.sqlite")
        assert (
            f"ledger.sqlite was deleted while it was in use: all replies up to now are in {rescued}" in line
        )
        assert "Traceback" not in out
        assert not (tmp_path / "ledger.sqlite").exists()
        rescued.rename(tmp_path / "ledger.sqlite")
        done = keyed.perennial(*REFRESH, "--base-url", server.url, "--root", str(tmp_path), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert max(answers_by_digest(server.log()).values()) == 1
        assert "ok       ledger" in keyed.perennial("doctor", "--root", str(tmp_path), cwd=tmp_path).stdout
