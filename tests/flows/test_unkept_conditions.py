"""`perennial` on an object store that ignores conditional requests: it is read, and never written to."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from perennial.flows.cli.app import app
from perennial.schemas.errors import InvalidOption
from perennial.warehouse.store.store import Store
from tests.flows.prefect_harness import Harness, clean_environment
from tests.warehouse import tiny_edition
from tests.warehouse.s3_server import S3, Conditions, conditions, s3
from tests.warehouse.tiny_edition import publish

pytestmark = pytest.mark.slow

__all__ = ["conditions", "s3"]

IGNORED = "does not keep If-None-Match and If-Match"
REFRESH = ("refresh", "--domains", "mineral_identification", "--instances", "3", "--edition", "e2")


@pytest.fixture
def copied(tmp_path: Path, s3: S3, conditions: Conditions) -> Iterator[str]:
    """A root that was copied to such a store, with the edition `e1`."""
    conditions.ignored = ("If-None-Match", "If-Match")
    local, there = Store(str(tmp_path / "local")), Store(s3.new_root())
    publish(local, tiny_edition.plan("e1"), tiny_edition.tables(), [], datetime(2026, 1, 2, tzinfo=UTC))
    for path in sorted((tmp_path / "local").rglob("*.*")):
        if path.is_file() and not path.name.startswith("."):
            there.write_file(str(path.relative_to(tmp_path / "local")), path)
    before = there.names("")
    yield there.root
    assert there.names("") == before


def test_what_only_reads_works_there_and_doctor_names_the_store(copied: str, s3: S3) -> None:
    def read(*command: str) -> str:
        done = CliRunner().invoke(app, [*command, "--root", copied])
        assert done.exit_code == 0, (done.output, done.exception)
        return done.stdout

    count = read("query", "SELECT count(*) AS n FROM episodes", "--format", "json")
    assert json.loads(count) == [{"n": 4}]
    assert "e1" in read("editions", "list")
    read("verify", "e1")
    assert "Plan of edition e2" in read(*REFRESH, "--dry-run")
    assert "no lock" in read("unlock")
    _require_findings(copied, s3)


def _require_findings(copied: str, s3: S3) -> None:
    """Doctor names the store, and looks at all the rest."""
    done = CliRunner().invoke(app, ["doctor", "--root", copied, "--json"])
    document = json.loads(done.stdout)
    assert done.exit_code == document["exit_code"] == 2
    checks = {check["name"]: check for check in document["checks"]}
    found = {name: check["status"] for name, check in checks.items() if check["status"] != "ok"}
    # The edition's calls were made elsewhere: their ledger is on another machine.
    assert found == {"conditional writes": "failed", "ledger": "warning"}
    assert f"its object store {s3.host} {IGNORED}" in checks["conditional writes"]["seen"]
    assert checks["conditional writes"]["remedy"]
    assert {"root", "lock", "clock", "edition e1"} <= set(checks)


def test_doctor_says_that_another_store_keeps_them(s3: S3) -> None:
    done = CliRunner().invoke(app, ["doctor", "--root", s3.new_root(), "--json"])
    checks = {check["name"]: check["status"] for check in json.loads(done.stdout)["checks"]}
    assert checks["conditional writes"] == "ok"


def test_a_refresh_ends_with_one_line_before_prefect_is_started(copied: str, s3: S3, tmp_path: Path) -> None:
    harness = Harness({**clean_environment(), **s3.environment})
    done = harness.perennial(*REFRESH, "--root", copied, cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert f"its object store {s3.host} {IGNORED}" in done.stderr
    assert not (tmp_path / "warehouse").exists()


@pytest.mark.parametrize("command", [("analyse", "e1"), ("import", "scores", "scores.csv"), ("serve",)])
def test_no_other_writer_writes_there(
    copied: str, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_text("benchmark,player,score,source\nother,algorithm-3,0.9,us\n")
    done = CliRunner().invoke(app, [*command, "--root", copied])
    assert isinstance(done.exception, InvalidOption), done.output
    assert IGNORED in str(done.exception)
